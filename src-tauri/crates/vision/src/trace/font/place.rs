//! The size, place and letter spacing of a text once its face is known.

use std::collections::BTreeMap;

use super::fit::{Candidate, WIDTH_BIAS};
use super::likeness::InkMap;
use super::{Placement, Setting, Typeface};
use crate::trace::text::InkText;

/// A text with the face that draws it most alike.
#[derive(Clone, Debug)]
pub(crate) struct Fitted {
    /// Index into the typefaces.
    pub(crate) face: usize,
    pub(crate) size: f32,
    pub(crate) baseline: f32,
    /// Where the pen starts.
    pub(crate) x: f32,
    pub(crate) letter_spacing: f32,
    /// Pen advance including letter spacing.
    pub(crate) width: f32,
    /// How alike the drawing is, at most 1.
    pub(crate) likeness: f32,
}

const SNAP: f32 = 0.035;
const COMMON_SIZES: [f32; 36] = [
    10.0, 11.0, 12.0, 12.8, 13.0, 13.33, 13.6, 14.0, 14.4, 15.0, 16.0, 17.0, 17.6, 18.0, 19.0, 20.0, 21.0,
    22.0, 24.0, 26.0, 28.0, 30.0, 32.0, 35.2, 36.0, 40.0, 42.0, 44.0, 48.0, 52.0, 56.0, 60.0, 64.0, 72.0,
    80.0, 96.0,
];
// Tighter letters run into each other; wider ones fall apart.
const TIGHTEST: f32 = -0.05;
const WIDEST: f32 = 0.3;
// Only longer strings are letter-spaced on purpose.
const WIDEST_SHORT: f32 = 0.06;
const SHORT: usize = 5;

/// The size and place at which the face draws the ink most alike.
pub(super) fn placed(
    face: &Typeface,
    candidate: &Candidate,
    text: &InkText,
    ink: &InkMap,
    size: Option<f32>,
) -> Option<Fitted> {
    let setting = &candidate.setting;
    let count = text.text.chars().count();
    let gaps = (count.max(2) - 1) as f32;
    let inked = text.ink.w as f32 + WIDTH_BIAS;
    let rough = candidate.size(text);
    let spacing_em = (inked / rough - setting.width()) / gaps;
    // Beyond these the family is narrower or wider than any here: a smaller size reads better than a squeeze.
    let widest = if count <= SHORT { WIDEST_SHORT } else { WIDEST };
    let is_odd = count >= 3 && !(TIGHTEST..widest).contains(&spacing_em);
    let limited = spacing_em.clamp(TIGHTEST, widest);
    let sizes = if let Some(size) = size {
        vec![size]
    } else if is_odd {
        vec![(inked / (setting.width() + limited * gaps) * 2.0).round() / 2.0]
    } else {
        let near = |size: &f32| (size / rough - 1.0).abs() < SNAP;
        let common: Vec<f32> = COMMON_SIZES.iter().copied().filter(near).collect();
        if common.is_empty() { vec![(rough * 2.0).round() / 2.0] } else { common }
    };
    let center = text.ink.x as f32 + text.ink.w as f32 / 2.0;
    let mut best: Option<Fitted> = None;
    for size in sizes.into_iter().filter(|&size| size >= 1.0) {
        // What the width leaves over goes between the letters; small remains are rounding.
        let missing = inked - setting.width() * size;
        let is_rounding = count < 3 || missing.abs() < 1.7_f32.max(0.012 * text.ink.w as f32);
        let letter_spacing = if is_rounding { 0.0 } else { missing / gaps };
        let em_x = size + letter_spacing * gaps / setting.width();
        let x = center - (setting.left + setting.width() / 2.0) * em_x;
        let middle = text.ink.y as f32 + text.ink.h as f32 / 2.0;
        let top = (middle - (setting.top + setting.bottom) / 2.0 * size).round();
        for baseline in [top, top - 1.0, top + 1.0] {
            let placement = Placement { x, baseline, em_x, em_y: size };
            // A size that needs letter spacing must be visibly better.
            let handicap = (letter_spacing / size).abs().min(0.1) * 0.5;
            let likeness = ink.likeness(&face.draw(setting, placement)) - handicap;
            if best.as_ref().is_none_or(|best| likeness > best.likeness) {
                let half = (setting.left + setting.width() / 2.0) * size + letter_spacing * gaps / 2.0;
                best = Some(Fitted {
                    face: candidate.face,
                    size,
                    baseline,
                    x: center - half,
                    letter_spacing,
                    width: setting.advance * size + letter_spacing * count as f32,
                    likeness,
                });
            }
        }
    }
    best.map(|fitted| nudged(face, setting, fitted, ink))
}

/// The same fit moved by parts of a pixel to where it matches best.
fn nudged(face: &Typeface, setting: &Setting, mut fitted: Fitted, ink: &InkMap) -> Fitted {
    if fitted.letter_spacing != 0.0 {
        return fitted;
    }
    let start = fitted.x;
    for step in [-0.75_f32, -0.5, -0.25, 0.25, 0.5, 0.75] {
        let placement =
            Placement { x: start + step, baseline: fitted.baseline, em_x: fitted.size, em_y: fitted.size };
        let likeness = ink.likeness(&face.draw(setting, placement));
        if likeness > fitted.likeness {
            fitted = Fitted { x: start + step, likeness, ..fitted };
        }
    }
    fitted
}

/// A size near a text's own in which much more of the page is set in the same face.
pub(super) fn usual_size(fitted: &Fitted, all: &[Option<Fitted>], texts: &[InkText]) -> Option<f32> {
    let mut sizes: BTreeMap<u32, usize> = BTreeMap::new();
    for (other, text) in all.iter().zip(texts) {
        if let Some(other) = other.as_ref().filter(|other| other.face == fitted.face) {
            *sizes.entry((other.size * 100.0) as u32).or_default() += text.text.chars().count();
        }
    }
    let own = (fitted.size * 100.0) as u32;
    let own_count = sizes.get(&own).copied().unwrap_or(0);
    sizes
        .into_iter()
        .filter(|(size, count)| {
            let apart = (*size as f32 / own as f32 - 1.0).abs();
            *size != own && apart < 0.09 && *count > 2 * own_count
        })
        .max_by_key(|(_, count)| *count)
        .map(|(size, _)| size as f32 / 100.0)
}
