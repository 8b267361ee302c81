//! S-40: what becomes of every kind of picture file, as pixels within two levels or as a named refusal.

mod cut_off;
mod foreign;
mod jpeg;
mod others;
mod png;

use std::io::Cursor;

use facsimile_vision::Raster;
use image::{DynamicImage, ExtendedColorType, ImageEncoder, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};

use crate::files::{
    BLUE, GREEN, RED, WHITE, chunk, declared_png, encoded, exif, fixture, png as plain_png, quarters, stored,
    turned,
};
use jpeg::{Inks, Jpeg};
use others::{Frame, animated_webp, drawing, gif, icon, icon_bitmap, quarter, run_length_bitmap};
use png::{GREY, GREY_ALPHA, PALETTE, Png, RGB, RGBA, zlib};

const LEVELS: u8 = 2;
const QUARTERS: [[u8; 3]; 4] = [RED, GREEN, BLUE, WHITE];
const GREYS: [[u8; 3]; 4] = [[0; 3], [0x55; 3], [0xaa; 3], [0xff; 3]];
/// Half transparent black on white.
const CLEAR: [[u8; 3]; 4] = [RED, GREEN, BLUE, [127; 3]];

#[derive(Debug, Clone, PartialEq)]
enum Outcome {
    /// Width, height and the colours in the middle of the four quarters.
    Picture(u32, u32, [[u8; 3]; 4]),
    Refused(&'static str),
}

fn shows(colors: [[u8; 3]; 4]) -> Outcome {
    Outcome::Picture(48, 32, colors)
}

use Outcome::Refused;

struct Case {
    name: String,
    file: Vec<u8>,
    golden: Outcome,
}

/// Small files of the kinds that are put together here, to be damaged elsewhere.
pub fn one_of_each_handmade_kind() -> Vec<Vec<u8>> {
    vec![
        Jpeg { restart: 4, luma: 2, ..Jpeg::new(Inks::YCbCr, Some(1)) }.with_exif(&exif(6)).file(),
        Jpeg::new(Inks::Ycck, Some(2)).file(),
        Png::new(RGBA, 16).interlaced().file(),
        Png::new(PALETTE, 2).with(b"PLTE", QUARTERS.as_flattened()).with(b"tRNS", &[127]).file(),
        gif(&[Frame { area: [0, 0, 48, 32], disposal: 2, colors: quarter }]),
        animated_webp(),
        run_length_bitmap(),
        icon(&[(48, 32, icon_bitmap())]),
        icon(&[(48, 32, Png::new(RGBA, 8).file())]),
        tiff(&quarters(), ExtendedColorType::Rgb8),
        drawing("<g id='a' opacity='.5'><text x='2' y='9'>a</text></g><use href='#a' x='9'/>"),
    ]
}

fn outcome(file: &[u8]) -> Outcome {
    match Raster::decode(file) {
        Err(refused) => Refused(refused.code()),
        Ok(raster) => {
            let (w, h) = (raster.width(), raster.height());
            let colors = [(w / 4, h / 4), (3 * w / 4, h / 4), (w / 4, 3 * h / 4), (3 * w / 4, 3 * h / 4)]
                .map(|(x, y)| raster.pixels().get_pixel(x, y).0);
            Outcome::Picture(w, h, colors)
        }
    }
}

fn is_alike(found: &Outcome, golden: &Outcome) -> bool {
    match (found, golden) {
        (Outcome::Picture(w, h, found), Outcome::Picture(width, height, golden)) => {
            let mut channels = found.as_flattened().iter().zip(golden.as_flattened());
            (w, h) == (width, height) && channels.all(|(a, b)| a.abs_diff(*b) <= LEVELS)
        }
        _ => found == golden,
    }
}

/// Every file that has a golden outcome.
pub fn every_file() -> Vec<Vec<u8>> {
    every_case().into_iter().map(|case| case.file).collect()
}

fn every_case() -> Vec<Case> {
    let kinds =
        [jpeg_cases(), png_cases(), colour_cases(), gif_and_webp_cases(), other_cases(), foreign::cases()];
    kinds.into_iter().flatten().collect()
}

#[test]
fn every_file_becomes_its_pixels_or_is_refused_by_name() {
    let cases = every_case();
    assert!(cases.len() >= 60, "only {} files", cases.len());
    let wrong: Vec<_> = cases
        .into_iter()
        .map(|case| (case.name, outcome(&case.file), case.golden))
        .filter(|(_, found, golden)| !is_alike(found, golden))
        .collect();
    assert!(wrong.is_empty(), "name, found, golden: {wrong:#?}");
}

fn case(name: impl Into<String>, file: Vec<u8>, golden: Outcome) -> Case {
    Case { name: name.into(), file, golden }
}

fn jpeg_cases() -> Vec<Case> {
    let plain = Jpeg::new(Inks::YCbCr, None);
    let with_ids = |ids| Jpeg { ids, ..Jpeg::new(Inks::Rgb, None) };
    let mut cases = vec![
        case("no mark at all", plain.file(), shows(QUARTERS)),
        case("grey", Jpeg::new(Inks::Grey, None).file(), shows([[76; 3], [150; 3], [29; 3], [255; 3]])),
        case("transform 1", Jpeg::new(Inks::YCbCr, Some(1)).file(), shows(QUARTERS)),
        case("transform 0 is RGB", Jpeg::new(Inks::Rgb, Some(0)).file(), shows(QUARTERS)),
        case("components named R, G, B", with_ids(*b"RGB\0").file(), shows(QUARTERS)),
        case("components named 0, 1, 2", Jpeg { ids: [0, 1, 2, 3], ..plain.clone() }.file(), shows(QUARTERS)),
        case("CMYK", Jpeg::new(Inks::Cmyk, Some(0)).file(), shows(QUARTERS)),
        case("CMYK without the vendor's mark", Jpeg::new(Inks::Cmyk, None).file(), shows(QUARTERS)),
        case("YCCK", Jpeg::new(Inks::Ycck, Some(2)).file(), shows(QUARTERS)),
        case("chroma halved", Jpeg { luma: 2, ..plain.clone() }.file(), shows(QUARTERS)),
        case("restart marks", Jpeg { restart: 4, ..plain.clone() }.file(), shows(QUARTERS)),
        case("progressive", Jpeg { is_progressive: true, ..plain.clone() }.file(), shows(QUARTERS)),
        case("extended frame of 8 bits", Jpeg { frame: Some(0xc1), ..plain.clone() }.file(), shows(QUARTERS)),
        case(
            "12 bits",
            Jpeg { frame: Some(0xc1), precision: 12, ..plain.clone() }.file(),
            Refused("image_unsupported"),
        ),
        case("arithmetic", Jpeg { frame: Some(0xc9), ..plain.clone() }.file(), Refused("image_unsupported")),
        case(
            "arithmetic progressive",
            Jpeg { frame: Some(0xca), ..plain.clone() }.file(),
            Refused("image_unsupported"),
        ),
        case("lossless", Jpeg { frame: Some(0xc3), ..plain.clone() }.file(), Refused("image_unsupported")),
        case("garbage behind the end", [plain.file(), vec![0x5a; 999]].concat(), shows(QUARTERS)),
        case("EXIF that is none", plain.clone().with_exif(b"MM\0*\xff\xff\xff\xff").file(), shows(QUARTERS)),
        case("orientation 9", plain.clone().with_exif(&exif(9)).file(), shows(QUARTERS)),
    ];
    for orientation in 1..=8 {
        let picture = stored(&quarters(), orientation);
        let file = Jpeg { picture, ..plain.clone() }.with_exif(&exif(orientation)).file();
        cases.push(case(format!("orientation {orientation}"), file, shows(QUARTERS)));
    }
    cases
}

fn png_cases() -> Vec<Case> {
    let palette = Png::new(PALETTE, 8).with(b"PLTE", QUARTERS.as_flattened());
    // Red half clear, green not at all, blue quite.
    let clear = Png::new(PALETTE, 2).with(b"PLTE", QUARTERS.as_flattened()).with(b"tRNS", &[127, 255, 0]);
    let html = b"Comment\0<html><script>alert(1)</script></html>";
    let mut cases = vec![
        case("grey of 16 bits", Png::new(GREY, 16).file(), shows(GREYS)),
        case("RGB of 8 bits", Png::new(RGB, 8).file(), shows(QUARTERS)),
        case("RGB of 16 bits", Png::new(RGB, 16).file(), shows(QUARTERS)),
        case("RGB of 16 bits, interlaced", Png::new(RGB, 16).interlaced().file(), shows(QUARTERS)),
        case("RGBA of 8 bits, interlaced", Png::new(RGBA, 8).interlaced().file(), shows(CLEAR)),
        case("RGBA of 16 bits", Png::new(RGBA, 16).file(), shows(CLEAR)),
        case("grey with alpha", Png::new(GREY_ALPHA, 8).file(), shows([WHITE, GREYS[1], GREYS[2], GREYS[3]])),
        case("palette", palette.file(), shows(QUARTERS)),
        case("palette without colours", Png::new(PALETTE, 8).file(), Refused("image_broken")),
        case("palette with transparency", clear.file(), shows([[255, 128, 128], GREEN, WHITE, WHITE])),
        case(
            "one RGB colour is transparent",
            Png::new(RGB, 8).with(b"tRNS", &[0, 0, 0, 0, 0, 255]).file(),
            shows([RED, GREEN, WHITE, WHITE]),
        ),
        case(
            "grey of 2 bits, one transparent",
            Png::new(GREY, 2).with(b"tRNS", &[0, 0]).file(),
            shows([WHITE, GREYS[1], GREYS[2], GREYS[3]]),
        ),
        case("a page inside a comment", Png::new(RGB, 8).with(b"tEXt", html).file(), shows(QUARTERS)),
        case("a page behind the end", [Png::new(RGB, 8).file(), html.to_vec()].concat(), shows(QUARTERS)),
        case(
            "a page before the start",
            [html.to_vec(), Png::new(RGB, 8).file()].concat(),
            Refused("image_unknown"),
        ),
        case(
            "unknown chunk that may be skipped",
            Png::new(RGB, 8).with(b"zzZz", b"?").file(),
            shows(QUARTERS),
        ),
        case(
            "animated",
            fixture("images/animated.png"),
            outcome(&plain_png(RgbImage::from_pixel(8, 8, Rgb(RED)))),
        ),
        case(
            "1 × 30000",
            plain_png(RgbImage::from_pixel(1, 30_000, Rgb(RED))),
            Outcome::Picture(1, 30_000, [RED; 4]),
        ),
        case(
            "30000 × 1",
            plain_png(RgbImage::from_pixel(30_000, 1, Rgb(RED))),
            Outcome::Picture(30_000, 1, [RED; 4]),
        ),
        case("1 × 1", plain_png(RgbImage::from_pixel(1, 1, Rgb(RED))), Outcome::Picture(1, 1, [RED; 4])),
        case("16384 × 16384 declared", declared_png(16_384, 16_384), Refused("image_too_many_pixels")),
        case("0 × 5 declared", declared_png(0, 5), Refused("image_broken")),
        case("8000 × 6000 declared and not there", declared_png(8000, 6000), Refused("image_broken")),
        case("no bytes", Vec::new(), Refused("image_empty")),
        case("one byte", vec![0x89], Refused("image_unknown")),
        case("nothing but the first eight bytes", b"\x89PNG\r\n\x1a\n".to_vec(), Refused("image_truncated")),
    ];
    for depth in [1, 2, 4, 8] {
        let colors = if depth == 1 { [[0; 3], [0; 3], WHITE, WHITE] } else { GREYS };
        cases.push(case(format!("grey of {depth} bits"), Png::new(GREY, depth).file(), shows(colors)));
    }
    cases
}

fn colour_cases() -> Vec<Case> {
    // What 0x55 and 0xaa of linear light look like in sRGB.
    let linear = [[0; 3], [156; 3], [213; 3], WHITE];
    let gamma = |value: u32| Png::new(GREY, 8).with(b"gAMA", &value.to_be_bytes());
    let profiled = |color, profile: &moxcms::ColorProfile| {
        let body = [b"p\0\0".to_vec(), zlib(&profile.encode().unwrap())].concat();
        Png::new(color, 8).with(b"iCCP", &body)
    };
    let broken = Png::new(RGB, 8).with(b"iCCP", &[b"p\0\0".to_vec(), zlib(&[7; 200])].concat());
    let p3 = moxcms::ColorProfile::new_display_p3();
    let linear_grey = moxcms::ColorProfile::new_gray_with_gamma(1.0);
    vec![
        case("the usual gamma", gamma(45_455).file(), shows(GREYS)),
        case("gamma 1", gamma(100_000).file(), shows(linear)),
        case("gamma 1, yet sRGB", gamma(100_000).with(b"sRGB", &[0]).file(), shows(GREYS)),
        case("gamma 0", gamma(0).file(), shows(GREYS)),
        case("absurd gamma", gamma(u32::MAX).file(), shows(GREYS)),
        case("cut gamma", Png::new(GREY, 8).with(b"gAMA", &[1]).file(), shows(GREYS)),
        // The corners of the larger space lie outside sRGB and end at its corners.
        case("Display P3", profiled(RGB, &p3).file(), shows(QUARTERS)),
        case("linear grey profile", profiled(GREY, &linear_grey).file(), shows(linear)),
        case("grey profile on colours", profiled(RGB, &linear_grey).file(), shows(QUARTERS)),
        case("broken profile", broken.file(), shows(QUARTERS)),
        case(
            "broken profile beside a gamma",
            broken.with(b"gAMA", &100_000_u32.to_be_bytes()).file(),
            shows(QUARTERS),
        ),
    ]
}

fn gif_and_webp_cases() -> Vec<Case> {
    let frame = |area, disposal, colors| Frame { area, disposal, colors };
    let whole = [0, 0, 48, 32];
    let red: fn(u16, u16) -> u8 = |_, _| 0;
    let mut cases = vec![
        case("GIF", gif(&[frame(whole, 0, quarter)]), shows(QUARTERS)),
        case("GIF without a frame", gif(&[]), Refused("image_broken")),
        // The rest of the canvas is clear.
        case("small first frame", gif(&[frame([24, 16, 24, 16], 1, red)]), shows([WHITE, WHITE, WHITE, RED])),
        case("transparent frame", gif(&[frame(whole, 1, |_, _| 4)]), shows([WHITE; 4])),
        case("animated WebP", animated_webp(), shows(QUARTERS)),
        case("lossy WebP with alpha", fixture("images/lossy-alpha.webp"), shows([WHITE, WHITE, BLUE, WHITE])),
    ];
    for disposal in 0..=3 {
        let frames = [frame(whole, disposal, quarter), frame([8, 8, 30, 20], disposal, red)];
        cases.push(case(format!("animated GIF, disposal {disposal}"), gif(&frames), shows(QUARTERS)));
    }
    for orientation in 1..=8 {
        let file = turned(&quarters(), orientation, ImageFormat::WebP);
        cases.push(case(format!("WebP, orientation {orientation}"), file, shows(QUARTERS)));
    }
    let clear = RgbaImage::from_fn(48, 32, |x, y| {
        let [r, g, b] = quarters().get_pixel(x, y).0;
        if x >= 24 && y >= 16 { Rgba([0, 0, 0, 128]) } else { Rgba([r, g, b, 255]) }
    });
    let clear = encoded(&DynamicImage::ImageRgba8(clear), ImageFormat::WebP);
    cases.push(case("lossless WebP with alpha", clear, shows(CLEAR)));
    cases
}

#[test]
fn the_lossy_webp_is_near() {
    // Chroma is stored for every other pixel, in fewer levels than pixels have.
    let Outcome::Picture(48, 32, found) = outcome(&fixture("images/lossy.webp")) else { panic!("refused") };
    let far = found.as_flattened().iter().zip(QUARTERS.as_flattened()).map(|(a, b)| a.abs_diff(*b)).max();
    assert!(far <= Some(6), "{found:?}");
}

fn tiff(pixels: &[u8], color: ExtendedColorType) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    image::codecs::tiff::TiffEncoder::new(&mut file).write_image(pixels, 48, 32, color).unwrap();
    file.into_inner()
}

