//! Colours as the file means them: what is sent carries no profile, and models take it for sRGB.

mod described;

use image::DynamicImage;
use moxcms::{ColorProfile, DataColorSpace, Layout, TransformOptions};

use super::eight_bit;
use described::{Described, described};

/// The picture of a file in sRGB. A profile for inks is passed over: the decoder has made red, green and blue of them.
pub(super) fn in_srgb(picture: DynamicImage, file: &[u8], profile: Option<Vec<u8>>) -> DynamicImage {
    let has_color = picture.color().has_color();
    let Some(profile) = profile.and_then(|bytes| ColorProfile::new_from_slice(&bytes).ok()) else {
        return match described(file) {
            Some(Described::Space(space)) => from_space(&picture, &space).unwrap_or(picture),
            Some(Described::Gamma(gamma)) => with_curve(&picture, gamma),
            None => picture,
        };
    };
    match profile.color_space {
        DataColorSpace::Rgb if has_color => from_space(&picture, &profile).unwrap_or(picture),
        DataColorSpace::Gray if !has_color => from_greys(&picture, &profile).unwrap_or(picture),
        _ => picture,
    }
}

fn from_space(picture: &DynamicImage, profile: &ColorProfile) -> Option<DynamicImage> {
    let layout = if picture.color().has_alpha() { Layout::Rgba } else { Layout::Rgb };
    let srgb = ColorProfile::new_srgb();
    let transform = profile.create_transform_8bit(layout, &srgb, layout, TransformOptions::default()).ok()?;
    let mut shown = eight_bit(picture);
    let width = shown.width().max(1) as usize;
    let (pixels, channels) = samples(&mut shown)?;
    for row in pixels.chunks_exact_mut(channels * width) {
        let stored = row.to_vec();
        transform.transform(&stored, row).ok()?;
    }
    Some(shown)
}

fn from_greys(picture: &DynamicImage, profile: &ColorProfile) -> Option<DynamicImage> {
    let srgb = ColorProfile::new_srgb();
    let options = TransformOptions::default();
    let transform = profile.create_transform_8bit(Layout::Gray, &srgb, Layout::Rgb, options).ok()?;
    let greys: Vec<u8> = (0..=u8::MAX).collect();
    let mut looks = vec![0; 3 * greys.len()];
    transform.transform(&greys, &mut looks).ok()?;
    let mut shown = eight_bit(picture);
    let (pixels, channels) = samples(&mut shown)?;
    for pixel in pixels.chunks_exact_mut(channels) {
        if let Some((grey, color)) = pixel.first().copied().zip(pixel.get_mut(..3)) {
            let at = 3 * usize::from(grey);
            color.copy_from_slice(looks.get(at..at + 3)?);
        }
    }
    Some(shown)
}

fn with_curve(picture: &DynamicImage, gamma: f64) -> DynamicImage {
    let look = |stored: u8| {
        let light = (f64::from(stored) / 255.0).powf(1.0 / gamma);
        let encoded =
            if light <= 0.003_130_8 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
        (encoded * 255.0).round().clamp(0.0, 255.0) as u8
    };
    let looks: Vec<u8> = (0..=u8::MAX).map(look).collect();
    let mut shown = eight_bit(picture);
    if let Some((pixels, channels)) = samples(&mut shown) {
        for channel in pixels.chunks_exact_mut(channels).flat_map(|pixel| pixel.iter_mut().take(3)) {
            *channel = looks.get(usize::from(*channel)).copied().unwrap_or(*channel);
        }
    }
    shown
}

