//! Why a page is not its screenshot: what a designer would put right first.

mod lines;

use serde::Serialize;

use super::Side;
use super::geometry::Area;
use super::matching::Pairing;

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

/// Everything that is wrong, worst first.
pub(super) fn reasons(reference: Side, page: Side, pairing: &Pairing) -> Vec<Reason> {
    let mut reasons = lines::reasons(reference, page, pairing);
    reasons.sort_by(|a, b| b.points.total_cmp(&a.points));
    reasons
}
