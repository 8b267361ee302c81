//! Which face, size and place reproduce the ink of each text.

use std::collections::BTreeMap;

use image::RgbImage;

use super::likeness::InkMap;
use super::place::{Fitted, placed, usual_size};
use super::vote::{STRANGE_SIZE_SLACK, Vote};
use super::{Family, Placement, Setting, Slant, Typefaces};
use crate::trace::color::distance;
use crate::trace::text::InkText;

// Anti-aliased edges fall below the ink threshold; without this sizes come out 4–8 % small.
pub(super) const WIDTH_BIAS: f32 = 0.6;
const HEIGHT_BIAS: f32 = 0.2;
// Strings shorter than this say little about width.
pub(super) const TELLING_CHARS: usize = 4;
// Drawing is dear: only the likeliest faces are drawn, the others count as this much alike.
const SHORT_CHARS: usize = 3;
const LEAST_LIKENESS: f32 = 0.58;
const MOST_STRETCH: f32 = 1.65;
const SHORTLIST: usize = 14;
const UNSEEN_LIKENESS: f32 = 0.5;
// A line that differs more from its block than this is meant to differ.
const MOST_BLOCK_COST: f32 = 0.14;
// What the usual size of the page may cost in likeness.
const MOST_SIZE_LOSS: f32 = 0.03;
pub(super) const FOREIGN_FAMILY_COST: f32 = 0.06;
const FOREIGN_FAMILY_COST_SHORT: f32 = 0.16;
const UNLIKE_FAMILY_COST: f32 = 0.1;
// Lines that no face draws well keep a fit of their own only when it is better by this.
const STRANGE_FAMILY_COST: f32 = 0.25;
// They are unlike anyway: what they may lose for looking the same.
const MOST_STRANGE_LOSS: f32 = 0.12;

pub(super) struct Candidate {
    pub(super) face: usize,
    pub(super) setting: Setting,
    by_width: f32,
    by_height: f32,
    pub(super) cost: f32,
    /// How alike the stretched drawing is.
    likeness: f32,
}

/// Each text with its fit; lone letters that resemble no letter are icons and left out.
pub(crate) fn fitted(faces: &Typefaces, picture: &RgbImage, texts: Vec<InkText>) -> Vec<(InkText, Fitted)> {
    let texts: Vec<InkText> = texts.into_iter().filter(|text| is_text(faces, picture, text)).collect();
    let fits = fit_all(faces, picture, &texts);
    texts.into_iter().zip(fits).filter_map(|(text, fitted)| Some((text, fitted?))).collect()
}

/// Whether short strings resemble their letters in any face, stretched a little at most.
fn is_text(faces: &Typefaces, picture: &RgbImage, text: &InkText) -> bool {
    if text.text.chars().count() > SHORT_CHARS {
        return true;
    }
    candidates(faces, text, &InkMap::of(picture, text)).iter().any(|candidate| {
        let stretch = candidate.by_width / candidate.by_height;
        candidate.likeness >= LEAST_LIKENESS && (1.0 / MOST_STRETCH..MOST_STRETCH).contains(&stretch)
    })
}

/// The fit of every text, in order; `None` where no face has the glyphs.
fn fit_all(faces: &Typefaces, picture: &RgbImage, texts: &[InkText]) -> Vec<Option<Fitted>> {
    let inks: Vec<InkMap> = texts.iter().map(|text| InkMap::of(picture, text)).collect();
    let mut candidates: Vec<Vec<Candidate>> =
        texts.iter().zip(&inks).map(|(text, ink)| candidates(faces, text, ink)).collect();
    let vote = Vote::of(faces, texts, &candidates);
    for (index, (text, candidates)) in texts.iter().zip(&mut candidates).enumerate() {
        let is_short = text.text.chars().count() < 12;
        let strange = vote.strange(index);
        let expected = strange.unwrap_or(vote.page);
        let foreign = if strange.is_some() {
            STRANGE_FAMILY_COST
        } else if is_short {
            FOREIGN_FAMILY_COST_SHORT
        } else {
            FOREIGN_FAMILY_COST
        };
        for candidate in candidates.iter_mut() {
            match faces.get(candidate.face).map(|face| face.family) {
                Some(family) if family == expected => {}
                // Serif and fixed-pitch letters look too different to be taken for want of a better fit.
                Some(Family::Times | Family::Mono) => candidate.cost += foreign + UNLIKE_FAMILY_COST,
                _ => candidate.cost += foreign,
            }
        }
        candidates.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(a.face.cmp(&b.face)));
    }
    let sizes: Vec<f32> = texts
        .iter()
        .zip(&candidates)
        .map(|(text, candidates)| candidates.first().map_or(0.0, |best| best.size(text)))
        .collect();
    let blocks = blocks(texts, &sizes, &vote);
    let chosen: Vec<Option<&Candidate>> = (0..texts.len())
        .map(|index| {
            let own = candidates.get(index)?;
            let shared = shared_face(index, &blocks, texts, &candidates);
            let best = own.first()?;
            let is_good_enough = |candidate: &&Candidate| candidate.cost - best.cost < MOST_BLOCK_COST;
            let of_block = own.iter().find(|candidate| Some(candidate.face) == shared);
            Some(of_block.filter(is_good_enough).unwrap_or(best))
        })
        .collect();
    let place = |index: usize, size: Option<f32>| {
        let chosen = chosen.get(index).copied().flatten()?;
        placed(faces.get(chosen.face)?, chosen, texts.get(index)?, inks.get(index)?, size)
    };
    let first: Vec<Option<Fitted>> = (0..texts.len()).map(|index| place(index, None)).collect();
    first
        .iter()
        .enumerate()
        .map(|(index, fitted)| {
            let fitted = fitted.as_ref()?;
            let shared = vote.shared_size(index, &first, texts);
            let most_loss = if shared.is_some() { MOST_STRANGE_LOSS } else { MOST_SIZE_LOSS };
            let usual = shared.or_else(|| usual_size(fitted, &first, texts));
            let again = usual.and_then(|size| place(index, Some(size)));
            let is_as_good = |again: &Fitted| again.likeness > fitted.likeness - most_loss;
            Some(again.filter(is_as_good).unwrap_or_else(|| fitted.clone()))
        })
        .collect()
}

