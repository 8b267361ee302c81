//! Whether a file holds several pictures that are shown one after the other, read from its headers alone.

use super::PictureFormat;

/// Whether the file moves.
pub(super) fn is_moving(bytes: &[u8], format: PictureFormat) -> bool {
    match format {
        PictureFormat::Png => png_pictures(bytes).is_some_and(|pictures| pictures > 1),
        PictureFormat::WebP => webp_is_animation(bytes).unwrap_or(false),
        PictureFormat::Gif => gif_has_second_picture(bytes).unwrap_or(false),
        _ => false,
    }
}

/// How many pictures the control chunk of an animation speaks of. It stands before the first pixels.
fn png_pictures(bytes: &[u8]) -> Option<u32> {
    let mut at = 8_usize;
    loop {
        let length = u32::from_be_bytes(*bytes.get(at..at + 4)?.first_chunk()?);
        match bytes.get(at + 4..at + 8)? {
            b"acTL" => return Some(u32::from_be_bytes(*bytes.get(at + 8..at + 12)?.first_chunk()?)),
            b"IDAT" | b"IEND" => return None,
            _ => at = at.checked_add(usize::try_from(length).ok()?)?.checked_add(12)?,
        }
        if at > bytes.len() {
            return None;
        }
    }
}

/// The extended header comes first and has a flag for it.
fn webp_is_animation(bytes: &[u8]) -> Option<bool> {
    const ANIMATION: u8 = 0x02;
    Some(bytes.get(12..16)? == b"VP8X" && bytes.get(20)? & ANIMATION != 0)
}

fn gif_has_second_picture(bytes: &[u8]) -> Option<bool> {
    const EXTENSION: u8 = 0x21;
    const PICTURE: u8 = 0x2c;
    let table = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3_usize << ((flags & 7) + 1) };
    let mut at = 13 + table(*bytes.get(10)?);
    let mut pictures = 0;
    loop {
        match *bytes.get(at)? {
            EXTENSION => at = behind_blocks(bytes, at + 2)?,
            PICTURE if pictures == 1 => return Some(true),
            PICTURE => {
                pictures += 1;
                // Position, size, flags, colours, and the size of the first code.
                at = behind_blocks(bytes, at + 11 + table(*bytes.get(at + 9)?))?;
            }
            _ => return Some(false),
        }
    }
}

/// Where a chain of blocks, each with its length before it, has ended.
pub(super) fn behind_blocks(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let length = usize::from(*bytes.get(at)?);
        at += 1 + length;
        if length == 0 {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use image::codecs::gif::GifEncoder;
    use image::{Delay, Frame, ImageFormat, Rgba, RgbaImage};

    use super::*;

    fn gif(pictures: u8) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = GifEncoder::new(&mut file);
        for grey in 0..pictures {
            let pixels = RgbaImage::from_pixel(5, 4, Rgba([grey * 90, 0, 0, 255]));
            encoder.encode_frame(Frame::from_parts(pixels, 0, 0, Delay::from_numer_denom_ms(90, 1))).unwrap();
        }
        drop(encoder);
        file
    }

    /// A still PNG with one more chunk behind its header.
    fn png(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
        let mut file = std::io::Cursor::new(Vec::new());
        RgbaImage::new(3, 3).write_to(&mut file, ImageFormat::Png).unwrap();
        let mut file = file.into_inner();
        let length = u32::try_from(body.len()).unwrap().to_be_bytes();
        let chunk = [&length[..], kind, body, &[0; 4]].concat();
        file.splice(33..33, chunk);
        file
    }

    fn webp(kind: &[u8; 4], flags: u8) -> Vec<u8> {
        [&b"RIFF\x40\0\0\0WEBP"[..], kind, &[10, 0, 0, 0, flags], b"ANIM ANMF"].concat()
    }

    #[test]
    fn a_file_moves_when_its_headers_say_so_and_not_when_its_pixels_look_like_it() {
        use PictureFormat::{Gif, Jpeg, Png, WebP};
        let moving = [
            (Gif, gif(2)),
            (Gif, gif(3)),
            (Png, png(b"acTL", &[0, 0, 0, 2, 0, 0, 0, 0])),
            (WebP, webp(b"VP8X", 0x12)),
        ];
        let still = [
            (Gif, gif(1)),
            (Gif, [gif(1), b"NETSCAPE2.0".to_vec()].concat()),
            (Png, png(b"tEXt", b"acTL\0acTL")),
            (Png, png(b"acTL", &[0, 0, 0, 1, 0, 0, 0, 0])),
            (WebP, webp(b"VP8X", 0x10)),
            (WebP, webp(b"VP8L", 0x02)),
            (Jpeg, b"\xff\xd8 ANIM acTL NETSCAPE2.0".to_vec()),
        ];
        let told = |files: &[(PictureFormat, Vec<u8>)]| -> Vec<bool> {
            files.iter().map(|(format, bytes)| format.is_moving(bytes)).collect()
        };
        assert_eq!((told(&moving), told(&still)), (vec![true; 4], vec![false; 7]));
    }

    #[test]
    fn a_file_that_is_cut_anywhere_does_not_move_and_does_no_harm() {
        let files = [(PictureFormat::Gif, gif(1)), (PictureFormat::Png, png(b"tEXt", b"a"))];
        for (format, bytes) in files {
            assert!((0..bytes.len()).all(|end| !format.is_moving(&bytes[..end])));
        }
    }
}
