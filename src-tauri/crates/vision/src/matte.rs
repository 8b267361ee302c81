//! Flat and near-flat backgrounds taken away, with edges that fit any other background.
//!
//! [`without_background`] is for whole pictures; cutting a part out of a page uses the same edges.

mod edges;
mod ground;

use std::io::Cursor;

use image::{ImageFormat, RgbImage, RgbaImage};

use crate::raster::{self, ImageRefused, Raster};
pub(crate) use edges::lifted;
pub(crate) use ground::{Ground, Holes};

// Less is half-covered, as where a curve meets the edge.
const MOST_CLEAR: u8 = 127;

/// A picture whose background is transparent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cutout {
    pixels: RgbaImage,
}

impl Cutout {
    pub(crate) fn new(pixels: RgbaImage) -> Self {
        Self { pixels }
    }

    /// A picture file as it is, with what is transparent in it.
    pub fn decode(bytes: &[u8]) -> Result<Self, ImageRefused> {
        raster::with_opacity(bytes).map(Self::new)
    }

    /// Whether its background is gone already: something at its outermost pixels is looked through.
    pub fn has_clear_edges(&self) -> bool {
        let (width, height) = self.pixels.dimensions();
        let rows = (0..width).flat_map(|x| [(x, 0), (x, height.saturating_sub(1))]);
        let columns = (0..height).flat_map(|y| [(0, y), (width.saturating_sub(1), y)]);
        rows.chain(columns).any(|(x, y)| self.pixels.get_pixel(x, y).0[3] <= MOST_CLEAR)
    }

    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.pixels.width()
    }

    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.pixels.height()
    }

    /// The pixels; colours are not multiplied by their opacity.
    pub fn pixels(&self) -> &RgbaImage {
        &self.pixels
    }

    /// Whether nothing of it is transparent.
    pub fn is_opaque(&self) -> bool {
        self.pixels.pixels().all(|pixel| pixel.0[3] == u8::MAX)
    }

    /// The picture as a PNG file, without an alpha channel where none is needed.
    pub fn to_png(&self) -> Result<Vec<u8>, ImageRefused> {
        let mut file = Cursor::new(Vec::new());
        let written = if self.is_opaque() {
            let (width, height) = self.pixels.dimensions();
            let opaque = RgbImage::from_fn(width, height, |x, y| {
                let [r, g, b, _] = self.pixels.get_pixel(x, y).0;
                image::Rgb([r, g, b])
            });
            opaque.write_to(&mut file, ImageFormat::Png)
        } else {
            self.pixels.write_to(&mut file, ImageFormat::Png)
        };
        written.map_err(|source| ImageRefused::NotEncoded { source })?;
        Ok(file.into_inner())
    }
}

/// Why a background is not taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatteRefused {
    /// The edges of the picture show many colours.
    #[error(
        "photo background: the edges of the picture are not of one colour, and telling a thing from a photo \
         behind it needs a background-removal service. Set a key for one, or use a picture on a plain background."
    )]
    PhotoBackground,
    /// One colour from edge to edge.
    #[error(
        "only background: nothing in the picture stands out from its edges. Choose the picture that shows the thing."
    )]
    OnlyBackground,
}

impl MatteRefused {
    /// A stable word to branch on.
    pub fn code(self) -> &'static str {
        match self {
            Self::PhotoBackground => "matte_photo_background",
            Self::OnlyBackground => "matte_only_background",
        }
    }
}

// Fewer opaque pixels are dust.
const LEAST_THING: usize = 4;

/// The picture with its flat or softly graded background transparent, enclosed parts of it too.
pub fn without_background(raster: &Raster) -> Result<Cutout, MatteRefused> {
    let picture = raster.pixels();
    let ground = Ground::at_edges(picture).ok_or(MatteRefused::PhotoBackground)?;
    let mask = ground.mask(picture, Holes::Open);
    let ground = ground.refined(picture, &mask);
    let mask = ground.mask(picture, Holes::Open);
    let whole = ground::whole(&mask);
    let kept = whole.area() as usize - mask.count_in(whole);
    if kept < LEAST_THING {
        return Err(MatteRefused::OnlyBackground);
    }
    Ok(Cutout::new(lifted(picture, &ground, &mask)))
}

#[cfg(test)]
mod tests;
