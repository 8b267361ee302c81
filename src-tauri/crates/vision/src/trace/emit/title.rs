//! What a page is called: all lines of its largest heading.

use crate::trace::facts::{Facts, TextFact};

// Lines of one heading follow each other within this many font sizes, baseline to baseline.
const MOST_PITCH: f32 = 1.6;
const LEAST_PITCH: f32 = 0.8;
const SAME_SIZE: f32 = 0.12;
const SAME_COLOR: u8 = 24;
const ALIGNED: f32 = 0.1;
const MOST_LINES: usize = 4;

/// The largest heading as one text.
pub(super) fn title(facts: &Facts) -> String {
    let largest = facts
        .texts
        .iter()
        .filter(|text| text.text.chars().count() > 2)
        .max_by(|a, b| a.fs.total_cmp(&b.fs).then(b.y.total_cmp(&a.y)));
    let Some(largest) = largest else { return "Traced page".to_owned() };
    let mut lines = vec![largest];
    while lines.len() < MOST_LINES
        && let Some(above) =
            lines.first().and_then(|first| facts.texts.iter().find(|text| follows(text, first)))
    {
        lines.insert(0, above);
    }
    while lines.len() < MOST_LINES
        && let Some(below) = lines.last().and_then(|last| facts.texts.iter().find(|text| follows(last, text)))
    {
        lines.push(below);
    }
    lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// Whether `lower` is the next line of the heading that `upper` belongs to.
fn follows(upper: &TextFact, lower: &TextFact) -> bool {
    let size = upper.fs.max(lower.fs);
    let pitch = lower.base - upper.base;
    let (left, center) = (lower.x - upper.x, lower.x + lower.w / 2.0 - upper.x - upper.w / 2.0);
    (LEAST_PITCH * size..MOST_PITCH * size).contains(&pitch)
        && (upper.fs / lower.fs).ln().abs() < SAME_SIZE
        && upper.ff == lower.ff
        && upper.fw == lower.fw
        && upper.color.iter().zip(lower.color).all(|(a, b)| a.abs_diff(b) <= SAME_COLOR)
        && left.abs().min(center.abs()) < ALIGNED * size
}