fn other_cases() -> Vec<Case> {
    let picture = DynamicImage::ImageRgb8(quarters());
    let deep: Vec<u8> = picture.to_rgb16().into_raw().into_iter().flat_map(u16::to_ne_bytes).collect();
    let rgba_png = Png::new(RGBA, 8).file();
    let dot = encoded(&DynamicImage::ImageRgba8(RgbaImage::new(1, 1)), ImageFormat::Png);
    vec![
        case("BMP", encoded(&picture, ImageFormat::Bmp), shows(QUARTERS)),
        case("BMP in runs", run_length_bitmap(), shows(QUARTERS)),
        case(
            "BM is no bitmap yet",
            b"BMW is a car, and this is a letter about it.".to_vec(),
            Refused("image_unknown"),
        ),
        case("ICO with a PNG", icon(&[(48, 32, rgba_png.clone())]), shows(CLEAR)),
        case("ICO with a bitmap and a mask", icon(&[(48, 32, icon_bitmap())]), shows(QUARTERS)),
        case("ICO with two sizes", icon(&[(1, 1, dot), (48, 32, rgba_png)]), shows(CLEAR)),
        case("ICO whose directory lies", icon(&[(7, 7, icon_bitmap())]), Refused("image_broken")),
        case("TIFF", tiff(&quarters(), ExtendedColorType::Rgb8), shows(QUARTERS)),
        case("TIFF of 16 bits", tiff(&deep, ExtendedColorType::Rgb16), shows(QUARTERS)),
        case("TIFF without a directory", b"II*\0\x08\0\0\0".to_vec(), Refused("image_truncated")),
        case("BigTIFF", b"II+\0\x08\0\0\0".to_vec(), Refused("image_unsupported")),
        case("SVG", drawing(""), shows(QUARTERS)),
        case(
            "SVG behind a declaration",
            [b"<?xml version='1.0'?>\n<!-- a -->\n<!DOCTYPE svg>\n".to_vec(), drawing("")].concat(),
            shows(QUARTERS),
        ),
        case(
            "a page with a drawing",
            b"<!DOCTYPE html><html><svg></svg></html>".to_vec(),
            Refused("image_unknown"),
        ),
    ]
}

