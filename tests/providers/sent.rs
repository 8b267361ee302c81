//! S-42: pictures as vendors receive them, taken out of whole requests and decoded again.

use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use facsimile_agent::{ImageBytes, UserMessage};
use facsimile_providers::Family;
use facsimile_providers::conversation::Conversation;
use facsimile_providers::images::tiles;
use image::codecs::{jpeg::JpegEncoder, png::PngEncoder, webp::WebPEncoder};
use image::metadata::Orientation;
use image::{DynamicImage, ExtendedColorType, GenericImageView, ImageEncoder, Rgb, RgbImage};
use serde_json::Value;

use crate::bodies::body_of;

const FAMILIES: [Family; 4] =
    [Family::OpenAiResponses, Family::Anthropic, Family::Gemini, Family::OpenAiChat];
const PLACE: &[u8] = b"47.3769 N 8.5417 E";
const QUARTERS: [[u8; 3]; 4] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]];

fn quarters(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        Rgb(QUARTERS[usize::from(x * 2 >= width) + 2 * usize::from(y * 2 >= height)])
    })
}

/// An EXIF block with an orientation and with words that say where the picture was taken.
fn exif(orientation: u8) -> Vec<u8> {
    let mut block = b"MM\0*\0\0\0\x08\0\x03".to_vec();
    // Description, orientation, and the directory of the place, which holds the same words.
    block.extend([1, 0x0e, 0, 2, 0, 0, 0, PLACE.len() as u8, 0, 0, 0, 68]);
    block.extend([1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0]);
    block.extend([0x88, 0x25, 0, 4, 0, 0, 0, 1, 0, 0, 0, 50]);
    block.extend([0, 0, 0, 0]);
    block.extend([0, 1, 0, 0x1b, 0, 2, 0, 0, 0, PLACE.len() as u8, 0, 0, 0, 68, 0, 0, 0, 0]);
    block.extend(PLACE);
    block
}

/// A photo of the quarters that says how the camera was held and where.
fn photo(orientation: u8, kind: image::ImageFormat) -> Vec<u8> {
    let mut stored = DynamicImage::ImageRgb8(quarters(64, 48));
    let undone = match orientation {
        6 => 8,
        8 => 6,
        other => other,
    };
    stored.apply_orientation(Orientation::from_exif(undone).unwrap());
    let (width, height) = stored.dimensions();
    let pixels = stored.into_rgb8();
    let mut file = Cursor::new(Vec::new());
    macro_rules! written {
        ($encoder:expr) => {{
            let mut encoder = $encoder;
            encoder.set_exif_metadata(exif(orientation)).unwrap();
            encoder.write_image(&pixels, width, height, ExtendedColorType::Rgb8).unwrap();
        }};
    }
    match kind {
        image::ImageFormat::Jpeg => written!(JpegEncoder::new_with_quality(&mut file, 98)),
        image::ImageFormat::Png => written!(PngEncoder::new(&mut file)),
        _ => written!(WebPEncoder::new_lossless(&mut file)),
    }
    file.into_inner()
}

/// Every picture in a request: its declared type and its bytes.
fn pictures_in(body: &Value) -> Vec<(String, Vec<u8>)> {
    let coded = |mime: &str, data: &str| (mime.to_owned(), STANDARD.decode(data).unwrap());
    match body {
        Value::String(text) => text
            .strip_prefix("data:")
            .and_then(|rest| rest.split_once(";base64,"))
            .map(|(mime, data)| coded(mime, data))
            .into_iter()
            .collect(),
        Value::Array(items) => items.iter().flat_map(pictures_in).collect(),
        Value::Object(fields) => {
            let mime =
                ["media_type", "mimeType", "mime_type"].iter().find_map(|name| fields.get(*name)?.as_str());
            match (mime, fields.get("data").and_then(Value::as_str)) {
                (Some(mime), Some(data)) => vec![coded(mime, data)],
                _ => fields.values().flat_map(pictures_in).collect(),
            }
        }
        _ => Vec::new(),
    }
}

/// These files as they go into a conversation.
fn prepared(files: &[Vec<u8>]) -> Vec<ImageBytes> {
    let tiles = files.iter().enumerate().flat_map(|(at, file)| tiles(file, at + 1).unwrap());
    tiles.map(|tile| tile.image).collect()
}

/// What a vendor receives.
fn sent(family: Family, images: Vec<ImageBytes>) -> Vec<(String, Vec<u8>)> {
    let mut conversation = Conversation::new("");
    conversation.append_user(UserMessage { images, text: "Copy these.".to_owned() }).unwrap();
    pictures_in(&body_of(family, &conversation, |_| {}))
}

fn holds(bytes: &[u8], words: &[u8]) -> bool {
    bytes.windows(words.len()).any(|window| window == words)
}

#[test]
fn photos_arrive_upright_under_their_true_type_and_without_a_place() {
    let kinds = [image::ImageFormat::Jpeg, image::ImageFormat::Png, image::ImageFormat::WebP];
    let files: Vec<_> =
        kinds.into_iter().flat_map(|kind| (1..=8).map(move |turn| photo(turn, kind))).collect();
    assert!(files.iter().all(|file| holds(file, PLACE)), "the photos say where they were taken");
    let images = prepared(&files);
    for family in FAMILIES {
        let received = sent(family, images.clone());
        assert_eq!(received.len(), files.len(), "{family:?}");
        for (at, (mime, bytes)) in received.into_iter().enumerate() {
            let kind = image::guess_format(&bytes).unwrap();
            let picture = image::load_from_memory(&bytes).unwrap();
            let colors = [(16, 12), (48, 12), (16, 36), (48, 36)].map(|(x, y)| picture.get_pixel(x, y).0);
            let is_upright = colors.iter().zip(QUARTERS).all(|(found, wanted)| {
                found.iter().zip(wanted).all(|(found, wanted)| found.abs_diff(wanted) <= 3)
            });
            assert!(is_upright && picture.dimensions() == (64, 48), "{family:?}, photo {at}: {colors:?}");
            assert_eq!(mime, kind.to_mime_type(), "{family:?}, photo {at}");
            let metadata = [PLACE, b"Exif", b"eXIf", b"EXIF", b"iCCP", b"tEXt", b"XMP"];
            assert!(!metadata.iter().any(|words| holds(&bytes, words)), "{family:?}, photo {at}");
        }
    }
}

#[test]
fn large_and_many_pictures_stay_within_the_limits_for_many() {
    // Above twenty pictures the strictest vendor takes no side beyond 2000 pixels.
    let mut files = vec![];
    for (width, height) in [(6000, 40), (40, 9000), (2600, 2100)] {
        let mut file = Cursor::new(Vec::new());
        DynamicImage::ImageRgb8(quarters(width, height))
            .write_to(&mut file, image::ImageFormat::Png)
            .unwrap();
        files.push(file.into_inner());
    }
    files.extend((0..20).map(|_| photo(1, image::ImageFormat::Png)));
    let images = prepared(&files);
    for family in FAMILIES {
        let received = sent(family, images.clone());
        let all: usize = received.iter().map(|(_, bytes)| bytes.len().div_ceil(3) * 4).sum();
        let sides: Vec<_> = received
            .iter()
            .map(|(_, bytes)| image::load_from_memory(bytes).unwrap())
            .filter(|picture| picture.width() > 2000 || picture.height() > 2000)
            .collect();
        assert!(received.len() > 22 && sides.is_empty(), "{family:?}: {}", received.len());
        assert!(all <= facsimile_providers::conversation::MAX_IMAGE_CHARS, "{family:?}: {all}");
    }
}
