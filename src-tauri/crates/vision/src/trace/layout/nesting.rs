//! What stands inside what.

use super::cutting::{MOST_DEPTH, cut};
use super::paragraphs::joined;
use super::{Area, Block, Content, Role, Skin};
use crate::trace::facts::Facts;

// Glyphs may stick out of their box by a rounding.
const SLACK: f32 = 2.0;

/// A painted part, what stands inside it and which lines of text do.
#[derive(Clone, Debug)]
pub(super) struct Held {
    skin: Skin,
    area: Area,
    parts: Vec<Held>,
    lines: Vec<usize>,
}

/// What is not held by anything: painted parts and lines.
pub(super) struct Loose {
    parts: Vec<Held>,
    lines: Vec<usize>,
}

/// Boxes and pictures inside each other, and lines in the smallest part that holds them.
pub(super) fn nested(facts: &Facts) -> Loose {
    let boxes = facts
        .boxes
        .iter()
        .enumerate()
        .map(|(at, b)| (Skin::Box(at), Area { x: b.x, y: b.y, w: b.w, h: b.h }));
    let images = facts
        .images
        .iter()
        .enumerate()
        .map(|(at, i)| (Skin::Image(at), Area { x: i.x, y: i.y, w: i.w, h: i.h }));
    let mut painted: Vec<(Skin, Area)> = boxes.chain(images).collect();
    painted.sort_by(|(_, a), (_, b)| b.size().total_cmp(&a.size()));
    // How many parts each one stands in; what lies deeper stands beside what would hold it.
    let mut depths: Vec<usize> = Vec::new();
    let holder = |depths: &[usize], area: Area| {
        let mut outer = painted.iter().zip(depths);
        outer.rposition(|((_, parent), depth)| *depth < MOST_DEPTH / 2 && parent.holds(area, SLACK))
    };
    let mut parents: Vec<Option<usize>> = Vec::new();
    for (_, area) in &painted {
        let parent = holder(&depths, *area);
        let depth = parent.and_then(|parent| depths.get(parent)).map_or(0, |depth| depth + 1);
        parents.push(parent);
        depths.push(depth);
    }
    let mut lines: Vec<Vec<usize>> = vec![Vec::new(); painted.len()];
    let mut loose_lines = Vec::new();
    for (at, text) in facts.texts.iter().enumerate() {
        let [x, y, w, h] = text.ink.map(|length| length as f32);
        match holder(&depths, Area { x, y, w, h }).and_then(|holder| lines.get_mut(holder)) {
            Some(lines) => lines.push(at),
            None => loose_lines.push(at),
        }
    }
    let mut parts: Vec<Vec<Held>> = vec![Vec::new(); painted.len()];
    let mut loose = Loose { parts: Vec::new(), lines: loose_lines };
    for ((at, (skin, area)), parent) in painted.iter().enumerate().zip(&parents).rev() {
        let held = Held {
            skin: *skin,
            area: *area,
            parts: parts.get_mut(at).map(std::mem::take).unwrap_or_default(),
            lines: lines.get_mut(at).map(std::mem::take).unwrap_or_default(),
        };
        match parent.and_then(|parent| parts.get_mut(parent)) {
            Some(siblings) => siblings.push(held),
            None => loose.parts.push(held),
        }
    }
    loose
}

/// The content of what holds these parts, and what lies over it; `depth` counts the blocks around it.
pub(super) fn held(facts: &Facts, loose: Loose, depth: usize) -> (Content, Vec<Block>) {
    let mut blocks: Vec<(Area, Block)> = loose
        .parts
        .into_iter()
        .map(|part| {
            let (content, lifted) = held(facts, Loose { parts: part.parts, lines: part.lines }, depth + 1);
            let block = Block { area: part.area, skin: part.skin, role: Role::Panel, content, lifted };
            (part.area, block)
        })
        .collect();
    blocks.extend(
        joined(facts, &loose.lines)
            .into_iter()
            .map(|paragraph| (paragraph.ink, Block::bare(paragraph.area, Content::Text(paragraph)))),
    );
    cut(facts, blocks, depth)
}
