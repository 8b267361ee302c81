//! Files of the other kinds, put together by hand where no encoder writes them.

use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};

use crate::files::{encoded, quarters};

/// A frame of a GIF: place, size, what happens to it afterwards, and its colour's place in the palette.
pub struct Frame {
    pub area: [u16; 4],
    pub disposal: u8,
    pub colors: fn(u16, u16) -> u8,
}

/// A GIF of 48 × 32 with red, green, blue, white and one transparent colour.
pub fn gif(frames: &[Frame]) -> Vec<u8> {
    let mut file = b"GIF89a".to_vec();
    file.extend([48, 0, 32, 0, 0b1000_0010, 0, 0]);
    file.extend([255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]);
    file.extend([0; 12]);
    file.extend(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0");
    for frame in frames {
        file.extend([0x21, 0xf9, 4, frame.disposal << 2 | 1, 10, 0, 4, 0]);
        file.push(0x2c);
        frame.area.iter().for_each(|side| file.extend(side.to_le_bytes()));
        // Codes of eight bits that start anew before they would grow are pixels as they are.
        file.extend([0, 7]);
        let [_, _, width, height] = frame.area;
        let pixels: Vec<u8> = (0..height)
            .flat_map(|y| (0..width).map(move |x| (x, y)))
            .map(|(x, y)| (frame.colors)(x, y))
            .collect();
        for part in pixels.chunks(100) {
            file.push(part.len() as u8 + 1);
            file.push(0x80);
            file.extend(part);
        }
        file.extend([1, 0x81, 0]);
    }
    file.push(0x3b);
    file
}

/// The four quarters as indices of the GIF's palette.
pub fn quarter(x: u16, y: u16) -> u8 {
    u8::from(x >= 24) + 2 * u8::from(y >= 16)
}

/// A WebP animation of two lossless frames, the quarters first.
pub fn animated_webp() -> Vec<u8> {
    let still = |picture: DynamicImage| encoded(&picture, ImageFormat::WebP)[12..].to_vec();
    let other = RgbaImage::from_pixel(48, 32, Rgba([9, 9, 9, 255]));
    let mut body = b"WEBP".to_vec();
    riff(&mut body, b"VP8X", &[0b10, 0, 0, 0, 47, 0, 0, 31, 0, 0]);
    riff(&mut body, b"ANIM", &[0; 6]);
    for picture in [DynamicImage::ImageRgb8(quarters()), DynamicImage::ImageRgba8(other)] {
        let mut frame = vec![0, 0, 0, 0, 0, 0, 47, 0, 0, 31, 0, 0, 100, 0, 0, 0];
        frame.extend(still(picture));
        riff(&mut body, b"ANMF", &frame);
    }
    let mut file = Vec::new();
    riff(&mut file, b"RIFF", &body);
    file
}

fn riff(file: &mut Vec<u8>, name: &[u8; 4], body: &[u8]) {
    file.extend(name);
    file.extend((body.len() as u32).to_le_bytes());
    file.extend(body);
    if body.len() % 2 == 1 {
        file.push(0);
    }
}

/// An icon with the pictures in the order given, each as a directory entry and its bytes.
pub fn icon(pictures: &[(u8, u8, Vec<u8>)]) -> Vec<u8> {
    let mut file = vec![0, 0, 1, 0, pictures.len() as u8, 0];
    let mut start = 6 + 16 * pictures.len();
    for (width, height, bytes) in pictures {
        file.extend([*width, *height, 0, 0, 1, 0, 32, 0]);
        file.extend((bytes.len() as u32).to_le_bytes());
        file.extend((start as u32).to_le_bytes());
        start += bytes.len();
    }
    pictures.iter().for_each(|(_, _, bytes)| file.extend(bytes));
    file
}

/// The picture inside an icon as bitmaps have it: from the bottom up, with a mask of holes behind it.
pub fn icon_bitmap() -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in [40_u32, 48, 64, 1 | 32 << 16, 0, 48 * 32 * 4, 0, 0, 0, 0] {
        bytes.extend(number.to_le_bytes());
    }
    let picture = quarters();
    for (x, y) in (0..32).rev().flat_map(|y| (0..48).map(move |x| (x, y))) {
        let [r, g, b] = picture.get_pixel(x, y).0;
        bytes.extend([b, g, r, 255]);
    }
    // The lower right quarter is a hole; rows of the mask are eight bytes.
    for y in (0..32).rev() {
        bytes.extend(if y >= 16 { [0, 0, 0, 255, 255, 255, 0, 0] } else { [0; 8] });
    }
    bytes
}

/// A bitmap with four colours in runs.
pub fn run_length_bitmap() -> Vec<u8> {
    let mut runs = Vec::new();
    for y in (0..32).rev() {
        let row = if y >= 16 { 2 } else { 0 };
        runs.extend([24, row, 24, row + 1, 0, 0]);
    }
    runs.extend([0, 1]);
    let mut file = b"BM".to_vec();
    let start = 14 + 40 + 4 * 256_u32;
    for number in
        [start + runs.len() as u32, 0, start, 40, 48, 32, 1 | 8 << 16, 1, runs.len() as u32, 0, 0, 256, 0]
    {
        file.extend(number.to_le_bytes());
    }
    let colors = [[0, 0, 255], [0, 255, 0], [255, 0, 0], [255, 255, 255]];
    (0..256).for_each(|at| {
        let [b, g, r] = colors.get(at).copied().unwrap_or_default();
        file.extend([b, g, r, 0]);
    });
    file.extend(runs);
    file
}

/// The quarters as a drawing, with anything put before its end.
pub fn drawing(extra: &str) -> Vec<u8> {
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' width='48' height='32'>\
         <rect width='24' height='16' fill='#f00'/><rect x='24' width='24' height='16' fill='#0f0'/>\
         <rect y='16' width='24' height='16' fill='#00f'/>{extra}</svg>"
    )
    .into_bytes()
}
