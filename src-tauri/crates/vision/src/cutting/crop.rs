//! Cut-outs: transparent around things on a flat colour, opaque otherwise.

use image::{RgbImage, Rgba, RgbaImage, imageops};

use super::PixelBox;
use crate::matte::{Cutout, Ground, Holes, lifted};
use crate::raster::Raster;
use crate::trace::color::{Color, dominant, pixel, reach};
use crate::trace::geometry::Rect;
use crate::trace::mask::Mask;
use crate::trace::regions::corner_radius;

// What shows around a box, this far out, decides on what it stands.
const RING: i32 = 3;
const LEAST_FLAT: f32 = 0.9;
const SAME_COLOR: f32 = 2.5;
// From this many colours on, enclosed patches of the page's colour belong to the picture.
const MANY_COLORS: usize = 600;
// A circle leaves 0.215 of its square.
const MOST_CORNERS: f32 = 0.24;

/// The pixels of a box. Where the page around it has one colour, that colour becomes transparent: around icons
/// and logos and through their holes, at rounded corners of photos.
pub fn cut(raster: &Raster, area: PixelBox) -> Cutout {
    let area = area.within(raster.width(), raster.height());
    let part = imageops::crop_imm(raster.pixels(), area.x, area.y, area.width, area.height).to_image();
    let lifted = color_around(raster.pixels(), area.rect()).and_then(|color| on_flat(&part, color));
    Cutout::new(lifted.unwrap_or_else(|| opaque(&part)))
}

fn opaque(part: &RgbImage) -> RgbaImage {
    RgbaImage::from_fn(part.width(), part.height(), |x, y| {
        let [r, g, b] = part.get_pixel(x, y).0;
        Rgba([r, g, b, u8::MAX])
    })
}

/// The one colour around a box; of its own outermost pixels when nothing is around it.
pub(super) fn color_around(page: &RgbImage, area: Rect) -> Option<Color> {
    let whole = Rect { x: 0, y: 0, w: page.width() as i32, h: page.height() as i32 };
    let outer = area.grown(RING).common(whole);
    if outer == area { color_at_edges(page, area) } else { color_between(page, outer, area, LEAST_FLAT) }
}

/// The one colour of a box's outermost pixels.
pub(super) fn color_at_edges(page: &RgbImage, area: Rect) -> Option<Color> {
    color_between(page, area, area.grown(-1), 1.0)
}

fn color_between(page: &RgbImage, outer: Rect, hole: Rect, least_share: f32) -> Option<Color> {
    let is_between = |x: i32, y: i32| hole.is_empty() || !hole.holds(Rect { x, y, w: 1, h: 1 }, 0);
    let colors: Vec<Color> = (outer.y..outer.bottom())
        .flat_map(|y| (outer.x..outer.right()).map(move |x| (x, y)))
        .filter(|&(x, y)| is_between(x, y))
        .map(|(x, y)| pixel(page, x, y))
        .collect();
    let (common, _) = dominant(&colors, 8.0);
    let alike = colors.iter().filter(|&&color| reach(color, common) <= SAME_COLOR).count();
    (alike as f32 >= least_share * colors.len() as f32 && !colors.is_empty()).then_some(common)
}

fn on_flat(part: &RgbImage, color: Color) -> Option<RgbaImage> {
    let ground = Ground::flat(color, 0.0, part.dimensions());
    let is_photo = has_many_colors(part);
    let mask = ground.mask(part, if is_photo { Holes::Filled } else { Holes::Open });
    let whole = Rect { x: 0, y: 0, w: part.width() as i32, h: part.height() as i32 };
    let gone = mask.count_in(whole);
    if gone == 0 || gone as i64 == whole.area() {
        return None;
    }
    if is_photo && !is_corners(&mask, whole) {
        return None;
    }
    Some(lifted(part, &ground, &mask))
}

/// Whether only the corners of a rounded picture are gone, and not a part that merely has the page's colour.
fn is_corners(ground: &Mask, whole: Rect) -> bool {
    if ground.count_in(whole) as f32 > MOST_CORNERS * whole.area() as f32 {
        return false;
    }
    let corner = (corner_radius(&ground.inverted()) * 1.15).ceil() as i32 + 2;
    let middle = whole.grown(-corner);
    let columns = Rect { y: whole.y, h: whole.h, ..middle };
    let rows = Rect { x: whole.x, w: whole.w, ..middle };
    ground.count_in(columns) == 0 && ground.count_in(rows) == 0
}

fn has_many_colors(part: &RgbImage) -> bool {
    let mut colors = std::collections::HashSet::new();
    part.pixels().any(|pixel| {
        colors.insert(pixel.0.map(|channel| channel / 8));
        colors.len() >= MANY_COLORS
    })
}
