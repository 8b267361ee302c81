//! Colour profiles: screenshots of wide-gamut displays become sRGB.

use image::RgbImage;
use moxcms::{ColorProfile, DataColorSpace, Layout, TransformOptions};

/// The pixels in sRGB. A profile that is broken or not for RGB is passed over: slightly wrong colours are
/// better than no picture.
pub(super) fn in_srgb(pixels: RgbImage, profile: Option<Vec<u8>>) -> RgbImage {
    let Some(profile) = profile.and_then(|bytes| ColorProfile::new_from_slice(&bytes).ok()) else {
        return pixels;
    };
    if profile.color_space != DataColorSpace::Rgb {
        return pixels;
    }
    let srgb = ColorProfile::new_srgb();
    let Ok(transform) =
        profile.create_transform_8bit(Layout::Rgb, &srgb, Layout::Rgb, TransformOptions::default())
    else {
        return pixels;
    };
    let mut converted = vec![0; pixels.as_raw().len()];
    if transform.transform(pixels.as_raw(), &mut converted).is_err() {
        return pixels;
    }
    RgbImage::from_raw(pixels.width(), pixels.height(), converted).unwrap_or(pixels)
}
