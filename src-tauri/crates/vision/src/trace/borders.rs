//! Borders: outlines joined with what they enclose, and thin strips of another colour around a box.

use image::RgbImage;

use super::color::{Color, median_color, pixel, reach};
use super::geometry::Rect;
use super::mask::Mask;
use super::regions::{Border, Painted};

const THICKEST: i32 = 4;
// Anti-aliasing may hide where a box ends.
const EDGE_SLACK: i32 = 2;
const LEAST_DIFFERENCE: f32 = 5.0;
const MOST_NOISE: f32 = 6.0;
const SAME_COLOR: f32 = 4.0;
const MOST_SIDE_DIFFERENCE: f32 = 24.0;
// A pill's measured radius falls short of half its height by this.
const PILL_SLACK: f32 = 3.0;
const TIP_SHARE: f32 = 0.3;
const ARC_SLACK: f32 = 1.6;

/// Boxes with their borders found; outlines and rules that were borders are gone.
pub(crate) fn with_borders(clean: &RgbImage, boxes: Vec<Painted>) -> Vec<Painted> {
    probed(clean, paired(boxes))
}

fn paired(boxes: Vec<Painted>) -> Vec<Painted> {
    let mut is_taken = vec![false; boxes.len()];
    let mut out = Vec::with_capacity(boxes.len());
    for (index, ring) in boxes.iter().enumerate() {
        let (Some(width), Some(color)) = (ring.ring, ring.fill) else { continue };
        let inside = Rect::from_edges(
            ring.area.x + width,
            ring.area.y + width,
            ring.area.right() - width,
            ring.area.bottom() - width,
        );
        let inner = boxes.iter().enumerate().find(|(other, inner)| {
            *other != index
                && inner.ring.is_none()
                && !is_taken.get(*other).copied().unwrap_or(true)
                && inside.holds(inner.area, 2)
                && inner.area.holds(inside, 2)
        });
        let mut bordered = Painted { ring: None, border: Some(Border { width, color }), ..ring.clone() };
        bordered.fill = inner.and_then(|(_, inner)| inner.fill);
        bordered.gradient = inner.and_then(|(_, inner)| inner.gradient.clone());
        if let Some((other, _)) = inner
            && let Some(taken) = is_taken.get_mut(other)
        {
            *taken = true;
        }
        if let Some(taken) = is_taken.get_mut(index) {
            *taken = true;
        }
        out.push(bordered);
    }
    out.extend(boxes.into_iter().zip(is_taken).filter(|(_, taken)| !taken).map(|(painted, _)| painted));
    out
}

#[derive(Clone, Copy)]
enum Side {
    Top,
    Bottom,
    Left,
    Right,
}

fn probed(clean: &RgbImage, mut boxes: Vec<Painted>) -> Vec<Painted> {
    let mut swallowed = vec![false; boxes.len()];
    for index in 0..boxes.len() {
        let Some(painted) = boxes.get(index) else { continue };
        let even = border_of(clean, painted).map(|border| (border, painted.area.grown(border.width)));
        let Some((border, outer)) = even.or_else(|| pill_border(clean, painted)) else { continue };
        if let Some(painted) = boxes.get_mut(index) {
            let was_pill = is_pill(painted);
            painted.area = outer;
            painted.border = Some(border);
            if was_pill {
                painted.radius = outer.h as f32 / 2.0;
            } else if painted.radius > 0.0 {
                painted.radius += border.width as f32;
            }
        }
        for (other, rule) in boxes.iter().enumerate() {
            let is_thin = rule.area.w.min(rule.area.h) <= border.width + 1;
            let at_edge = rule.area.x <= outer.x + 1
                || rule.area.y <= outer.y + 1
                || rule.area.right() >= outer.right() - 1
                || rule.area.bottom() >= outer.bottom() - 1;
            if other != index
                && is_thin
                && at_edge
                && outer.holds(rule.area, 1)
                && let Some(swallowed) = swallowed.get_mut(other)
            {
                *swallowed = true;
            }
        }
    }
    boxes.into_iter().zip(swallowed).filter(|(_, swallowed)| !swallowed).map(|(painted, _)| painted).collect()
}

fn may_have_border(painted: &Painted) -> bool {
    painted.border.is_none()
        && painted.ring.is_none()
        && !painted.is_irregular
        && painted.area.w.min(painted.area.h) >= 10
}

/// Whether the left and right end are half circles, give or take what anti-aliasing hides.
fn is_pill(painted: &Painted) -> bool {
    painted.area.w > painted.area.h && painted.radius >= painted.area.h as f32 / 2.0 - PILL_SLACK
}

