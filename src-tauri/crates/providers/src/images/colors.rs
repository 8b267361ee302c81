//! Colours as the file means them: what is sent carries no profile, and models take it for sRGB.

use image::DynamicImage;
use moxcms::{ColorProfile, DataColorSpace, Layout, TransformOptions};

use super::eight_bit;

/// The picture in sRGB. A profile for greys or inks is passed over: the decoder has made red, green and blue of them.
pub(super) fn in_srgb(picture: DynamicImage, profile: Option<Vec<u8>>) -> DynamicImage {
    let profile = profile.and_then(|bytes| ColorProfile::new_from_slice(&bytes).ok());
    let profile = profile.filter(|profile| profile.color_space == DataColorSpace::Rgb);
    let Some(profile) = profile.filter(|_| picture.color().has_color()) else { return picture };
    let (layout, channels) = if picture.color().has_alpha() { (Layout::Rgba, 4) } else { (Layout::Rgb, 3) };
    let srgb = ColorProfile::new_srgb();
    let Ok(transform) = profile.create_transform_8bit(layout, &srgb, layout, TransformOptions::default())
    else {
        return picture;
    };
    let mut shown = eight_bit(&picture);
    let row = channels * shown.width().max(1) as usize;
    let pixels: &mut [u8] = match &mut shown {
        DynamicImage::ImageRgba8(pixels) => pixels,
        DynamicImage::ImageRgb8(pixels) => pixels,
        _ => return picture,
    };
    for row in pixels.chunks_exact_mut(row) {
        let stored = row.to_vec();
        if transform.transform(&stored, row).is_err() {
            return picture;
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use image::codecs::png::PngEncoder;
    use image::{ExtendedColorType, ImageEncoder, Rgba, RgbaImage};
    use moxcms::ColorProfile;

    use crate::images::whole;

    // S-42
    #[test]
    fn a_picture_of_a_wide_display_is_sent_in_the_colours_it_shows() {
        let pixels = [[200, 100, 50, 255], [200, 100, 50, 90], [255, 255, 255, 255], [0, 0, 0, 255]];
        let mut file = Cursor::new(Vec::new());
        let mut encoder = PngEncoder::new(&mut file);
        encoder.set_icc_profile(ColorProfile::new_display_p3().encode().unwrap()).unwrap();
        encoder.write_image(pixels.as_flattened(), 4, 1, ExtendedColorType::Rgba8).unwrap();

        let sent = image::load_from_memory(&whole(&file.into_inner()).unwrap().bytes).unwrap().into_rgba8();

        // What the two spaces' definitions make of it, by hand.
        let meant = [[215, 93, 31, 255], [215, 93, 31, 90], [255, 255, 255, 255], [0, 0, 0, 255]];
        let far = |found: &RgbaImage| {
            let pairs = found.pixels().zip(meant);
            pairs
                .flat_map(|(Rgba(found), meant)| {
                    found.iter().zip(meant).map(|(a, b)| a.abs_diff(b)).collect::<Vec<_>>()
                })
                .max()
        };
        assert!(far(&sent) <= Some(2), "{sent:?}");
    }

    #[test]
    fn a_broken_profile_costs_nothing() {
        let mut file = Cursor::new(Vec::new());
        let mut encoder = PngEncoder::new(&mut file);
        encoder.set_icc_profile(vec![7; 200]).unwrap();
        encoder.write_image(&[200, 100, 50], 1, 1, ExtendedColorType::Rgb8).unwrap();
        let sent = image::load_from_memory(&whole(&file.into_inner()).unwrap().bytes).unwrap().into_rgb8();
        assert_eq!(sent.get_pixel(0, 0).0, [200, 100, 50]);
    }
}
