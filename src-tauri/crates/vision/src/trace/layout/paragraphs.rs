//! Lines of one text that run over to the next line.

use super::Area;
use crate::trace::facts::{Align, Facts, TextFact};

/// Lines that belong together, top to bottom.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Paragraph {
    /// Which texts of the facts.
    pub(crate) lines: Vec<usize>,
    /// From one baseline to the next.
    pub(crate) pitch: f32,
    pub(crate) align: Align,
    /// The text whose face all lines get, its size and its letter spacing.
    pub(crate) face: usize,
    pub(crate) size: f32,
    pub(crate) spacing: f32,
    /// Lines of code keep their places: how many lines are left out before each, and by how many characters it is moved
    /// in.
    pub(crate) code: Option<Vec<(usize, usize)>>,
    /// The narrowest and the widest room in which the words break as they do; none when no room does that.
    pub(crate) room: Option<(f32, f32)>,
    /// Its painted pixels.
    pub(crate) ink: Area,
    /// Its line boxes.
    pub(crate) area: Area,
}

// In font sizes: pitches of running text, and how much they may differ.
const PITCHES: std::ops::Range<f32> = 1.0..1.95;
// Code has empty lines.
const MOST_CODE_PITCH: f32 = 4.5;
const PITCH_SLACK_PX: f32 = 2.2;
// In font sizes: how far before its line a marker ends.
const MARKER_REACH: f32 = 1.6;
const SAME_SIZE: f32 = 0.08;
const SAME_COLOR: u8 = 45;
const ALIGNED_PX: f32 = 3.0;
// Two short lines below each other are a list rather than a sentence.
const LEAST_CHARS: usize = 12;

