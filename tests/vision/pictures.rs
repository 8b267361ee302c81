//! Files that become pictures, and which pixels they become.

use facsimile_vision::{PictureFormat, Raster};
use image::{DynamicImage, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};

use crate::files::{BLUE, GREEN, RED, WHITE, encoded, fixture, png, quarters, turned};

/// The colours in the middle of the four quarters.
fn corners(raster: &Raster) -> [[u8; 3]; 4] {
    let (w, h) = (raster.width(), raster.height());
    [(w / 4, h / 4), (3 * w / 4, h / 4), (w / 4, 3 * h / 4), (3 * w / 4, 3 * h / 4)]
        .map(|(x, y)| raster.pixels().get_pixel(x, y).0)
}

fn close(found: [[u8; 3]; 4], wanted: [[u8; 3]; 4], levels: u8) -> bool {
    found.as_flattened().iter().zip(wanted.as_flattened()).all(|(a, b)| a.abs_diff(*b) <= levels)
}

fn decoded(bytes: &[u8]) -> Raster {
    Raster::decode(bytes).unwrap()
}

#[test]
fn every_format_gives_its_pixels_and_its_name() {
    let picture = DynamicImage::ImageRgb8(quarters());
    let found = [ImageFormat::Png, ImageFormat::Bmp, ImageFormat::Gif, ImageFormat::WebP].map(|format| {
        let raster = decoded(&encoded(&picture, format));
        (raster.format().mime(), raster.width(), raster.height(), corners(&raster))
    });
    let quarters = [RED, GREEN, BLUE, WHITE];
    assert_eq!(
        found,
        ["image/png", "image/bmp", "image/gif", "image/webp"].map(|mime| (mime, 48, 32, quarters))
    );
}

#[test]
fn every_orientation_comes_out_upright_once() {
    let upright = quarters();
    for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP] {
        for orientation in 1..=8 {
            let raster = decoded(&turned(&upright, orientation, format));
            assert_eq!((raster.width(), raster.height()), (48, 32), "{format:?} {orientation}");
            let found = corners(&raster);
            assert!(close(found, [RED, GREEN, BLUE, WHITE], 3), "{format:?} {orientation}: {found:?}");
        }
    }
}

#[test]
fn cmyk_jpeg_is_not_inverted() {
    let found = corners(&decoded(&fixture("images/cmyk-adobe.jpg")));
    assert!(close(found, [RED, GREEN, BLUE, WHITE], 4), "{found:?}");
}

#[test]
fn progressive_jpeg_is_read() {
    let found = corners(&decoded(&fixture("images/progressive.jpg")));
    assert!(close(found, [RED, GREEN, BLUE, WHITE], 6), "{found:?}");
}

#[test]
fn interlaced_png_is_read() {
    let found = corners(&decoded(&fixture("images/interlaced.png")));
    assert!(close(found, [RED, GREEN, BLUE, WHITE], 6), "{found:?}");
}

#[test]
fn sixteen_bits_become_eight() {
    let deep = image::ImageBuffer::from_fn(4, 4, |_, _| Rgb([0xffff_u16, 0x8080, 0]));
    let raster = decoded(&encoded(&DynamicImage::ImageRgb16(deep), ImageFormat::Png));
    assert_eq!(raster.pixels().get_pixel(1, 1).0, [255, 128, 0]);
}

#[test]
fn transparency_lies_on_white() {
    let clear = RgbaImage::from_fn(2, 1, |x, _| Rgba([255, 0, 0, if x == 0 { 0 } else { 128 }]));
    let raster = decoded(&encoded(&DynamicImage::ImageRgba8(clear), ImageFormat::Png));
    assert_eq!(raster.rgb(), [255, 255, 255, 255, 127, 127]);
}

#[test]
fn transparent_palette_entry_lies_on_white() {
    let found = corners(&decoded(&fixture("images/palette-transparent.png")));
    assert!(close(found, [WHITE, GREEN, BLUE, WHITE], 6), "{found:?}");
}

