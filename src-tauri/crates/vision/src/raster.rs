//! Pictures as they come in: sniffed, limited, turned upright, flattened to sRGB.

mod decoding;
mod drawing;
mod ending;
mod moving;
mod profile;
mod refused;
mod sniff;

use std::fmt;
use std::io::Cursor;

use image::{DynamicImage, ImageFormat, RgbImage, RgbaImage, imageops};

pub use refused::ImageRefused;
use sniff::Sniffed;

/// Largest file that is looked at.
pub const MAX_FILE_BYTES: usize = 40 * 1024 * 1024;
/// Longest side of a picture.
pub const MAX_SIDE: u32 = 32_767;
/// Most pixels of a picture.
pub const MAX_PIXELS: u64 = 50_000_000;

/// The file type a picture came in, decided by its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PictureFormat {
    /// Portable Network Graphics, animated ones too (first picture).
    Png,
    /// JPEG.
    Jpeg,
    /// WebP, animated ones too (first picture).
    WebP,
    /// GIF, first picture.
    Gif,
    /// Windows bitmap.
    Bmp,
    /// Windows icon, its largest picture.
    Ico,
    /// Tagged Image File, first page.
    Tiff,
    /// Scalable Vector Graphics, drawn at its own size without scripts, links or other files.
    Svg,
}

impl fmt::Display for PictureFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Png => "PNG",
            Self::Jpeg => "JPEG",
            Self::WebP => "WebP",
            Self::Gif => "GIF",
            Self::Bmp => "BMP",
            Self::Ico => "ICO",
            Self::Tiff => "TIFF",
            Self::Svg => "SVG",
        })
    }
}

impl PictureFormat {
    fn in_image(self) -> Option<ImageFormat> {
        match self {
            Self::Png => Some(ImageFormat::Png),
            Self::Jpeg => Some(ImageFormat::Jpeg),
            Self::WebP => Some(ImageFormat::WebP),
            Self::Gif => Some(ImageFormat::Gif),
            Self::Bmp => Some(ImageFormat::Bmp),
            Self::Ico => Some(ImageFormat::Ico),
            Self::Tiff => Some(ImageFormat::Tiff),
            Self::Svg => None,
        }
    }

    /// The media type, as in `image/png`.
    pub fn mime(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::WebP => "image/webp",
            Self::Gif => "image/gif",
            Self::Bmp => "image/bmp",
            Self::Ico => "image/x-icon",
            Self::Tiff => "image/tiff",
            Self::Svg => "image/svg+xml",
        }
    }

    /// The usual file name ending without a dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::WebP => "webp",
            Self::Gif => "gif",
            Self::Bmp => "bmp",
            Self::Ico => "ico",
            Self::Tiff => "tif",
            Self::Svg => "svg",
        }
    }

    /// Whether a file of this type holds several pictures that are shown one after the other.
    pub fn is_moving(self, bytes: &[u8]) -> bool {
        moving::is_moving(bytes, self)
    }

    /// Whether the file itself is kept and handed on; of the others only [`Raster::to_png`] is, because models do
    /// not take them, and a drawing may hold scripts.
    pub fn is_kept(self) -> bool {
        !matches!(self, Self::Ico | Self::Tiff | Self::Svg)
    }
}

/// An upright, opaque 8-bit sRGB picture of at least one pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raster {
    pixels: RgbImage,
    format: PictureFormat,
}

impl Raster {
    /// The picture in a file's bytes, or why it is refused.
    pub fn decode(bytes: &[u8]) -> Result<Self, ImageRefused> {
        let format = format_of(bytes)?;
        // A drawing is pixels only once it is drawn.
        let pixels = match format.in_image() {
            None => drawing::drawn(bytes)?,
            Some(as_image) => whole(decoding::decoded(bytes, format, as_image), bytes, format)?,
        };
        Ok(Self { pixels, format })
    }

    /// A picture made of rows of RGB bytes, if their count fits the size.
    pub fn from_rgb(width: u32, height: u32, rgb: Vec<u8>) -> Option<Self> {
        let fits = width > 0 && height > 0;
        let pixels = RgbImage::from_raw(width, height, rgb).filter(|_| fits)?;
        Some(Self { pixels, format: PictureFormat::Png })
    }

    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.pixels.width()
    }

    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.pixels.height()
    }

    /// The file type the picture came in.
    pub fn format(&self) -> PictureFormat {
        self.format
    }

    /// Rows of RGB bytes, top to bottom.
    pub fn rgb(&self) -> &[u8] {
        self.pixels.as_raw()
    }

    /// The pixels as the `image` crate has them.
    pub fn pixels(&self) -> &RgbImage {
        &self.pixels
    }

    /// The picture as a PNG file.
    pub fn to_png(&self) -> Result<Vec<u8>, ImageRefused> {
        encoded_png(&self.pixels)
    }

    /// The picture at another size; at its own it stays as it is.
    pub fn at_size(self, width: u32, height: u32) -> Self {
        if self.pixels.dimensions() == (width, height) {
            return self;
        }
        let filter = image::imageops::FilterType::Triangle;
        let pixels = image::imageops::resize(&self.pixels, width.max(1), height.max(1), filter);
        Self { pixels, format: self.format }
    }

    /// The picture scaled down so that no side is longer than `max_side` pixels; never scaled up.
    pub fn thumbnail(&self, max_side: u32) -> Self {
        let longest = self.width().max(self.height());
        if longest <= max_side.max(1) {
            return self.clone();
        }
        let scaled =
            |side: u32| (u64::from(side) * u64::from(max_side.max(1)) / u64::from(longest)).max(1) as u32;
        let pixels = imageops::thumbnail(&self.pixels, scaled(self.width()), scaled(self.height()));
        Self { pixels, format: self.format }
    }
}

/// The upright sRGB pixels of a file with their opacities; those of a drawing are on white.
pub(crate) fn with_opacity(bytes: &[u8]) -> Result<RgbaImage, ImageRefused> {
    let format = format_of(bytes)?;
    match format.in_image() {
        None => Ok(DynamicImage::ImageRgb8(drawing::drawn(bytes)?).into_rgba8()),
        Some(as_image) => whole(decoding::decoded_with_opacity(bytes, format, as_image), bytes, format),
    }
}

fn format_of(bytes: &[u8]) -> Result<PictureFormat, ImageRefused> {
    if bytes.is_empty() {
        return Err(ImageRefused::Empty);
    }
    if bytes.len() > MAX_FILE_BYTES {
        return Err(ImageRefused::FileTooLarge { bytes: bytes.len() });
    }
    match sniff::sniff(bytes) {
        Sniffed::Picture(format) => Ok(format),
        Sniffed::Foreign(kind) => Err(ImageRefused::Unsupported { kind }),
        Sniffed::Unknown => Err(ImageRefused::NotAnImage),
    }
}

/// Headers come first: a file cut before its last mark may still decode, with the rest left grey.
fn whole<P>(pixels: Result<P, ImageRefused>, bytes: &[u8], format: PictureFormat) -> Result<P, ImageRefused> {
    match pixels {
        Ok(_) if ending::is_cut_off(bytes, format) => Err(ImageRefused::Truncated { format }),
        pixels => pixels,
    }
}

/// A PNG file of some pixels.
pub(crate) fn encoded_png(pixels: &RgbImage) -> Result<Vec<u8>, ImageRefused> {
    let mut file = Cursor::new(Vec::new());
    pixels.write_to(&mut file, ImageFormat::Png).map_err(|source| ImageRefused::NotEncoded { source })?;
    Ok(file.into_inner())
}
