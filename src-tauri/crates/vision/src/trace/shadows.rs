//! Box shadows: the soft darkening just outside a box.

use image::RgbImage;

use super::color::{median, pixel};
use super::geometry::Rect;
use super::regions::Painted;

/// A shadow in the terms of CSS.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shade {
    pub(crate) y: f32,
    pub(crate) blur: f32,
    pub(crate) alpha: f32,
}

const FARTHEST: i32 = 64;
const LEAST_DEPTH: f32 = 1.5;
// Half a level of rounding and a little dithering.
const NOISE: f32 = 0.8;
const SETTLED_FOR: usize = 5;
const LEAST_EXTENT: usize = 3;
// A blur of this many pixels is visible about this share of it beyond the edge.
const VISIBLE_SHARE: f32 = 0.85;
const STRIP_THICKNESS: i32 = 2;
const LEAST_WIDTH: i32 = 24;
const LEAST_HEIGHT: i32 = 16;

/// The shadow of a box, if the picture shows one below it.
pub(crate) fn shadow(clean: &RgbImage, painted: &Painted) -> Option<Shade> {
    let can_cast = painted.fill.is_some()
        && painted.ring.is_none()
        && !painted.is_irregular
        && painted.area.w >= LEAST_WIDTH
        && painted.area.h >= LEAST_HEIGHT;
    if !can_cast {
        return None;
    }
    let below = Halo::of(clean, painted.area, Side::Below)?;
    if below.depth < LEAST_DEPTH || below.extent < LEAST_EXTENT {
        return None;
    }
    let above = Halo::of(clean, painted.area, Side::Above).unwrap_or_default();
    let (down, up) = (below.extent as f32, above.extent as f32);
    let (y, blur) = if above.extent == 0 {
        (down / 3.0, down / (VISIBLE_SHARE + 1.0 / 3.0))
    } else {
        ((down - up) / 2.0, (down + up) / 2.0 / VISIBLE_SHARE)
    };
    // How much of the shadow's strength shows at the lower edge: the normal distribution, nearly.
    let shown = 1.0 / (1.0 + (-1.7 * y / (blur / 2.0).max(0.5)).exp());
    let alpha = (below.depth / below.ground.max(1.0) / shown).min(1.0);
    Some(Shade { y: y.round(), blur: blur.round().max(1.0), alpha: (alpha * 100.0).round() / 100.0 })
        .filter(|shade| shade.alpha > 0.0)
}

/// Boxes without the rows of shadows that have one colour each and so look like rules.
pub(crate) fn without_strips(boxes: Vec<Painted>) -> Vec<Painted> {
    let halos: Vec<(Rect, Rect)> = boxes
        .iter()
        .filter_map(|painted| {
            let shade = painted.shadow?;
            // Around a box with a shadow the picture gets lighter all the way: nothing else is there.
            Some((painted.area, painted.area.grown((shade.blur + shade.y.abs()) as i32)))
        })
        .collect();
    let is_strip = |painted: &Painted| {
        painted.area.w.min(painted.area.h) <= STRIP_THICKNESS
            && halos.iter().any(|(caster, halo)| {
                let long = painted.area.w.max(painted.area.h);
                let beside = if painted.area.w >= painted.area.h { caster.w } else { caster.h };
                halo.holds(painted.area, 0) && caster.common(painted.area).is_empty() && long * 2 > beside
            })
    };
    boxes.into_iter().filter(|painted| !is_strip(painted)).collect()
}

#[derive(Clone, Copy)]
enum Side {
    Below,
    Above,
}

/// How the picture gets lighter away from a side.
#[derive(Clone, Copy, Debug, Default)]
struct Halo {
    /// Brightness where it stops getting lighter.
    ground: f32,
    /// How much darker it is at the edge.
    depth: f32,
    /// Pixels until it is light.
    extent: usize,
}

