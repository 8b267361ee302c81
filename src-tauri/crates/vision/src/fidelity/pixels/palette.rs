//! Distance of two palettes.

use image::RgbImage;

use crate::fidelity::assignment::cheapest;
use crate::fidelity::color::{Lab, lab_of};

/// Colours of a palette.
const COLORS: usize = 8;
/// Colours nearer than this are one.
const APART: f64 = 8.0;
/// Parts a palette is cut into, so that moving earth is pairing parts.
const PARTS: usize = 100;
const STEP: usize = 2;

/// How far the commonest colours of one picture are from the other's: the earth mover's distance in Lab.
pub(super) fn distance(reference: &RgbImage, page: &RgbImage) -> f64 {
    let (wanted, shown) = (parts(&palette(reference)), parts(&palette(page)));
    let costs: Vec<f64> = wanted.iter().flat_map(|a| shown.iter().map(|b| apart(*a, *b))).collect();
    let pairs = cheapest(wanted.len(), shown.len(), &costs);
    let moved: f64 = pairs.iter().map(|(a, b)| costs[a * shown.len() + b]).sum();
    moved / pairs.len().max(1) as f64
}

struct Swatch {
    color: Lab,
    count: u64,
}

fn palette(picture: &RgbImage) -> Vec<Swatch> {
    let mut bins = vec![(0_u64, [0_u64; 3]); 32 * 32 * 32];
    let across = picture.width() as usize * 3;
    for row in picture.as_raw().chunks_exact(across.max(1)).step_by(STEP) {
        for pixel in row.chunks_exact(3).step_by(STEP) {
            let at = pixel.iter().fold(0, |at, channel| at * 32 + usize::from(channel / 8));
            let (count, sums) = &mut bins[at];
            *count += 1;
            for (sum, channel) in sums.iter_mut().zip(pixel) {
                *sum += u64::from(*channel);
            }
        }
    }
    let mut found: Vec<Swatch> = bins
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, sums)| Swatch { color: lab_of(sums.map(|sum| sum as f64 / count as f64)), count })
        .collect();
    found.sort_by_key(|swatch| std::cmp::Reverse(swatch.count));
    let mut kept: Vec<Swatch> = Vec::new();
    for swatch in found {
        let has_room = kept.len() < COLORS;
        let far = |kept: &Swatch| apart(kept.color, swatch.color);
        match kept.iter_mut().min_by(|a, b| far(a).total_cmp(&far(b))) {
            Some(nearest) if !has_room || far(nearest) < APART => nearest.count += swatch.count,
            _ => kept.push(swatch),
        }
    }
    kept
}

/// The palette as equal parts, each colour as often as its share says.
fn parts(palette: &[Swatch]) -> Vec<Lab> {
    let all: u64 = palette.iter().map(|swatch| swatch.count).sum();
    let mut parts = Vec::with_capacity(PARTS);
    let mut seen = 0;
    for swatch in palette {
        seen += swatch.count;
        let end = (seen as f64 / all.max(1) as f64 * PARTS as f64).round() as usize;
        parts.resize(end.max(parts.len()), swatch.color);
    }
    parts
}

fn apart(a: Lab, b: Lab) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}
