//! Things beside each other: a grid when their columns are equal, else a row.

use super::{Block, Content};

/// Equal columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Columns {
    pub(crate) count: usize,
    pub(crate) gap: f32,
    /// Where the first column starts and the last one ends.
    pub(crate) left: f32,
    pub(crate) right: f32,
}

const SAME_PX: f32 = 2.0;
const LEAST_WIDTH: f32 = 160.0;

pub(super) fn in_columns(blocks: Vec<Block>) -> Content {
    match equal(&blocks) {
        Some(columns) => Content::Grid(blocks, columns),
        None => Content::Row(blocks),
    }
}

/// The columns of blocks of one width at one distance.
fn equal(blocks: &[Block]) -> Option<Columns> {
    let (first, last) = (blocks.first()?, blocks.last()?);
    let width = first.area.w;
    let pairs = || blocks.iter().zip(blocks.iter().skip(1));
    let gap = pairs().map(|(a, b)| b.area.x - a.area.right()).sum::<f32>() / (blocks.len() - 1) as f32;
    let is_equal = width >= LEAST_WIDTH
        && gap >= 0.0
        && blocks.iter().all(|block| !block.is_bare_text() && (block.area.w - width).abs() <= SAME_PX)
        && pairs().all(|(a, b)| (b.area.x - a.area.right() - gap).abs() <= SAME_PX);
    let columns =
        Columns { count: blocks.len(), gap: gap.round(), left: first.area.x, right: last.area.right() };
    is_equal.then_some(columns)
}
