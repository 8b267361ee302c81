//! Facts as a designer would draw them: hairlines along a box are its borders.

use super::looks;
use crate::trace::facts::{BoxFact, Facts, ImageFact};

const HAIRLINE_PX: f32 = 4.0;
// Hairlines farther out are not a box's border; soft corners leave a few beside each other.
const NEAR_PX: f32 = 5.0;
const TOUCHING_PX: f32 = 0.6;
// The share of a side that its border covers between round corners.
const LEAST_COVER: f32 = 0.7;
const LEAST_SIDE_PX: f32 = 14.0;
const SAME_COLOR: f32 = 24.0;
const CORNER_PX: f32 = 3.0;
const FRAME_SIDES: usize = 3;
// Boxes and hairlines are compared pairwise; more of them are noise.
const MOST_BOXES: usize = 2_500;

/// The same facts with fewer boxes and fewer kinds of text.
pub(crate) fn tidied(facts: &Facts) -> Facts {
    let mut facts = facts.clone();
    looks::agree(&mut facts.texts);
    if facts.boxes.len() > MOST_BOXES {
        return facts;
    }
    let (mut hairlines, mut boxes): (Vec<BoxFact>, Vec<BoxFact>) =
        facts.boxes.into_iter().partition(is_hairline);
    // Small boxes first: a hairline belongs to the smallest box that it fits.
    for painted in boxes.iter_mut().rev() {
        let taken = frame(painted, &hairlines, facts.background);
        let mut at = 0;
        hairlines.retain(|_| {
            at += 1;
            !taken.contains(&(at - 1))
        });
    }
    facts.images.retain(|image| !boxes.iter().any(|painted| is_corner(painted, image)));
    boxes.append(&mut hairlines);
    boxes.sort_by(|a, b| (b.w * b.h).total_cmp(&(a.w * a.h)));
    facts.boxes = boxes;
    facts
}

/// Whether a picture is nothing but a box's round corner or the round end of a pill.
fn is_corner(painted: &BoxFact, image: &ImageFact) -> bool {
    let most = painted.r + CORNER_PX;
    let is_at_end = |at: f32, own: f32, length: f32, size: f32| {
        (at - own).abs() <= CORNER_PX || (at + size - own - length).abs() <= CORNER_PX
    };
    let is_at_side = is_at_end(image.x, painted.x, painted.w, image.w);
    let is_corner = image.w.max(image.h) <= most
        && painted.w.min(painted.h) >= 2.0 * most
        && is_at_side
        && is_at_end(image.y, painted.y, painted.h, image.h);
    let is_end = painted.r >= painted.h / 2.0 - CORNER_PX
        && painted.w >= 3.0 * painted.r
        && image.w <= most
        && is_at_side
        && image.y >= painted.y - CORNER_PX
        && image.y + image.h <= painted.y + painted.h + CORNER_PX;
    painted.r >= 1.0 && (is_corner || is_end)
}

fn is_hairline(painted: &BoxFact) -> bool {
    painted.w.min(painted.h) <= HAIRLINE_PX
        && painted.w.max(painted.h) >= LEAST_SIDE_PX * LEAST_COVER
        && painted.bw.iter().all(|&width| width == 0.0)
        && painted.gradient.is_none()
}

/// A hairline along a side of a box.
#[derive(Clone, Copy)]
struct Along {
    at: usize,
    /// How far its inner and its outer edge are outside of the box.
    inner: f32,
    outer: f32,
    length: f32,
    color: [u8; 3],
}

