//! Likeness of two pictures at half, quarter and eighth size, as gain over a blank page.

use image::RgbImage;

use super::color::{lab_of, light_by_sum, quick_lab};
use super::planes::{Plane, Structure, mean};

const SCALES: [usize; 3] = [2, 4, 8];
/// What stands where one picture is longer or wider than the other.
const PADDING: u8 = 127;

/// How alike two pictures look.
pub(super) struct Visual {
    /// Gain over a blank page in structure and colour: 1 for the same pixels, 0 for no better than blank.
    pub(super) gain: f64,
    /// Structural similarity, 0 to 1.
    pub(super) ssim: f64,
}

pub(super) fn visual(reference: &RgbImage, page: &RgbImage) -> Visual {
    if reference == page {
        return Visual { gain: 1.0, ssim: 1.0 };
    }
    let width = reference.width().max(page.width()) as usize;
    let height = reference.height().max(page.height()) as usize;
    let background = commonest(reference);
    let (mut near, mut near_blank) = (Likeness::default(), Likeness::default());
    for scale in SCALES {
        let table = light_by_sum(scale * scale);
        let wanted = Shrunk::picture(reference, width, height, scale, &table);
        let shown = Shrunk::picture(page, width, height, scale, &table);
        let blank = Shrunk::blank(background, reference.dimensions(), width, height, scale);
        let wanted_structure = Structure::of(wanted.luma.clone());
        near.add(&wanted, &wanted_structure, &shown);
        near_blank.add(&wanted, &wanted_structure, &blank);
    }
    let gain = |near: f64, blank: f64| {
        if near > 0.99999 { 1.0 } else { ((near - blank) / (1.0 - blank).max(1e-6)).max(0.0) }
    };
    let of = |sum: f64| sum / SCALES.len() as f64;
    let structure = gain(of(near.structure), of(near_blank.structure));
    let color = gain(of(near.color), of(near_blank.color));
    Visual { gain: 0.5 * structure + 0.5 * color, ssim: of(near.structure) }
}

#[derive(Default)]
struct Likeness {
    structure: f64,
    color: f64,
}

impl Likeness {
    fn add(&mut self, wanted: &Shrunk, structure: &Structure, shown: &Shrunk) {
        if wanted.luma.values.is_empty() {
            // A picture smaller than one pixel of this scale has nothing to differ in.
            self.structure += 1.0;
            self.color += 1.0;
            return;
        }
        let mut alike = structure.similarity(&Structure::of(shown.luma.clone()));
        for value in &mut alike {
            *value = value.clamp(0.0, 1.0);
        }
        self.structure += mean(&alike);
        let near: Vec<f32> = wanted.lab.iter().zip(&shown.lab).map(|(a, b)| nearness(*a, *b)).collect();
        self.color += mean(&near);
    }
}

fn nearness(a: [f32; 3], b: [f32; 3]) -> f32 {
    let [l, m, n] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    (-(l * l + m * m + n * n).sqrt() / 20.0).exp()
}

/// A picture at a fraction of its size.
struct Shrunk {
    luma: Plane,
    lab: Vec<[f32; 3]>,
}

impl Shrunk {
    fn picture(picture: &RgbImage, width: usize, height: usize, scale: usize, table: &[f32]) -> Self {
        let (columns, rows) = (width / scale, height / scale);
        let own = picture.width() as usize;
        let raw = picture.as_raw();
        let samples = (scale * scale) as f32;
        let mut luma = Vec::with_capacity(columns * rows);
        let mut lab = Vec::with_capacity(columns * rows);
        let mut sums = vec![0_u32; columns * 3];
        for row in 0..rows {
            sums.fill(0);
            for y in row * scale..(row + 1) * scale {
                let line = raw.get(y * own * 3..(y + 1) * own * 3).unwrap_or_default();
                add_line(&mut sums, line, scale);
            }
            for sum in sums.chunks_exact(3) {
                let light = [0, 1, 2].map(|channel| table[sum[channel] as usize]);
                lab.push(quick_lab(light));
                luma.push((0.299 * sum[0] as f32 + 0.587 * sum[1] as f32 + 0.114 * sum[2] as f32) / samples);
            }
        }
        Self { luma: Plane::new(columns, rows, luma), lab }
    }

