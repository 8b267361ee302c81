//! Picture files made on the spot.

use std::io::Cursor;
use std::path::PathBuf;

use image::metadata::Orientation;
use image::{DynamicImage, ImageEncoder, ImageFormat, Rgb, RgbImage};

pub fn fixture(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures");
    std::fs::read(folder.join(name)).unwrap()
}

pub const RED: [u8; 3] = [255, 0, 0];
pub const GREEN: [u8; 3] = [0, 255, 0];
pub const BLUE: [u8; 3] = [0, 0, 255];
pub const WHITE: [u8; 3] = [255, 255, 255];

/// Red and green above blue and white; wider than tall, so that turning shows.
pub fn quarters() -> RgbImage {
    RgbImage::from_fn(48, 32, |x, y| {
        Rgb(match (x < 24, y < 16) {
            (true, true) => RED,
            (false, true) => GREEN,
            (true, false) => BLUE,
            (false, false) => WHITE,
        })
    })
}

pub fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    picture.write_to(&mut file, format).unwrap();
    file.into_inner()
}

pub fn png(picture: RgbImage) -> Vec<u8> {
    encoded(&DynamicImage::ImageRgb8(picture), ImageFormat::Png)
}

/// The pixels of `upright` as a camera has them that was held so that `orientation` turns them back.
pub fn stored(upright: &RgbImage, orientation: u8) -> RgbImage {
    let mut stored = DynamicImage::ImageRgb8(upright.clone());
    let undone = match orientation {
        6 => 8,
        8 => 6,
        other => other,
    };
    stored.apply_orientation(Orientation::from_exif(undone).unwrap());
    stored.into_rgb8()
}

/// `upright` as a camera stores it that was held so that `orientation` turns it back.
pub fn turned(upright: &RgbImage, orientation: u8, format: ImageFormat) -> Vec<u8> {
    let stored = stored(upright, orientation);
    let mut file = Vec::new();
    let write = |mut encoder: Box<dyn FnOnceEncoder>| encoder.write(&stored, exif(orientation));
    match format {
        ImageFormat::Jpeg => {
            write(Box::new(Some(image::codecs::jpeg::JpegEncoder::new_with_quality(&mut file, 100))))
        }
        ImageFormat::Png => write(Box::new(Some(image::codecs::png::PngEncoder::new(&mut file)))),
        ImageFormat::WebP => write(Box::new(Some(image::codecs::webp::WebPEncoder::new_lossless(&mut file)))),
        other => panic!("no EXIF in {other:?}"),
    }
    file
}

trait FnOnceEncoder {
    fn write(&mut self, picture: &RgbImage, exif: Vec<u8>);
}

impl<E: ImageEncoder> FnOnceEncoder for Option<E> {
    fn write(&mut self, picture: &RgbImage, exif: Vec<u8>) {
        let mut encoder = self.take().unwrap();
        encoder.set_exif_metadata(exif).unwrap();
        let (width, height) = picture.dimensions();
        encoder.write_image(picture, width, height, image::ExtendedColorType::Rgb8).unwrap();
    }
}

/// An EXIF block with nothing but an orientation.
pub fn exif(orientation: u8) -> Vec<u8> {
    let mut block = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
    block.extend([orientation, 0, 0, 0, 0, 0, 0]);
    block
}

/// A PNG that declares a size and holds hardly a pixel.
pub fn declared_png(width: u32, height: u32) -> Vec<u8> {
    let mut header = Vec::new();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    header.extend([8, 2, 0, 0, 0]);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    file.extend(chunk(b"IHDR", &header));
    file.extend(chunk(b"IDAT", &[0x78, 0x9c, 0x63, 0, 0, 0, 1, 0, 1]));
    file.extend(chunk(b"IEND", &[]));
    file
}

pub fn chunk(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
    let mut chunk = (body.len() as u32).to_be_bytes().to_vec();
    chunk.extend(kind);
    chunk.extend(body);
    let checksum = crc32(&chunk[4..]);
    chunk.extend(checksum.to_be_bytes());
    chunk
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    })
}
