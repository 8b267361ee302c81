//! Stand-ins for pictures that nobody has made yet: the asked size, the page's colours, a caption, and a mark
//! inside the file. [`Placeholder`] is drawn where no image model is at hand; the same words give the same file.

mod caption;
mod paper;

use image::RgbaImage;

use crate::raster::{ImageRefused, Raster};
use crate::trace::palette;

/// Longest side of a placeholder.
pub const MAX_SIDE: u32 = 4096;
/// Most pixels of a placeholder.
pub const MAX_PIXELS: u64 = 8_000_000;

/// The key of the words inside a file that say what it is; captions show the same word.
const MARK: &str = "Placeholder";
// Pale greys that go with any page.
const NEUTRAL: [[u8; 3]; 4] = [[226, 229, 233], [197, 203, 211], [148, 158, 170], [71, 80, 92]];

/// What a placeholder stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backdrop {
    /// Filled from edge to edge.
    Filled,
    /// A tile with rounded corners on nothing.
    Clear,
}

/// A picture that is not there yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder {
    prompt: String,
    width: u32,
    height: u32,
    colors: Vec<[u8; 3]>,
    backdrop: Backdrop,
}

impl Placeholder {
    /// A placeholder for what `prompt` describes. Sizes no picture can have become the nearest ones it can,
    /// with the same shape.
    pub fn new(prompt: &str, width: u32, height: u32) -> Self {
        let (width, height) = sensible(width, height);
        let prompt = prompt.split_whitespace().collect::<Vec<_>>().join(" ");
        Self { prompt, width, height, colors: NEUTRAL.to_vec(), backdrop: Backdrop::Filled }
    }

    /// In these colours, such as [`palette_of`] a page, instead of neutral ones.
    pub fn in_colors(mut self, colors: &[[u8; 3]]) -> Self {
        if !colors.is_empty() {
            self.colors = colors.to_vec();
        }
        self
    }

    /// On another backdrop than a filled one.
    pub fn on(mut self, backdrop: Backdrop) -> Self {
        self.backdrop = backdrop;
        self
    }

    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// How round the corners are.
    fn corner(&self) -> f32 {
        match self.backdrop {
            Backdrop::Filled => 0.0,
            Backdrop::Clear => self.width.min(self.height) as f32 * 0.12,
        }
    }

    /// The placeholder as a PNG file that says inside that it is one.
    pub fn to_png(&self) -> Result<Vec<u8>, ImageRefused> {
        let mut picture = paper::drawn(self);
        caption::write(&mut picture, self);
        self.encoded(&picture)
    }

    fn encoded(&self, picture: &RgbaImage) -> Result<Vec<u8>, ImageRefused> {
        let refused = |source: png::EncodingError| {
            let cause = image::error::EncodingError::new(image::ImageFormat::Png.into(), source);
            ImageRefused::NotEncoded { source: image::ImageError::Encoding(cause) }
        };
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        let is_clear = self.backdrop == Backdrop::Clear;
        encoder.set_color(if is_clear { png::ColorType::Rgba } else { png::ColorType::Rgb });
        encoder.set_depth(png::BitDepth::Eight);
        encoder
            .add_text_chunk(MARK.to_owned(), "stands for a picture that was not made".to_owned())
            .and_then(|()| encoder.add_itxt_chunk("Description".to_owned(), self.prompt.clone()))
            .map_err(refused)?;
        let mut writer = encoder.write_header().map_err(refused)?;
        if is_clear {
            writer.write_image_data(picture.as_raw()).map_err(refused)?;
        } else {
            let opaque: Vec<u8> = picture.pixels().flat_map(|pixel| pixel.0.into_iter().take(3)).collect();
            writer.write_image_data(&opaque).map_err(refused)?;
        }
        writer.finish().map_err(refused)?;
        Ok(file)
    }
}

/// Whether a PNG file carries the placeholder's mark.
pub fn is_placeholder(file: &[u8]) -> bool {
    let mut at = 8_usize;
    while let Some((length, kind)) = file.get(at..).and_then(|rest| rest.split_first_chunk::<4>()) {
        if kind.starts_with(b"IDAT") {
            return false;
        }
        let words = kind.strip_prefix(b"tEXt").and_then(|words| words.strip_prefix(MARK.as_bytes()));
        if words.is_some_and(|rest| rest.first() == Some(&0)) {
            return file.starts_with(b"\x89PNG\r\n\x1a\n");
        }
        at = at.saturating_add(12).saturating_add(u32::from_be_bytes(*length) as usize);
    }
    false
}

/// The colours a page is made of, commonest first.
pub fn palette_of(page: &Raster) -> Vec<[u8; 3]> {
    palette::palette(page.pixels()).into_iter().map(|swatch| swatch.color).collect()
}

fn sensible(width: u32, height: u32) -> (u32, u32) {
    let (width, height) = (f64::from(width.max(1)), f64::from(height.max(1)));
    let by_side = f64::from(MAX_SIDE) / width.max(height);
    let by_area = (MAX_PIXELS as f64 / (width * height)).sqrt();
    let scale = by_side.min(by_area).min(1.0);
    let side = |length: f64| (length * scale).floor().max(1.0) as u32;
    (side(width), side(height))
}

#[cfg(test)]
mod tests;
