//! What is neither text nor box: photos, icons, charts.

use std::collections::HashSet;

use image::RgbImage;

use super::color::{distance, median, median_color, pixel};
use super::facts::ImageKind;
use super::geometry::Rect;
use super::mask::{Blob, Mask, merged};
use super::regions::Painted;

/// A part of the page to be cut out as a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Picture {
    pub(crate) area: Rect,
    pub(crate) kind: ImageKind,
}

const LEAST_SIDE: i32 = 6;
const LEAST_PIXELS: usize = 30;
// A large area that is covered this thinly is a shadow's outline.
const OUTLINE_COVER: f32 = 0.12;
const OUTLINE_SIDE: i32 = 60;
const DRAWN_CONTRAST: f32 = 45.0;
// Closing gaps thickens what is around a box into it by so much; rounded corners reach further.
const FRAME_SLACK: i32 = 4;
const LEAST_STROKE_PIXELS: usize = 16;
const ICON_SIDE: i32 = 64;
const ICON_COLORS: usize = 24;
const PHOTO_COLORS: usize = 600;

/// The pictures among the details, and the boxes that are not merely parts of them.
pub(crate) fn pictures(
    clean: &RgbImage,
    detail: &Mask,
    boxes: Vec<Painted>,
    inks: &[Rect],
) -> (Vec<Picture>, Vec<Painted>) {
    let solid = detail.opened();
    let joined = solid.closed(3);
    let mut areas: Vec<Rect> = joined
        .blobs()
        .into_iter()
        .filter(|blob| blob.area.w >= LEAST_SIDE && blob.area.h >= LEAST_SIDE && blob.count >= LEAST_PIXELS)
        .filter(|blob| {
            let cover = blob.count as f32 / blob.area.area() as f32;
            let is_outline = cover < OUTLINE_COVER && blob.area.w.max(blob.area.h) > OUTLINE_SIDE;
            !is_outline || is_drawn(clean, &solid, blob.area)
        })
        .filter(|blob| !is_frame(blob, &joined, &boxes))
        .map(|blob| blob.area)
        .collect();
    areas.extend(thin_icons(detail, &boxes, &areas));
    let areas = merged(areas, solid.width, solid.height, 2);
    let areas = areas.into_iter().map(|area| with_grounds(area, &boxes, &solid)).collect();
    let areas = merged(areas, solid.width, solid.height, 0);
    let boxes: Vec<Painted> = boxes
        .into_iter()
        .filter(|painted| {
            let parent = areas.iter().find(|area| area.holds(painted.area, 2));
            parent.is_none_or(|area| stands_alone(painted, *area, inks))
        })
        .collect();
    let pictures = areas
        .into_iter()
        // What merely frames a box is its shadow or the seam of its rounded corners.
        .filter(|area| !boxes.iter().any(|b| area.holds(b.area, 2) && b.area.area() * 2 > area.area()))
        .map(|area| Picture { area, kind: kind(clean, area) })
        .collect();
    (pictures, boxes)
}

/// A picture with the flat parts it reaches into: a dark photo is mostly one box to whoever looks for boxes.
fn with_grounds(area: Rect, boxes: &[Painted], solid: &Mask) -> Rect {
    let is_ground = |painted: &&Painted| {
        let shared = area.common(painted.area);
        let reaches_over = !painted.area.holds(area, 2) && !area.holds(painted.area, 2);
        reaches_over
            && shared.area() * 5 > painted.area.area() * 3
            && solid.count_in(shared) as i64 * 100 > shared.area()
    };
    boxes.iter().filter(is_ground).map(|painted| painted.area).fold(area, Rect::union)
}

/// Whether it is what surrounds a box and nothing within it: a shadow that is deep enough to look drawn.
fn is_frame(blob: &Blob, joined: &Mask, boxes: &[Painted]) -> bool {
    let framed = boxes.iter().filter(|painted| {
        let is_whole = !painted.is_irregular && painted.ring.is_none();
        is_whole && blob.area.holds(painted.area, 2) && painted.area.area() * 2 > blob.area.area()
    });
    framed.max_by_key(|painted| painted.area.area()).is_some_and(|painted| {
        let within = joined.count_in(painted.area.grown(-FRAME_SLACK));
        let around = joined.count_in(blob.area) - within;
        around * 10 >= blob.count * 9
    })
}

/// Whether thin lines over a large area are a drawing, such as a chart, and not a soft shadow.
fn is_drawn(clean: &RgbImage, solid: &Mask, area: Rect) -> bool {
    let (mut ground, mut lines) = (Vec::new(), Vec::new());
    for y in (area.y..area.bottom()).step_by(1 + area.h as usize / 160) {
        for x in (area.x..area.right()).step_by(1 + area.w as usize / 160) {
            let color = pixel(clean, x, y);
            if solid.at(x as usize, y as usize) { lines.push(color) } else { ground.push(color) }
        }
    }
    let ground = median_color(&ground);
    let mut contrasts: Vec<f32> = lines.into_iter().map(|color| distance(color, ground)).collect();
    median(&mut contrasts) > DRAWN_CONTRAST
}

/// Icons of strokes so thin that they look like the seams between boxes.
fn thin_icons(detail: &Mask, boxes: &[Painted], found: &[Rect]) -> Vec<Rect> {
    let is_icon = |area: Rect| {
        let (short, long) = (area.w.min(area.h), area.w.max(area.h));
        short >= LEAST_SIDE && long <= OUTLINE_SIDE
    };
    // A rounded corner leaves an arc of half-covered pixels that has an icon's size.
    let is_corner = |area: Rect| {
        boxes.iter().any(|painted| {
            let outer = painted.area.grown(4);
            let corner = (painted.radius as i32).max(4) + 6;
            let at_side =
                area.x - outer.x <= corner - area.w || outer.right() - area.right() <= corner - area.w;
            let at_end =
                area.y - outer.y <= corner - area.h || outer.bottom() - area.bottom() <= corner - area.h;
            outer.holds(area, 0) && at_side && at_end
        })
    };
    detail
        .closed(1)
        .blobs()
        .into_iter()
        .filter(|blob| is_icon(blob.area) && blob.count >= LEAST_STROKE_PIXELS)
        .map(|blob| blob.area)
        .filter(|area| !is_corner(*area) && !found.iter().any(|other| other.grown(2).holds(*area, 0)))
        .collect()
}

/// A box on a picture that carries text, such as a button on a photo.
fn stands_alone(painted: &Painted, picture: Rect, inks: &[Rect]) -> bool {
    painted.area.area() * 2 < picture.area()
        && painted.fullness > 0.9
        && painted.area.w.min(painted.area.h) >= 14
        && inks.iter().any(|&ink| painted.area.holds(ink, 0))
}

fn kind(clean: &RgbImage, area: Rect) -> ImageKind {
    let mut colors = HashSet::new();
    for y in area.y..area.bottom() {
        for x in area.x..area.right() {
            if let Some(pixel) = clean.get_pixel_checked(x as u32, y as u32) {
                colors.insert(pixel.0.map(|channel| channel / 8));
            }
        }
    }
    if area.w <= ICON_SIDE && area.h <= ICON_SIDE && colors.len() <= ICON_COLORS {
        ImageKind::Icon
    } else if colors.len() >= PHOTO_COLORS {
        ImageKind::Photo
    } else {
        ImageKind::Graphic
    }
}
