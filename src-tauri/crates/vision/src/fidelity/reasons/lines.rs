//! Lines that are missing or too many.

use super::{Reason, ReasonKind, Unit};
use crate::fidelity::Side;
use crate::fidelity::geometry::Line;
use crate::fidelity::matching::Pairing;

pub(super) fn reasons(_reference: Side, _page: Side, pairing: &Pairing) -> Vec<Reason> {
    let all: usize = pairing.reference.iter().map(|line| line.text.chars().count()).sum();
    let lost = |line: &Line, kind, message| Reason {
        kind,
        selector: line.selector.clone(),
        area: line.area(),
        amount: line.text.chars().count() as f64 / all.max(1) as f64 * 100.0,
        unit: Unit::Points,
        message,
        points: line.text.chars().count() as f64 / all.max(1) as f64 * 100.0,
    };
    let missing = pairing
        .reference
        .iter()
        .enumerate()
        .filter(|(at, _)| pairing.pairs.iter().all(|pair| pair.reference != *at))
        .map(|(_, line)| lost(line, ReasonKind::Missing, format!("Text missing: “{}”.", line.text)));
    let extra = pairing
        .page
        .iter()
        .enumerate()
        .filter(|(at, _)| pairing.pairs.iter().all(|pair| pair.page != *at))
        .map(|(_, line)| lost(line, ReasonKind::Extra, format!("Text too many: “{}”.", line.text)));
    missing.chain(extra).collect()
}
