use image::RgbImage;

use super::label::{LabelMap, Region};
use super::{Blend, Painted};
use crate::trace::color::{Color, median, pixel};
use crate::trace::mask::Mask;

// How far the diagonal of a rounded corner is from its box corner, per radius: 1 - sqrt(1/2).
const DIAGONAL: f32 = 0.2929;
const RULE_THICKNESS: i32 = 3;
const RULE_LENGTH: i32 = 12;
const MOST_GRADIENT_ERROR: f32 = 3.0;
const GRADIENT_SAMPLES: usize = 4000;

/// A region of one colour as a rule, a box or an outline.
pub(super) fn flat(map: &LabelMap, index: usize) -> Option<Painted> {
    let region = map.regions.get(index)?;
    let (w, h) = (region.area.w, region.area.h);
    if w < 3 && h < 3 {
        return None;
    }
    let filled = mask_of(map, index, region).filled();
    let covered = filled.count_in(whole(&filled));
    let fullness = covered as f32 / region.area.area() as f32;
    let (is_box, radius) = if w.min(h) <= RULE_THICKNESS && w.max(h) >= RULE_LENGTH {
        (fullness > 0.9, 0.0)
    } else if w >= 6 && h >= 6 {
        let radius = corner_radius(&filled);
        (is_rounded_box(&filled, radius) && fullness > 0.7, radius)
    } else {
        (false, 0.0)
    };
    // Corners may be uneven: a box with small defects is still a box.
    let is_rough_box = fullness > 0.93 && w >= 12 && h >= 12;
    if !is_box && !is_rough_box {
        return None;
    }
    let thickness = region.count as f32 / (2 * (w + h)) as f32;
    let solid = region.count as f32 / covered.max(1) as f32;
    let is_ring = solid < 0.35 && thickness < 6.0 && w.min(h) > 8;
    Some(Painted {
        area: region.area,
        fill: Some(region.mean),
        gradient: None,
        radius: if is_box { radius } else { 0.0 },
        border: None,
        ring: is_ring.then_some((thickness.round() as i32).max(1)),
        fullness,
        is_irregular: false,
    })
}

/// A large flat region of any shape: what other things stand on.
pub(super) fn irregular(region: &Region) -> Painted {
    Painted {
        area: region.area,
        fill: Some(region.mean),
        gradient: None,
        radius: 0.0,
        border: None,
        ring: None,
        fullness: region.count as f32 / region.area.area() as f32,
        is_irregular: true,
    }
}

/// A region whose colour changes evenly in one direction.
pub(super) fn graded(clean: &RgbImage, map: &LabelMap, index: usize) -> Option<Painted> {
    let region = map.regions.get(index)?;
    let area = region.area;
    if area.w < 40 || area.h < 16 || f64::from(region.count) < 0.5 * area.area() as f64 {
        return None;
    }
    let mask = mask_of(map, index, region);
    let step = (region.count as usize / GRADIENT_SAMPLES).max(1);
    let samples: Vec<(f64, f64, Color)> = (0..mask.height)
        .flat_map(|y| (0..mask.width).map(move |x| (x, y)))
        .filter(|&(x, y)| mask.at(x, y))
        .step_by(step)
        .map(|(x, y)| (x as f64, y as f64, pixel(clean, area.x + x as i32, area.y + y as i32)))
        .collect();
    let plane = Plane::through(&samples)?;
    if plane.mean_error(&samples) >= MOST_GRADIENT_ERROR {
        return None;
    }
    let filled = mask.filled();
    let fullness = filled.count_in(whole(&filled)) as f32 / area.area() as f32;
    if fullness <= 0.9 {
        return None;
    }
    Some(Painted {
        area,
        fill: Some(region.mean),
        gradient: Some(plane.blend(f64::from(area.w), f64::from(area.h))),
        radius: corner_radius(&filled),
        border: None,
        ring: None,
        fullness,
        is_irregular: false,
    })
}

fn whole(mask: &Mask) -> crate::trace::geometry::Rect {
    crate::trace::geometry::Rect { x: 0, y: 0, w: mask.width as i32, h: mask.height as i32 }
}

fn mask_of(map: &LabelMap, index: usize, region: &Region) -> Mask {
    let area = region.area;
    let mut cells = Vec::with_capacity(area.area() as usize);
    for y in area.y..area.bottom() {
        let start = y as usize * map.width + area.x as usize;
        let row = map.labels.get(start..start + area.w as usize).unwrap_or_default();
        cells.extend(row.iter().map(|&label| u8::from(label as usize == index)));
    }
    Mask::from_cells(area.w as usize, area.h as usize, cells)
}

