//! Gradients: regions whose colour changes evenly in one direction.

use image::RgbImage;

use super::label::{LabelMap, NONE};
use super::shape::{corner_radius, mask_of, whole};
use super::{Blend, Painted};
use crate::trace::color::{Color, median_color, pixel, reach};
use crate::trace::geometry::Rect;

const MOST_ERROR: f32 = 3.0;
// Much of a background may lie under boxes; their shadows may darken some of the rest.
const LEAST_COVER: f64 = 0.3;
const MOST_OFF: f32 = 0.25;
const MOST_OFF_AT_SIDES: f32 = 0.06;
const MOST_CRUMBS: f64 = 0.02;
const SAMPLES: usize = 4000;
// Along an axis a gradient may have several stops; a bend smaller than this is noise.
const LEAST_BEND: f32 = 2.5;
const MOST_STOPS: usize = 5;

struct Sample {
    x: f64,
    y: f64,
    color: Color,
    is_at_side: bool,
}

/// A region as a box filled with a gradient.
pub(super) fn graded(clean: &RgbImage, map: &LabelMap, index: usize) -> Option<Painted> {
    let region = map.regions.get(index)?;
    let area = region.area;
    if area.w < 40 || area.h < 16 || f64::from(region.count) < LEAST_COVER * area.area() as f64 {
        return None;
    }
    // Crumbs of colour all over are a photo that happens to be smooth between them.
    if crumbs(map, area) as f64 > MOST_CRUMBS * area.area() as f64 {
        return None;
    }
    let mask = mask_of(map, index, region);
    let step = (region.count as usize / SAMPLES).max(1);
    let samples: Vec<Sample> = (0..mask.height)
        .flat_map(|y| (0..mask.width).map(move |x| (x, y)))
        .filter(|&(x, y)| mask.at(x, y))
        .step_by(step)
        .map(|(x, y)| {
            let color = pixel(clean, area.x + x as i32, area.y + y as i32);
            let margin = |length: usize| length.div_ceil(30);
            let is_at_side = x < margin(mask.width)
                || y < margin(mask.height)
                || x + margin(mask.width) >= mask.width
                || y + margin(mask.height) >= mask.height;
            Sample { x: x as f64, y: y as f64, color, is_at_side }
        })
        .collect();
    let (w, h) = (f64::from(area.w), f64::from(area.h));
    let blend = along_axis(&samples, h, 180.0, |sample| sample.y)
        .or_else(|| along_axis(&samples, w, 90.0, |sample| sample.x))
        .or_else(|| {
            let plane = Plane::through(&samples)?;
            (plane.mean_error(&samples) < MOST_ERROR).then(|| plane.blend(w, h))
        })?;
    let filled = mask.filled();
    let fullness = filled.count_in(whole(&filled)) as f32 / area.area() as f32;
    if fullness <= 0.9 {
        return None;
    }
    Some(Painted {
        area,
        fill: Some(region.mean),
        gradient: Some(blend),
        radius: corner_radius(&filled),
        border: None,
        ring: None,
        fullness,
        is_irregular: false,
        shadow: None,
    })
}

/// Pixels of an area that belong to no region worth a number.
fn crumbs(map: &LabelMap, area: Rect) -> usize {
    (area.y..area.bottom())
        .map(|y| {
            let start = y as usize * map.width + area.x as usize;
            let row = map.labels.get(start..start + area.w as usize).unwrap_or_default();
            row.iter().filter(|&&label| label == NONE).count()
        })
        .sum()
}

