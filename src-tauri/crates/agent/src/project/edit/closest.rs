//! The lines of a file that are most like a text that is not in it.

use std::collections::HashMap;

/// Below this similarity the lines would only mislead.
const LEAST_SIMILARITY: f64 = 0.5;
/// A needle longer than this is looked for by its first lines.
const MAX_NEEDLE_LINES: usize = 60;

/// Lines of a file, word for word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closest {
    /// The first line, counted from 1.
    pub first_line: usize,
    /// The last line.
    pub last_line: usize,
    /// Their exact text, without the last line's ending.
    pub text: String,
}

/// The run of lines most similar to the needle, if any is at all.
pub fn closest_lines(text: &str, needle: &str) -> Option<Closest> {
    let lines: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> = needle.trim_matches('\n').lines().take(MAX_NEEDLE_LINES).collect();
    let window = wanted.len().clamp(1, lines.len().max(1));
    if lines.is_empty() {
        return None;
    }
    let needle_pairs = pairs(wanted.iter().copied());
    let needle_count: usize = needle_pairs.values().sum();
    // The pairs of the window are kept up to date line by line, so the whole file is read once.
    let per_line: Vec<_> = lines.iter().map(|line| pairs(std::iter::once(*line))).collect();
    let mut held: HashMap<(char, char), usize> = HashMap::new();
    let mut held_count = 0;
    let mut shared = 0;
    let mut best: Option<(f64, usize)> = None;
    for end in 0..lines.len() {
        for (pair, count) in &per_line[end] {
            let (have, want) = (held.entry(*pair).or_default(), needle_pairs.get(pair).copied().unwrap_or(0));
            shared += (*have + count).min(want) - (*have).min(want);
            *have += count;
            held_count += count;
        }
        if let Some(gone) = end.checked_sub(window) {
            for (pair, count) in &per_line[gone] {
                let (have, want) =
                    (held.entry(*pair).or_default(), needle_pairs.get(pair).copied().unwrap_or(0));
                shared -= (*have).min(want) - (*have - count).min(want);
                *have -= count;
                held_count -= count;
            }
        }
        if end + 1 >= window {
            let likeness = 2.0 * shared as f64 / (needle_count + held_count).max(1) as f64;
            if best.is_none_or(|(so_far, _)| likeness > so_far) {
                best = Some((likeness, end + 1 - window));
            }
        }
    }
    let (_, start) = best.filter(|(likeness, _)| *likeness >= LEAST_SIMILARITY)?;
    Some(Closest {
        first_line: start + 1,
        last_line: start + window,
        text: lines[start..start + window].join("\n"),
    })
}

/// Neighbouring characters with their counts, blanks left out.
fn pairs<'a>(lines: impl Iterator<Item = &'a str>) -> HashMap<(char, char), usize> {
    let mut counts = HashMap::new();
    for line in lines {
        let mut last = None;
        for c in line.chars().filter(|c| !c.is_whitespace()) {
            if let Some(before) = last.replace(c) {
                *counts.entry((before, c)).or_default() += 1;
            }
        }
    }
    counts
}
