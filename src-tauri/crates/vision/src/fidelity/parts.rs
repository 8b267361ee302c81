//! The numbers of the score, from matched lines. What each means stands at its field.

use serde::Serialize;

use super::geometry::{Geometry, Line};
use super::matching::Pairing;

/// What the score is made of; each goes from 0 to 1, and only `ghost` is better when small.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Parts {
    /// Characters found, over all lines of both sides.
    pub text_f: f64,
    /// The reference's text area, discounted by how far each line is off.
    pub place: f64,
    /// Size and colour of the reference's lines.
    pub style: f64,
    /// Likeness of the pixels, as gain over a blank page.
    pub visual: f64,
    /// Share of the text that is painted by pictures.
    pub ghost: f64,
}

impl Parts {
    /// The mean of the four, less what is baked into pictures.
    pub fn strict(&self) -> f64 {
        (self.text_f + self.place + self.style + self.visual) / 4.0 * (1.0 - self.ghost)
    }
}

/// The parts, and the lenient numbers in the manner of Design2Code.
pub(super) struct Scored {
    pub(super) parts: Parts,
    pub(super) block: f64,
    pub(super) text: f64,
    pub(super) pos: f64,
    pub(super) color: f64,
}

impl Scored {
    /// The mean of five.
    pub(super) fn total(&self) -> f64 {
        (self.block + self.text + self.pos + self.color + self.parts.visual) / 5.0
    }
}

pub(super) fn scored(
    reference: &Geometry,
    page: &Geometry,
    pairing: &Pairing,
    visual: f64,
    ghost: f64,
) -> Scored {
    let Pairing { reference: wanted, page: shown, pairs } = pairing;
    if pairs.is_empty() {
        let all = if wanted.is_empty() && shown.is_empty() { 1.0 } else { 0.0 };
        let parts = Parts { text_f: all, place: all, style: all, visual, ghost };
        return Scored { parts, block: all, text: all, pos: all, color: all };
    }
    let (mut text_f, mut place, mut style, mut matched) = (0.0, 0.0, 0.0, 0.0);
    let (mut text, mut pos, mut color) = (0.0, 0.0, 0.0);
    for pair in pairs {
        let (Some(a), Some(b)) = (wanted.get(pair.reference), shown.get(pair.page)) else { continue };
        text_f += pair.similarity * (characters(a) + characters(b));
        place += painted(a) * pair.similarity * (-pair.apart_px / 10.0).exp();
        let size = (1.0 - 2.0 * pair.size_ratio.ln().abs()).max(0.0);
        style += painted(a) * (0.5 * size + 0.5 * (1.0 - pair.delta_e / 20.0).max(0.0));
        matched += share(a, reference) + share(b, page);
        text += pair.similarity;
        pos += 1.0 - pair.distance.min(1.0);
        color += (1.0 - pair.delta_e / 100.0).max(0.0);
    }
    let all_characters: f64 = wanted.iter().chain(shown.iter()).map(characters).sum();
    let all_painted: f64 = wanted.iter().map(painted).sum();
    let all_shares: f64 = wanted.iter().map(|line| share(line, reference)).sum::<f64>()
        + shown.iter().map(|line| share(line, page)).sum::<f64>();
    let of_pairs = |sum: f64| sum / pairs.len() as f64;
    let parts = Parts {
        text_f: part(text_f, all_characters),
        place: part(place, all_painted),
        style: part(style, all_painted),
        visual,
        ghost,
    };
    Scored {
        parts,
        block: part(matched, all_shares),
        text: of_pairs(text),
        pos: of_pairs(pos),
        color: of_pairs(color),
    }
}

fn part(of: f64, all: f64) -> f64 {
    if all > 0.0 { (of / all).clamp(0.0, 1.0) } else { 0.0 }
}

fn characters(line: &Line) -> f64 {
    line.text.chars().count() as f64
}

fn painted(line: &Line) -> f64 {
    line.area().size()
}

fn share(line: &Line, on: &Geometry) -> f64 {
    let whole = on.area().size();
    if whole > 0.0 { painted(line) / whole } else { 0.0 }
}