#[test]
fn content_decides_and_the_file_says_so() {
    let picture = DynamicImage::ImageRgb8(quarters());
    let kinds = [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP, ImageFormat::Gif, ImageFormat::Bmp];
    let files = kinds.map(|kind| encoded(&picture, kind));
    let others = [icon(&[(48, 32, icon_bitmap())]), tiff(&quarters(), ExtendedColorType::Rgb8), drawing("")];
    let found: Vec<_> = files
        .iter()
        .chain(&others)
        .map(|file| Raster::decode(file).unwrap().format())
        .map(|format| (format.mime(), format.extension(), format.is_kept()))
        .collect();
    assert_eq!(
        found,
        [
            ("image/png", "png", true),
            ("image/jpeg", "jpg", true),
            ("image/webp", "webp", true),
            ("image/gif", "gif", true),
            ("image/bmp", "bmp", true),
            ("image/x-icon", "ico", false),
            ("image/tiff", "tif", false),
            ("image/svg+xml", "svg", false),
        ]
    );
}

#[test]
fn a_deep_picture_of_one_chunk_is_read_whole() {
    // Many data chunks, one of them empty, are one picture.
    let file = Png::new(RGB, 8).file();
    let start = file.windows(4).position(|name| name == b"IDAT").unwrap();
    let length = u32::from_be_bytes(file[start - 4..start].try_into().unwrap()) as usize;
    let data = &file[start + 4..start + 4 + length];
    let mut split = file[..start - 4].to_vec();
    for part in [&data[..7], &[], &data[7..900], &data[900..]] {
        split.extend(chunk(b"IDAT", part));
    }
    split.extend(chunk(b"IEND", &[]));
    assert_eq!(outcome(&split), shows(QUARTERS));
}
