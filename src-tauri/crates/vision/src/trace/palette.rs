//! The colours a page is made of.

use std::collections::HashMap;

use image::RgbImage;

use super::facts::Swatch;

const MOST_SWATCHES: usize = 12;
const LEAST_SHARE: f32 = 0.0005;
// Anti-aliasing and noise make neighbours of every colour; this much apart counts as another one.
const LEAST_DISTANCE: i32 = 18;

/// The commonest colours, largest share first; near ones count for the commoner.
pub(crate) fn palette(picture: &RgbImage) -> Vec<Swatch> {
    let mut counts: HashMap<[u8; 3], u32> = HashMap::new();
    for pixel in picture.pixels() {
        *counts.entry(pixel.0).or_default() += 1;
    }
    let mut ranked: Vec<([u8; 3], u32)> = counts.into_iter().collect();
    ranked.sort_unstable_by_key(|&(color, count)| (std::cmp::Reverse(count), color));
    ranked.truncate(4096);
    let mut kept: Vec<([u8; 3], u32)> = Vec::new();
    for (color, count) in ranked {
        match kept.iter_mut().find(|(other, _)| apart(*other, color) < LEAST_DISTANCE) {
            Some((_, sum)) => *sum += count,
            None => kept.push((color, count)),
        }
    }
    kept.sort_by_key(|&(color, count)| (std::cmp::Reverse(count), color));
    let all = picture.width() as f32 * picture.height() as f32;
    kept.into_iter()
        .map(|(color, count)| Swatch { color, hex: hex(color), share: share(count, all) })
        .filter(|swatch| swatch.share >= LEAST_SHARE)
        .take(MOST_SWATCHES)
        .collect()
}

/// `#rrggbb`.
pub(crate) fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn share(count: u32, all: f32) -> f32 {
    (count as f32 / all * 10_000.0).round() / 10_000.0
}

fn apart(a: [u8; 3], b: [u8; 3]) -> i32 {
    a.into_iter().zip(b).map(|(a, b)| (i32::from(a) - i32::from(b)).abs()).max().unwrap_or(0)
}

/// The page's own colour: the commonest one.
pub(crate) fn background(palette: &[Swatch]) -> [u8; 3] {
    palette.first().map_or([255; 3], |swatch| swatch.color)
}
