//! Where a block's children stand, said as paddings, gaps and alignments.

use super::stand::{Stand, Upright};
use super::{Style, px};
use crate::trace::layout::{Area, Block, Columns, Content, Skin};

/// What a container says about its children, and what each of them says about itself.
pub(super) struct Placing {
    pub(super) own: Style,
    pub(super) children: Vec<Place>,
}

/// How a child is placed.
#[derive(Clone, Default)]
pub(super) struct Place {
    pub(super) style: Style,
    /// The room its text has from side to side.
    pub(super) room: f32,
}

// Differences that nobody sees.
const SAME_PX: f32 = 1.5;
pub(super) const UNSEEN_PX: f32 = 0.8;
const CENTER_PX: f32 = 3.0;
// Wider margins at both sides of a page center its content.
const LEAST_CENTERING_PX: f32 = 40.0;
const HIGH_FOOT_PX: f32 = 160.0;
const CENTERING_PX: f32 = 8.0;
// A gap this many times as wide as the others pushes what follows to the far side.
const SPRING: f32 = 3.0;
const LEAST_SPRING_PX: f32 = 60.0;

fn is_same(a: f32, b: f32) -> bool {
    (a - b).abs() <= SAME_PX
}

/// The commonest of some distances, when most of them are alike and it is a distance at all.
fn usual(gaps: &[f32]) -> f32 {
    let count = |gap: f32| gaps.iter().filter(|other| is_same(**other, gap)).count();
    let best = gaps.iter().copied().filter(|gap| *gap > 0.5).max_by_key(|gap| count(*gap));
    best.filter(|gap| count(*gap) * 2 > gaps.len()).unwrap_or(0.0)
}

/// A length in whole pixels.
fn whole(length: f32) -> String {
    px(length.round())
}

/// Paddings as one declaration; nothing when there are none.
pub(super) fn padding(top: f32, right: f32, bottom: f32, left: f32) -> Option<String> {
    let [top, right, bottom, left] = [top, right, bottom, left].map(|side| whole(side.max(0.0)));
    shorthand(top, right, bottom, left)
}

fn shorthand(top: String, right: String, bottom: String, left: String) -> Option<String> {
    match (top == bottom, left == right) {
        (true, true) if top == left && top == "0" => None,
        (true, true) if top == left => Some(top),
        (true, true) => Some(format!("{top} {right}")),
        (false, true) => Some(format!("{top} {right} {bottom}")),
        (_, false) => Some(format!("{top} {right} {bottom} {left}")),
    }
}

/// Children below each other in the room inside a container's borders.
pub(super) fn column(inner: Area, children: &[Block], page_width: Option<f32>) -> Placing {
    let mut own = Style::default();
    let mut places = vec![Place::default(); children.len()];
    let Some(first) = children.first() else { return Placing { own, children: places } };
    let lefts = || children.iter().map(|child| child.area.x - inner.x);
    let rights = || children.iter().map(|child| inner.right() - child.area.right());
    let mut left = lefts().fold(f32::MAX, f32::min).max(0.0);
    let mut right = rights().fold(f32::MAX, f32::min).max(0.0);
    let is_text_widest = children
        .iter()
        .zip(rights())
        .all(|(child, own)| own > right + SAME_PX || child.is_bare_text());
    // Text that ends early has the room that it has at the left.
    if is_text_widest && right > left {
        right = left;
    }
    let top = first.area.y - inner.y;
    own.set("display", "flex");
    own.set("flex-direction", "column");
    let gaps: Vec<f32> = children
        .iter()
        .zip(children.iter().skip(1))
        .map(|(above, below)| below.area.y - above.area.bottom())
        .collect();
    let gap = usual(&gaps).round();
    // Where the next child comes to stand by itself; rounding must not add up.
    let mut cursor = inner.y + top.max(0.0).round();
    for (at, (child, place)) in children.iter().zip(&mut places).enumerate() {
        if at > 0 {
            cursor += gap;
        }
        let before = child.area.y - cursor;
        if before.abs() > UNSEEN_PX {
            place.style.set("margin-top", &whole(before));
            cursor += before.round();
        }
        cursor += child.area.h;
    }
    let bottom = inner.bottom() - cursor;
    if bottom < -UNSEEN_PX
        && let Some(last) = places.last_mut()
    {
        last.style.set("margin-bottom", &whole(bottom));
    }
    (left, right) = pad(&mut own, page_width, inner, [top, right, bottom, left]);
    if gap > 0.0 {
        own.set("gap", &px(gap));
    }
    let content = Area::from_edges(inner.x + left, inner.y, inner.right() - right, inner.bottom());
    for (child, place) in children.iter().zip(&mut places) {
        across(content, child, place);
    }
    Placing { own, children: places }
}

