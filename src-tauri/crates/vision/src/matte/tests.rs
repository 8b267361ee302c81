use image::{Rgb, RgbImage};

use super::*;

const INK: [f32; 3] = [20.0, 60.0, 160.0];

/// True opacities of shapes, by 8 × 8 samples a pixel.
fn covered(width: u32, height: u32, is_inside: impl Fn(f32, f32) -> bool) -> Vec<f32> {
    let step = |n: u32| (n as f32 + 0.5) / 8.0;
    let mut alpha = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let hits = (0..64).filter(|n| is_inside(x as f32 + step(n % 8), y as f32 + step(n / 8))).count();
            alpha.push(hits as f32 / 64.0);
        }
    }
    alpha
}

fn painted(
    size: (u32, u32),
    alpha: &[f32],
    ink: impl Fn(u32, u32) -> [f32; 3],
    ground: impl Fn(u32, u32) -> [f32; 3],
) -> RgbImage {
    RgbImage::from_fn(size.0, size.1, |x, y| {
        let share = alpha[(y * size.0 + x) as usize];
        let (ink, ground) = (ink(x, y), ground(x, y));
        Rgb(std::array::from_fn(|c| (ground[c] + share * (ink[c] - ground[c])).round() as u8))
    })
}

fn raster(picture: &RgbImage) -> Raster {
    Raster::from_rgb(picture.width(), picture.height(), picture.as_raw().clone()).unwrap()
}

fn compressed(picture: &RgbImage, quality: u8) -> Raster {
    let mut file = Vec::new();
    image::codecs::jpeg::JpegEncoder::new_with_quality(&mut file, quality).encode_image(picture).unwrap();
    Raster::decode(&file).unwrap()
}

/// Mean and largest error of the opacities, in levels of 255.
fn alpha_errors(cutout: &Cutout, alpha: &[f32]) -> (f32, f32) {
    let errors: Vec<f32> = cutout
        .pixels()
        .pixels()
        .zip(alpha)
        .map(|(pixel, share)| (f32::from(pixel.0[3]) - share * 255.0).abs())
        .collect();
    (errors.iter().sum::<f32>() / errors.len() as f32, errors.iter().copied().fold(0.0, f32::max))
}

/// The largest and the mean difference to `wanted` when laid on a background.
fn laid_on(cutout: &Cutout, wanted: &RgbImage, ground: impl Fn(u32, u32) -> [f32; 3]) -> (f32, f32) {
    let (mut most, mut sum) = (0.0_f32, 0.0);
    for (x, y, pixel) in cutout.pixels().enumerate_pixels() {
        let share = f32::from(pixel.0[3]) / 255.0;
        let ground = ground(x, y);
        for (c, ground) in ground.into_iter().enumerate() {
            let shown = ground + share * (f32::from(pixel.0[c]) - ground);
            let error = (shown - f32::from(wanted.get_pixel(x, y).0[c])).abs();
            most = most.max(error);
            sum += error;
        }
    }
    (most, sum / (3 * cutout.width() * cutout.height()) as f32)
}

fn ring(x: f32, y: f32) -> bool {
    let far = (x - 60.3).hypot(y - 55.7);
    far < 40.0 && far > 18.5
}

/// Lines from a pixel and a half down to a third of a pixel, in many directions.
fn hairs(x: f32, y: f32) -> bool {
    (0..9).any(|n| {
        let angle = n as f32 * 0.35;
        let (dx, dy) = (x - 60.0, y - 60.0);
        let (along, across) = (dx * angle.cos() + dy * angle.sin(), dy * angle.cos() - dx * angle.sin());
        (18.0..54.0).contains(&along) && across.abs() < 0.18 + 0.08 * n as f32
    })
}

/// Letters are what counters and thin joints are made of: an "e" and an "o" of strokes.
fn letters(x: f32, y: f32) -> bool {
    let round = |cx: f32, inner: f32| {
        let far = (x - cx).hypot((y - 60.0) * 0.8);
        far < inner + 3.2 && far > inner
    };
    round(30.0, 9.0)
        || round(62.0, 11.5)
        || ((y - 60.0).abs() < 1.3 && (x - 30.0).abs() < 10.0)
        || ((x - 90.0).abs() < 1.0 && (y - 60.0).abs() < 22.0)
}

