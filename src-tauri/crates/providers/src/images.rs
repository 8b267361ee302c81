//! Pictures as models can look at them: tiled, scaled and re-encoded once, before they enter a conversation.
//!
//! What was sent is never sent differently, so the bytes that come out of here are kept and sent as they are.

mod colors;

use std::io::Cursor;
use std::ops::Range;

use facsimile_agent::{ErrorKind, Failure, ImageBytes};
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};

use crate::conversation::MAX_ONE_IMAGE_CHARS;

/// A picture higher than this becomes tiles.
const MAX_WHOLE_HEIGHT: u32 = 2000;
/// A tile is at most this high: the long side that models see without scaling.
const MAX_TILE_HEIGHT: u32 = 1568;
/// Tiles share this many rows, so that no line of text is cut in all of them.
const TILE_OVERLAP: u32 = 96;
/// The strictest vendor's limit of a side in requests of many images. Held from the first image on, so that
/// the twentieth changes nothing about the others.
const MAX_SIDE: u32 = 2000;
/// Larger pictures are an attack, not a screenshot.
const MAX_SOURCE_SIDE: u32 = 32_768;
const MAX_DECODED_BYTES: u64 = 512 * 1024 * 1024;
/// Qualities tried in turn where a PNG is too large.
const JPEG_QUALITIES: [u8; 4] = [90, 80, 70, 60];

/// A part of a picture, as it is sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Tile {
    /// The encoded part.
    pub image: ImageBytes,
    /// The rows of the picture it shows.
    pub rows: Range<u32>,
    /// The width of the picture.
    pub width: u32,
}

/// Makes the tiles of a picture that the model knows as `image <number>`.
pub fn tiles(bytes: &[u8], number: usize) -> Result<Vec<Tile>, Failure> {
    let picture = decoded(bytes)?;
    let (width, height) = (picture.width(), picture.height());
    let rows = tile_rows(height);
    let is_whole = rows.len() == 1;
    rows.into_iter()
        .enumerate()
        .map(|(at, rows)| {
            let part = picture.crop_imm(0, rows.start, width, rows.end - rows.start);
            let (mime, bytes) = encoded(scaled(part, MAX_SIDE))?;
            let label =
                if is_whole { format!("image {number}") } else { format!("image {number}, part {}", at + 1) };
            Ok(Tile { image: ImageBytes { mime, bytes: bytes.into(), label }, rows, width })
        })
        .collect()
}

/// The widths and heights of the tiles that a picture of this size is sent as.
pub fn tile_sizes(width: u32, height: u32) -> Vec<(u32, u32)> {
    let sent = |rows: Range<u32>| {
        let height = rows.end - rows.start;
        let scale = f64::from(MAX_SIDE) / f64::from(width.max(height).max(1));
        let side = |side: u32| (f64::from(side) * scale.min(1.0)).round().max(1.0) as u32;
        (side(width), side(height))
    };
    tile_rows(height).into_iter().map(sent).collect()
}

/// A picture in one piece, as it may be sent: upright, small enough, re-encoded without its metadata.
pub fn whole(bytes: &[u8]) -> Result<ImageBytes, Failure> {
    let (mime, bytes) = encoded(scaled(decoded(bytes)?, MAX_SIDE))?;
    Ok(ImageBytes { mime, bytes: bytes.into(), label: String::new() })
}

/// The true type of an encoded picture that models and pages can use; `None` for anything else.
pub(crate) fn sniffed(bytes: &[u8]) -> Option<&'static str> {
    match image::guess_format(bytes).ok()? {
        ImageFormat::Png => Some("image/png"),
        ImageFormat::Jpeg => Some("image/jpeg"),
        ImageFormat::WebP => Some("image/webp"),
        ImageFormat::Gif => Some("image/gif"),
        _ => None,
    }
}