/// Says the paddings of a container; gives those at the left and at the right as they come out.
fn pad(own: &mut Style, page_width: Option<f32>, inner: Area, sides: [f32; 4]) -> (f32, f32) {
    let [top, right, bottom, left] = sides;
    let is_centered = page_width.is_some_and(|width| is_same(width, inner.w))
        && left.min(right) >= LEAST_CENTERING_PX
        && (left - right).abs() <= CENTERING_PX;
    if is_centered {
        let side = |side: f32| format!("max(16px, calc(50% - {}))", whole(inner.w / 2.0 - side.round()));
        let [top, bottom] = [top, bottom].map(|end| whole(end.max(0.0)));
        if let Some(padding) = shorthand(top, side(right), bottom, side(left)) {
            own.set("padding", &padding);
        }
    } else if let Some(padding) = padding(top, right, bottom, left) {
        own.set("padding", &padding);
        own.has_wide_sides |= left.max(right) > 24.0;
    }
    own.has_high_foot |= bottom > HIGH_FOOT_PX;
    (left.max(0.0).round(), right.max(0.0).round())
}

/// Whether a block takes the room that its content needs, as wide as that is on the page.
pub(super) fn is_natural(block: &Block) -> bool {
    match (block.skin, &block.content) {
        (Skin::Image(_), Content::Nothing) => true,
        (Skin::Bare, Content::Text(_)) => true,
        (Skin::Bare, Content::Row(children)) => children.iter().all(is_natural) && spring(children).is_none(),
        (Skin::Bare, Content::Column(children)) => children
            .iter()
            .all(|child| child.area.w < block.area.w - SAME_PX || is_natural(child)),
        _ => false,
    }
}

/// Where a child of a column stands from side to side.
fn across(content: Area, child: &Block, place: &mut Place) {
    let (left, right) = (child.area.x - content.x, content.right() - child.area.right());
    place.room = content.w;
    if is_same(left, 0.0) && is_same(right, 0.0) {
        return;
    }
    let is_centered = (left - right).abs() <= CENTER_PX && left > CENTER_PX;
    let is_right = is_same(right, 0.0) && left > SAME_PX;
    if child.is_bare_text() {
        if is_centered {
            place.style.set("text-align", "center");
        } else if is_right {
            place.style.set("text-align", "right");
        } else if left.abs() > SAME_PX {
            place.style.set("margin-left", &whole(left));
            place.room = content.w - left;
        }
        return;
    }
    let needs_width = !is_natural(child);
    place.room = if needs_width { child.area.w } else { content.w - left.max(0.0) };
    if is_centered {
        place.style.set("align-self", "center");
        if !needs_width {
            place.room = f32::MAX;
        }
    } else if is_right {
        place.style.set("align-self", "flex-end");
        if !needs_width {
            place.room = f32::MAX;
        }
    } else {
        if left.abs() > SAME_PX {
            place.style.set("margin-left", &whole(left));
        }
        if matches!(child.skin, Skin::Image(_)) && right >= -SAME_PX {
            place.style.set("align-self", "flex-start");
        }
    }
    if right < -SAME_PX && !is_centered {
        place.style.set("margin-right", &whole(right));
    } else if needs_width && (is_centered || right > SAME_PX || is_right) {
        place.style.set("width", &whole(child.area.w));
    }
}

