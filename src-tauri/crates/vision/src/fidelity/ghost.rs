//! Text that is still painted when a page's text is hidden: it was baked into pictures.

use image::RgbImage;

use super::Side;
use super::planes::Plane;

const BLUR: f32 = 4.0;
/// Fewer pixels say nothing.
const FEWEST: usize = 40;
/// Pixels of the largest letters that are looked at.
const MOST_LETTER_PIXELS: f64 = 4_000_000.0;
/// How often all pixels of a page may be gone through; lines that do not lie over each other take less than once.
const MOST_PASSES: f64 = 4.0;

/// Share of the reference's text area whose glyphs the page still shows without its text.
pub(super) fn ghost(reference: Side, textless: &RgbImage) -> f64 {
    let (mut baked, mut all) = (0.0, 0.0);
    let (width, height) = reference.pixels.dimensions();
    let mut pixels_left = MOST_PASSES * f64::from(width) * f64::from(height);
    for line in &reference.geometry.texts {
        let size = line.area().size();
        if size > MOST_LETTER_PIXELS || size > pixels_left {
            continue;
        }
        pixels_left -= size;
        let edges = [line.x, line.y, line.x + line.w, line.y + line.h];
        let [left, top, right, bottom] = edges.map(|edge| edge.clamp(0.0, 1e9) as u32);
        let wanted = cut(reference.pixels, left, top, right + 1, bottom + 1);
        if wanted.values.len() < FEWEST {
            continue;
        }
        all += wanted.values.len() as f64;
        let shown = cut(textless, left, top, right + 1, bottom + 1);
        if (shown.width, shown.height) != (wanted.width, wanted.height) || spread(&shown) < 4.0 {
            continue;
        }
        if correlation(&detail(&wanted), &detail(&shown)) > 0.6 {
            baked += wanted.values.len() as f64;
        }
    }
    if all > 0.0 { baked / all } else { 0.0 }
}

fn cut(picture: &RgbImage, left: u32, top: u32, right: u32, bottom: u32) -> Plane {
    let (right, bottom) = (right.min(picture.width()), bottom.min(picture.height()));
    let (width, height) = (right.saturating_sub(left), bottom.saturating_sub(top));
    if width == 0 || height == 0 {
        return Plane::new(0, 0, Vec::new());
    }
    let across = picture.width() as usize * 3;
    let mut values = Vec::with_capacity((width * height) as usize);
    for y in top..bottom {
        let start = y as usize * across;
        let row = &picture.as_raw()[start + left as usize * 3..start + right as usize * 3];
        values.extend(row.chunks_exact(3).map(|pixel| {
            0.299 * f32::from(pixel[0]) + 0.587 * f32::from(pixel[1]) + 0.114 * f32::from(pixel[2])
        }));
    }
    Plane::new(width as usize, height as usize, values)
}

fn spread(plane: &Plane) -> f64 {
    let mean = plane.mean();
    let squares: f64 = plane.values.iter().map(|value| (f64::from(*value) - mean).powi(2)).sum();
    (squares / plane.values.len().max(1) as f64).sqrt()
}

/// What is left without the slow changes.
fn detail(plane: &Plane) -> Vec<f64> {
    let smooth = plane.blurred(BLUR);
    plane.values.iter().zip(&smooth.values).map(|(a, b)| f64::from(a - b)).collect()
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    product(a, b) / (product(a, a) * product(b, b) + 1e-9).sqrt()
}
