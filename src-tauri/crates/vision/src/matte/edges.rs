//! How opaque the pixels between a thing and its background are, and which colour the thing has there.

use std::collections::HashMap;

use image::{RgbImage, Rgba, RgbaImage};

use super::ground::Ground;
use crate::trace::color::{Color, distance, pixel};
use crate::trace::mask::Mask;

// Anti-aliasing reaches this far into a thing; compressed pictures smear one pixel further.
const BAND: i32 = 2;
const NOISY_BAND: i32 = 3;
const SOLID_REACH: i32 = 4;
// Two paints whose directions from the background agree this well are one paint, thinner or thicker.
const ALIKE: f32 = 0.985;
const FAINT_ALIKE: f32 = 0.93;
const FAINT: f32 = 48.0;
// Directions in which a paint may lie from the background, in bins of this width.
const BIN: f32 = 0.25;

/// The picture with its background gone: on the old background it looks as before.
pub(crate) fn lifted(picture: &RgbImage, ground: &Ground, mask: &Mask) -> RgbaImage {
    let band = if ground.is_noisy() { NOISY_BAND } else { BAND };
    let scene = Scene { picture, ground, mask, band };
    let paints = Paints::of(&scene);
    RgbaImage::from_fn(picture.width(), picture.height(), |x, y| {
        let (x, y) = (x as i32, y as i32);
        if scene.is_ground(x, y) {
            return Rgba([0; 4]);
        }
        let own = picture.get_pixel(x as u32, y as u32).0;
        if scene.is_solid(x, y) {
            let [r, g, b] = own;
            return Rgba([r, g, b, u8::MAX]);
        }
        scene.translucent(x, y, &paints)
    })
}

struct Scene<'a> {
    picture: &'a RgbImage,
    ground: &'a Ground,
    mask: &'a Mask,
    band: i32,
}

impl Scene<'_> {
    fn is_inside(&self, x: i32, y: i32) -> bool {
        x >= 0 && y >= 0 && x < self.picture.width() as i32 && y < self.picture.height() as i32
    }

    fn is_ground(&self, x: i32, y: i32) -> bool {
        self.is_inside(x, y) && self.mask.at(x as usize, y as usize)
    }

    /// Whether a pixel is of the thing and too far inside for the background to shine through.
    fn is_solid(&self, x: i32, y: i32) -> bool {
        self.is_inside(x, y) && !around(x, y, self.band).any(|(x, y)| self.is_ground(x, y))
    }

    fn translucent(&self, x: i32, y: i32, paints: &Paints) -> Rgba<u8> {
        let (own, behind) = (pixel(self.picture, x, y), self.ground.at(x, y));
        let paint = self.paint(x, y, paints).unwrap_or(own);
        let along: f32 = (0..3).filter_map(|c| product(own, behind, paint, c)).sum();
        let length = distance(paint, behind).powi(2);
        let share = if length > 0.0 { (along / length).clamp(0.0, 1.0) } else { 1.0 };
        // No paint is darker than black or lighter than white.
        let least = own.iter().zip(behind).map(|(&own, behind)| least_share(own, behind)).fold(0.0, f32::max);
        let opacity = (share.max(least) * 255.0).ceil().clamp(1.0, 255.0);
        let share = opacity / 255.0;
        let mut color = [0_u8; 4];
        for ((slot, (own, behind)), paint) in color.iter_mut().zip(own.iter().zip(behind)).zip(paint) {
            let lifted = behind + (own - behind) / share;
            let is_smeared = self.ground.is_noisy() && share < 0.999;
            *slot = if is_smeared { paint } else { lifted }.round().clamp(0.0, 255.0) as u8;
        }
        let [r, g, b, _] = color;
        Rgba([r, g, b, opacity as u8])
    }

    /// The thing's own colour at a half-covered pixel: that of the nearest solid pixel which explains it, else
    /// the strongest one of its kind in the picture.
    fn paint(&self, x: i32, y: i32, paints: &Paints) -> Option<Color> {
        let (own, behind) = (pixel(self.picture, x, y), self.ground.at(x, y));
        let mut nearest: Option<(i32, Color)> = None;
        for (near_x, near_y) in around(x, y, SOLID_REACH) {
            let far = (near_x - x).pow(2) + (near_y - y).pow(2);
            if nearest.is_some_and(|(nearer, _)| nearer <= far) || !self.is_solid(near_x, near_y) {
                continue;
            }
            let color = pixel(self.picture, near_x, near_y);
            if explains(color, own, behind) {
                nearest = Some((far, color));
            }
        }
        nearest.map(|(_, color)| color).or_else(|| paints.strongest(own, behind))
    }
}

