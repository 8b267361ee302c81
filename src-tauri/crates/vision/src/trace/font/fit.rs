//! Which face, size and place reproduce the ink of each text.

use std::collections::BTreeMap;

use image::RgbImage;

use super::{Coverage, Family, Placement, Setting, Slant, Typeface, Typefaces};
use crate::trace::color::{distance, pixel};
use crate::trace::geometry::Rect;
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

// Anti-aliased edges fall below the ink threshold; without this sizes come out 4–8 % small.
const WIDTH_BIAS: f32 = 0.6;
const HEIGHT_BIAS: f32 = 0.2;
// Strings shorter than this say little about width.
const TELLING_CHARS: usize = 4;
// Drawing is dear: only the likeliest faces are drawn, the others count as this much alike.
const SHORTLIST: usize = 10;
const UNSEEN_LIKENESS: f32 = 0.5;
// A line that differs more from its block than this is meant to differ.
const MOST_BLOCK_COST: f32 = 0.14;
// What the usual size of the page may cost in likeness.
const MOST_SIZE_LOSS: f32 = 0.03;
// Tighter letters run into each other; wider ones fall apart.
const TIGHTEST: f32 = -0.05;
const WIDEST: f32 = 0.3;
const FOREIGN_FAMILY_COST: f32 = 0.06;
const FOREIGN_FAMILY_COST_SHORT: f32 = 0.16;
const UNLIKE_FAMILY_COST: f32 = 0.06;
const SNAP: f32 = 0.035;
const COMMON_SIZES: [f32; 36] = [
    10.0, 11.0, 12.0, 12.8, 13.0, 13.33, 13.6, 14.0, 14.4, 15.0, 16.0, 17.0, 17.6, 18.0, 19.0, 20.0, 21.0,
    22.0, 24.0, 26.0, 28.0, 30.0, 32.0, 35.2, 36.0, 40.0, 42.0, 44.0, 48.0, 52.0, 56.0, 60.0, 64.0, 72.0,
    80.0, 96.0,
];

struct Candidate {
    face: usize,
    setting: Setting,
    by_width: f32,
    by_height: f32,
    cost: f32,
}

/// Each text with its fit; lone letters that resemble no letter are icons and left out.
pub(crate) fn fitted(faces: &Typefaces, picture: &RgbImage, texts: Vec<InkText>) -> Vec<(InkText, Fitted)> {
    let fits = fit_all(faces, picture, &texts);
    texts
        .into_iter()
        .zip(fits)
        .filter_map(|(text, fitted)| Some((text, fitted?)))
        .filter(|(text, fitted)| fitted.is_text(text))
        .collect()
}