/// Makes the hairlines along a box its borders; gives those that are.
fn frame(painted: &mut BoxFact, hairlines: &[BoxFact], background: [u8; 3]) -> Vec<usize> {
    if painted.w.min(painted.h) < LEAST_SIDE_PX || painted.bw.iter().any(|&width| width > 0.0) {
        return Vec::new();
    }
    let ground = painted.bg.map_or(background, |[r, g, b, _]| [r as u8, g as u8, b as u8]);
    let contrast = |along: &Along| apart(along.color, ground);
    let sides = [0, 1, 2, 3].map(|side| touching(painted, hairlines, side));
    // The line that stands out most is the border; paler ones beside it are its soft edge.
    let strongest = sides.each_ref().map(|side| {
        side.iter()
            .copied()
            .max_by(|a, b| contrast(a).total_cmp(&contrast(b)).then(a.outer.total_cmp(&b.outer)))
    });
    let first = strongest.iter().flatten().max_by(|a, b| contrast(a).total_cmp(&contrast(b)));
    let Some(color) = first.map(|first| first.color) else { return Vec::new() };
    let mut found = strongest.map(|side| side.filter(|side| apart(side.color, color) <= SAME_COLOR));
    if found.iter().flatten().count() >= FRAME_SIDES {
        // The side that was not seen is like one that was.
        let like = found.iter().flatten().next().copied();
        for side in found.iter_mut().filter(|side| side.is_none()) {
            *side = like;
        }
    }
    let [top, right, bottom, left] = found.map(|side| side.map_or(0.0, |side| side.outer.max(0.0)));
    painted.x -= left;
    painted.y -= top;
    painted.w += left + right;
    painted.h += top + bottom;
    painted.bw = found.map(|side| side.map_or(0.0, |side| side.outer - side.inner));
    painted.bc = color;
    if let [Some(top), Some(_), Some(bottom), Some(_)] = found {
        let corner = (painted.w - top.length.max(bottom.length)) / 2.0;
        painted.r = painted.r.max(corner.round().min(painted.h / 2.0));
    }
    let is_bordered = found.map(|side| side.is_some());
    let of_borders = sides.iter().zip(is_bordered).filter(|(_, is_bordered)| *is_bordered);
    of_borders.flat_map(|(side, _)| side.iter().map(|along| along.at)).collect()
}

/// The hairlines along a side that touch it or each other, from the inside out.
fn touching(painted: &BoxFact, hairlines: &[BoxFact], side: usize) -> Vec<Along> {
    let mut near: Vec<Along> = hairlines
        .iter()
        .enumerate()
        .filter_map(|(at, hairline)| along(painted, hairline, at, side))
        .filter(|along| {
            (-HAIRLINE_PX - TOUCHING_PX..=NEAR_PX).contains(&along.inner) && along.outer >= -TOUCHING_PX
        })
        .collect();
    near.sort_by(|a, b| a.inner.total_cmp(&b.inner));
    let mut edge: f32 = 0.0;
    near.retain(|along| {
        let touches = along.inner <= edge + TOUCHING_PX;
        if touches {
            edge = edge.max(along.outer);
        }
        touches
    });
    near
}

/// A hairline as seen from a side (0 top, 1 right, 2 bottom, 3 left) that it covers.
fn along(painted: &BoxFact, hairline: &BoxFact, at: usize, side: usize) -> Option<Along> {
    let is_level = matches!(side, 0 | 2);
    let (from, length, own_from, own_length, is_lying) = if is_level {
        (painted.x, painted.w, hairline.x, hairline.w, hairline.w > hairline.h)
    } else {
        (painted.y, painted.h, hairline.y, hairline.h, hairline.h > hairline.w)
    };
    let covers = own_length >= LEAST_COVER * length
        && own_from >= from - NEAR_PX
        && own_from + own_length <= from + length + NEAR_PX;
    if !is_lying || !covers {
        return None;
    }
    let (near, far) = match side {
        0 => (painted.y - hairline.y - hairline.h, painted.y - hairline.y),
        1 => (hairline.x - painted.x - painted.w, hairline.x + hairline.w - painted.x - painted.w),
        2 => (hairline.y - painted.y - painted.h, hairline.y + hairline.h - painted.y - painted.h),
        _ => (painted.x - hairline.x - hairline.w, painted.x - hairline.x),
    };
    let [r, g, b, _] = hairline.bg?;
    Some(Along { at, inner: near, outer: far, length: own_length, color: [r as u8, g as u8, b as u8] })
}

/// How different two colours are, on the channel that differs most.
fn apart(a: [u8; 3], b: [u8; 3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| f32::from(a.abs_diff(b))).fold(0.0, f32::max)
}
