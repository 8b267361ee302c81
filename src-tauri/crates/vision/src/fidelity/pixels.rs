//! What the pixels alone say: colour difference, palette and edges.

mod edges;
mod palette;

use image::RgbImage;
use serde::Serialize;

use super::color::{difference, lab};

/// Every how many pixels colours are compared, across and down: a quarter of them tells the mean.
const STEP: usize = 2;
/// Differences that are remembered, by the two colours: pages repeat few pairs.
const REMEMBERED: usize = 1 << 14;

/// Numbers of the pixels. A picture that is longer or wider meets mid-grey beyond the other's edge.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PixelNumbers {
    /// Structural similarity of brightness at half, quarter and eighth size, 0 to 1.
    pub ssim: f64,
    /// Mean CIEDE2000, 0 for the same pixels.
    pub delta_e: f64,
    /// Earth mover's distance of the commonest colours in Lab, 0 for the same.
    pub palette: f64,
    /// Edges found again within two pixels, 0 to 1.
    pub edge_f1: f64,
}

pub(super) fn numbers(reference: &RgbImage, page: &RgbImage, ssim: f64) -> PixelNumbers {
    if reference == page {
        return PixelNumbers { ssim, delta_e: 0.0, palette: 0.0, edge_f1: 1.0 };
    }
    PixelNumbers {
        ssim,
        delta_e: mean_difference(reference, page),
        palette: palette::distance(reference, page),
        edge_f1: edges::f1(reference, page),
    }
}

fn mean_difference(reference: &RgbImage, page: &RgbImage) -> f64 {
    let width = reference.width().max(page.width()) as usize;
    let height = reference.height().max(page.height()) as usize;
    let mut remembered = Remembered::new();
    let (mut sum, mut count) = (0.0, 0_u64);
    for y in (0..height).step_by(STEP) {
        let (wanted, shown) = (row(reference, y), row(page, y));
        for x in (0..width).step_by(STEP) {
            sum += remembered.difference(pixel(wanted, x), pixel(shown, x));
            count += 1;
        }
    }
    if count > 0 { sum / count as f64 } else { 0.0 }
}

fn row(picture: &RgbImage, y: usize) -> &[u8] {
    let across = picture.width() as usize * 3;
    picture.as_raw().get(y * across..(y + 1) * across).unwrap_or_default()
}

fn pixel(row: &[u8], x: usize) -> [u8; 3] {
    match row.get(3 * x..3 * x + 3) {
        Some([r, g, b]) => [*r, *g, *b],
        _ => [127; 3],
    }
}

struct Remembered(Vec<([u8; 3], [u8; 3], f64)>);

impl Remembered {
    fn new() -> Self {
        Self(vec![([0; 3], [0; 3], 0.0); REMEMBERED])
    }

    fn difference(&mut self, a: [u8; 3], b: [u8; 3]) -> f64 {
        if a == b {
            return 0.0;
        }
        let packed = |[r, g, b]: [u8; 3]| u32::from_le_bytes([r, g, b, 0]);
        let key = packed(a).wrapping_mul(0x0100_0193) ^ packed(b);
        let slot = (key.wrapping_mul(0x9E37_79B1) >> 18) as usize % REMEMBERED;
        let kept = &mut self.0[slot];
        if (kept.0, kept.1) != (a, b) {
            *kept = (a, b, difference(lab(a), lab(b)));
        }
        kept.2
    }
}
