//! Where a block's children stand, said as paddings, gaps and alignments.

use super::px;
use super::sheet::{Narrow, Style};
use super::stand::{Stand, Upright};
use crate::trace::facts::Align;
use crate::trace::layout::{Area, Block, Columns, Content, Skin};

/// What a container says about its children, and what each of them says about itself.
pub(super) struct Placing {
    pub(super) own: Style,
    pub(super) narrow: Vec<Narrow>,
    pub(super) children: Vec<Place>,
}

/// How a child is placed.
#[derive(Clone, Default)]
pub(super) struct Place {
    pub(super) style: Style,
    pub(super) narrow: Vec<Narrow>,
    /// The room its text has from side to side.
    pub(super) room: f32,
}

impl Place {
    fn margin_left(&mut self, distance: f32) {
        self.style.set("margin-left", &whole(distance));
        self.narrow.push(Narrow::Margin);
    }

    fn margin_top(&mut self, distance: f32) {
        self.style.set("margin-top", &whole(distance));
        if !(0.0..=HIGH_PX).contains(&distance) {
            self.narrow.push(Narrow::Rises);
        }
    }
}

// Differences that nobody sees.
const SAME_PX: f32 = 1.5;
pub(super) const UNSEEN_PX: f32 = 0.8;
const CENTER_PX: f32 = 2.0;
// Text is measured less exactly.
const TEXT_CENTER_PX: f32 = 4.0;
const MIDDLE_PX: f32 = 2.0;
// A text that keeps to the right has more room than this at its left.
const RAGGED_PX: f32 = 12.0;
// On a narrow screen: sides wider and feet and distances higher than these are too much.
const SIDE_PX: f32 = 16.0;
const WIDE_SIDES_PX: f32 = 24.0;
const HIGH_FOOT_PX: f32 = 160.0;
const HIGH_PX: f32 = 64.0;
// A gap this many times as wide as the others pushes what follows to the far side.
const SPRING: f32 = 3.0;
const LEAST_SPRING_PX: f32 = 60.0;
// Wider things stand below each other on a narrow screen.
pub(super) const LEAST_STACKED_PX: f32 = 200.0;

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
pub(super) fn whole(length: f32) -> String {
    px(length.round())
}

/// Paddings as one declaration; nothing when there are none.
pub(super) fn padding(top: f32, right: f32, bottom: f32, left: f32) -> Option<String> {
    let [top, right, bottom, left] = [top, right, bottom, left].map(|side| whole(side.max(0.0)));
    match (top == bottom, left == right) {
        (true, true) if top == left && top == "0" => None,
        (true, true) if top == left => Some(top),
        (true, true) => Some(format!("{top} {right}")),
        (false, true) => Some(format!("{top} {right} {bottom}")),
        (_, false) => Some(format!("{top} {right} {bottom} {left}")),
    }
}

/// Children below each other in the room inside a container's borders.
pub(super) fn column(inner: Area, children: &[Block]) -> Placing {
    let mut placing = Placing::of(children);
    let Some(first) = children.first() else { return placing };
    let lefts = || children.iter().map(|child| child.area.x - inner.x);
    let rights = || children.iter().map(|child| inner.right() - child.area.right());
    let mut left = lefts().fold(f32::MAX, f32::min).max(0.0).round();
    let mut right = rights().fold(f32::MAX, f32::min).max(0.0).round();
    let is_content_widest =
        children.iter().zip(rights()).all(|(child, own)| own > right + SAME_PX || is_natural(child));
    let is_centered = children.len() > 1
        && children.iter().zip(lefts().zip(rights())).all(|(child, (left, right))| {
            let slack = if child.is_bare_text() { TEXT_CENTER_PX } else { CENTER_PX };
            (left - right).abs() <= slack && left > slack
        });
    if is_centered {
        (left, right) = (left.min(right).min(SIDE_PX), left.min(right).min(SIDE_PX));
    } else if is_content_widest && right > left {
        // What ends early has the room that it has at the left.
        right = left;
    } else if left > right + WIDE_SIDES_PX {
        // What keeps to the right has the room there that it has at the right.
        left = right;
    }
    let top = (first.area.y - inner.y).max(0.0).round();
    let gaps: Vec<f32> = children
        .iter()
        .zip(children.iter().skip(1))
        .map(|(above, below)| below.area.y - above.area.bottom())
        .collect();
    let gap = usual(&gaps).round();
    // Where the next child comes to stand by itself; rounding must not add up.
    let mut cursor = inner.y + top;
    for (at, (child, place)) in children.iter().zip(&mut placing.children).enumerate() {
        if at > 0 {
            cursor += gap;
        }
        let before = child.area.y - cursor;
        if before.abs() > UNSEEN_PX {
            place.margin_top(before);
            cursor += before.round();
        }
        cursor += child.area.h;
    }
    let bottom = inner.bottom() - cursor;
    if bottom < -UNSEEN_PX
        && let Some(last) = placing.children.last_mut()
    {
        last.style.set("margin-bottom", &whole(bottom));
    }
    placing.pad([top, right, bottom, left]);
    if gap > 0.0 {
        placing.own.set("gap", &px(gap));
    }
    let content = Area::from_edges(inner.x + left, inner.y, inner.right() - right, inner.bottom());
    if is_centered && children.iter().all(|child| child.children().is_empty()) {
        placing.own.set("align-items", "center");
        placing.own.set("text-align", "center");
        for (child, place) in children.iter().zip(&mut placing.children) {
            place.room = content.w;
            if !is_natural(child) {
                place.style.set("width", &whole(child.area.w));
                place.room = child.area.w;
            }
        }
        return placing;
    }
    for (child, place) in children.iter().zip(&mut placing.children) {
        across(content, child, place);
    }
    placing
}

