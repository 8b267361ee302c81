//! Likeness of two pictures at half, quarter and eighth size, as gain over a blank page.

use std::ops::Range;

use image::RgbImage;

use super::color::{lab_of, light_by_sum, quick_lab};
use super::planes::{Plane, REACH, Structure, sum};

const SCALES: [usize; 3] = [2, 4, 8];
/// What stands where one picture is longer or wider than the other.
const PADDING: u8 = 127;

/// Samples that are compared at a time, so that memory does not grow with a page. A usual page is compared at once.
const BAND_SAMPLES: usize = 1 << 20;

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
    let canvas = Canvas {
        width: reference.width().max(page.width()) as usize,
        height: reference.height().max(page.height()) as usize,
    };
    let background = commonest(reference);
    let (mut near, mut near_blank) = (Likeness::default(), Likeness::default());
    for scale in SCALES {
        let table = light_by_sum(scale * scale);
        let samples = (canvas.width / scale) * (canvas.height / scale);
        let (mut sums, mut sums_blank) = (Likeness::default(), Likeness::default());
        for Band { rows, kept } in canvas.bands(scale) {
            let wanted = Shrunk::picture(reference, canvas, rows.clone(), scale, &table);
            let shown = Shrunk::picture(page, canvas, rows.clone(), scale, &table);
            let blank = Shrunk::blank(background, reference.dimensions(), canvas, rows, scale);
            let structure = Structure::of(wanted.luma.clone());
            sums.add(&wanted, &structure, &shown, kept.clone());
            sums_blank.add(&wanted, &structure, &blank, kept);
        }
        near.add_mean(&sums, samples);
        near_blank.add_mean(&sums_blank, samples);
    }
    let gain = |near: f64, blank: f64| {
        if near > 0.99999 { 1.0 } else { ((near - blank) / (1.0 - blank).max(1e-6)).max(0.0) }
    };
    let of = |sum: f64| sum / SCALES.len() as f64;
    let structure = gain(of(near.structure), of(near_blank.structure));
    let color = gain(of(near.color), of(near_blank.color));
    Visual { gain: 0.5 * structure + 0.5 * color, ssim: of(near.structure) }
}

/// What both pictures lie on.
#[derive(Clone, Copy)]
struct Canvas {
    width: usize,
    height: usize,
}

/// Some rows of a shrunk picture, and which of them count: the others are there to be blurred into these.
struct Band {
    rows: Range<usize>,
    kept: Range<usize>,
}

impl Canvas {
    /// Everything at a fraction of its size, from top to bottom.
    fn bands(self, scale: usize) -> impl Iterator<Item = Band> {
        let (columns, rows) = (self.width / scale, self.height / scale);
        let height = (BAND_SAMPLES / columns.max(1)).max(4 * REACH);
        (0..rows).step_by(height).map(move |from| {
            let to = (from + height).min(rows);
            let first = from.saturating_sub(REACH);
            Band { rows: first..(to + REACH).min(rows), kept: from - first..to - first }
        })
    }
}

#[derive(Default)]
struct Likeness {
    structure: f64,
    color: f64,
}

impl Likeness {
    /// Adds the likeness of the kept rows, sample by sample.
    fn add(&mut self, wanted: &Shrunk, structure: &Structure, shown: &Shrunk, kept: Range<usize>) {
        let kept = kept.start * wanted.luma.width..kept.end * wanted.luma.width;
        let mut alike = structure.similarity(&Structure::of(shown.luma.clone()));
        for value in &mut alike {
            *value = value.clamp(0.0, 1.0);
        }
        self.structure += sum(&alike[kept.clone()]);
        let both = wanted.lab[kept.clone()].iter().zip(&shown.lab[kept]);
        let near: Vec<f32> = both.map(|(a, b)| nearness(*a, *b)).collect();
        self.color += sum(&near);
    }