fn around(x: i32, y: i32, reach: i32) -> impl Iterator<Item = (i32, i32)> {
    (y - reach..=y + reach).flat_map(move |row| (x - reach..=x + reach).map(move |column| (column, row)))
}

fn product(own: Color, behind: Color, paint: Color, channel: usize) -> Option<f32> {
    let behind = behind.get(channel)?;
    Some((own.get(channel)? - behind) * (paint.get(channel)? - behind))
}

fn least_share(own: f32, behind: f32) -> f32 {
    let room = if own > behind { 255.0 - behind } else { behind };
    // One level is rounding; where there is hardly any room it would say everything.
    let clear = (own - behind).abs() - 1.0;
    if clear > 0.0 { (clear / room.max(1.0)).min(1.0) } else { 0.0 }
}

/// Whether a pixel can be a paint with the background shining through.
fn explains(paint: Color, own: Color, behind: Color) -> bool {
    let (strength, own_strength) = (distance(paint, behind), distance(own, behind));
    if strength <= 0.0 || own_strength <= 0.0 || strength < own_strength * 0.9 {
        return false;
    }
    let along: f32 = (0..3).filter_map(|c| product(own, behind, paint, c)).sum();
    let alike = if own_strength < FAINT { FAINT_ALIKE } else { ALIKE };
    along / (strength * own_strength) >= alike
}

/// The strongest paint in each direction from the background.
struct Paints(HashMap<[i8; 3], Color>);

impl Paints {
    fn of(scene: &Scene) -> Self {
        let mut strongest: HashMap<[i8; 3], (f32, Color)> = HashMap::new();
        for y in 0..scene.picture.height() as i32 {
            for x in 0..scene.picture.width() as i32 {
                if scene.is_ground(x, y) {
                    continue;
                }
                let (own, behind) = (pixel(scene.picture, x, y), scene.ground.at(x, y));
                let Some(bin) = direction(own, behind) else { continue };
                let strength = distance(own, behind);
                let slot = strongest.entry(bin).or_insert((strength, own));
                if strength > slot.0 {
                    *slot = (strength, own);
                }
            }
        }
        Self(strongest.into_iter().map(|(bin, (_, color))| (bin, color)).collect())
    }

    fn strongest(&self, own: Color, behind: Color) -> Option<Color> {
        let [r, g, b] = direction(own, behind)?;
        let near = [-1, 0, 1];
        let bins = near.into_iter().flat_map(|dr| near.into_iter().map(move |dg| (dr, dg)));
        bins.flat_map(|(dr, dg)| near.into_iter().map(move |db| [r + dr, g + dg, b + db]))
            .filter_map(|bin| self.0.get(&bin).copied())
            .filter(|&color| explains(color, own, behind))
            .max_by(|&a, &b| distance(a, behind).total_cmp(&distance(b, behind)))
    }
}

fn direction(own: Color, behind: Color) -> Option<[i8; 3]> {
    let strength = distance(own, behind);
    let mut bin = [0_i8; 3];
    for (slot, (own, behind)) in bin.iter_mut().zip(own.iter().zip(behind)) {
        *slot = ((own - behind) / strength / BIN).round() as i8;
    }
    (strength > 0.0).then_some(bin)
}