fn corner_radius(filled: &Mask) -> f32 {
    let (w, h) = (filled.width, filled.height);
    let reach = w.min(h) / 2;
    let corner = |right: bool, bottom: bool| {
        let along = |step: usize| {
            let x = if right { w - 1 - step } else { step };
            let y = if bottom { h - 1 - step } else { step };
            filled.at(x, y)
        };
        (0..reach).find(|&step| along(step)).unwrap_or(reach) as f32
    };
    let mut steps = [corner(false, false), corner(true, false), corner(false, true), corner(true, true)];
    steps.sort_by(f32::total_cmp);
    let [_, second, third, _] = steps;
    let middle = median(&mut [second, third]).min((second + third) / 2.0);
    (middle / DIAGONAL).min(w.min(h) as f32 / 2.0)
}

/// Whether what is missing of the rectangle is missing in its corners.
fn is_rounded_box(filled: &Mask, radius: f32) -> bool {
    let corner = if radius > 0.0 { (radius * 1.15).ceil() as usize + 1 } else { 0 };
    let (w, h) = (filled.width, filled.height);
    let mut missing = 0;
    for y in 0..h {
        let is_edge_row = y < corner || y + corner >= h;
        for x in 0..w {
            let is_corner = is_edge_row && (x < corner || x + corner >= w);
            missing += usize::from(!is_corner && !filled.at(x, y));
        }
    }
    (missing as f32) < 0.015 * (w * h) as f32
}

/// Colour as a linear function of the place, channel by channel.
struct Plane {
    dx: [f64; 3],
    dy: [f64; 3],
    base: [f64; 3],
}

impl Plane {
    fn through(samples: &[(f64, f64, Color)]) -> Option<Self> {
        let count = samples.len() as f64;
        let mean = |of: &dyn Fn(&(f64, f64, Color)) -> f64| samples.iter().map(of).sum::<f64>() / count;
        let (mx, my) = (mean(&|s| s.0), mean(&|s| s.1));
        let xx = mean(&|s| (s.0 - mx) * (s.0 - mx));
        let yy = mean(&|s| (s.1 - my) * (s.1 - my));
        let xy = mean(&|s| (s.0 - mx) * (s.1 - my));
        let determinant = xx * yy - xy * xy;
        if samples.len() < 16 || determinant.abs() < 1e-9 {
            return None;
        }
        let mut plane = Self { dx: [0.0; 3], dy: [0.0; 3], base: [0.0; 3] };
        for channel in 0..3 {
            let value = |s: &(f64, f64, Color)| s.2.get(channel).copied().map_or(0.0, f64::from);
            let mc = mean(&value);
            let xc = mean(&|s| (s.0 - mx) * (value(s) - mc));
            let yc = mean(&|s| (s.1 - my) * (value(s) - mc));
            let dx = (xc * yy - yc * xy) / determinant;
            let dy = (yc * xx - xc * xy) / determinant;
            if let (Some(px), Some(py), Some(base)) =
                (plane.dx.get_mut(channel), plane.dy.get_mut(channel), plane.base.get_mut(channel))
            {
                (*px, *py, *base) = (dx, dy, mc - dx * mx - dy * my);
            }
        }
        Some(plane)
    }

    fn at(&self, x: f64, y: f64) -> Color {
        let mut color = [0.0; 3];
        for (((out, dx), dy), base) in color.iter_mut().zip(self.dx).zip(self.dy).zip(self.base) {
            *out = (base + dx * x + dy * y).clamp(0.0, 255.0) as f32;
        }
        color
    }

    fn mean_error(&self, samples: &[(f64, f64, Color)]) -> f32 {
        let error = |&(x, y, color): &(f64, f64, Color)| {
            self.at(x, y).iter().zip(color).map(|(a, b)| (a - b).abs()).sum::<f32>() / 3.0
        };
        samples.iter().map(error).sum::<f32>() / samples.len().max(1) as f32
    }

    fn blend(&self, w: f64, h: f64) -> Blend {
        // Channels may change in opposite senses; the one that changes most tells the direction.
        let (gx, gy) = (self.dx.into_iter().zip(self.dy))
            .max_by(|a, b| a.0.hypot(a.1).total_cmp(&b.0.hypot(b.1)))
            .unwrap_or_default();
        let angle = gx.atan2(-gy).to_degrees().rem_euclid(360.0).round();
        let rising = [(0.0, 0.0), (w, 0.0), (0.0, h), (w, h)];
        let along = |corner: &(f64, f64)| corner.0 * gx + corner.1 * gy;
        let low = rising.iter().copied().min_by(|a, b| along(a).total_cmp(&along(b))).unwrap_or_default();
        let high = rising.iter().copied().max_by(|a, b| along(a).total_cmp(&along(b))).unwrap_or_default();
        Blend { angle: angle as f32, from: self.at(low.0, low.1), to: self.at(high.0, high.1) }
    }
}
