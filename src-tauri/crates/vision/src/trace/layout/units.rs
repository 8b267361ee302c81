//! Things that belong together in a row: an icon with the words beside it.

use super::{Area, Block, Content, Skin};

// The widest gap between an icon and its words.
const MOST_GAP_PX: f32 = 18.0;
const ICON_PX: f32 = 40.0;
// A mark behind words, as of a menu, is smaller.
const MARK_PX: f32 = 14.0;
// What stands beside a unit is farther away than its parts are from each other.
const FARTHER: f32 = 1.2;

/// Icons and words as one block each where a row holds several things.
pub(super) fn in_units(blocks: Vec<Block>) -> Vec<Block> {
    let gap = |at: usize| match (blocks.get(at), blocks.get(at + 1)) {
        (Some(a), Some(b)) => Some(b.area.x - a.area.right()),
        _ => None,
    };
    let is_joined: Vec<bool> = (0..blocks.len().saturating_sub(1))
        .map(|at| {
            let (Some(left), Some(right), Some(own)) = (blocks.get(at), blocks.get(at + 1), gap(at)) else {
                return false;
            };
            let before = at.checked_sub(1).and_then(gap).unwrap_or(f32::MAX);
            let behind = gap(at + 1).unwrap_or(f32::MAX);
            let is_led = is_icon(left, ICON_PX) && right.is_bare_text() && before >= FARTHER * own;
            let is_followed = left.is_bare_text() && is_icon(right, MARK_PX) && behind >= FARTHER * own;
            own <= MOST_GAP_PX && (is_led || is_followed)
        })
        .collect();
    let units = blocks.len() - is_joined.iter().filter(|is_joined| **is_joined).count();
    if units == blocks.len() || units < 2 {
        return blocks;
    }
    let mut grouped: Vec<Vec<Block>> = Vec::new();
    let joins = std::iter::once(false).chain(is_joined);
    for (block, is_joined) in blocks.into_iter().zip(joins) {
        match grouped.last_mut() {
            Some(unit) if is_joined => unit.push(block),
            _ => grouped.push(vec![block]),
        }
    }
    grouped.into_iter().filter_map(unit).collect()
}

fn unit(mut parts: Vec<Block>) -> Option<Block> {
    if parts.len() == 1 {
        return parts.pop();
    }
    let area = parts.iter().map(|part| part.area).reduce(Area::union)?;
    Some(Block::bare(area, Content::Row(parts)))
}

fn is_icon(block: &Block, most_px: f32) -> bool {
    matches!((block.skin, &block.content), (Skin::Image(_), Content::Nothing))
        && block.area.w.max(block.area.h) <= most_px
}
