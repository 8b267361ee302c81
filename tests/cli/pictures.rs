//! Pictures to start from.

use std::io::Cursor;
use std::path::Path;

use image::metadata::Orientation;
use image::{DynamicImage, ImageEncoder, ImageFormat, Rgb, RgbImage};

/// A phone-sized page with text and a picture.
pub fn tide() -> &'static [u8] {
    facsimile_studio::samples::sample("tide").unwrap().png
}

/// A page that takes several times as long as [`tide`].
pub fn shop() -> &'static [u8] {
    facsimile_studio::samples::sample("shop").unwrap().png
}

pub fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    std::fs::read(folder.join(name)).unwrap()
}

/// Two coloured boxes on a wide page: traced in a moment.
pub fn drawn() -> RgbImage {
    RgbImage::from_fn(160, 120, |x, y| {
        Rgb(match (x, y) {
            (10..90, 10..40) => [30, 90, 200],
            (20..70, 60..100) => [200, 60, 30],
            _ => [250, 250, 250],
        })
    })
}

/// The drawn page with a picture in it, which becomes an asset.
pub fn illustrated() -> RgbImage {
    let mut page = drawn();
    for (x, y) in (0..40).flat_map(|x| (0..40).map(move |y| (x, y))) {
        let noise = x * 7919 + y * 104_729 + x * y * 31;
        page.put_pixel(105 + x, 20 + y, Rgb([noise as u8, (noise / 7) as u8, (noise / 13) as u8]));
    }
    page
}

pub fn encoded(picture: impl Into<DynamicImage>, format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    picture.into().write_to(&mut file, format).unwrap();
    file.into_inner()
}

pub fn png(picture: RgbImage) -> Vec<u8> {
    encoded(picture, ImageFormat::Png)
}

/// The drawn page as a camera stores it that was held so that `orientation` turns it upright again.
pub fn turned(orientation: u8) -> Vec<u8> {
    let mut stored = DynamicImage::ImageRgb8(drawn());
    let undone = match orientation {
        6 => 8,
        8 => 6,
        other => other,
    };
    stored.apply_orientation(Orientation::from_exif(undone).unwrap());
    let mut exif = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
    exif.extend([orientation, 0, 0, 0, 0, 0, 0]);
    let mut file = Vec::new();
    let mut encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut file, 100);
    encoder.set_exif_metadata(exif).unwrap();
    encoder
        .write_image(stored.as_bytes(), stored.width(), stored.height(), image::ExtendedColorType::Rgb8)
        .unwrap();
    file
}

/// A PNG that declares a size and holds hardly a pixel.
pub fn declared(width: u32, height: u32) -> Vec<u8> {
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
    let pixels = [0x78, 0x9c, 0x63, 0, 0, 0, 1, 0, 1];
    let chunks = [chunk(b"IHDR", &header), chunk(b"IDAT", &pixels), chunk(b"IEND", &[])].concat();
    [b"\x89PNG\r\n\x1a\n", chunks.as_slice()].concat()
}

fn chunk(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
    let checked = [kind, body].concat();
    let crc = !checked.iter().fold(!0_u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    });
    [&(body.len() as u32).to_be_bytes()[..], &checked, &crc.to_be_bytes()].concat()
}
