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
        return unusual_jpeg(bytes).map_or(Sniffed::Picture(PictureFormat::Jpeg), Sniffed::Foreign);
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
    // "II+" and "MM+" are its variant for files beyond 4 GiB, which nothing here could hold.
    if starts(b"II*\0") || starts(b"MM\0*") {
        return Sniffed::Picture(PictureFormat::Tiff);
    }
    if starts(b"\0\0\x01\0") && bytes.len() > 22 {
        return Sniffed::Picture(PictureFormat::Ico);
    }
    if is_drawing(bytes) {
        return Sniffed::Picture(PictureFormat::Svg);
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
    if starts(b"II+\0") || starts(b"MM\0+") {
        return Some(ForeignFormat::BigTiff);
    }
    if starts(b"\x1f\x8b") {
        return Some(ForeignFormat::Compressed);
    }
    starts(b"8BPS").then_some(ForeignFormat::Photoshop)
}

/// JPEGs that only few programs write and none of the usual decoders reads.
fn unusual_jpeg(bytes: &[u8]) -> Option<ForeignFormat> {
    let mut at = 2_usize;
    while let Some([0xff, marker, high, low, precision]) =
        bytes.get(at..at + 5).and_then(|head| head.first_chunk())
    {
        match marker {
            0xff => {
                at += 1;
                continue;
            }
            0xc3 | 0xc7 => return Some(ForeignFormat::LosslessJpeg),
            0xc9..=0xcb | 0xcd..=0xcf => return Some(ForeignFormat::ArithmeticJpeg),
            0xc0..=0xc2 => return (*precision != 8).then_some(ForeignFormat::DeepJpeg),
            0xda | 0xd9 => return None,
            _ => at += 2 + usize::from(u16::from_be_bytes([*high, *low])).max(2),
        }
    }
    None
}

/// Whether the first element of a text is a drawing's.
fn is_drawing(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(bytes.get(..bytes.len().min(4096)).unwrap_or_default());
    let mut rest = head.trim_start_matches('\u{feff}').trim_start();
    loop {
        let end = if rest.starts_with("<?") {
            "?>"
        } else if rest.starts_with("<!--") {
            "-->"
        } else if rest.starts_with("<!DOCTYPE") {
            // The internal subset has brackets and tags of its own.
            let has_subset =
                rest.find('[').is_some_and(|open| rest.find('>').is_some_and(|close| open < close));
            if has_subset { "]>" } else { ">" }
        } else {
            let name = rest.strip_prefix('<').unwrap_or_default();
            let name =
                name.split(|c: char| c.is_whitespace() || c == '>' || c == '/').next().unwrap_or_default();
            return name == "svg" || name.ends_with(":svg");
        };
        let Some((_, after)) = rest.split_once(end) else { return false };
        rest = after.trim_start();
    }
}
