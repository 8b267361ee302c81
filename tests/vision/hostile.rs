//! Pictures that are no pages, made to keep a reader of pages busy.

use facsimile_vision::Raster;

/// Every kind, by name; those that are not lines have this size.
pub fn hostile(width: u32, height: u32) -> Vec<(&'static str, Raster)> {
    let of = |width: u32, height: u32, at: &dyn Fn(u32, u32) -> [u8; 3]| {
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let rgb = pixels.flat_map(|(x, y)| at(x, y)).collect();
        Raster::from_rgb(width, height, rgb).unwrap()
    };
    let grain = |x: u32, y: u32, seed: u32| {
        let mixed = (x ^ y.wrapping_mul(0x9E37_79B1) ^ seed).wrapping_mul(0x85EB_CA6B);
        ((mixed ^ (mixed >> 13)).wrapping_mul(0xC2B2_AE35) >> 24) as u8
    };
    let board =
        |side: u32| move |x: u32, y: u32| [if (x / side + y / side).is_multiple_of(2) { 0 } else { 255 }; 3];
    let noise = |x: u32, y: u32| [1, 2, 3].map(|seed| grain(x, y, seed));
    let black_or_white = |x: u32, y: u32| [if grain(x / 2, y / 2, 4) < 128 { 0 } else { 255 }; 3];
    // Frames in frames, each a box in a box.
    let nested = |x: u32, y: u32| {
        let depth = x.min(y).min(width - 1 - x).min(height - 1 - y);
        [if (depth / 3).is_multiple_of(2) { 255 } else { 40 }; 3]
    };
    vec![
        ("noise", of(width, height, &noise)),
        ("black-and-white-noise", of(width, height, &black_or_white)),
        ("checkerboard-of-1", of(width, height, &board(1))),
        ("checkerboard-of-3", of(width, height, &board(3))),
        ("checkerboard-of-8", of(width, height, &board(8))),
        ("nested-frames", of(width, height, &nested)),
        ("tiny-texts", of(width, height, &tiny_text)),
        ("one-column", of(1, 30_000, &noise)),
        ("one-row", of(30_000, 1, &noise)),
    ]
}

/// Words of letters five pixels high, as many as there is room for.
fn tiny_text(x: u32, y: u32) -> [u8; 3] {
    const LETTERS: [[u8; 5]; 6] = [
        [0b010, 0b101, 0b111, 0b101, 0b101],
        [0b111, 0b100, 0b110, 0b100, 0b111],
        [0b100, 0b100, 0b100, 0b100, 0b111],
        [0b111, 0b101, 0b101, 0b101, 0b111],
        [0b111, 0b010, 0b010, 0b010, 0b010],
        [0b110, 0b101, 0b110, 0b101, 0b101],
    ];
    let (column, row) = (x / 4, y / 9);
    // Words of four letters with a wide gap between them.
    let is_gap = column % 7 >= 4 || y % 9 >= 5 || x % 4 == 3;
    let letter = LETTERS[((column * 5 + row * 3 + column / 7) % 6) as usize];
    let is_ink = !is_gap && letter[(y % 9).min(4) as usize] >> (2 - x % 4).min(2) & 1 == 1;
    [if is_ink { 20 } else { 250 }; 3]
}