/// The samples of an eight-bit picture in colour, and how many make a pixel.
fn samples(picture: &mut DynamicImage) -> Option<(&mut [u8], usize)> {
    match picture {
        DynamicImage::ImageRgba8(pixels) => Some((pixels, 4)),
        DynamicImage::ImageRgb8(pixels) => Some((pixels, 3)),
        _ => None,
    }
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

    /// A grey picture of these samples, as PNG, with what the encoder is told of its colours.
    fn greys(samples: &[u8], kind: ExtendedColorType, profile: Option<&ColorProfile>) -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        let mut encoder = PngEncoder::new(&mut file);
        if let Some(profile) = profile {
            encoder.set_icc_profile(profile.encode().unwrap()).unwrap();
        }
        let width = samples.len() as u32 * 8 / u32::from(kind.bits_per_pixel());
        encoder.write_image(samples, width, 1, kind).unwrap();
        file.into_inner()
    }

    fn sent(file: &[u8]) -> RgbaImage {
        image::load_from_memory(&whole(file).unwrap().bytes).unwrap().into_rgba8()
    }

    /// What 0, 0x55, 0xaa and 0xff of linear light look like in sRGB.
    const LINEAR: [u8; 4] = [0, 156, 213, 255];
    const STORED: [u8; 4] = [0, 0x55, 0xaa, 0xff];

    fn is_grey(found: &RgbaImage, greys: [u8; 4], alpha: u8) -> bool {
        let near = |(Rgba(found), grey): (&Rgba<u8>, u8)| {
            found[..3].iter().all(|channel| channel.abs_diff(grey) <= 2) && found[3] == alpha
        };
        found.pixels().zip(greys).all(near)
    }

    // S-42
    #[test]
    fn greys_are_sent_as_their_profile_shows_them_with_their_transparency() {
        let linear = ColorProfile::new_gray_with_gamma(1.0);
        let opaque = sent(&greys(&STORED, ExtendedColorType::L8, Some(&linear)));
        let half: Vec<u8> = STORED.iter().flat_map(|grey| [*grey, 90]).collect();
        let half = sent(&greys(&half, ExtendedColorType::La8, Some(&linear)));
        let deep: Vec<u8> = STORED.iter().flat_map(|grey| [*grey, *grey]).collect();
        let deep = sent(&greys(&deep, ExtendedColorType::L16, Some(&linear)));
        assert!(is_grey(&opaque, LINEAR, 255), "{opaque:?}");
        assert!(is_grey(&half, LINEAR, 90), "{half:?}");
        assert!(is_grey(&deep, LINEAR, 255), "{deep:?}");
    }

    #[test]
    fn a_png_that_names_its_gamma_is_sent_as_it_looks_unless_it_says_that_it_is_srgb() {
        let with =
            |chunks: &[(&[u8; 4], &[u8])]| with_chunks(greys(&STORED, ExtendedColorType::L8, None), chunks);
        let gamma = |units: u32| units.to_be_bytes();
        assert!(is_grey(&sent(&with(&[(b"gAMA", &gamma(100_000))])), LINEAR, 255));
        assert!(is_grey(&sent(&with(&[(b"gAMA", &gamma(45_455))])), STORED, 255));
        assert!(is_grey(&sent(&with(&[(b"gAMA", &gamma(0))])), STORED, 255));
        assert!(is_grey(&sent(&with(&[(b"gAMA", &gamma(100_000)), (b"sRGB", &[0])])), STORED, 255));
    }

    // S-42
    #[test]
    fn a_png_that_names_its_gamma_and_its_primaries_is_sent_in_the_colours_it_shows() {
        let mut plain = Cursor::new(Vec::new());
        PngEncoder::new(&mut plain).write_image(&[200, 100, 50], 1, 1, ExtendedColorType::Rgb8).unwrap();
        // Adobe RGB.
        let places: [u32; 8] = [31_270, 32_900, 64_000, 33_000, 21_000, 71_000, 15_000, 6_000];
        let places: Vec<u8> = places.into_iter().flat_map(u32::to_be_bytes).collect();
        let gamma = 45_471_u32.to_be_bytes();
        let chunks = [(b"gAMA", gamma.as_slice()), (b"cHRM", places.as_slice())];
        let sent = sent(&with_chunks(plain.into_inner(), &chunks));
        // What the two spaces' definitions make of it, by hand.
        let far =
            sent.get_pixel(0, 0).0.into_iter().zip([227, 100, 42, 255]).map(|(a, b)| a.abs_diff(b)).max();
        assert!(far <= Some(2), "{sent:?}");
    }

    /// A PNG with these chunks behind its head.
    fn with_chunks(mut file: Vec<u8>, chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let chunks = chunks.iter().flat_map(|(kind, body)| {
            let named = [kind.as_slice(), body].concat();
            let check = crc32(&named).to_be_bytes();
            [(body.len() as u32).to_be_bytes().to_vec(), named, check.to_vec()].concat()
        });
        let chunks: Vec<u8> = chunks.collect();
        let head = 8 + 25;
        file.splice(head..head, chunks);
        file
    }

    fn crc32(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |sum, byte| {
            (0..8)
                .fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg()))
        })
    }
}
