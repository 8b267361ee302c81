//! Why a page is not its screenshot: what a designer would put right first.

mod boxes;
mod causes;
mod errors;
mod gathering;
mod lines;
mod moves;
mod words;
mod wraps;

use serde::Serialize;

use super::geometry::{Area, Geometry, Line, PaintedBox};
use super::matching::Pairing;
use super::{Reading, Side};
use errors::ErrorMap;

/// What is wrong with an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReasonKind {
    /// It is in the screenshot only.
    Missing,
    /// It is on the page only.
    Extra,
    /// It stands elsewhere.
    Moved,
    /// It is larger or smaller.
    Resized,
    /// Its colour is another.
    Recoloured,
    /// It says something else.
    Reworded,
    /// Its letters are lighter or bolder.
    WrongWeight,
    /// Its letters are larger or smaller.
    WrongSize,
    /// Its picture is another.
    ImageDiffers,
}

/// What an amount counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Unit {
    /// Pixels.
    #[serde(rename = "px")]
    Pixels,
    /// Points of the score.
    #[serde(rename = "pt")]
    Points,
    /// CIEDE2000.
    #[serde(rename = "ΔE")]
    DeltaE,
}

/// One thing to put right.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reason {
    /// What is wrong.
    pub kind: ReasonKind,
    /// The element on the page, if it is there and known.
    pub selector: Option<String>,
    /// Where to look: on the page, or in the screenshot for what is missing.
    #[serde(rename = "box")]
    pub area: Area,
    /// How wrong.
    pub amount: f64,
    /// What `amount` counts.
    pub unit: Unit,
    /// The same in one plain sentence.
    pub message: String,
    /// About how many points of the score it costs; the list is sorted by it.
    pub points: f64,
}

/// Reasons worth less than this many points are left out.
const FEWEST_POINTS: f64 = 0.005;
/// More than this nobody reads.
const MOST_REASONS: usize = 60;
/// Of more than so many changes, or places, the least are not looked into: what follows from what is found by holding
/// each against each. A usual page has a tenth of it.
const MOST_HELD: usize = 2000;

/// What the reasons are found in.
struct Case<'a> {
    reference: Side<'a>,
    page: Side<'a>,
    pairing: &'a Pairing<'a>,
    reading: Reading,
    errors: ErrorMap,
}

impl Case<'_> {
    /// How far something must be off to be named, in pixels.
    fn slack_px(&self) -> f64 {
        match self.reading {
            Reading::Dom => 0.9,
            Reading::Ocr => 2.5,
        }
    }

    /// What lies within an area on either side, smaller than it.
    fn parts_of(&self, area: Area) -> Vec<Area> {
        let of = |side: &Geometry| {
            let lines = side.texts.iter().map(Line::area);
            let boxes = side.boxes.iter().map(PaintedBox::area);
            lines.chain(boxes).collect::<Vec<_>>()
        };
        let mut parts = of(self.reference.geometry);
        parts.extend(of(self.page.geometry));
        parts.retain(|part| part.size() < 0.9 * area.size() && area.holds(*part, 2.0));
        parts
    }

    /// Whether pixels bear out what geometry says; geometry read from pixels alone is not to be trusted.
    fn is_seen(&self, area: Area) -> bool {
        self.reading == Reading::Dom || self.errors.mean(area) >= 3.0
    }
}

/// Everything that is wrong, worst first. What follows from something else is told once, at its cause.
pub(super) fn reasons(
    reference: Side,
    page: Side,
    pairing: &Pairing,
    reading: Reading,
    visual: f64,
) -> Vec<Reason> {
    let errors = ErrorMap::of(reference.pixels, page.pixels, (1.0 - visual) * 25.0);
    let case = Case { reference, page, pairing, reading, errors };
    let (mut changes, mut places) = (Vec::new(), Vec::new());
    lines::compare(&case, &mut changes, &mut places);
    boxes::compare(&case, &mut changes, &mut places);
    keep_largest(&mut changes, |change| change.reason.points);
    keep_largest(&mut places, |place| place.dx.abs().max(place.dy.abs()));
    gathering::gather(&case, &mut changes, &mut places);
    let followers = causes::drop_consequences(&case, &mut changes, &places);
    moves::add_moves(&case, &mut changes, &followers, &places);
    // What a document says is exact; what was read may be off by as little.
    let fewest = if reading == Reading::Dom { 0.0 } else { FEWEST_POINTS };
    let mut reasons: Vec<Reason> = changes
        .into_iter()
        .map(|change| change.reason)
        .filter(|reason| reason.points >= fewest && reason.amount.is_finite())
        .collect();
    reasons.sort_by(|a, b| {
        let places = a.area.y.total_cmp(&b.area.y).then(a.area.x.total_cmp(&b.area.x));
        b.points.total_cmp(&a.points).then(places)
    });
    reasons.truncate(MOST_REASONS);
    reasons
}

/// Leaves the largest if there are too many, in the order they stand in.
fn keep_largest<T>(all: &mut Vec<T>, size: impl Fn(&T) -> f64) {
    if all.len() <= MOST_HELD {
        return;
    }
    let mut sizes: Vec<(f64, usize)> = all.iter().map(size).zip(0..).collect();
    sizes.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut is_kept = vec![false; all.len()];
    sizes.iter().take(MOST_HELD).for_each(|(_, at)| is_kept[*at] = true);
    let mut is_kept = is_kept.into_iter();
    all.retain(|_| is_kept.next().unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    // S-70
    #[test]
    fn of_too_many_changes_the_largest_are_looked_into() {
        let mut all: Vec<usize> = (0..MOST_HELD + 500).collect();
        keep_largest(&mut all, |at| *at as f64);
        assert_eq!(all, (500..MOST_HELD + 500).collect::<Vec<_>>());
        keep_largest(&mut all, |_| 0.0);
        assert_eq!(all.len(), MOST_HELD);
    }
}