    /// Adds the means of some sums.
    fn add_mean(&mut self, sums: &Self, samples: usize) {
        // A picture smaller than one pixel of a scale has nothing to differ in.
        let mean = |sum: f64| if samples == 0 { 1.0 } else { sum / samples as f64 };
        self.structure += mean(sums.structure);
        self.color += mean(sums.color);
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
    fn picture(picture: &RgbImage, canvas: Canvas, rows: Range<usize>, scale: usize, table: &[f32]) -> Self {
        let columns = canvas.width / scale;
        let own = picture.width() as usize;
        let raw = picture.as_raw();
        let samples = (scale * scale) as f32;
        let mut luma = Vec::with_capacity(columns * rows.len());
        let mut lab = Vec::with_capacity(columns * rows.len());
        let mut sums = vec![0_u32; columns * 3];
        for row in rows.clone() {
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
        Self { luma: Plane::new(columns, rows.len(), luma), lab }
    }

    /// A page of one colour, as large as `own`, on a canvas as large as the others.
    fn blank(
        background: [f64; 3],
        own: (u32, u32),
        canvas: Canvas,
        rows: Range<usize>,
        scale: usize,
    ) -> Self {
        let columns = canvas.width / scale;
        let padding = [f64::from(PADDING); 3];
        let covered =
            |at: usize, end: u32| (end as usize).saturating_sub(at * scale).min(scale) as f64 / scale as f64;
        let plain = |color: [f64; 3]| {
            let luma = 0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2];
            (luma as f32, lab_of(color).map(|value| value as f32))
        };
        let (inside, outside) = (plain(background), plain(padding));
        let mut luma = Vec::with_capacity(columns * rows.len());
        let mut lab = Vec::with_capacity(columns * rows.len());
        for row in rows.clone() {
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
        Self { luma: Plane::new(columns, rows.len(), luma), lab }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture of ramps and blocks that is taller than a band.
    fn tall(step: u32) -> RgbImage {
        let band_rows = (BAND_SAMPLES / 300) as u32;
        RgbImage::from_fn(600, 2 * (2 * band_rows + 100), |x, y| {
            let level = (x / 7 * 31 + y / 11 * step) % 251;
            image::Rgb([level as u8, (y / 40 % 200) as u8, (x % 250) as u8])
        })
    }

    // S-70
    #[test]
    fn bands_cover_every_row_once_and_are_small() {
        for canvas in [(1280, 2000), (1280, 40_000), (30_000, 8_000), (1, 30_000), (0, 0)] {
            let canvas = Canvas { width: canvas.0, height: canvas.1 };
            let mut next = 0;
            for Band { rows, kept } in canvas.bands(2) {
                assert_eq!(rows.start + kept.start, next);
                next = rows.start + kept.end;
                let samples = rows.len() * (canvas.width / 2);
                assert!(samples <= 2 * BAND_SAMPLES, "{samples}");
            }
            assert_eq!(next, canvas.height / 2);
        }
        assert_eq!(Canvas { width: 1280, height: 2000 }.bands(2).count(), 1);
    }

    #[test]
    fn a_page_compared_in_bands_is_as_alike_as_at_once() {
        let (a, b) = (tall(17), tall(18));
        let canvas = Canvas { width: a.width() as usize, height: a.height() as usize };
        assert!(canvas.bands(2).count() > 2);
        let table = light_by_sum(4);
        let rows = 0..canvas.height / 2;
        let shrunk = |picture| Shrunk::picture(picture, canvas, rows.clone(), 2, &table);
        let (wanted, shown) = (shrunk(&a), shrunk(&b));
        let mut whole = Likeness::default();
        whole.add(&wanted, &Structure::of(wanted.luma.clone()), &shown, rows.clone());
        let mut parts = Likeness::default();
        for Band { rows, kept } in canvas.bands(2) {
            let shrunk = |picture| Shrunk::picture(picture, canvas, rows.clone(), 2, &table);
            let (wanted, shown) = (shrunk(&a), shrunk(&b));
            parts.add(&wanted, &Structure::of(wanted.luma.clone()), &shown, kept);
        }
        let off = [parts.structure / whole.structure - 1.0, parts.color / whole.color - 1.0];
        assert!(off.iter().all(|off| off.abs() < 1e-6), "{off:?}");
    }
}