impl Placing {
    fn of(children: &[Block]) -> Self {
        Self { own: Style::default(), narrow: Vec::new(), children: vec![Place::default(); children.len()] }
    }

    fn pad(&mut self, [top, right, bottom, left]: [f32; 4]) {
        if let Some(padding) = padding(top, right, bottom, left) {
            self.own.set("padding", &padding);
        }
        if left.max(right) > WIDE_SIDES_PX {
            self.narrow.push(Narrow::Sides);
        }
        if bottom > HIGH_FOOT_PX {
            self.narrow.push(Narrow::Foot);
        }
    }
}

/// Whether a block takes the room that its content needs, as wide as that is on the page.
pub(super) fn is_natural(block: &Block) -> bool {
    match (block.skin, &block.content) {
        (Skin::Image(_), Content::Nothing) => true,
        (Skin::Bare, Content::Text(paragraph)) => block.area.w <= paragraph.area.w + SAME_PX,
        (Skin::Bare, Content::Row(children)) => children.iter().all(is_natural) && spring(children).is_none(),
        (Skin::Bare, Content::Column(children)) => {
            children.iter().all(|child| child.area.w < block.area.w - SAME_PX || is_natural(child))
        }
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
    let slack = if child.is_bare_text() { TEXT_CENTER_PX } else { CENTER_PX };
    let is_centered = (left - right).abs() <= slack && left > slack;
    let is_right = is_same(right, 0.0) && left > SAME_PX;
    if let (Skin::Bare, Content::Text(paragraph)) = (child.skin, &child.content) {
        // Lines that begin at one edge keep to it; so does a line that is nearly as wide as its room.
        let is_left = paragraph.lines.len() > 1 && paragraph.align == Align::Left || left <= RAGGED_PX;
        if is_centered {
            place.style.set("text-align", "center");
        } else if is_right && !is_left {
            place.style.set("text-align", "right");
        } else if left.abs() > SAME_PX {
            place.margin_left(left);
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
            place.margin_left(left);
        }
        let holds_loose =
            child.children().iter().any(|part| part.area.x - child.area.x > SAME_PX) && !needs_width;
        if (matches!(child.skin, Skin::Image(_))
            || holds_loose && matches!(child.content, Content::Column(_)))
            && right >= -SAME_PX
        {
            place.style.set("align-self", "flex-start");
        }
    }
    if right < -SAME_PX && !is_centered {
        place.style.set("margin-right", &whole(right));
        place.narrow.push(Narrow::Margin);
    } else if needs_width && (is_centered || right > SAME_PX || is_right) {
        place.style.set("width", &whole(child.area.w));
    }
}

/// Children beside each other in the room inside a container's borders.
pub(super) fn row(inner: Area, children: &[Block]) -> Placing {
    let mut placing = Placing::of(children);
    let (Some(first), Some(last)) = (children.first(), children.last()) else { return placing };
    let stand = Stand::of(children);
    let (mut left, mut right) = (first.area.x - inner.x, inner.right() - last.area.right());
    let gaps = gaps(children);
    let spring = spring(children);
    let is_middle = spring.is_none()
        && left > CENTER_PX
        && (left - right).abs() <= MIDDLE_PX
        && children.iter().all(is_natural);
    placing.own.set("flex-direction", "row");
    if is_middle {
        placing.own.set("justify-content", "center");
        (left, right) = (0.0, 0.0);
    } else if spring.is_none() {
        // What ends early has the room that it has at the left.
        right = right.min(left.max(0.0));
    }
    let above = (stand.top - inner.y).max(0.0).round();
    let below = inner.h - above - stand.height;
    placing.pad([above, right, below, left]);
    let rest: Vec<f32> =
        gaps.iter().enumerate().filter(|(at, _)| Some(*at) != spring).map(|(_, gap)| *gap).collect();
    let gap = usual(&rest).round();
    if gap > 0.0 {
        placing.own.set("gap", &px(gap));
    }
    if let Some(value) = stand.upright.css() {
        placing.own.set("align-items", value);
    }
    let is_between = spring.is_some() && children.len() == 2;
    if is_between {
        placing.own.set("justify-content", "space-between");
    }
    for (at, (child, place)) in children.iter().zip(&mut placing.children).enumerate() {
        if !stand.fits(child.area) {
            let before = child.area.y - stand.top;
            if stand.upright != Upright::Top {
                place.style.set("align-self", "flex-start");
            }
            if before.abs() > UNSEEN_PX {
                place.margin_top(before);
            }
        }
        let over = (stand.top + stand.height).min(inner.bottom()) - child.area.bottom();
        if over < -UNSEEN_PX {
            place.style.set("margin-bottom", &whole(over));
        }
        if at == 0 && left < -UNSEEN_PX {
            place.margin_left(left);
        }
        if let Some(before) = at.checked_sub(1).filter(|_| !is_between) {
            if Some(before) == spring {
                place.style.set("margin-left", "auto");
            } else if let Some(distance) = gaps.get(before).map(|distance| distance - gap)
                && distance.abs() > UNSEEN_PX
            {
                place.margin_left(distance);
            }
        }
        if is_natural(child) {
            place.room = f32::MAX;
        } else {
            place.room = child.area.w;
            place.style.set("width", &whole(child.area.w));
            if child.area.w > LEAST_STACKED_PX {
                place.narrow.push(Narrow::Fill);
            }
        }
    }
    placing
}

/// Children in equal columns.
pub(super) fn grid(inner: Area, children: &[Block], columns: Columns) -> Placing {
    let mut placing = Placing::of(children);
    let (top, bottom) = children.iter().fold((f32::MAX, f32::MIN), |(top, bottom), child| {
        (top.min(child.area.y), bottom.max(child.area.bottom()))
    });
    placing.own.set("display", "grid");
    placing.own.set("grid-template-columns", &format!("repeat({}, 1fr)", columns.count));
    if columns.gap > 0.0 {
        placing.own.set("gap", &whole(columns.gap));
    }
    let (left, right) = (columns.left - inner.x, inner.right() - columns.right);
    placing.pad([top - inner.y, right, inner.bottom() - bottom, left]);
    let is_full = children.iter().all(|child| is_same(child.area.h, bottom - top));
    if !is_full {
        placing.own.set("align-items", "start");
    }
    let width = (columns.right - columns.left + columns.gap) / columns.count as f32 - columns.gap;
    for (child, place) in children.iter().zip(&mut placing.children) {
        if child.area.y - top > UNSEEN_PX {
            place.margin_top(child.area.y - top);
        }
        place.room = width;
    }
    placing
}

fn gaps(children: &[Block]) -> Vec<f32> {
    children.iter().zip(children.iter().skip(1)).map(|(a, b)| b.area.x - a.area.right()).collect()
}

/// Behind which child the gap is that holds what follows at the far side.
fn spring(children: &[Block]) -> Option<usize> {
    let gaps = gaps(children);
    let (at, widest) = gaps.iter().enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let others = gaps.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, gap)| *gap);
    (*widest >= LEAST_SPRING_PX && *widest >= SPRING * others.fold(0.0, f32::max)).then_some(at)
}
