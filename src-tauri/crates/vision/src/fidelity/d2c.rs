//! Design2Code without its model: the four numbers papers give, on exact lines instead of recoloured renders.
//!
//! Two things differ from the published program. Blocks are put into reading order first, so that the order of a
//! document's source does not matter. And text repeated without end is only cut beyond what the reference repeats,
//! so that a page against itself is always perfect.

mod blocks;
mod candidate;
mod merging;
mod sequence;

use serde::Serialize;

use super::color::{difference, lab};
use super::geometry::Geometry;
pub use candidate::design2code_candidate;

use blocks::{Block, Thinned, blocks, thinned, without_repetition};
use merging::{Merged, Pair};
use sequence::Comparer;

/// Pairs less similar than this are no pairs.
const LEAST_SIMILARITY: f64 = 0.5;
/// What the likeness of neighbours adds to the final matching.
const CONTEXT_BONUS: f64 = 0.1;

/// The four numbers of Design2Code that need no model, 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Design2Code {
    /// Area of matched blocks in all blocks' area.
    pub block: f64,
    /// Mean similarity of matched blocks' texts.
    pub text: f64,
    /// Mean nearness of matched blocks.
    pub position: f64,
    /// Mean likeness of matched blocks' colours.
    pub color: f64,
}

impl Design2Code {
    /// The mean of the four, called D2C-4.
    pub fn mean(&self) -> f64 {
        (self.block + self.text + self.position + self.color) / 4.0
    }
}

/// The four numbers between two pages.
pub fn design2code(reference: &Geometry, page: &Geometry) -> Design2Code {
    let (reference, page) = (reference.bounded(), page.bounded());
    let (reference, page) = (reference.as_ref(), page.as_ref());
    let wanted = blocks(reference, &reference.texts);
    let shown = blocks(page, &without_repetition(&page.texts, &reference.texts));
    let Thinned { equal, wanted, shown, beyond } = thinned(wanted, shown);
    let merged = Merged::of(wanted, shown, &mut Comparer::default());
    let pairs = merged.pairs(CONTEXT_BONUS);
    let Merged { rows: wanted, columns: shown, .. } = merged;
    let kept = |pair: Pair| {
        let both = (wanted.get(pair.row)?, shown.get(pair.column)?);
        (pair.similarity >= LEAST_SIMILARITY).then_some((both.0, both.1, pair.similarity))
    };
    let pairs: Vec<_> =
        pairs.into_iter().filter_map(kept).chain(equal.iter().map(|(a, b)| (a, b, 1.0))).collect();
    if pairs.is_empty() {
        return Design2Code::default();
    }
    let mut sums = Design2Code::default();
    for (a, b, similarity) in &pairs {
        sums.block += a.size() + b.size();
        sums.text += similarity;
        sums.position += 1.0 - a.distance(b).min(1.0);
        sums.color += (1.0 - difference(lab(a.color), lab(b.color)) / 100.0).max(0.0);
    }
    let left: f64 = wanted.iter().chain(&shown).map(Block::size).sum();
    let taken: f64 = equal.iter().map(|(a, b)| a.size() + b.size()).sum();
    let all = left + taken + beyond;
    let count = pairs.len() as f64;
    Design2Code {
        block: if all > 0.0 { (sums.block / all).min(1.0) } else { 0.0 },
        text: sums.text / count,
        position: sums.position / count,
        color: sums.color / count,
    }
}

#[cfg(test)]
mod tests;
