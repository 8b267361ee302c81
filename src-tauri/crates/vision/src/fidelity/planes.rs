//! Single-channel pictures and the few operations on them the meter needs.

/// Rows of numbers.
#[derive(Clone, Debug)]
pub(super) struct Plane {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) values: Vec<f32>,
}

impl Plane {
    pub(super) fn new(width: usize, height: usize, values: Vec<f32>) -> Self {
        Self { width, height, values }
    }

    pub(super) fn mean(&self) -> f64 {
        mean(&self.values)
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        let values = self.values.iter().zip(&other.values).map(|(a, b)| a * b).collect();
        Self::new(self.width, self.height, values)
    }

    /// Blurred by a normal distribution cut at four times `sigma`; edges are mirrored.
    pub(super) fn blurred(&self, sigma: f32) -> Self {
        if self.values.is_empty() {
            return self.clone();
        }
        let weights = weights(sigma);
        let across = self.blurred_across(&weights);
        across.blurred_down(&weights)
    }

    fn blurred_across(&self, weights: &[f32]) -> Self {
        let radius = weights.len() / 2;
        let mut values = vec![0.0; self.values.len()];
        let mut padded = vec![0.0; self.width + 2 * radius];
        for (row, out) in self.values.chunks_exact(self.width).zip(values.chunks_exact_mut(self.width)) {
            for (at, value) in padded.iter_mut().enumerate() {
                *value = row[mirrored(at as isize - radius as isize, self.width)];
            }
            for (shift, weight) in weights.iter().enumerate() {
                for (out, value) in out.iter_mut().zip(&padded[shift..]) {
                    *out += weight * value;
                }
            }
        }
        Self::new(self.width, self.height, values)
    }

    fn blurred_down(&self, weights: &[f32]) -> Self {
        let radius = weights.len() / 2;
        let mut values = vec![0.0; self.values.len()];
        for (y, out) in values.chunks_exact_mut(self.width).enumerate() {
            for (shift, weight) in weights.iter().enumerate() {
                let from = mirrored((y + shift) as isize - radius as isize, self.height) * self.width;
                for (out, value) in out.iter_mut().zip(&self.values[from..from + self.width]) {
                    *out += weight * value;
                }
            }
        }
        Self::new(self.width, self.height, values)
    }
}

fn mean(values: &[f32]) -> f64 {
    if values.is_empty() { 0.0 } else { sum(values) / values.len() as f64 }
}

pub(super) fn sum(values: &[f32]) -> f64 {
    // Sums of short stretches keep single precision exact enough and let the compiler use wide registers.
    values.chunks(256).map(|part| f64::from(part.iter().sum::<f32>())).sum()
}

fn weights(sigma: f32) -> Vec<f32> {
    let radius = (4.0 * sigma + 0.5) as i32;
    let raw: Vec<f64> =
        (-radius..=radius).map(|x| (-0.5 * f64::from(x * x) / f64::from(sigma * sigma)).exp()).collect();
    let sum: f64 = raw.iter().sum();
    raw.iter().map(|weight| (weight / sum) as f32).collect()
}

/// The index a place beyond an edge stands for: … 1 0 | 0 1 2 … n-1 | n-1 n-2 …
fn mirrored(at: isize, len: usize) -> usize {
    let len = len as isize;
    let at = at.rem_euclid(2 * len);
    (if at < len { at } else { 2 * len - 1 - at }) as usize
}

/// Structural similarity of two planes, pixel by pixel.
pub(super) struct Structure {
    mean: Plane,
    variance: Plane,
    plane: Plane,
}

const SIGMA: f32 = 1.5;
/// How far a pixel's structure reaches.
pub(super) const REACH: usize = (4.0 * SIGMA + 0.5) as usize;
const C1: f32 = (0.01 * 255.0) * (0.01 * 255.0);
const C2: f32 = (0.03 * 255.0) * (0.03 * 255.0);

impl Structure {
    /// What of one plane is needed for every comparison with it.
    pub(super) fn of(plane: Plane) -> Self {
        let mean = plane.blurred(SIGMA);
        let mut variance = plane.times(&plane).blurred(SIGMA);
        for (variance, mean) in variance.values.iter_mut().zip(&mean.values) {
            *variance -= mean * mean;
        }
        Self { mean, variance, plane }
    }

    /// Similarity to a plane of the same size, -1 to 1 for every pixel.
    pub(super) fn similarity(&self, other: &Self) -> Vec<f32> {
        let products = self.plane.times(&other.plane).blurred(SIGMA);
        let ours = self.mean.values.iter().zip(&self.variance.values);
        let theirs = other.mean.values.iter().zip(&other.variance.values);
        ours.zip(theirs)
            .zip(&products.values)
            .map(|(((mx, vx), (my, vy)), product)| {
                let shared = product - mx * my;
                ((2.0 * mx * my + C1) * (2.0 * shared + C2)) / ((mx * mx + my * my + C1) * (vx + vy + C2))
            })
            .collect()
    }
}