    /// A page of one colour, as large as `own`, on a canvas as large as the others.
    fn blank(background: [f64; 3], own: (u32, u32), width: usize, height: usize, scale: usize) -> Self {
        let (columns, rows) = (width / scale, height / scale);
        let padding = [f64::from(PADDING); 3];
        let covered =
            |at: usize, end: u32| (end as usize).saturating_sub(at * scale).min(scale) as f64 / scale as f64;
        let plain = |color: [f64; 3]| {
            let luma = 0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2];
            (luma as f32, lab_of(color).map(|value| value as f32))
        };
        let (inside, outside) = (plain(background), plain(padding));
        let mut luma = Vec::with_capacity(columns * rows);
        let mut lab = Vec::with_capacity(columns * rows);
        for row in 0..rows {
            for column in 0..columns {
                let share = covered(column, own.0) * covered(row, own.1);
                let (bright, color) = if share >= 1.0 {
                    inside
                } else if share <= 0.0 {
                    outside
                } else {
                    plain([0, 1, 2].map(|of| background[of] * share + padding[of] * (1.0 - share)))
                };
                luma.push(bright);
                lab.push(color);
            }
        }
        Self { luma: Plane::new(columns, rows, luma), lab }
    }
}

/// Adds a line of pixels to the sums of its columns; where the line is too short, padding is added.
fn add_line(sums: &mut [u32], line: &[u8], scale: usize) {
    let whole = line.len() / (3 * scale);
    for (sum, pixels) in sums.chunks_exact_mut(3).zip(line.chunks_exact(3 * scale)) {
        for pixel in pixels.chunks_exact(3) {
            sum[0] += u32::from(pixel[0]);
            sum[1] += u32::from(pixel[1]);
            sum[2] += u32::from(pixel[2]);
        }
    }
    let rest = line.get(whole * 3 * scale..).unwrap_or_default();
    for (index, sum) in sums.chunks_exact_mut(3).enumerate().skip(whole) {
        let rest = if index == whole { rest } else { &[] };
        for pixel in rest.chunks_exact(3) {
            for (sum, channel) in sum.iter_mut().zip(pixel) {
                *sum += u32::from(*channel);
            }
        }
        for sum in sum {
            *sum += u32::from(PADDING) * (scale - rest.len() / 3) as u32;
        }
    }
}

/// The commonest colour: the median inside the fullest of bins eight levels wide.
fn commonest(picture: &RgbImage) -> [f64; 3] {
    let bin = |pixel: &[u8]| {
        usize::from(pixel[0] / 8) * 1024 + usize::from(pixel[1] / 8) * 32 + usize::from(pixel[2] / 8)
    };
    let raw = picture.as_raw();
    let mut counts = vec![0_u32; 32 * 32 * 32];
    for pixel in raw.chunks_exact(3) {
        counts[bin(pixel)] += 1;
    }
    // The first of several equally full bins.
    let best = counts.iter().enumerate().max_by_key(|&(at, &count)| (count, usize::MAX - at));
    let Some((best, _)) = best else { return [255.0; 3] };
    let mut levels = [[0_u32; 256]; 3];
    for pixel in raw.chunks_exact(3).filter(|pixel| bin(pixel) == best) {
        for (levels, channel) in levels.iter_mut().zip(pixel) {
            levels[usize::from(*channel)] += 1;
        }
    }
    levels.map(|levels| middle(&levels))
}

/// The median of counted levels: the mean of the two in the middle if there is no single one.
fn middle(levels: &[u32; 256]) -> f64 {
    let all: u32 = levels.iter().sum();
    let level_at = |rank: u32| {
        let mut seen = 0;
        levels.iter().position(|count| {
            seen += count;
            seen > rank
        })
    };
    let at = |rank: u32| level_at(rank).unwrap_or(255) as f64;
    (at(all.saturating_sub(1) / 2) + at(all / 2)) / 2.0
}
