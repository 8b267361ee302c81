//! Pictures as they come in: sniffed, limited, turned upright, flattened to sRGB.

mod profile;
mod refused;
mod sniff;

use std::io::Cursor;

use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits, RgbImage, imageops};

pub use refused::ImageRefused;
use sniff::Sniffed;

/// Largest file that is looked at.
pub const MAX_FILE_BYTES: usize = 40 * 1024 * 1024;
/// Longest side of a picture.
pub const MAX_SIDE: u32 = 32_767;
/// Most pixels of a picture.
pub const MAX_PIXELS: u64 = 50_000_000;
// A 16-bit RGBA picture of MAX_PIXELS fits, and nothing a broken header may ask for beyond it.
const MAX_DECODER_BYTES: u64 = 512 * 1024 * 1024;

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
}

impl PictureFormat {
    /// The media type, as in `image/png`.
    pub fn mime(self) -> &'static str {
        self.in_image().to_mime_type()
    }

    /// The usual file name ending without a dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::WebP => "webp",
            Self::Gif => "gif",
            Self::Bmp => "bmp",
        }
    }

    fn in_image(self) -> ImageFormat {
        match self {
            Self::Png => ImageFormat::Png,
            Self::Jpeg => ImageFormat::Jpeg,
            Self::WebP => ImageFormat::WebP,
            Self::Gif => ImageFormat::Gif,
            Self::Bmp => ImageFormat::Bmp,
        }
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
        if bytes.is_empty() {
            return Err(ImageRefused::Empty);
        }
        if bytes.len() > MAX_FILE_BYTES {
            return Err(ImageRefused::FileTooLarge { bytes: bytes.len() });
        }
        let format = match sniff::sniff(bytes) {
            Sniffed::Picture(format) => format,
            Sniffed::Foreign(kind) => return Err(ImageRefused::Unsupported { kind }),
            Sniffed::Unknown => return Err(ImageRefused::NotAnImage),
        };
        let Decoded { mut picture, orientation, profile } = decoded(bytes, format)?;
        // Headers come first: a file cut before its last mark may still decode, with the rest left grey.
        if sniff::is_cut_off(bytes, format) {
            return Err(ImageRefused::Truncated { format });
        }
        picture.apply_orientation(orientation);
        Ok(Self { pixels: profile::in_srgb(flattened(picture), profile), format })
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

/// A PNG file of some pixels.
pub(crate) fn encoded_png(pixels: &RgbImage) -> Result<Vec<u8>, ImageRefused> {
    let mut file = Cursor::new(Vec::new());
    pixels.write_to(&mut file, ImageFormat::Png).map_err(|source| ImageRefused::NotEncoded { source })?;
    Ok(file.into_inner())
}

struct Decoded {
    picture: DynamicImage,
    orientation: Orientation,
    profile: Option<Vec<u8>>,
}

fn decoded(bytes: &[u8], format: PictureFormat) -> Result<Decoded, ImageRefused> {
    let refused = |source| refusal(source, format);
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MAX_DECODER_BYTES);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format.in_image());
    reader.limits(limits.clone());
    let mut decoder = reader.into_decoder().map_err(refused)?;
    let (width, height) = decoder.dimensions();
    if width == 0 || height == 0 {
        return Err(ImageRefused::NotAnImage);
    }
    if width > MAX_SIDE || height > MAX_SIDE || u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(ImageRefused::TooManyPixels { width, height });
    }
    decoder.set_limits(limits).map_err(refused)?;
    // A broken EXIF block costs the rotation, not the picture.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let profile = decoder.icc_profile().unwrap_or_default();
    let picture = DynamicImage::from_decoder(decoder).map_err(refused)?;
    Ok(Decoded { picture, orientation, profile })
}

fn refusal(source: ImageError, format: PictureFormat) -> ImageRefused {
    let ended = match &source {
        ImageError::Limits(_) => return ImageRefused::NeedsTooMuchMemory,
        ImageError::IoError(cause) => cause.kind() == std::io::ErrorKind::UnexpectedEof,
        ImageError::Decoding(_) => {
            let words = source.to_string().to_lowercase();
            ["eof", "end of file", "unexpected end", "exhausted", "not enough"]
                .iter()
                .any(|sign| words.contains(sign))
        }
        _ => false,
    };
    if ended { ImageRefused::Truncated { format } } else { ImageRefused::Broken { format, source } }
}

fn flattened(picture: DynamicImage) -> RgbImage {
    if !picture.color().has_alpha() {
        return picture.into_rgb8();
    }
    let translucent = picture.into_rgba8();
    RgbImage::from_fn(translucent.width(), translucent.height(), |x, y| {
        let [r, g, b, alpha] = translucent.get_pixel(x, y).0;
        let on_white = |channel: u8| {
            ((u32::from(channel) * u32::from(alpha) + 255 * (255 - u32::from(alpha)) + 127) / 255) as u8
        };
        image::Rgb([on_white(r), on_white(g), on_white(b)])
    })
}