/// The border of a pill and the rectangle around it: straight above and below, met at the tips of its ends.
fn pill_border(clean: &RgbImage, painted: &Painted) -> Option<(Border, Rect)> {
    if !may_have_border(painted) || !is_pill(painted) {
        return None;
    }
    let (fill, area) = (painted.fill?, painted.area);
    let top = strip_outside(clean, area, fill, Side::Top)?;
    let bottom = strip_outside(clean, area, fill, Side::Bottom)?;
    if reach(top.color, bottom.color) > MOST_SIDE_DIFFERENCE || top.width != bottom.width {
        return None;
    }
    let contrast = reach(top.color, fill);
    let middle = area.y + area.h / 2;
    // The tip is anti-aliased, so that it never has the whole colour.
    let tip = |at: &dyn Fn(i32) -> i32| {
        (0..=EDGE_SLACK + 1).find(|&distance| {
            let x = at(distance);
            let is_inside = (0..clean.width() as i32).contains(&x);
            is_inside && reach(pixel(clean, x, middle), top.color) < TIP_SHARE * contrast
        })
    };
    let left = tip(&|distance| area.x - 1 - distance)?;
    let right = tip(&|distance| area.right() + distance)?;
    let width = top.width;
    let outer = Rect::from_edges(
        area.x - left - width,
        area.y - width,
        area.right() + right + width,
        area.bottom() + width,
    );
    Some((Border { width, color: median_color(&[top.color, bottom.color]) }, outer))
}

/// Details without the ends of bordered pills, whose anti-aliased arcs are no pictures.
pub(crate) fn without_pill_ends(mut detail: Mask, boxes: &[Painted]) -> Mask {
    for painted in boxes.iter().filter(|painted| is_pill(painted)) {
        let (Some(border), area) = (painted.border, painted.area) else { continue };
        let radius = area.h as f32 / 2.0;
        let middle = area.y as f32 + radius;
        let band = radius - border.width as f32 - ARC_SLACK..=radius + ARC_SLACK;
        let end = radius.ceil() as i32;
        let left = (area.x - 1..area.x + end).map(|x| (x, area.x as f32 + radius));
        let right = (area.right() - end..=area.right()).map(|x| (x, area.right() as f32 - radius));
        for (x, center) in left.chain(right) {
            for y in area.y - 1..=area.bottom() {
                if band.contains(&(x as f32 + 0.5 - center).hypot(y as f32 + 0.5 - middle)) {
                    detail.clear(x, y);
                }
            }
        }
    }
    detail
}

fn border_of(clean: &RgbImage, painted: &Painted) -> Option<Border> {
    let fill = painted.fill?;
    if !may_have_border(painted) {
        return None;
    }
    let sides = [Side::Top, Side::Bottom, Side::Left, Side::Right];
    let found: Option<Vec<Border>> =
        sides.into_iter().map(|side| strip_outside(clean, painted.area, fill, side)).collect();
    let found = found?;
    let first = found.first()?;
    let thinnest = found.iter().map(|border| border.width).min()?;
    let thickest = found.iter().map(|border| border.width).max()?;
    let is_even = found.iter().all(|border| reach(border.color, first.color) <= MOST_SIDE_DIFFERENCE);
    let colors: Vec<Color> = found.iter().map(|border| border.color).collect();
    (is_even && thickest - thinnest <= 1).then(|| Border { width: thinnest, color: median_color(&colors) })
}

/// The strip just outside a side: of one colour that is neither the inside's nor the surroundings'.
fn strip_outside(clean: &RgbImage, area: Rect, fill: Color, side: Side) -> Option<Border> {
    let line = |distance: i32| line_outside(clean, area, side, distance);
    for offset in 0..=EDGE_SLACK {
        let first = line(offset)?;
        if first.len() < 3 {
            return None;
        }
        let color = median_color(&first);
        let noise = first.iter().map(|&c| reach(c, color)).sum::<f32>() / first.len() as f32;
        if noise > MOST_NOISE || reach(color, fill) < LEAST_DIFFERENCE {
            return None;
        }
        let mut width = 1;
        loop {
            let next = line(offset + width)?;
            if reach(median_color(&next), color) > SAME_COLOR {
                return Some(Border { width, color });
            }
            width += 1;
            if width > THICKEST {
                break;
            }
        }
    }
    None
}

/// The middle part of the line of pixels a distance outside a side, where corners do not disturb.
fn line_outside(clean: &RgbImage, area: Rect, side: Side, distance: i32) -> Option<Vec<Color>> {
    let (width, height) = (clean.width() as i32, clean.height() as i32);
    let (fifth_x, fifth_y) = (area.w / 5, area.h / 5);
    let columns = || area.x + fifth_x..area.right() - fifth_x;
    let rows = || area.y + fifth_y..area.bottom() - fifth_y;
    match side {
        Side::Top | Side::Bottom => {
            let y = if matches!(side, Side::Top) { area.y - 1 - distance } else { area.bottom() + distance };
            (0..height).contains(&y).then(|| columns().map(|x| pixel(clean, x, y)).collect())
        }
        Side::Left | Side::Right => {
            let x = if matches!(side, Side::Left) { area.x - 1 - distance } else { area.right() + distance };
            (0..width).contains(&x).then(|| rows().map(|y| pixel(clean, x, y)).collect())
        }
    }
}
