//! The colour behind things, as a smooth surface over the picture, and which pixels show it.

use image::RgbImage;

use crate::trace::color::{Color, dominant, pixel, quantile, reach};
use crate::trace::geometry::Rect;
use crate::trace::mask::Mask;

const TERMS: usize = 6;
// More samples change no digit that matters.
const MOST_SAMPLES: usize = 6000;
const ROUNDS: usize = 8;
// A softly graded background stays this near to its commonest colour for the first guess.
const FIRST_REACH: f32 = 48.0;
const LEAST_REACH: f32 = 4.0;
const MOST_REACH: f32 = 26.0;
// A thing may hide this much of the picture's edges.
const LEAST_SHARE: f32 = 0.55;
// Louder backgrounds are textures.
const MOST_NOISE: f32 = 7.0;
// Where there is no noise at all, a pixel this near is background.
const QUIET_REACH: f32 = 2.5;
// More than this is drawn, not compressed.
const MOST_RINGING: f32 = 14.0;
const LEAST_HOLE: usize = 4;
const LEAST_NOISY_HOLE: usize = 12;
const MOST_SPECK: usize = 3;

/// Whether background that is enclosed by a thing counts as background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holes {
    /// Letters' counters and rings are looked through.
    Open,
    /// Only what hangs together with the edges.
    Filled,
}

/// A smooth background: a polynomial of second degree for each channel.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    terms: [[f64; TERMS]; 3],
    width: f64,
    height: f64,
    /// Standard deviation of the pixels that show it.
    pub(crate) noise: f32,
}

impl Ground {
    /// A background of one colour.
    pub(crate) fn flat(color: Color, noise: f32, (width, height): (u32, u32)) -> Self {
        let terms = color.map(|channel| [f64::from(channel), 0.0, 0.0, 0.0, 0.0, 0.0]);
        Self { terms, width: f64::from(width), height: f64::from(height), noise }
    }

    /// The background that the picture's edges show; nothing when they show no common one.
    pub(crate) fn at_edges(picture: &RgbImage) -> Option<Self> {
        let edge = edge_places(picture);
        let colors: Vec<Color> = edge.iter().map(|&(x, y)| pixel(picture, x, y)).collect();
        let (common, _) = dominant(&colors, 16.0);
        let size = picture.dimensions();
        let mut ground = Self::flat(common, 0.0, size);
        let mut limit = FIRST_REACH;
        let mut share = 0.0;
        for _ in 0..ROUNDS {
            let near: Vec<(i32, i32)> =
                edge.iter().copied().filter(|&(x, y)| ground.distance(picture, x, y) < limit).collect();
            share = near.len() as f32 / edge.len().max(1) as f32;
            ground = Self::fitted(picture, &near)?;
            // The spread of all edges, so that a first fit over two colours cannot call itself exact.
            let mut far: Vec<f32> = near.iter().map(|&(x, y)| ground.distance(picture, x, y)).collect();
            limit = (3.5 * quantile(&mut far, 0.6)).clamp(LEAST_REACH, MOST_REACH);
        }
        (share >= LEAST_SHARE && ground.noise <= MOST_NOISE).then_some(ground)
    }

    /// The same background, measured on everything that shows it.
    pub(crate) fn refined(self, picture: &RgbImage, mask: &Mask) -> Self {
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        let step = (width * height / (4 * MOST_SAMPLES)).max(1);
        // A step that shares no factor with the width visits all columns.
        let step = (step..).find(|step| gcd(*step, width) == 1).unwrap_or(1);
        let places: Vec<(i32, i32)> = (0..width * height)
            .step_by(step)
            .map(|at| (at % width, at / width))
            .filter(|&(x, y)| mask.at(x, y))
            .map(|(x, y)| (x as i32, y as i32))
            .collect();
        let mut ground =
            Self::fitted(picture, &places).filter(|fitted| fitted.noise <= MOST_NOISE).unwrap_or(self);
        ground.noise = ground.noise.max(ground.ringing(picture));
        ground
    }

    /// The noise that compression leaves around things, where the edges of the picture do not show it: pixels a
    /// few levels off are then far more common than half-covered ones, which come in all strengths alike.
    fn ringing(&self, picture: &RgbImage) -> f32 {
        let mut counts = [0_u32; 48];
        for (x, y, _) in picture.enumerate_pixels() {
            let level = self.distance(picture, x as i32, y as i32) as usize;
            if let Some(count) = counts.get_mut(level) {
                *count += 1;
            }
        }
        let usual = counts.iter().skip(24).sum::<u32>() / 24;
        let is_common = |count: &u32| *count > 4 * usual + 2;
        let near: Vec<u32> = counts
            .iter()
            .skip(QUIET_REACH as usize + 1)
            .take_while(|count| is_common(count))
            .copied()
            .collect();
        let all = picture.width() * picture.height();
        if near.len() < 2 || near.iter().sum::<u32>() < all / 200 {
            return 0.0;
        }
        (near.len() as f32 + QUIET_REACH).min(MOST_RINGING) / 3.5
    }

    /// The colour behind a pixel.
    pub(crate) fn at(&self, x: i32, y: i32) -> Color {
        let powers = self.powers(x, y);
        self.terms.map(|terms| {
            let sum: f64 = terms.iter().zip(powers).map(|(term, power)| term * power).sum();
            sum.clamp(0.0, 255.0) as f32
        })
    }

