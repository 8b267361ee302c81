//! What a file is, by its first bytes; names and declared types are never asked.

use super::PictureFormat;
use super::refused::ForeignFormat;

pub(super) enum Sniffed {
    Picture(PictureFormat),
    Foreign(ForeignFormat),
    Unknown,
}

pub(super) fn sniff(bytes: &[u8]) -> Sniffed {
    let starts = |magic: &[u8]| bytes.starts_with(magic);
    if starts(b"\x89PNG\r\n\x1a\n") {
        return Sniffed::Picture(PictureFormat::Png);
    }
    if starts(b"\xff\xd8\xff") {
        return Sniffed::Picture(PictureFormat::Jpeg);
    }
    if starts(b"GIF87a") || starts(b"GIF89a") {
        return Sniffed::Picture(PictureFormat::Gif);
    }
    if starts(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return Sniffed::Picture(PictureFormat::WebP);
    }
    // "BM" alone is any text; the four reserved bytes are zero in every real bitmap.
    if starts(b"BM") && bytes.get(6..10) == Some(&[0; 4]) {
        return Sniffed::Picture(PictureFormat::Bmp);
    }
    match foreign(bytes) {
        Some(kind) => Sniffed::Foreign(kind),
        None => Sniffed::Unknown,
    }
}

fn foreign(bytes: &[u8]) -> Option<ForeignFormat> {
    let starts = |magic: &[u8]| bytes.starts_with(magic);
    if bytes.get(4..8) == Some(b"ftyp") {
        let brands = bytes.get(8..bytes.len().min(64)).unwrap_or_default();
        let has = |brand: &[u8]| brands.chunks(4).any(|found| found == brand);
        if has(b"avif") || has(b"avis") {
            return Some(ForeignFormat::Avif);
        }
        let heic: [&[u8]; 7] = [b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1"];
        return heic.iter().any(|brand| has(brand)).then_some(ForeignFormat::Heic);
    }
    if starts(b"\xff\x0a") || starts(b"\0\0\0\x0cJXL \r\n\x87\n") {
        return Some(ForeignFormat::JpegXl);
    }
    if starts(b"%PDF-") {
        return Some(ForeignFormat::Pdf);
    }
    if starts(b"II*\0") || starts(b"MM\0*") || starts(b"II+\0") || starts(b"MM\0+") {
        return Some(ForeignFormat::Tiff);
    }
    if starts(b"\0\0\x01\0") && bytes.len() > 22 {
        return Some(ForeignFormat::Icon);
    }
    if starts(b"8BPS") {
        return Some(ForeignFormat::Photoshop);
    }
    let head = String::from_utf8_lossy(bytes.get(..bytes.len().min(1024)).unwrap_or_default());
    let head = head.trim_start_matches('\u{feff}').trim_start();
    let is_markup =
        head.starts_with("<?xml") || head.starts_with("<!--") || head.starts_with("<!DOCTYPE svg");
    (head.starts_with("<svg") || is_markup && head.contains("<svg")).then_some(ForeignFormat::Svg)
}

/// Whether the file misses the mark that ends it. Bytes after that mark do not matter.
pub(super) fn is_cut_off(bytes: &[u8], format: PictureFormat) -> bool {
    match format {
        PictureFormat::Png => !png_has_end(bytes),
        PictureFormat::Jpeg => !jpeg_has_end(bytes),
        PictureFormat::WebP | PictureFormat::Gif | PictureFormat::Bmp => false,
    }
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