#[test]
fn animations_give_their_first_picture() {
    let frames = [RED, BLUE].map(|color| {
        let [r, g, b] = color;
        image::Frame::new(RgbaImage::from_pixel(8, 8, Rgba([r, g, b, 255])))
    });
    let mut gif = Vec::new();
    image::codecs::gif::GifEncoder::new(&mut gif).encode_frames(frames).unwrap();
    let found = [gif, fixture("images/animated.webp"), fixture("images/animated.png")]
        .map(|file| decoded(&file).pixels().get_pixel(4, 4).0);
    assert_eq!(found, [RED; 3]);
}

#[test]
fn extreme_shapes_are_read() {
    let found = [(1, 1), (30_000, 1), (1, 30_000)].map(|(w, h)| {
        let raster = decoded(&png(RgbImage::from_pixel(w, h, Rgb(RED))));
        (raster.width(), raster.height(), raster.pixels().get_pixel(w - 1, h - 1).0)
    });
    assert_eq!(found, [(1, 1, RED), (30_000, 1, RED), (1, 30_000, RED)]);
}

#[test]
fn content_decides_whatever_the_name_says() {
    let picture = DynamicImage::ImageRgb8(quarters());
    let found = [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP]
        .map(|format| decoded(&encoded(&picture, format)).format());
    assert_eq!(found, [PictureFormat::Jpeg, PictureFormat::Png, PictureFormat::WebP]);
}

#[test]
fn bytes_behind_the_end_do_not_matter() {
    let picture = DynamicImage::ImageRgb8(quarters());
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP] {
        let clean = encoded(&picture, format);
        // Looks like the start of another scan.
        let littered = [clean.as_slice(), b"<html>\xff\xda\0\0 garbage"].concat();
        assert_eq!(decoded(&littered), decoded(&clean), "{format:?}");
    }
}

#[test]
fn wide_gamut_becomes_srgb() {
    let mut file = Vec::new();
    let mut encoder = image::codecs::png::PngEncoder::new(&mut file);
    let profile = moxcms::ColorProfile::new_display_p3().encode().unwrap();
    image::ImageEncoder::set_icc_profile(&mut encoder, profile).unwrap();
    let pixels = RgbImage::from_pixel(1, 1, Rgb([200, 100, 50]));
    image::ImageEncoder::write_image(encoder, &pixels, 1, 1, image::ExtendedColorType::Rgb8).unwrap();
    // By the two spaces' matrices; the same paint needs more red in the smaller space.
    let found = decoded(&file).pixels().get_pixel(0, 0).0;
    assert!(found.iter().zip([215, 93, 31]).all(|(a, b)| a.abs_diff(b) <= 2), "{found:?}");
}

#[test]
fn broken_profile_is_passed_over() {
    let mut file = Vec::new();
    let mut encoder = image::codecs::png::PngEncoder::new(&mut file);
    image::ImageEncoder::set_icc_profile(&mut encoder, vec![7; 200]).unwrap();
    let pixels = RgbImage::from_pixel(1, 1, Rgb([200, 100, 50]));
    image::ImageEncoder::write_image(encoder, &pixels, 1, 1, image::ExtendedColorType::Rgb8).unwrap();
    assert_eq!(decoded(&file).rgb(), [200, 100, 50]);
}

#[test]
fn png_of_a_raster_is_the_same_raster() {
    let raster = decoded(&png(quarters()));
    assert_eq!(decoded(&raster.to_png().unwrap()), raster);
}

#[test]
fn thumbnail_keeps_the_shape_and_never_grows() {
    let raster = decoded(&png(quarters()));
    let sizes = [raster.thumbnail(24), raster.thumbnail(500), raster.thumbnail(0)]
        .map(|small| (small.width(), small.height()));
    assert_eq!(sizes, [(24, 16), (48, 32), (1, 1)]);
}