    /// How far a pixel of this background may lie from it.
    pub(crate) fn tolerance(&self) -> f32 {
        (3.5 * self.noise + 1.5).max(QUIET_REACH)
    }

    /// Whether the background carries noise, as in a JPEG.
    pub(crate) fn is_noisy(&self) -> bool {
        self.noise > 0.8
    }

    pub(crate) fn distance(&self, picture: &RgbImage, x: i32, y: i32) -> f32 {
        reach(pixel(picture, x, y), self.at(x, y))
    }

    /// The pixels that show the background.
    pub(crate) fn mask(&self, picture: &RgbImage, holes: Holes) -> Mask {
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        let limit = self.tolerance();
        let mut cells = Vec::with_capacity(width * height);
        for y in 0..height as i32 {
            cells.extend((0..width as i32).map(|x| u8::from(self.distance(picture, x, y) > limit)));
        }
        let things = Mask::from_cells(width, height, cells);
        // Single pixels that noise lifts out of the background are no things.
        let things = if self.is_noisy() { things.pieces(|count| count > MOST_SPECK) } else { things };
        let solid = things.filled();
        if holes == Holes::Filled {
            return solid.inverted();
        }
        // What is enclosed and looks like background, in pieces large enough to be meant.
        let least = if self.is_noisy() { LEAST_NOISY_HOLE } else { LEAST_HOLE };
        let holes = solid.without(&things).pieces(|count| count >= least);
        solid.inverted().with(&holes)
    }

    fn powers(&self, x: i32, y: i32) -> [f64; TERMS] {
        let u = (f64::from(x) + 0.5) / self.width * 2.0 - 1.0;
        let v = (f64::from(y) + 0.5) / self.height * 2.0 - 1.0;
        [1.0, u, v, u * u, u * v, v * v]
    }

    fn fitted(picture: &RgbImage, places: &[(i32, i32)]) -> Option<Self> {
        if places.is_empty() {
            return None;
        }
        let mut ground = Self::flat([0.0; 3], 0.0, picture.dimensions());
        let mut squares = [[0.0; TERMS]; TERMS];
        let mut sums = [[0.0; TERMS]; 3];
        for &(x, y) in places {
            let powers = ground.powers(x, y);
            for (row, a) in squares.iter_mut().zip(powers) {
                for (cell, b) in row.iter_mut().zip(powers) {
                    *cell += a * b;
                }
            }
            for (sum, channel) in sums.iter_mut().zip(pixel(picture, x, y)) {
                for (cell, power) in sum.iter_mut().zip(powers) {
                    *cell += f64::from(channel) * power;
                }
            }
        }
        // Rows and columns of one pixel leave directions without any measure; these stay level.
        let ridge = 1e-4 * places.len() as f64;
        for (at, row) in squares.iter_mut().enumerate().skip(1) {
            if let Some(cell) = row.get_mut(at) {
                *cell += ridge;
            }
        }
        for (terms, sum) in ground.terms.iter_mut().zip(sums) {
            *terms = solved(squares, sum)?;
        }
        let mut square = 0.0;
        for &(x, y) in places {
            let (found, wanted) = (pixel(picture, x, y), ground.at(x, y));
            square += found.iter().zip(wanted).map(|(a, b)| f64::from((a - b) * (a - b))).sum::<f64>();
        }
        ground.noise = (square / (3 * places.len()) as f64).sqrt() as f32;
        Some(ground)
    }
}

pub(super) fn whole(mask: &Mask) -> Rect {
    Rect { x: 0, y: 0, w: mask.width as i32, h: mask.height as i32 }
}

/// The outermost two pixels all around, thinned out evenly.
fn edge_places(picture: &RgbImage) -> Vec<(i32, i32)> {
    let (w, h) = (picture.width() as i32, picture.height() as i32);
    let mut places = Vec::new();
    for x in 0..w {
        places.extend([0, 1, h - 2, h - 1].map(|y| (x, y)));
    }
    for y in 0..h {
        places.extend([0, 1, w - 2, w - 1].map(|x| (x, y)));
    }
    places.retain(|&(x, y)| x >= 0 && y >= 0 && x < w && y < h);
    places.sort_unstable();
    places.dedup();
    let step = places.len().div_ceil(MOST_SAMPLES).max(1);
    places.into_iter().step_by(step).collect()
}

/// The solution of a small set of linear equations, by elimination with the largest pivot.
fn solved(mut rows: [[f64; TERMS]; TERMS], mut right: [f64; TERMS]) -> Option<[f64; TERMS]> {
    for column in 0..TERMS {
        let size =
            |row: &usize| rows.get(*row).and_then(|row| row.get(column)).map_or(0.0, |cell| cell.abs());
        let pivot = (column..TERMS).max_by(|a, b| size(a).total_cmp(&size(b)))?;
        rows.swap(column, pivot);
        right.swap(column, pivot);
        let (top, value) = (*rows.get(column)?, *right.get(column)?);
        let lead = *top.get(column)?;
        if lead.abs() < 1e-12 {
            return None;
        }
        for (at, (row, cell)) in rows.iter_mut().zip(&mut right).enumerate() {
            let factor = row.get(column).copied().unwrap_or(0.0) / lead;
            if at != column {
                row.iter_mut().zip(top).for_each(|(cell, above)| *cell -= factor * above);
                *cell -= factor * value;
            }
        }
    }
    let mut found = [0.0; TERMS];
    for (at, found) in found.iter_mut().enumerate() {
        *found = right.get(at)? / rows.get(at)?.get(at)?;
    }
    Some(found)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