/// A gradient straight down or across, with as many stops as it has bends.
fn along_axis(samples: &[Sample], length: f64, angle: f32, place: impl Fn(&Sample) -> f64) -> Option<Blend> {
    const SLICES: usize = 33;
    let slice_of = |sample: &Sample| ((place(sample) / length * SLICES as f64) as usize).min(SLICES - 1);
    let mut slices: Vec<Vec<Color>> = vec![Vec::new(); SLICES];
    for sample in samples {
        if let Some(slice) = slices.get_mut(slice_of(sample)) {
            slice.push(sample.color);
        }
    }
    let profile: Vec<(f32, Color)> = slices
        .iter()
        .enumerate()
        .filter_map(|(at, slice)| {
            let middle = (at as f32 + 0.5) / SLICES as f32;
            (!slice.is_empty()).then(|| (middle, median_color(slice)))
        })
        .collect();
    let mut stops = vec![*profile.first()?, *profile.last()?];
    while stops.len() < MOST_STOPS {
        let off = |point: &(f32, Color)| reach(point.1, color_at(&stops, point.0));
        let worst = profile.iter().max_by(|a, b| off(a).total_cmp(&off(b)))?;
        if off(worst) < LEAST_BEND {
            break;
        }
        let at = stops.iter().position(|stop| stop.0 > worst.0)?;
        stops.insert(at, *worst);
    }
    let is_off = |sample: &&Sample| {
        reach(sample.color, color_at(&stops, (place(sample) / length) as f32)) > MOST_ERROR + 1.0
    };
    let share_off = |samples: &mut dyn Iterator<Item = &Sample>| {
        let (off, all) =
            samples.fold((0, 0), |(off, all), sample| (off + usize::from(is_off(&sample)), all + 1));
        off as f32 / (all as f32).max(1.0)
    };
    // A shadow or glow somewhere inside leaves the sides alone; a drawing on the ground does not.
    let at_sides = &mut samples.iter().filter(|sample| sample.is_at_side);
    if share_off(&mut samples.iter()) > MOST_OFF || share_off(at_sides) > MOST_OFF_AT_SIDES {
        return None;
    }
    // The profile ends half a slice inside.
    if let Some(first) = stops.first_mut() {
        first.0 = 0.0;
    }
    if let Some(last) = stops.last_mut() {
        last.0 = 1.0;
    }
    Some(Blend { angle, stops })
}

fn color_at(stops: &[(f32, Color)], at: f32) -> Color {
    for pair in stops.windows(2) {
        let [(from, first), (to, second)] = pair else { continue };
        if at <= *to {
            let share = ((at - from) / (to - from).max(1e-6)).clamp(0.0, 1.0);
            let mut color = *first;
            for (out, second) in color.iter_mut().zip(second) {
                *out += share * (second - *out);
            }
            return color;
        }
    }
    stops.last().map_or([0.0; 3], |stop| stop.1)
}

/// Colour as a linear function of the place, channel by channel.
struct Plane {
    dx: [f64; 3],
    dy: [f64; 3],
    base: [f64; 3],
}

impl Plane {
    fn through(samples: &[Sample]) -> Option<Self> {
        let count = samples.len() as f64;
        let mean = |of: &dyn Fn(&Sample) -> f64| samples.iter().map(of).sum::<f64>() / count;
        let (mx, my) = (mean(&|s| s.x), mean(&|s| s.y));
        let xx = mean(&|s| (s.x - mx) * (s.x - mx));
        let yy = mean(&|s| (s.y - my) * (s.y - my));
        let xy = mean(&|s| (s.x - mx) * (s.y - my));
        let determinant = xx * yy - xy * xy;
        if samples.len() < 16 || determinant.abs() < 1e-9 {
            return None;
        }
        let mut plane = Self { dx: [0.0; 3], dy: [0.0; 3], base: [0.0; 3] };
        for channel in 0..3 {
            let value = |s: &Sample| s.color.get(channel).copied().map_or(0.0, f64::from);
            let mc = mean(&value);
            let xc = mean(&|s| (s.x - mx) * (value(s) - mc));
            let yc = mean(&|s| (s.y - my) * (value(s) - mc));
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

    fn mean_error(&self, samples: &[Sample]) -> f32 {
        let error = |sample: &Sample| {
            self.at(sample.x, sample.y).iter().zip(sample.color).map(|(a, b)| (a - b).abs()).sum::<f32>()
                / 3.0
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
        Blend {
            angle: angle as f32,
            stops: vec![(0.0, self.at(low.0, low.1)), (1.0, self.at(high.0, high.1))],
        }
    }
}