/// Joins the lines that are given; those of other texts are left alone.
pub(super) fn joined(facts: &Facts, lines: &[usize]) -> Vec<Paragraph> {
    let mut left: Vec<usize> = lines.to_vec();
    let text = |at: usize| facts.texts.get(at);
    left.sort_by(|&a, &b| {
        let key = |at| text(at).map_or((0.0, 0.0), |text| (text.base, text.x));
        let (a, b) = (key(a), key(b));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    let mut paragraphs = Vec::new();
    while !left.is_empty() {
        let mut chosen = vec![left.remove(0)];
        loop {
            let group: Vec<&TextFact> = chosen.iter().filter_map(|&at| text(at)).collect();
            let reach = group.last().map_or(0.0, |last| last.base + MOST_CODE_PITCH * last.fs);
            let near = left.iter().take_while(|&&at| text(at).is_some_and(|next| next.base <= reach));
            let next = near.into_iter().position(|&at| {
                text(at).is_some_and(|next| goes_on(&group, next) && !has_marker(facts, next))
            });
            let Some(next) = next else { break };
            chosen.push(left.remove(next));
        }
        paragraphs.extend(paragraph(facts, chosen));
    }
    paragraphs
}

/// Whether an icon or a single character stands before a line, as before an item of a list.
fn has_marker(facts: &Facts, line: &TextFact) -> bool {
    if is_code(line) {
        return false;
    }
    let [x, y, _, h] = line.ink.map(|length| length as f32);
    let reach = x - MARKER_REACH * line.fs..x + 1.0;
    let is_before = |right: f32, size: f32, top: f32, height: f32| {
        reach.contains(&right)
            && size <= 1.6 * line.fs
            && (top + height / 2.0 - y - h / 2.0).abs() <= 0.5 * line.fs
    };
    facts.images.iter().any(|image| is_before(image.x + image.w, image.w.max(image.h), image.y, image.h))
        || facts.texts.iter().any(|text| {
            let [x, y, w, h] = text.ink.map(|length| length as f32);
            text.text.chars().count() == 1 && is_before(x + w, w.max(h), y, h)
        })
}

/// Whether a line goes on with the text of the lines before it.
fn goes_on(group: &[&TextFact], next: &TextFact) -> bool {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return false };
    let size = last.fs;
    let pitch = next.base - last.base;
    let is_code_on = is_code(last) && is_code(next);
    let most = if is_code_on { MOST_CODE_PITCH } else { PITCHES.end };
    if !(PITCHES.start * size..most * size).contains(&pitch) {
        return false;
    }
    if is_code_on {
        let is_below = next.x < last.x + last.w && last.x < next.x + next.w;
        return is_below && (next.fs / size).ln().abs() <= SAME_SIZE;
    }
    if let Some(second) = group.get(1)
        && (pitch - (second.base - first.base)).abs() > PITCH_SLACK_PX
    {
        return false;
    }
    let is_alike = (next.fs / size).ln().abs() <= SAME_SIZE
        && next.fw == last.fw
        && next.it == last.it
        && next.ff == last.ff
        && next.color.iter().zip(last.color).all(|(a, b)| a.abs_diff(b) <= SAME_COLOR);
    if !is_alike {
        return false;
    }
    let is_left = (next.x - last.x).abs() <= ALIGNED_PX.max(0.25 * size);
    let is_centered = (next.x + next.w / 2.0 - last.x - last.w / 2.0).abs() <= ALIGNED_PX;
    let is_right = (next.x + next.w - last.x - last.w).abs() <= 2.0;
    if !(is_left || is_centered || is_right) {
        return false;
    }
    let is_only_centered = is_centered && !is_left;
    let chars = |text: &TextFact| text.text.chars().count();
    if chars(last) < LEAST_CHARS && chars(next) < LEAST_CHARS && !is_only_centered {
        return false;
    }
    // A line that runs over is so full that the next line's first word did not fit.
    let right = group.iter().map(|line| line.x + line.w).fold(next.x + next.w, f32::max);
    let full = last.x + last.w + first_word(next) + 0.2 * size >= right - 1.2 * size;
    full || is_only_centered
}

fn is_code(line: &TextFact) -> bool {
    line.ff.contains("monospace")
}

/// The width of a line's first word.
fn first_word(line: &TextFact) -> f32 {
    let chars = line.text.chars().count().max(1) as f32;
    let word = line.text.split(' ').next().map_or(0, |word| word.chars().count());
    line.w * word as f32 / chars
}

fn paragraph(facts: &Facts, lines: Vec<usize>) -> Option<Paragraph> {
    let texts: Vec<&TextFact> = lines.iter().filter_map(|&at| facts.texts.get(at)).collect();
    let (first, last) = (*texts.first()?, *texts.last()?);
    let longest =
        lines.iter().copied().max_by_key(|&at| facts.texts.get(at).map_or(0, |text| text.text.len()))?;
    let face = facts.texts.get(longest)?;
    let size = median(texts.iter().map(|text| text.fs).collect());
    let alike = texts.iter().filter(|text| text.ff == face.ff && text.fw == face.fw);
    let spacing = median(alike.map(|text| text.ls).collect());
    // How wide a line comes out in the face of all.
    let width = |text: &TextFact| {
        let letters = text.text.chars().count() as f32;
        if text.ff == face.ff {
            (text.w - text.ls * letters) * size / text.fs + spacing * letters
        } else {
            text.w
        }
    };
    let code = (is_code(first) && texts.len() > 1).then(|| {
        let left = texts.iter().map(|text| text.x).fold(f32::MAX, f32::min);
        let letters = face.text.chars().count().max(1) as f32;
        let letter = face.w / letters;
        let pitches: Vec<f32> = texts.windows(2).map(below).collect();
        let pitch = pitches.iter().copied().fold(f32::MAX, f32::min);
        let before = std::iter::once(1.0).chain(pitches.iter().map(|own| own / pitch));
        texts
            .iter()
            .zip(before)
            .map(|(text, lines)| {
                ((lines.round() as usize).saturating_sub(1), ((text.x - left) / letter).round() as usize)
            })
            .collect::<Vec<_>>()
    });
    let left_out: usize = code.iter().flatten().map(|(lines, _)| lines).sum();
    let count = (texts.len() + left_out) as f32;
    let pitch = if texts.len() > 1 { (last.base - first.base) / (count - 1.0) } else { first.h };
    let area = |of: &dyn Fn(&TextFact) -> Area| texts.iter().map(|text| of(text)).reduce(Area::union);
    let boxes = area(&|text| Area { x: text.x, y: text.y, w: text.w, h: text.h })?;
    let ink = area(&|text| {
        let [x, y, w, h] = text.ink.map(|length| length as f32);
        Area { x, y, w, h }
    })?;
    // As it is written in the style sheet.
    let pitch = (pitch * 10.0).round() / 10.0;
    let top = (first.y - (pitch - first.h) / 2.0).round();
    let spread = |of: &dyn Fn(&TextFact) -> f32| {
        let (least, most) = texts
            .iter()
            .map(|text| of(text))
            .fold((f32::MAX, f32::MIN), |(least, most), at| (least.min(at), most.max(at)));
        most - least
    };
    let align = if texts.len() == 1 {
        first.align
    } else if spread(&|text| text.x) <= 4.0 {
        Align::Left
    } else if spread(&|text| text.x + text.w / 2.0) <= 4.0 {
        Align::Center
    } else if spread(&|text| text.x + text.w) <= 3.0 {
        Align::Right
    } else {
        Align::Left
    };
    let narrowest = texts.iter().map(|text| width(text)).fold(0.0, f32::max);
    let space = 0.25 * size;
    let widest = texts
        .windows(2)
        .filter_map(|pair| match pair {
            [line, next] => Some(width(line) + space + first_word(next)),
            _ => None,
        })
        .fold(f32::MAX, f32::min);
    let area = Area { x: boxes.x, y: top, w: boxes.w, h: pitch * count };
    let room = (widest > narrowest + 1.0 && code.is_none()).then_some((narrowest, widest));
    Some(Paragraph { lines, pitch, align, face: longest, size, spacing, code, room, ink, area })
}

/// From one baseline to the next.
fn below(pair: &[&TextFact]) -> f32 {
    match pair {
        [above, below] => below.base - above.base,
        _ => 0.0,
    }
}

fn median(mut values: Vec<f32>) -> f32 {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
