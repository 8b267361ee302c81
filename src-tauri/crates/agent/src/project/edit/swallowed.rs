//! Text that an edit makes invisible although it did not touch it.

use std::ops::Range;

use crate::project::address::visible_texts;

/// How much of a page an edit may hide beside what it replaces, in percent of all its text.
const MOST_PERCENT: usize = 30;

/// How many percent of a page's visible text are gone outside of what was replaced, if they are too many.
pub(super) fn swallowed_percent(
    old: &str,
    replaced: &[Range<usize>],
    new: &str,
    replacements: &[Range<usize>],
) -> Option<usize> {
    let texts = visible_texts(old);
    let all = letters(old, &texts, &[]);
    let before = letters(old, &texts, replaced);
    let after = letters(new, &visible_texts(new), replacements);
    let percent = before.saturating_sub(after) * 100 / all.max(1);
    (percent > MOST_PERCENT).then_some(percent)
}

/// How many visible characters stand in these texts and outside of these parts, both in order.
fn letters(source: &str, texts: &[Range<usize>], outside_of: &[Range<usize>]) -> usize {
    let count = |range: Range<usize>| {
        source.get(range).map_or(0, |text| text.chars().filter(|c| !c.is_whitespace()).count())
    };
    let mut total = 0;
    for text in texts {
        let first = outside_of.partition_point(|part| part.end <= text.start);
        let mut from = text.start;
        for part in outside_of[first..].iter().take_while(|part| part.start < text.end) {
            total += count(from..part.start.max(from));
            from = from.max(part.end.min(text.end));
        }
        total += count(from..text.end);
    }
    total
}
