//! Files of pixels: decoded within limits, then made upright, opaque and sRGB with as few copies as possible.

use std::io::Cursor;

use image::metadata::Orientation;
use image::{
    DynamicImage, GenericImageView, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits, RgbImage,
    RgbaImage,
};

use super::profile::Colors;
use super::{ImageRefused, MAX_PIXELS, MAX_SIDE, PictureFormat};

// A 16-bit RGBA picture of MAX_PIXELS fits, and nothing a broken header may ask for beyond it.
const MAX_DECODER_BYTES: u64 = 512 * 1024 * 1024;

/// The pixels of a file, on white.
pub(super) fn decoded(
    bytes: &[u8],
    format: PictureFormat,
    as_image: ImageFormat,
) -> Result<RgbImage, ImageRefused> {
    let Opened { picture, colors, orientation } = opened(bytes, format, as_image)?;
    // Turned last: by then each pixel is three bytes, where a deep one may have eight.
    let mut upright = DynamicImage::ImageRgb8(flattened(picture, &colors));
    upright.apply_orientation(orientation);
    Ok(upright.into_rgb8())
}

/// The pixels of a file with their opacities.
pub(super) fn decoded_with_opacity(
    bytes: &[u8],
    format: PictureFormat,
    as_image: ImageFormat,
) -> Result<RgbaImage, ImageRefused> {
    let Opened { picture, colors, orientation } = opened(bytes, format, as_image)?;
    let mut pixels = Vec::with_capacity(4 * picture.width() as usize * picture.height() as usize);
    let size = picture.dimensions();
    visit_rows(&picture, &colors, |row, opacities| {
        for (color, &opacity) in row.chunks_exact(3).zip(opacities) {
            pixels.extend_from_slice(color);
            pixels.push(opacity);
        }
    });
    drop(picture);
    let mut upright =
        DynamicImage::ImageRgba8(RgbaImage::from_raw(size.0, size.1, pixels).unwrap_or_default());
    upright.apply_orientation(orientation);
    Ok(upright.into_rgba8())
}

/// A file's pixels as it has them, and what is to be done to them.
struct Opened {
    picture: DynamicImage,
    colors: Colors,
    orientation: Orientation,
}

fn opened(bytes: &[u8], format: PictureFormat, as_image: ImageFormat) -> Result<Opened, ImageRefused> {
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
    Ok(Opened { picture, colors, orientation })
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
    visit_rows(&picture, colors, |row, opacities| {
        let on_white = |(color, &opacity): (&[u8], &u8)| {
            let mut flat = [0; 3];
            flat.iter_mut().zip(color).for_each(|(flat, &channel)| *flat = on_white(channel, opacity));
            flat
        };
        rgb.extend(row.chunks_exact(3).zip(opacities).flat_map(on_white));
    });
    RgbImage::from_raw(width, height, rgb).unwrap_or_default()
}

/// Hands over the colours of each row, eight bits a channel in sRGB, and their opacities.
fn visit_rows(picture: &DynamicImage, colors: &Colors, mut visit: impl FnMut(&[u8], &[u8])) {
    let (mut row, mut opacities) = (Vec::new(), Vec::new());
    for y in 0..picture.height() {
        row.clear();
        opacities.clear();
        for x in 0..picture.width() {
            let [r, g, b, alpha] = picture.get_pixel(x, y).0;
            row.extend([r, g, b]);
            opacities.push(alpha);
        }
        colors.convert(&mut row);
        visit(&row, &opacities);
    }
}

/// A channel with white shining through.
pub(super) fn on_white(channel: u8, opacity: u8) -> u8 {
    ((u32::from(channel) * u32::from(opacity) + 255 * (255 - u32::from(opacity)) + 127) / 255) as u8
}