type Shape = (&'static str, fn(f32, f32) -> bool);

const SHAPES: [Shape; 3] = [("ring", ring), ("hairs", hairs), ("letters", letters)];
const GROUNDS: [[f32; 3]; 4] = [[255.0; 3], [0.0; 3], [236.0, 120.0, 40.0], [18.0, 130.0, 90.0]];
const SIZE: (u32, u32) = (121, 117);

#[test]
fn opacity_on_a_flat_colour_is_the_true_one() {
    for (name, shape) in SHAPES {
        for ground in GROUNDS {
            let alpha = covered(SIZE.0, SIZE.1, shape);
            let picture = painted(SIZE, &alpha, |_, _| INK, |_, _| ground);
            let cutout = without_background(&raster(&picture)).unwrap();
            let (mean, most) = alpha_errors(&cutout, &alpha);
            assert!(mean < 0.5 && most < 14.0, "{name} on {ground:?}: mean {mean}, most {most}");
            let (most, _) = laid_on(&cutout, &picture, |_, _| ground);
            assert!(most <= 2.5, "{name} on {ground:?} is not itself again: {most}");
        }
    }
}

#[test]
fn no_halo_is_left_on_another_background() {
    for (name, shape) in SHAPES {
        for ground in GROUNDS {
            let alpha = covered(SIZE.0, SIZE.1, shape);
            let picture = painted(SIZE, &alpha, |_, _| INK, |_, _| ground);
            let cutout = without_background(&raster(&picture)).unwrap();
            let other = [128.0, 0.0, 200.0];
            let wanted = painted(SIZE, &alpha, |_, _| INK, |_, _| other);
            let (most, mean) = laid_on(&cutout, &wanted, |_, _| other);
            assert!(most < 14.0 && mean < 0.3, "{name} from {ground:?}: most {most}, mean {mean}");
        }
    }
}

#[test]
fn a_vignette_is_followed() {
    let vignette = |x: u32, y: u32| {
        let (u, v) = (x as f32 / 60.0 - 1.0, y as f32 / 58.0 - 1.0);
        let shade = 14.0 * (u * u + v * v) + 6.0 * u;
        [240.0 - shade, 236.0 - shade, 244.0 - 0.8 * shade]
    };
    for (name, shape) in SHAPES {
        let alpha = covered(SIZE.0, SIZE.1, shape);
        let picture = painted(SIZE, &alpha, |_, _| INK, vignette);
        let cutout = without_background(&raster(&picture)).unwrap();
        let (mean, _) = alpha_errors(&cutout, &alpha);
        let (most, _) = laid_on(&cutout, &picture, vignette);
        assert!(mean < 1.0 && most < 5.0, "{name}: mean {mean}, most {most}");
    }
}

#[test]
fn compression_noise_stays_out_of_the_background() {
    for (name, shape) in [SHAPES[0], SHAPES[2]] {
        for (ground, quality) in [([250.0, 248.0, 240.0], 75), ([250.0; 3], 90), ([30.0, 34.0, 60.0], 85)] {
            let ink = if ground[0] < 100.0 { [240.0, 200.0, 60.0] } else { INK };
            let alpha = covered(SIZE.0, SIZE.1, shape);
            let picture = painted(SIZE, &alpha, |_, _| ink, |_, _| ground);
            let cutout = without_background(&compressed(&picture, quality)).unwrap();
            let (mean, _) = alpha_errors(&cutout, &alpha);
            let (_, error) = laid_on(&cutout, &picture, |_, _| ground);
            assert!(mean < 5.0 && error < 4.0, "{name}, quality {quality}: mean {mean}, error {error}");
            assert_eq!(cutout.pixels().get_pixel(2, 2).0[3], 0);
        }
    }
}

#[test]
fn holes_are_looked_through() {
    let alpha = covered(SIZE.0, SIZE.1, ring);
    let picture = painted(SIZE, &alpha, |_, _| INK, |_, _| [255.0; 3]);
    let cutout = without_background(&raster(&picture)).unwrap();
    let opacity = |x, y| cutout.pixels().get_pixel(x, y).0[3];
    assert_eq!([opacity(60, 56), opacity(90, 56), opacity(3, 3)], [0, 255, 0]);
}

#[test]
fn photos_are_refused_by_name_and_so_is_nothing_at_all() {
    let photo = RgbImage::from_fn(90, 80, |x, y| {
        let wave =
            |a: f32, b: f32| (127.0 + 120.0 * ((x as f32 * a).sin() + (y as f32 * b).cos()) / 2.0) as u8;
        Rgb([wave(0.11, 0.23), wave(0.31, 0.07), wave(0.05, 0.13)])
    });
    let blank = RgbImage::from_pixel(40, 40, Rgb([9, 9, 9]));
    let found = [photo, blank].map(|picture| without_background(&raster(&picture)).map(|_| ()));
    assert_eq!(found, [Err(MatteRefused::PhotoBackground), Err(MatteRefused::OnlyBackground)]);
    assert!(MatteRefused::PhotoBackground.to_string().contains("photo background"));
    assert!(MatteRefused::PhotoBackground.to_string().contains("background-removal service"));
}

/// A PNG file of a disc that reaches the edges, with a white square in it, by the opacity outside the disc.
fn disc(outside: u8) -> Vec<u8> {
    let disc = RgbaImage::from_fn(40, 40, |x, y| {
        let is_inside = (x as f32 - 19.5).hypot(y as f32 - 19.5) < 20.0;
        let is_square = (15..25).contains(&x) && (15..25).contains(&y);
        image::Rgba(match (is_inside, is_square) {
            (false, _) => [255, 255, 255, outside],
            (true, true) => [255; 4],
            (true, false) => [20, 60, 160, 255],
        })
    });
    let mut file = Cursor::new(Vec::new());
    disc.write_to(&mut file, ImageFormat::Png).unwrap();
    file.into_inner()
}

#[test]
fn a_picture_whose_background_is_gone_is_told_from_others() {
    let found = [0, 127, 128, 255].map(|outside| Cutout::decode(&disc(outside)).unwrap().has_clear_edges());
    assert_eq!(found, [true, true, false, false]);
}

#[test]
fn a_decoded_file_keeps_what_is_transparent_and_lies_upright() {
    let mut file = disc(0);
    // The tag that turns by a quarter goes right behind the header.
    let mut turned = Vec::new();
    let exif = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
    let mut encoder = png::Encoder::new(&mut turned, 2, 1);
    encoder.set_color(png::ColorType::Rgba);
    let mut writer = encoder.write_header().unwrap();
    writer.write_chunk(png::chunk::eXIf, exif).unwrap();
    writer.write_image_data(&[1, 2, 3, 4, 5, 6, 7, 255]).unwrap();
    drop(writer);
    let upright = Cutout::decode(&turned).unwrap();
    assert_eq!(
        (upright.pixels().dimensions(), upright.pixels().as_raw().as_slice()),
        ((1, 2), [1, 2, 3, 4, 5, 6, 7, 255].as_slice())
    );
    assert_eq!(Cutout::decode(&file).unwrap().pixels().get_pixel(20, 20).0, [255; 4]);
    file.truncate(60);
    assert!(Cutout::decode(&file).is_err_and(|refused| refused.code() == "image_truncated"));
}

#[test]
fn any_tiny_picture_has_an_answer() {
    for (width, height) in [(1, 1), (1, 9), (9, 1), (2, 2), (3, 5)] {
        let picture = RgbImage::from_fn(width, height, |x, y| Rgb([(x * 90) as u8, (y * 60) as u8, 7]));
        let answer = without_background(&raster(&picture));
        assert!(answer.is_err() || answer.is_ok_and(|cutout| cutout.width() == width));
    }
}

#[test]
fn the_file_has_an_alpha_channel_only_where_it_is_needed() {
    let clear = Cutout::new(RgbaImage::from_pixel(2, 2, image::Rgba([1, 2, 3, 4])));
    let solid = Cutout::new(RgbaImage::from_pixel(2, 2, image::Rgba([1, 2, 3, 255])));
    let colors =
        [clear, solid].map(|cutout| image::load_from_memory(&cutout.to_png().unwrap()).unwrap().color());
    assert_eq!(colors, [image::ColorType::Rgba8, image::ColorType::Rgb8]);
}
