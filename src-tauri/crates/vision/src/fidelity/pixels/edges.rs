//! Edges of one picture found again in the other.

use image::RgbImage;

/// How far an edge may be off.
const TOLERANCE: usize = 2;
/// Least steepness of an edge: a step of 24 levels.
const STEEP: i16 = 96;

/// The harmonic mean of the shares of edge pixels that have one near them on the other side.
pub(super) fn f1(reference: &RgbImage, page: &RgbImage) -> f64 {
    let (wanted, shown) = (Edges::of(reference), Edges::of(page));
    if wanted.count == 0 && shown.count == 0 {
        return 1.0;
    }
    let recall = wanted.near(&shown) as f64 / wanted.count.max(1) as f64;
    let precision = shown.near(&wanted) as f64 / shown.count.max(1) as f64;
    if recall + precision > 0.0 { 2.0 * recall * precision / (recall + precision) } else { 0.0 }
}

/// One byte a pixel: 1 on an edge.
struct Edges {
    width: usize,
    marks: Vec<u8>,
    count: usize,
}

impl Edges {
    fn of(picture: &RgbImage) -> Self {
        let width = picture.width() as usize;
        let height = picture.height() as usize;
        let luma: Vec<i16> = picture
            .as_raw()
            .chunks_exact(3)
            .map(|p| ((77 * u32::from(p[0]) + 150 * u32::from(p[1]) + 29 * u32::from(p[2])) >> 8) as i16)
            .collect();
        let mut marks = vec![0_u8; luma.len()];
        for y in 1..height.saturating_sub(1) {
            let row = |y: usize| &luma[y * width..(y + 1) * width];
            let (above, here, below) = (row(y - 1), row(y), row(y + 1));
            let out = &mut marks[y * width..(y + 1) * width];
            for x in 1..width.saturating_sub(1) {
                let across = above[x + 1] - above[x - 1] + 2 * (here[x + 1] - here[x - 1]) + below[x + 1]
                    - below[x - 1];
                let down =
                    below[x - 1] - above[x - 1] + 2 * (below[x] - above[x]) + below[x + 1] - above[x + 1];
                out[x] = u8::from(across.abs() + down.abs() >= STEEP);
            }
        }
        let count = marks.iter().map(|mark| usize::from(*mark)).sum();
        Self { width, marks, count }
    }

    /// How many of these edges have one of `other` near them.
    fn near(&self, other: &Self) -> usize {
        if self.count == 0 || other.count == 0 {
            return 0;
        }
        let wide = other.widened();
        let (ours, theirs) = (self.marks.chunks_exact(self.width), wide.chunks_exact(other.width));
        ours.zip(theirs).map(|(a, b)| a.iter().zip(b).map(|(a, b)| usize::from(a & b)).sum::<usize>()).sum()
    }

    /// Every edge made thicker by the tolerance on all sides.
    fn widened(&self) -> Vec<u8> {
        let mut across = vec![0_u8; self.marks.len()];
        for (row, out) in self.marks.chunks_exact(self.width).zip(across.chunks_exact_mut(self.width)) {
            out.copy_from_slice(row);
            for shift in 1..=TOLERANCE.min(self.width.saturating_sub(1)) {
                let rest = self.width - shift;
                for (out, mark) in out[shift..].iter_mut().zip(&row[..rest]) {
                    *out |= mark;
                }
                for (out, mark) in out[..rest].iter_mut().zip(&row[shift..]) {
                    *out |= mark;
                }
            }
        }
        let mut both = across.clone();
        for shift in 1..=TOLERANCE {
            let by = (shift * self.width).min(across.len());
            let rest = across.len() - by;
            for (out, mark) in both[by..].iter_mut().zip(&across[..rest]) {
                *out |= mark;
            }
            for (out, mark) in both[..rest].iter_mut().zip(&across[by..]) {
                *out |= mark;
            }
        }
        both
    }
}