/// Children beside each other in the room inside a container's borders.
pub(super) fn row(inner: Area, children: &[Block], page_width: Option<f32>) -> Placing {
    let mut own = Style::default();
    let mut places = vec![Place::default(); children.len()];
    let (Some(first), Some(last)) = (children.first(), children.last()) else {
        return Placing { own, children: places };
    };
    own.set("display", "flex");
    let stand = Stand::of(children);
    let (left, right) = (first.area.x - inner.x, inner.right() - last.area.right());
    let gaps: Vec<f32> =
        children.iter().zip(children.iter().skip(1)).map(|(a, b)| b.area.x - a.area.right()).collect();
    let spring = spring(children);
    let above = (stand.top - inner.y).max(0.0).round();
    let below = inner.h - above - stand.height;
    pad(&mut own, page_width, inner, [above, right, below, left]);
    let rest: Vec<f32> =
        gaps.iter().enumerate().filter(|(at, _)| Some(*at) != spring).map(|(_, gap)| *gap).collect();
    let gap = usual(&rest).round();
    if gap > 0.0 {
        own.set("gap", &px(gap));
    }
    if let Some(value) = stand.upright.css() {
        own.set("align-items", value);
    }
    for (at, (child, place)) in children.iter().zip(&mut places).enumerate() {
        if !stand.fits(child.area) {
            let before = child.area.y - stand.top;
            if stand.upright != Upright::Top {
                place.style.set("align-self", "flex-start");
            }
            if before.abs() > UNSEEN_PX {
                place.style.set("margin-top", &whole(before));
            }
        }
        let over = (stand.top + stand.height).min(inner.bottom()) - child.area.bottom();
        if over < -UNSEEN_PX {
            place.style.set("margin-bottom", &whole(over));
        }
        if at == 0 && left < -UNSEEN_PX {
            place.style.set("margin-left", &whole(left));
        }
        if let Some(before) = at.checked_sub(1) {
            if Some(before) == spring {
                place.style.set("margin-left", "auto");
            } else if let Some(distance) = gaps.get(before).map(|distance| distance - gap)
                && distance.abs() > UNSEEN_PX
            {
                place.style.set("margin-left", &whole(distance));
            }
        }
        if is_natural(child) {
            place.room = f32::MAX;
        } else {
            place.room = child.area.w;
            place.style.set("width", &whole(child.area.w));
            place.style.has_neighbours = true;
        }
    }
    Placing { own, children: places }
}

/// Children in equal columns.
pub(super) fn grid(inner: Area, children: &[Block], columns: Columns, page_width: Option<f32>) -> Placing {
    let mut own = Style::default();
    let mut places = vec![Place::default(); children.len()];
    let (top, bottom) = ends(children);
    own.set("display", "grid");
    own.set("grid-template-columns", &format!("repeat({}, 1fr)", columns.count));
    if columns.gap > 0.0 {
        own.set("gap", &whole(columns.gap));
    }
    let (left, right) = (columns.left - inner.x, inner.right() - columns.right);
    pad(&mut own, page_width, inner, [top - inner.y, right, inner.bottom() - bottom, left]);
    let is_full = children.iter().all(|child| is_same(child.area.h, bottom - top));
    if !is_full {
        own.set("align-items", "start");
    }
    let width = (columns.right - columns.left + columns.gap) / columns.count as f32 - columns.gap;
    for (child, place) in children.iter().zip(&mut places) {
        if child.area.y - top > UNSEEN_PX {
            place.style.set("margin-top", &whole(child.area.y - top));
        }
        place.room = width;
    }
    Placing { own, children: places }
}

/// Behind which child the gap is that holds what follows at the far side.
fn spring(children: &[Block]) -> Option<usize> {
    let gaps: Vec<f32> =
        children.iter().zip(children.iter().skip(1)).map(|(a, b)| b.area.x - a.area.right()).collect();
    let (at, widest) = gaps.iter().enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let others = gaps.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, gap)| *gap);
    (*widest >= LEAST_SPRING_PX && *widest >= SPRING * others.fold(0.0, f32::max)).then_some(at)
}

fn ends(children: &[Block]) -> (f32, f32) {
    children.iter().fold((f32::MAX, f32::MIN), |(top, bottom), child| {
        (top.min(child.area.y), bottom.max(child.area.bottom()))
    })
}
