use image::RgbImage;

use crate::trace::color::Color;
use crate::trace::geometry::Rect;

// Neighbours this close in every channel belong together; gradients step by one.
const TOLERANCE: u8 = 2;

/// Which region each pixel belongs to.
pub(super) struct LabelMap {
    /// Index of the region, or `NONE`.
    pub(super) labels: Vec<u32>,
    pub(super) width: usize,
    pub(super) regions: Vec<Region>,
}

pub(super) const NONE: u32 = u32::MAX;

/// Pixels that hang together.
pub(super) struct Region {
    pub(super) area: Rect,
    pub(super) count: u32,
    pub(super) mean: Color,
    /// Largest standard deviation of a channel.
    pub(super) spread: f32,
}

#[derive(Clone, Copy)]
struct Sums {
    x0: i32,
    y0: i32,
    x1: i32,
    y1: i32,
    count: u32,
    sum: [u64; 3],
    square: [u64; 3],
}

/// Regions of at least `least` pixels, numbered in reading order of their first pixel.
pub(super) fn labelled(picture: &RgbImage, least: u32) -> LabelMap {
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let mut parents = joined(picture.as_raw(), width, height);
    let mut sums: Vec<Sums> = Vec::new();
    // Roots are numbered as they are met; the number replaces the parent of the root in a second table.
    let mut numbers = vec![NONE; width * height];
    for (at, pixel) in picture.as_raw().chunks_exact(3).enumerate() {
        let root = root_of(&mut parents, at as u32) as usize;
        let Some(number) = numbers.get_mut(root) else { continue };
        if *number == NONE {
            *number = sums.len() as u32;
            sums.push(Sums {
                x0: i32::MAX,
                y0: i32::MAX,
                x1: i32::MIN,
                y1: i32::MIN,
                count: 0,
                sum: [0; 3],
                square: [0; 3],
            });
        }
        let Some(sums) = sums.get_mut(*number as usize) else { continue };
        let (x, y) = ((at % width) as i32, (at / width) as i32);
        (sums.x0, sums.y0) = (sums.x0.min(x), sums.y0.min(y));
        (sums.x1, sums.y1) = (sums.x1.max(x), sums.y1.max(y));
        sums.count += 1;
        for ((sum, square), &channel) in sums.sum.iter_mut().zip(&mut sums.square).zip(pixel) {
            *sum += u64::from(channel);
            *square += u64::from(channel) * u64::from(channel);
        }
    }
    let mut kept = vec![NONE; sums.len()];
    let mut regions = Vec::new();
    for (sums, kept) in sums.iter().zip(&mut kept) {
        if sums.count >= least {
            *kept = regions.len() as u32;
            regions.push(region(sums));
        }
    }
    let labels = (0..width * height)
        .map(|at| {
            let root = root_of(&mut parents, at as u32) as usize;
            let number = numbers.get(root).copied().unwrap_or(NONE) as usize;
            kept.get(number).copied().unwrap_or(NONE)
        })
        .collect();
    LabelMap { labels, width, regions }
}

fn region(sums: &Sums) -> Region {
    let count = f64::from(sums.count);
    let mean = sums.sum.map(|sum| sum as f64 / count);
    let spread = sums
        .square
        .iter()
        .zip(mean)
        .map(|(&square, mean)| (square as f64 / count - mean * mean).max(0.0).sqrt() as f32)
        .fold(0.0, f32::max);
    Region {
        area: Rect::from_edges(sums.x0, sums.y0, sums.x1 + 1, sums.y1 + 1),
        count: sums.count,
        mean: mean.map(|channel| channel as f32),
        spread,
    }
}

fn joined(rgb: &[u8], width: usize, height: usize) -> Vec<u32> {
    let mut parents: Vec<u32> = (0..(width * height) as u32).collect();
    let alike = |a: usize, b: usize| {
        let (a, b) = (rgb.get(a * 3..a * 3 + 3), rgb.get(b * 3..b * 3 + 3));
        a.zip(b).is_some_and(|(a, b)| a.iter().zip(b).all(|(a, b)| a.abs_diff(*b) <= TOLERANCE))
    };
    for y in 0..height {
        for x in 0..width {
            let at = y * width + x;
            if x > 0 && alike(at, at - 1) {
                join(&mut parents, at as u32, at as u32 - 1);
            }
            if y > 0 && alike(at, at - width) {
                join(&mut parents, at as u32, (at - width) as u32);
            }
        }
    }
    parents
}

fn root_of(parents: &mut [u32], mut at: u32) -> u32 {
    loop {
        let parent = parents.get(at as usize).copied().unwrap_or(at);
        if parent == at {
            return at;
        }
        let grandparent = parents.get(parent as usize).copied().unwrap_or(parent);
        if let Some(slot) = parents.get_mut(at as usize) {
            *slot = grandparent;
        }
        at = grandparent;
    }
}

fn join(parents: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root_of(parents, a), root_of(parents, b));
    // The earlier pixel becomes the root, so numbers do not depend on the order of joins.
    let (first, second) = (a.min(b), a.max(b));
    if let Some(slot) = parents.get_mut(second as usize) {
        *slot = first;
    }
}
