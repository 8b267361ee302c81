//! Whether a file stops before its picture is complete. Bytes after the end do not matter.

use super::PictureFormat;
use super::moving::behind_blocks;

/// Whether what is missing would be shown as grey, black or nothing.
pub(super) fn is_cut_off(bytes: &[u8], format: PictureFormat) -> bool {
    let is_whole = match format {
        PictureFormat::Png => png_has_end(bytes),
        PictureFormat::Jpeg => jpeg_has_end(bytes),
        PictureFormat::WebP => webp_is_whole(bytes),
        PictureFormat::Gif => gif_has_first_picture(bytes).unwrap_or(false),
        PictureFormat::Bmp => bmp_is_whole(bytes).unwrap_or(false),
        // Their decoders read exactly what their directories name; a drawing without its end does not parse.
        PictureFormat::Ico | PictureFormat::Tiff | PictureFormat::Svg => true,
    };
    !is_whole
}

fn png_has_end(bytes: &[u8]) -> bool {
    let mut at = 8_usize;
    while let Some(head) = bytes.get(at..at + 8) {
        let (length, kind) = head.split_at(4);
        if kind == b"IEND" {
            return true;
        }
        let length = length.iter().fold(0_usize, |sum, &byte| sum << 8 | usize::from(byte));
        at = at.saturating_add(length).saturating_add(12);
        if at > bytes.len() {
            return false;
        }
    }
    false
}

fn jpeg_has_end(bytes: &[u8]) -> bool {
    const START_OF_SCAN: u8 = 0xda;
    const END_OF_IMAGE: u8 = 0xd9;
    let mut at = 2_usize;
    loop {
        let Some(&[0xff, marker]) = bytes.get(at..at + 2).and_then(|pair| pair.first_chunk()) else {
            return false;
        };
        match marker {
            END_OF_IMAGE => return true,
            // Fill bytes and marks without a body.
            0xff => at += 1,
            0x01 | 0xd0..=0xd8 => at += 2,
            _ => {
                let Some(&length) = bytes.get(at + 2..at + 4).and_then(|pair| pair.first_chunk()) else {
                    return false;
                };
                at += 2 + usize::from(u16::from_be_bytes(length)).max(2);
                if marker == START_OF_SCAN {
                    let Some(next) = next_marker(bytes, at) else { return false };
                    at = next;
                }
            }
        }
    }
}

/// The next mark behind coded pixels, where 0xff is escaped and restarts are counted.
fn next_marker(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let is_marker = |pair: &[u8]| matches!(pair, [0xff, kind] if *kind != 0 && !(0xd0..=0xd7).contains(kind));
    rest.windows(2).position(is_marker).map(|at| from + at)
}

/// A WebP file says how long it is. Some writers leave out the last padding byte.
fn webp_is_whole(bytes: &[u8]) -> bool {
    let length =
        bytes.get(4..8).and_then(|length| length.first_chunk()).map(|length| u32::from_le_bytes(*length));
    length.is_some_and(|length| bytes.len() as u64 + 1 >= u64::from(length) + 8)
}

/// Whether the pixels of the first picture, the one that is shown, are all there.
fn gif_has_first_picture(bytes: &[u8]) -> Option<bool> {
    const EXTENSION: u8 = 0x21;
    const PICTURE: u8 = 0x2c;
    let table = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3_usize << ((flags & 7) + 1) };
    let mut at = 13 + table(*bytes.get(10)?);
    loop {
        match *bytes.get(at)? {
            EXTENSION => at = behind_blocks(bytes, at + 2)?,
            // Position, size, flags, colours, and the size of the first code.
            PICTURE => return Some(behind_blocks(bytes, at + 11 + table(*bytes.get(at + 9)?)).is_some()),
            _ => return None,
        }
    }
}

/// Whether as many bytes follow as the bitmap's size and depth ask for.
fn bmp_is_whole(bytes: &[u8]) -> Option<bool> {
    let number = |at: usize| bytes.get(at..at + 4)?.first_chunk().map(|four| u32::from_le_bytes(*four));
    let short = |at: usize| bytes.get(at..at + 2)?.first_chunk().map(|two| u16::from_le_bytes(*two));
    let (start, header) = (u64::from(number(10)?), number(14)?);
    const OLD_HEADER: u32 = 12;
    let (width, height, depth, packing) = if header == OLD_HEADER {
        (u64::from(short(18)?), u64::from(short(20)?), u64::from(short(24)?), 0)
    } else {
        let height = u64::from(number(22)?.cast_signed().unsigned_abs());
        (u64::from(number(18)?), height, u64::from(short(28)?), number(30)?)
    };
    const RUNS_OF_8: u32 = 1;
    const RUNS_OF_4: u32 = 2;
    let needed = match packing {
        RUNS_OF_8 | RUNS_OF_4 => u64::from(number(34)?),
        _ => (width * depth).div_ceil(32) * 4 * height,
    };
    Some(bytes.len() as u64 >= start + needed)
}
