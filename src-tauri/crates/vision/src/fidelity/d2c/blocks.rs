//! Blocks of text as Design2Code has them.

use std::cmp::Ordering;
use std::collections::{HashMap, VecDeque};

use crate::fidelity::geometry::{Area, Geometry, Line};

/// How often the same line may stand on a page before further ones are taken for a model gone astray.
const MOST_REPEATS: usize = 50;

/// More blocks than this are thinned out: the solver's time grows with their cube.
const MOST_BLOCKS: usize = 500;

/// A text, where it stands as shares of the page, and its colour.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    pub(super) text: Vec<char>,
    pub(super) area: Area,
    pub(super) color: [u8; 3],
}

impl Block {
    pub(super) fn size(&self) -> f64 {
        self.area.size()
    }

    pub(super) fn distance(&self, other: &Self) -> f64 {
        let ((ax, ay), (bx, by)) = (self.area.center(), other.area.center());
        (ax - bx).abs().max((ay - by).abs())
    }

    pub(super) fn joined(&self, next: &Self) -> Self {
        let mut text = self.text.clone();
        text.push(' ');
        text.extend(&next.text);
        let mut color = self.color;
        for (channel, other) in color.iter_mut().zip(next.color) {
            *channel = channel.midpoint(other);
        }
        Self { text, area: self.area.united(next.area), color }
    }
}

/// Blocks in reading order.
pub(super) fn blocks(on: &Geometry, lines: &[Line]) -> Vec<Block> {
    let (width, height) = (on.width.max(1.0), on.height.max(1.0));
    let mut blocks: Vec<Block> = lines
        .iter()
        .filter(|line| !line.text.trim().is_empty())
        .map(|line| Block {
            text: line.text.trim().to_lowercase().chars().collect(),
            area: Area { x: line.x / width, y: line.y / height, w: line.w / width, h: line.h / height },
            color: line.color,
        })
        .collect();
    blocks.sort_by(in_reading_order);
    blocks
}

/// Lines without those that stand there far too often, beyond what the reference repeats itself.
pub(super) fn without_repetition<'a>(lines: &'a [Line], reference: &'a [Line]) -> Vec<Line> {
    let mut wanted: HashMap<&str, usize> = HashMap::new();
    for line in reference {
        *wanted.entry(line.text.trim()).or_default() += 1;
    }
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let kept = |line: &&'a Line| {
        let count = seen.entry(line.text.trim()).or_default();
        *count += 1;
        *count <= wanted.get(line.text.trim()).copied().unwrap_or(0).max(MOST_REPEATS)
    };
    lines.iter().filter(kept).cloned().collect()
}

/// Two lists of blocks, made short enough for the solver.
pub(super) struct Thinned {
    /// Blocks that say the same, taken out of long lists.
    pub(super) equal: Vec<(Block, Block)>,
    pub(super) wanted: Vec<Block>,
    pub(super) shown: Vec<Block>,
    /// What the blocks cover that were left out altogether.
    pub(super) beyond: f64,
}

/// Long lists without what is equal on both sides, and at most the largest of the rest.
pub(super) fn thinned(wanted: Vec<Block>, shown: Vec<Block>) -> Thinned {
    if wanted.len().max(shown.len()) <= MOST_BLOCKS {
        return Thinned { equal: Vec::new(), wanted, shown, beyond: 0.0 };
    }
    let mut by_text: HashMap<Vec<char>, VecDeque<Block>> = HashMap::new();
    for block in shown {
        by_text.entry(block.text.clone()).or_default().push_back(block);
    }
    let (mut equal, mut rest) = (Vec::new(), Vec::new());
    for block in wanted {
        match by_text.get_mut(&block.text).and_then(VecDeque::pop_front) {
            Some(twin) => equal.push((block, twin)),
            None => rest.push(block),
        }
    }
    let (wanted, beyond_wanted) = largest(rest);
    let (shown, beyond_shown) = largest(by_text.into_values().flatten().collect());
    Thinned { equal, wanted, shown, beyond: beyond_wanted + beyond_shown }
}

fn largest(mut blocks: Vec<Block>) -> (Vec<Block>, f64) {
    blocks.sort_by(|a, b| b.size().total_cmp(&a.size()).then_with(|| in_reading_order(a, b)));
    let beyond = blocks.iter().skip(MOST_BLOCKS).map(Block::size).sum();
    blocks.truncate(MOST_BLOCKS);
    blocks.sort_by(in_reading_order);
    (blocks, beyond)
}

fn in_reading_order(a: &Block, b: &Block) -> Ordering {
    let places = a.area.y.total_cmp(&b.area.y).then(a.area.x.total_cmp(&b.area.x));
    places.then_with(|| a.text.cmp(&b.text))
}