/// Tells the model which part of the picture each tile shows; empty for a picture in one piece.
pub fn announcement(tiles: &[Tile]) -> String {
    if tiles.len() < 2 {
        return String::new();
    }
    let height = tiles.last().map_or(0, |tile| tile.rows.end);
    let lines = tiles.iter().map(|tile| {
        let Range { start, end } = tile.rows;
        format!("[{}] shows rows {start} to {end} of {height}, {} px wide", tile.image.label, tile.width)
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn refused(why: impl std::fmt::Display) -> Failure {
    Failure::new(ErrorKind::BadImage, format!("the picture cannot be used: {why}"))
        .with_next_step("Save it as PNG or JPEG and add it again")
}

fn decoded(bytes: &[u8]) -> Result<DynamicImage, Failure> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(refused)?;
    if reader.format().is_none() {
        return Err(refused("its format is not known; PNG, JPEG, WebP, GIF and BMP are"));
    }
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SOURCE_SIDE);
    limits.max_image_height = Some(MAX_SOURCE_SIDE);
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(refused)?;
    let orientation = decoder.orientation().map_err(refused)?;
    // A profile that cannot be had costs a shade, not the picture.
    let profile = decoder.icc_profile().unwrap_or_default();
    let mut picture = colors::in_srgb(DynamicImage::from_decoder(decoder).map_err(refused)?, bytes, profile);
    picture.apply_orientation(orientation);
    if picture.width() == 0 || picture.height() == 0 {
        return Err(refused("it is empty"));
    }
    Ok(picture)
}

/// The rows of each tile: of nearly equal height, so that the last is no sliver.
fn tile_rows(height: u32) -> Vec<Range<u32>> {
    if height <= MAX_WHOLE_HEIGHT {
        return std::iter::once(0..height).collect();
    }
    let step = MAX_TILE_HEIGHT - TILE_OVERLAP;
    let count = (height - TILE_OVERLAP).div_ceil(step);
    let tile = (height + (count - 1) * TILE_OVERLAP).div_ceil(count);
    (0..count)
        .map(|at| {
            let start = (at * (tile - TILE_OVERLAP)).min(height - tile);
            start..start + tile
        })
        .collect()
}

fn scaled(picture: DynamicImage, most: u32) -> DynamicImage {
    if picture.width() <= most && picture.height() <= most {
        return picture;
    }
    picture.resize(most, most, FilterType::Lanczos3)
}

fn encoded(mut picture: DynamicImage) -> Result<(&'static str, Vec<u8>), Failure> {
    loop {
        let mut png = Vec::new();
        let plain = eight_bit(&picture);
        plain.write_to(&mut Cursor::new(&mut png), ImageFormat::Png).map_err(refused)?;
        if fits(&png) {
            return Ok(("image/png", png));
        }
        if !has_transparency(&plain) {
            let opaque = DynamicImage::ImageRgb8(plain.to_rgb8());
            for quality in JPEG_QUALITIES {
                let mut jpeg = Vec::new();
                opaque
                    .write_with_encoder(JpegEncoder::new_with_quality(&mut jpeg, quality))
                    .map_err(refused)?;
                if fits(&jpeg) {
                    return Ok(("image/jpeg", jpeg));
                }
            }
        }
        let side = picture.width().max(picture.height()) * 3 / 4;
        if side == 0 {
            return Err(refused("it cannot be made small enough"));
        }
        picture = scaled(picture, side);
    }
}

/// Sixteen bits per channel are twice the bytes and nothing a model sees.
fn eight_bit(picture: &DynamicImage) -> DynamicImage {
    if picture.color().has_alpha() {
        DynamicImage::ImageRgba8(picture.to_rgba8())
    } else {
        DynamicImage::ImageRgb8(picture.to_rgb8())
    }
}

fn has_transparency(picture: &DynamicImage) -> bool {
    picture.as_rgba8().is_some_and(|pixels| pixels.pixels().any(|pixel| pixel.0[3] < u8::MAX))
}

fn fits(bytes: &[u8]) -> bool {
    bytes.len().div_ceil(3) * 4 <= MAX_ONE_IMAGE_CHARS
}

#[cfg(test)]
mod tests {
    use image::{ImageBuffer, Rgb, Rgba};

    use super::*;

    fn png(picture: DynamicImage) -> Vec<u8> {
        let mut bytes = Vec::new();
        picture.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
        bytes
    }

    fn plain(width: u32, height: u32) -> Vec<u8> {
        png(DynamicImage::ImageRgb8(ImageBuffer::from_pixel(width, height, Rgb([250, 250, 250]))))
    }

    /// A value without any order, so that no encoder makes it small.
    fn noise(x: u32, y: u32) -> [u8; 3] {
        let mut seed = (u64::from(x) << 32 | u64::from(y)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        seed = (seed ^ (seed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        seed = (seed ^ (seed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let bytes = seed.to_le_bytes();
        [bytes[1], bytes[3], bytes[5]]
    }

    fn size(tile: &Tile) -> (u32, u32) {
        let picture = image::load_from_memory(&tile.image.bytes).unwrap();
        (picture.width(), picture.height())
    }

    #[test]
    fn tiles_cover_every_row_with_an_overlap_and_without_a_sliver() {
        for height in [1, 2000, 2001, 3040, 3041, 9999, 32_768] {
            let rows = tile_rows(height);
            let is_covered = rows[0].start == 0 && rows[rows.len() - 1].end == height;
            let is_tight = rows.windows(2).all(|pair| pair[0].end >= pair[1].start + TILE_OVERLAP);
            let most = if rows.len() == 1 { MAX_WHOLE_HEIGHT } else { MAX_TILE_HEIGHT };
            let is_low = rows.iter().all(|rows| rows.len() as u32 <= most);
            assert!(is_covered && is_tight && is_low, "{height}: {rows:?}");
        }
    }

    #[test]
    fn a_high_picture_becomes_announced_parts() {
        let tiles = tiles(&plain(100, 2500), 2).unwrap();
        assert_eq!(tiles.iter().map(size).collect::<Vec<_>>(), [(100, 1298), (100, 1298)]);
        assert_eq!(
            announcement(&tiles),
            "[image 2, part 1] shows rows 0 to 1298 of 2500, 100 px wide\n\
             [image 2, part 2] shows rows 1202 to 2500 of 2500, 100 px wide"
        );
    }

    #[test]
    fn a_wide_picture_is_scaled_and_a_small_one_is_not() {
        let wide = tiles(&plain(4000, 1000), 1).unwrap();
        assert_eq!((wide.len(), size(&wide[0])), (1, (2000, 500)));
        let small = tiles(&plain(30, 20), 1).unwrap();
        assert_eq!((size(&small[0]), small[0].image.label.as_str()), ((30, 20), "image 1"));
        assert_eq!(announcement(&small), "");
    }

    #[test]
    fn what_no_png_holds_is_a_jpeg_and_with_transparency_a_smaller_png() {
        let opaque = ImageBuffer::from_fn(1400, 1300, |x, y| Rgb(noise(x, y)));
        let opaque = tiles(&png(DynamicImage::ImageRgb8(opaque)), 1).unwrap().remove(0);
        assert!(opaque.image.mime == "image/jpeg" && fits(&opaque.image.bytes));
        let clear = ImageBuffer::from_fn(1200, 1000, |x, y| {
            let [r, g, b] = noise(x, y);
            Rgba([r, g, b, r])
        });
        let clear = tiles(&png(DynamicImage::ImageRgba8(clear)), 1).unwrap().remove(0);
        assert!(clear.image.mime == "image/png" && fits(&clear.image.bytes) && size(&clear).0 < 1200);
    }

    #[test]
    fn what_is_no_picture_is_refused_with_a_next_step() {
        for bytes in
            [b"<svg xmlns='http://www.w3.org/2000/svg'/>".as_slice(), b"", b"\x89PNG\r\n\x1a\n broken"]
        {
            let failure = tiles(bytes, 1).unwrap_err();
            assert!(failure.kind == ErrorKind::BadImage && failure.next_step.is_some(), "{failure:?}");
        }
    }
}
