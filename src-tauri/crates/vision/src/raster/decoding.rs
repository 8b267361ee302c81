//! Files of pixels: decoded within limits, then made upright, opaque and sRGB with as few copies as possible.

use std::io::Cursor;

use image::metadata::Orientation;
use image::{
    DynamicImage, GenericImageView, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits, RgbImage,
};

use super::profile::Colors;
use super::{ImageRefused, MAX_PIXELS, MAX_SIDE, PictureFormat};

// A 16-bit RGBA picture of MAX_PIXELS fits, and nothing a broken header may ask for beyond it.
const MAX_DECODER_BYTES: u64 = 512 * 1024 * 1024;

/// The pixels of a file.
pub(super) fn decoded(
    bytes: &[u8],
    format: PictureFormat,
    as_image: ImageFormat,
) -> Result<RgbImage, ImageRefused> {
    let refused = |source| refusal(source, format);
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MAX_DECODER_BYTES);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), as_image);
    reader.limits(limits.clone());
    let mut decoder = reader.into_decoder().map_err(refused)?;
    let (width, height) = decoder.dimensions();
    if width == 0 || height == 0 {
        return Err(ImageRefused::NotAnImage);
    }
    if width > MAX_SIDE || height > MAX_SIDE || u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(ImageRefused::TooManyPixels { width, height });
    }
    if decoder.total_bytes() > MAX_DECODER_BYTES {
        return Err(ImageRefused::NeedsTooMuchMemory);
    }
    decoder.set_limits(limits).map_err(refused)?;
    // A broken EXIF block costs the rotation, not the picture.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let profile = decoder.icc_profile().unwrap_or_default();
    let picture = DynamicImage::from_decoder(decoder).map_err(refused)?;
    let colors = Colors::of(bytes, &picture, profile);
    // Turned last: by then each pixel is three bytes, where a deep one may have eight.
    let mut upright = DynamicImage::ImageRgb8(flattened(picture, &colors));
    upright.apply_orientation(orientation);
    Ok(upright.into_rgb8())
}

fn refusal(source: ImageError, format: PictureFormat) -> ImageRefused {
    let ended = match &source {
        ImageError::Limits(_) => return ImageRefused::NeedsTooMuchMemory,
        ImageError::IoError(cause) => cause.kind() == std::io::ErrorKind::UnexpectedEof,
        ImageError::Decoding(_) => {
            let words = source.to_string().to_lowercase();
            ["eof", "end of file", "unexpected end", "exhausted", "not enough", "failed to fill"]
                .iter()
                .any(|sign| words.contains(sign))
        }
        _ => false,
    };
    if ended { ImageRefused::Truncated { format } } else { ImageRefused::Broken { format, source } }
}

/// Eight bits a channel on white, in sRGB.
fn flattened(picture: DynamicImage, colors: &Colors) -> RgbImage {
    let picture = match picture {
        DynamicImage::ImageRgb8(pixels) => {
            let mut pixels = pixels;
            let row = 3 * pixels.width() as usize;
            pixels.chunks_exact_mut(row.max(3)).for_each(|row| colors.convert(row));
            return pixels;
        }
        other => other,
    };
    let (width, height) = picture.dimensions();
    let mut rgb = Vec::with_capacity(3 * width as usize * height as usize);
    let mut opacities = vec![u8::MAX; width as usize];
    for y in 0..height {
        let start = rgb.len();
        for (x, opacity) in (0..width).zip(&mut opacities) {
            let [r, g, b, alpha] = picture.get_pixel(x, y).0;
            rgb.extend([r, g, b]);
            *opacity = alpha;
        }
        let Some(row) = rgb.get_mut(start..) else { continue };
        colors.convert(row);
        for (pixel, &opacity) in row.chunks_exact_mut(3).zip(&opacities) {
            pixel.iter_mut().for_each(|channel| *channel = on_white(*channel, opacity));
        }
    }
    RgbImage::from_raw(width, height, rgb).unwrap_or_default()
}

/// A channel with white shining through.
pub(super) fn on_white(channel: u8, opacity: u8) -> u8 {
    ((u32::from(channel) * u32::from(opacity) + 255 * (255 - u32::from(opacity)) + 127) / 255) as u8
}
