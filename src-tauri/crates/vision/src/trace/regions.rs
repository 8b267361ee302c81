//! Flat and smoothly graded areas of a picture without text, and which of them are boxes.

mod blend;
mod label;
mod shape;

use image::RgbImage;

use super::color::Color;
use super::geometry::Rect;
use super::mask::Mask;
use super::shadows::Shade;
use label::labelled;
pub(crate) use shape::corner_radius;

/// A box someone painted, before it becomes a fact.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Painted {
    pub(crate) area: Rect,
    pub(crate) fill: Option<Color>,
    pub(crate) gradient: Option<Blend>,
    pub(crate) radius: f32,
    pub(crate) border: Option<Border>,
    /// Width of the line when the region is a mere outline.
    pub(crate) ring: Option<i32>,
    /// Share of its rectangle it fills, holes counted as filled.
    pub(crate) fullness: f32,
    /// An odd-shaped background of something.
    pub(crate) is_irregular: bool,
    pub(crate) shadow: Option<Shade>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Border {
    pub(crate) width: i32,
    pub(crate) color: Color,
}

/// A linear gradient.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Blend {
    pub(crate) angle: f32,
    /// Where on the way which colour is reached.
    pub(crate) stops: Vec<(f32, Color)>,
}

/// The boxes of a picture and everything that is in none.
pub(crate) struct Regions {
    pub(crate) boxes: Vec<Painted>,
    pub(crate) detail: Mask,
}

// Fewer pixels are seams between anti-aliased edges.
const LEAST_REGION: u32 = 14;
const FLAT_SPREAD: f32 = 6.0;
const VERY_FLAT_SPREAD: f32 = 3.0;
// Looking at regions one by one costs their rectangles' area; a maze must not cost more than this many pages.
// Later steps compare all pairs; pages have hundreds of boxes, mosaics have more.
const MOST_BOXES: usize = 3000;
const MOST_PAGES_OF_WORK: i64 = 60;

/// Whether an odd shape is what other things stand on, such as the page around a sidebar, and not a drawing.
fn is_ground(region: &label::Region, width: i32, height: i32) -> bool {
    let area = region.area;
    let sides = [area.x <= 0, area.y <= 0, area.right() >= width, area.bottom() >= height];
    let page_area = i64::from(width) * i64::from(height);
    let count = i64::from(region.count);
    count * 6 > page_area || count * 50 > page_area && sides.iter().filter(|side| **side).count() >= 2
}

pub(crate) fn regions(clean: &RgbImage) -> Regions {
    let (width, height) = (clean.width() as usize, clean.height() as usize);
    let map = labelled(clean, LEAST_REGION);
    let page_area = (width * height) as i64;
    let mut order: Vec<usize> = (0..map.regions.len()).collect();
    order.sort_by_key(|&index| map.regions.get(index).map(|region| (std::cmp::Reverse(region.count), index)));
    let mut boxes = Vec::new();
    let mut is_used = vec![false; map.regions.len()];
    let mut work = 0;
    for index in order {
        let Some(region) = map.regions.get(index) else { continue };
        work += region.area.area();
        if work > MOST_PAGES_OF_WORK * page_area || boxes.len() >= MOST_BOXES {
            break;
        }
        let painted = if region.spread > FLAT_SPREAD {
            blend::graded(clean, &map, index)
        } else {
            shape::flat(&map, index).or_else(|| {
                let is_background =
                    region.spread < VERY_FLAT_SPREAD && is_ground(region, width as i32, height as i32);
                is_background.then(|| shape::irregular(region))
            })
        };
        if let (Some(painted), Some(used)) = (painted, is_used.get_mut(index)) {
            boxes.push(painted);
            *used = true;
        }
    }
    let detail = map
        .labels
        .iter()
        .map(|&label| u8::from(!is_used.get(label as usize).copied().unwrap_or(false)))
        .collect();
    Regions { boxes, detail: Mask::from_cells(width, height, detail) }
}
