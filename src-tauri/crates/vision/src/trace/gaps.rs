//! Distances between neighbours that occur again and again: the page's spacing.

use std::collections::BTreeMap;

use super::facts::{Gap, Gaps};
use super::geometry::Rect;

const WIDEST: i32 = 160;
const NARROWEST: i32 = 2;
const MOST_GAPS: usize = 8;

/// The recurring gaps between things that stand above or beside each other.
pub(crate) fn gaps(things: &[Rect]) -> Gaps {
    let mut vertical = BTreeMap::new();
    let mut horizontal = BTreeMap::new();
    for thing in things {
        // Only the nearest neighbour in each direction counts; farther ones are sums of gaps.
        let below = things
            .iter()
            .filter(|other| other.x < thing.right() && thing.x < other.right())
            .map(|other| other.y - thing.bottom())
            .filter(|gap| *gap >= 0)
            .min();
        let beside = things
            .iter()
            .filter(|other| other.y < thing.bottom() && thing.y < other.bottom())
            .map(|other| other.x - thing.right())
            .filter(|gap| *gap >= 0)
            .min();
        for (gap, counts) in [(below, &mut vertical), (beside, &mut horizontal)] {
            if let Some(gap) = gap.filter(|gap| (NARROWEST..=WIDEST).contains(gap)) {
                *counts.entry(gap).or_insert(0) += 1;
            }
        }
    }
    Gaps { vertical: commonest(&vertical), horizontal: commonest(&horizontal) }
}

fn commonest(counts: &BTreeMap<i32, u32>) -> Vec<Gap> {
    let mut gaps: Vec<(i32, u32)> =
        counts.iter().map(|(gap, count)| (*gap, *count)).filter(|(_, count)| *count > 1).collect();
    gaps.sort_by_key(|&(gap, count)| (std::cmp::Reverse(count), gap));
    gaps.into_iter().take(MOST_GAPS).map(|(gap, count)| Gap { px: gap as f32, count }).collect()
}