impl Halo {
    /// Nothing when the surroundings are not a smooth rise.
    fn of(clean: &RgbImage, area: Rect, side: Side) -> Option<Self> {
        let height = clean.height() as i32;
        let mut profile: Vec<f32> = Vec::new();
        for distance in 0..FARTHEST {
            let y = match side {
                Side::Below => area.bottom() + distance,
                Side::Above => area.y - 1 - distance,
            };
            if !(0..height).contains(&y) {
                break;
            }
            let fifth = area.w / 5;
            let mut row: Vec<f32> = (area.x + fifth..area.right() - fifth)
                .step_by(1 + (area.w / 200) as usize)
                .map(|x| pixel(clean, x, y).iter().sum::<f32>() / 3.0)
                .collect();
            let (least, most) = row.iter().fold((f32::MAX, f32::MIN), |(a, b), &v| (a.min(v), b.max(v)));
            if most - least > 4.0 {
                break;
            }
            profile.push(median(&mut row));
            let settled = profile.iter().rev().take(SETTLED_FOR + 1);
            let (low, high) = settled.fold((f32::MAX, f32::MIN), |(a, b), &v| (a.min(v), b.max(v)));
            if profile.len() > SETTLED_FOR && high - low < NOISE {
                return Self::settled(&profile);
            }
        }
        None
    }

    fn settled(profile: &[f32]) -> Option<Self> {
        let (&ground, &edge) = (profile.last()?, profile.first()?);
        let rises = profile.windows(2).all(|pair| matches!(pair, [near, far] if far + NOISE >= *near));
        let extent = profile.iter().position(|value| ground - value < NOISE)?;
        // One step is a border, not a shadow.
        let jump =
            profile.windows(2).filter_map(|pair| Some(pair.last()? - pair.first()?)).fold(0.0_f32, f32::max);
        let depth = ground - edge;
        let is_soft = extent < LEAST_EXTENT || jump < 0.7 * depth;
        (rises && is_soft).then_some(Self { ground, depth: depth.max(0.0), extent })
    }
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;

    fn card(halo: impl Fn(i32) -> u8) -> (RgbImage, Painted) {
        let area = Rect { x: 40, y: 30, w: 120, h: 50 };
        let picture = RgbImage::from_fn(200, 160, |_, y| {
            let below = y as i32 - area.bottom();
            Rgb([if below >= 0 { halo(below) } else { 255 }; 3])
        });
        let painted = Painted {
            area,
            fill: Some([255.0; 3]),
            gradient: None,
            radius: 0.0,
            border: None,
            ring: None,
            fullness: 1.0,
            is_irregular: false,
            shadow: None,
        };
        (picture, painted)
    }

    #[test]
    fn soft_rise_below_is_a_shadow() {
        let (picture, painted) = card(|below| (235 + 2 * below).min(255) as u8);
        let shade = shadow(&picture, &painted).unwrap();
        assert_eq!((shade.y, shade.blur), (3.0, 8.0));
        assert!((0.05..0.2).contains(&shade.alpha), "{}", shade.alpha);
    }

    #[test]
    fn line_below_is_no_shadow() {
        let (picture, painted) = card(|below| if below < 1 { 200 } else { 255 });
        assert_eq!(shadow(&picture, &painted), None);
    }

    #[test]
    fn rows_of_a_shadow_are_no_rules_and_rules_elsewhere_are() {
        let (picture, painted) = card(|below| (235 + 2 * below).min(255) as u8);
        let caster = Painted { shadow: shadow(&picture, &painted), ..painted.clone() };
        let rule = |x: i32, y: i32, w: i32| Painted { area: Rect { x, y, w, h: 1 }, ..painted.clone() };
        let (row, below, within, short) =
            (rule(42, 84, 116), rule(42, 120, 116), rule(42, 60, 116), rule(60, 84, 20));
        let boxes = vec![caster.clone(), row, below.clone(), within.clone(), short.clone()];
        assert_eq!(without_strips(boxes), [caster, below, within, short]);
    }

    #[test]
    fn flat_ground_is_no_shadow() {
        let (picture, painted) = card(|_| 240);
        assert_eq!(shadow(&picture, &painted), None);
    }
}