/// The face that suits all lines of a text's block best.
fn shared_face(
    index: usize,
    blocks: &[usize],
    texts: &[InkText],
    candidates: &[Vec<Candidate>],
) -> Option<usize> {
    let block = blocks.get(index)?;
    let mut costs: BTreeMap<usize, (f32, usize)> = BTreeMap::new();
    let mut lines = 0;
    for ((text, of_block), candidates) in texts.iter().zip(blocks).zip(candidates) {
        if of_block == block {
            lines += 1;
            let weight = text.text.chars().count().min(60) as f32;
            for candidate in candidates {
                let cost = costs.entry(candidate.face).or_default();
                *cost = (cost.0 + weight * candidate.cost, cost.1 + 1);
            }
        }
    }
    costs.retain(|_, cost| cost.1 == lines);
    costs.into_iter().min_by(|a, b| a.1.0.total_cmp(&b.1.0)).map(|(face, _)| face)
}

/// For each text the number of its block: lines of one look under each other.
fn blocks(texts: &[InkText], sizes: &[f32], vote: &Vote) -> Vec<usize> {
    let mut block: Vec<usize> = (0..texts.len()).collect();
    for (index, (text, size)) in texts.iter().zip(sizes).enumerate() {
        // Texts are in reading order, so the next line of a block is below and soon.
        let below = texts.iter().zip(sizes).enumerate().skip(index + 1).find(|(at, (other, other_size))| {
            let pitch = (other.ink.bottom() - text.ink.bottom()) as f32;
            let is_near = pitch > 0.8 * size && pitch < 3.0 * size;
            let are_strange = vote.strange(index).is_some() && vote.strange(*at).is_some();
            let slack = if are_strange { STRANGE_SIZE_SLACK } else { 0.07 };
            let is_alike = (*other_size / size - 1.0).abs() < slack
                && distance(text.color, other.color) < 45.0
                && distance(text.background, other.background) < 12.0;
            let is_aligned = (text.ink.x - other.ink.x).abs() <= 3
                || (text.ink.right() - other.ink.right()).abs() <= 2
                || (2 * text.ink.x + text.ink.w - 2 * other.ink.x - other.ink.w).abs() <= 5;
            is_near && is_alike && is_aligned
        });
        if let (Some((other, _)), Some(&number)) = (below, block.get(index))
            && let Some(slot) = block.get_mut(other)
        {
            *slot = number;
        }
    }
    block
}

fn candidates(faces: &Typefaces, text: &InkText, ink: &InkMap) -> Vec<Candidate> {
    let count = text.text.chars().count();
    let mut found: Vec<Candidate> = faces
        .faces
        .iter()
        .enumerate()
        .filter_map(|(index, face)| {
            let setting = face.set(&text.text)?;
            let by_width = (text.ink.w as f32 + WIDTH_BIAS) / setting.width();
            let by_height = (text.ink.h as f32 + HEIGHT_BIAS) / setting.height();
            let proportion = (by_width / by_height).ln().abs()
                * if count >= 6 {
                    1.0
                } else if count >= 3 {
                    0.7
                } else {
                    0.4
                };
            let size = mixed_size(count, by_width, by_height);
            let covered = setting.area * size * size / text.ink.area().max(1) as f32;
            let weight = (text.coverage.max(0.02) / covered.max(0.02)).ln().abs();
            // Pages are upright unless the shape clearly says otherwise.
            let slant = if face.slant == Slant::Italic { 0.05 } else { 0.0 };
            let cost = proportion + 0.7 * weight + slant;
            Some(Candidate { face: index, setting, by_width, by_height, cost, likeness: 0.0 })
        })
        .collect();
    found.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    for (rank, candidate) in found.iter_mut().enumerate() {
        let face = faces.get(candidate.face).filter(|_| rank < SHORTLIST);
        // Stretched onto the ink, so that only the shapes are compared.
        let placement = Placement {
            x: text.ink.x as f32 - WIDTH_BIAS / 2.0 - candidate.setting.left * candidate.by_width,
            baseline: text.ink.y as f32 - HEIGHT_BIAS / 2.0 - candidate.setting.top * candidate.by_height,
            em_x: candidate.by_width,
            em_y: candidate.by_height,
        };
        let likeness =
            face.map_or(UNSEEN_LIKENESS, |face| ink.likeness(&face.draw(&candidate.setting, placement)));
        candidate.likeness = likeness;
        candidate.cost += 0.8 * (1.0 - likeness);
    }
    found
}

impl Candidate {
    pub(super) fn size(&self, text: &InkText) -> f32 {
        mixed_size(text.text.chars().count(), self.by_width, self.by_height)
    }
}

fn mixed_size(count: usize, by_width: f32, by_height: f32) -> f32 {
    if count >= TELLING_CHARS && (by_width / by_height).ln().abs() < 0.12 {
        0.8 * by_width + 0.2 * by_height
    } else {
        by_height
    }
}