/// The fit of every text, in order; `None` where no face has the glyphs.
fn fit_all(faces: &Typefaces, picture: &RgbImage, texts: &[InkText]) -> Vec<Option<Fitted>> {
    let inks: Vec<InkMap> = texts.iter().map(|text| InkMap::of(picture, text)).collect();
    let mut candidates: Vec<Vec<Candidate>> =
        texts.iter().zip(&inks).map(|(text, ink)| candidates(faces, text, ink)).collect();
    let page = page_family(faces, texts, &candidates);
    for (text, candidates) in texts.iter().zip(&mut candidates) {
        let is_short = text.text.chars().count() < 12;
        let foreign = if is_short { FOREIGN_FAMILY_COST_SHORT } else { FOREIGN_FAMILY_COST };
        for candidate in candidates.iter_mut() {
            match faces.get(candidate.face).map(|face| face.family) {
                Some(family) if family == page => {}
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
    let blocks = blocks(texts, &sizes);
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
            let usual = usual_size(fitted, &first, texts);
            let again = usual.and_then(|size| place(index, Some(size)));
            let is_as_good = |again: &Fitted| again.likeness > fitted.likeness - MOST_SIZE_LOSS;
            Some(again.filter(is_as_good).unwrap_or_else(|| fitted.clone()))
        })
        .collect()
}

/// A size near a text's own in which much more of the page is set in the same face.
fn usual_size(fitted: &Fitted, all: &[Option<Fitted>], texts: &[InkText]) -> Option<f32> {
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
fn blocks(texts: &[InkText], sizes: &[f32]) -> Vec<usize> {
    let mut block: Vec<usize> = (0..texts.len()).collect();
    for (index, (text, size)) in texts.iter().zip(sizes).enumerate() {
        // Texts are in reading order, so the next line of a block is below and soon.
        let below = texts.iter().zip(sizes).enumerate().skip(index + 1).find(|(_, (other, other_size))| {
            let pitch = (other.ink.bottom() - text.ink.bottom()) as f32;
            let is_near = pitch > 0.8 * size && pitch < 3.0 * size;
            let is_alike = (*other_size / size - 1.0).abs() < 0.07
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
            let proportion = (by_width / by_height).ln().abs() * if count >= 6 { 1.0 } else { 0.4 };
            let size = mixed_size(count, by_width, by_height);
            let covered = setting.area * size * size / text.ink.area().max(1) as f32;
            let weight = (text.coverage.max(0.02) / covered.max(0.02)).ln().abs();
            // Pages are upright unless the shape clearly says otherwise.
            let slant = if face.slant == Slant::Italic { 0.05 } else { 0.0 };
            let cost = proportion + 0.4 * weight + slant;
            Some(Candidate { face: index, setting, by_width, by_height, cost })
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
        candidate.cost += 0.8 * (1.0 - likeness);
    }
    found
}

impl Candidate {
    fn size(&self, text: &InkText) -> f32 {
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

fn page_family(faces: &Typefaces, texts: &[InkText], candidates: &[Vec<Candidate>]) -> Family {
    let mut costs = Family::ALL.map(|family| (family, 0.0_f32));
    for (text, candidates) in texts.iter().zip(candidates) {
        let count = text.text.chars().count();
        if count < TELLING_CHARS || text.ink.w < 20 {
            continue;
        }
        for (family, sum) in &mut costs {
            let best = candidates
                .iter()
                .filter(|c| faces.get(c.face).is_some_and(|face| face.family == *family))
                .map(|c| c.cost)
                .fold(0.35, f32::min);
            *sum += best * count.min(40) as f32;
        }
    }
    costs.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(Family::Arial, |(family, _)| family)
}

/// The size and place at which the face draws the ink most alike.
fn placed(
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
    let is_odd = count >= 3 && !(TIGHTEST..WIDEST).contains(&spacing_em);
    let limited = spacing_em.clamp(TIGHTEST, WIDEST);
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
        let is_rounding = count < 3 || missing.abs() < 1.0_f32.max(0.012 * text.ink.w as f32);
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

/// Observed coverage around a text's ink.
struct InkMap {
    area: Rect,
    alpha: Vec<f32>,
    mean: f32,
    norm: f32,
}

impl InkMap {
    fn of(picture: &RgbImage, text: &InkText) -> Self {
        let whole = Rect { x: 0, y: 0, w: picture.width() as i32, h: picture.height() as i32 };
        let area = text.ink.grown(1).common(whole);
        let contrast = distance(text.color, text.background).max(1.0);
        let alpha: Vec<f32> = (area.y..area.bottom())
            .flat_map(|y| (area.x..area.right()).map(move |x| (x, y)))
            .map(|(x, y)| (distance(pixel(picture, x, y), text.background) / contrast).min(1.0))
            .collect();
        let mean = alpha.iter().sum::<f32>() / alpha.len().max(1) as f32;
        let norm = alpha.iter().map(|a| (a - mean) * (a - mean)).sum::<f32>().sqrt();
        Self { area, alpha, mean, norm }
    }

    /// Normalised correlation of the ink with a drawing.
    fn likeness(&self, drawn: &Coverage) -> f32 {
        let (mut sum, mut square, mut product) = (0.0_f32, 0.0_f32, 0.0_f32);
        let width = self.area.w.max(1) as usize;
        for (row, cells) in self.alpha.chunks(width).enumerate() {
            for (column, alpha) in cells.iter().enumerate() {
                let value = drawn.at(self.area.x + column as i32, self.area.y + row as i32);
                sum += value;
                square += value * value;
                product += value * (alpha - self.mean);
            }
        }
        let count = self.alpha.len().max(1) as f32;
        let norm = (square - sum * sum / count).max(0.0).sqrt();
        product / (self.norm * norm + 1e-4)
    }
}

impl Fitted {
    fn is_text(&self, text: &InkText) -> bool {
        const LEAST_LIKENESS: f32 = 0.55;
        text.text.chars().count() > 3 || self.likeness >= LEAST_LIKENESS
    }
}
