//! The family a line is taken for before its own fit decides: voted by all lines of its kind.

use super::fit::{Candidate, FOREIGN_FAMILY_COST, TELLING_CHARS};
use super::place::Fitted;
use super::{Family, Typefaces};
use crate::trace::color::{distance, median};
use crate::trace::text::InkText;

// A line that no face here draws at a lower cost is set in a family that is not here.
const STRANGE_COST: f32 = 0.3;
// Small letters fit badly for want of pixels; only display sizes count as strange.
const DISPLAY_SIZE: f32 = 1.25;
const LEAST_VOTES: usize = 20;
const MOST_VOTES: usize = 40;
pub(super) const STRANGE_SIZE_SLACK: f32 = 0.12;
const SAME_INK: f32 = 45.0;
const SAME_GROUND: f32 = 12.0;

/// What all lines of a page say about families.
pub(super) struct Vote {
    /// The family most of the page is set in.
    pub(super) page: Family,
    /// The family nearest to the lines that no face draws well, and which lines these are.
    strange: Option<(Family, Vec<bool>)>,
}

impl Vote {
    pub(super) fn of(faces: &Typefaces, texts: &[InkText], candidates: &[Vec<Candidate>]) -> Self {
        let page = best_family(faces, texts, candidates, |text| {
            text.text.chars().count() >= TELLING_CHARS && text.ink.w >= 20
        });
        let sizes: Vec<(f32, f32)> = texts
            .iter()
            .zip(candidates)
            .map(|(text, candidates)| {
                let best = candidates.iter().min_by(|a, b| a.cost.total_cmp(&b.cost));
                best.map_or((0.0, f32::MAX), |best| (best.size(text), best.cost))
            })
            .collect();
        let usual = usual_size(texts, &sizes);
        let is_strange: Vec<bool> = texts
            .iter()
            .zip(&sizes)
            .map(|(text, (size, cost))| {
                let tells = text.text.chars().count() >= TELLING_CHARS;
                tells && *size >= DISPLAY_SIZE * usual && *cost > STRANGE_COST
            })
            .collect();
        let strange = strange_family(faces, texts, candidates, &is_strange, page);
        Self { page, strange: strange.map(|family| (family, is_strange)) }
    }

    /// The family of a line that no face draws well, as voted by all of these.
    pub(super) fn strange(&self, index: usize) -> Option<Family> {
        let (family, lines) = self.strange.as_ref()?;
        lines.get(index).copied().unwrap_or(false).then_some(*family)
    }

    /// The size strange lines of one look share: by themselves they come out larger and smaller by chance.
    pub(super) fn shared_size(
        &self,
        index: usize,
        fits: &[Option<Fitted>],
        texts: &[InkText],
    ) -> Option<f32> {
        self.strange(index)?;
        let (text, own) = (texts.get(index)?, fits.get(index)?.as_ref()?);
        let (mut sum, mut weights, mut lines) = (0.0_f32, 0.0_f32, 0);
        for (other, (fitted, other_text)) in fits.iter().zip(texts).enumerate() {
            let Some(fitted) = fitted.as_ref().filter(|_| self.strange(other).is_some()) else { continue };
            let is_alike = fitted.face == own.face
                && (fitted.size / own.size).ln().abs() < STRANGE_SIZE_SLACK
                && distance(text.color, other_text.color) < SAME_INK
                && distance(text.background, other_text.background) < SAME_GROUND;
            if is_alike {
                let weight = votes(other_text);
                sum += weight * fitted.size;
                weights += weight;
                lines += 1;
            }
        }
        (lines > 1).then(|| (sum / weights).round())
    }
}

fn votes(text: &InkText) -> f32 {
    text.text.chars().count().min(MOST_VOTES) as f32
}

/// The size of the page's middle letter.
fn usual_size(texts: &[InkText], sizes: &[(f32, f32)]) -> f32 {
    let mut all: Vec<f32> = texts
        .iter()
        .zip(sizes)
        .flat_map(|(text, (size, _))| std::iter::repeat_n(*size, text.text.chars().count()))
        .collect();
    if all.is_empty() { 0.0 } else { median(&mut all) }
}

fn least_cost(faces: &Typefaces, family: Family, candidates: &[Candidate]) -> f32 {
    candidates
        .iter()
        .filter(|candidate| faces.get(candidate.face).is_some_and(|face| face.family == family))
        .map(|candidate| candidate.cost)
        .fold(f32::MAX, f32::min)
}

fn best_family(
    faces: &Typefaces,
    texts: &[InkText],
    candidates: &[Vec<Candidate>],
    tells: impl Fn(&InkText) -> bool,
) -> Family {
    let mut costs = Family::ALL.map(|family| (family, 0.0_f32));
    for (text, candidates) in texts.iter().zip(candidates).filter(|(text, _)| tells(text)) {
        for (family, sum) in &mut costs {
            *sum += least_cost(faces, *family, candidates).min(0.35) * votes(text);
        }
    }
    costs.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(Family::Arial, |(family, _)| family)
}

fn strange_family(
    faces: &Typefaces,
    texts: &[InkText],
    candidates: &[Vec<Candidate>],
    is_strange: &[bool],
    page: Family,
) -> Option<Family> {
    let lines: Vec<(&InkText, &Vec<Candidate>)> = texts
        .iter()
        .zip(candidates)
        .zip(is_strange)
        .filter(|(_, is_strange)| **is_strange)
        .map(|(line, _)| line)
        .collect();
    if lines.iter().map(|(text, _)| text.text.chars().count()).sum::<usize>() < LEAST_VOTES {
        return None;
    }
    let cost = |family: Family| {
        let foreign = if family == page { 0.0 } else { FOREIGN_FAMILY_COST };
        let (sum, weights) = lines.iter().fold((0.0_f32, 0.0_f32), |(sum, weights), (text, candidates)| {
            let weight = votes(text);
            (sum + weight * least_cost(faces, family, candidates).min(1.5), weights + weight)
        });
        sum / weights.max(1.0) + foreign
    };
    Family::ALL
        .into_iter()
        .map(|family| (family, cost(family)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|best| best.0)
}
