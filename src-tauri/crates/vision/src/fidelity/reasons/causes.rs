//! What is a change of its own and what only follows from another one.

use super::{Case, Reason, ReasonKind};
use crate::fidelity::geometry::Area;

/// Where an element should be and where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) wanted: Area,
    pub(super) shown: Area,
}

impl Extent {
    pub(super) fn wider(self) -> f64 {
        self.shown.w - self.wanted.w
    }

    pub(super) fn taller(self) -> f64 {
        self.shown.h - self.wanted.h
    }
}

/// Something that is wrong with one element.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) reason: Reason,
    pub(super) extent: Extent,
    /// Its box has another size.
    pub(super) is_shape: bool,
}

impl Change {
    /// A change of something that is on one side only, and that took or gave so much height.
    pub(super) fn only(reason: Reason, taller: f64) -> Self {
        let area = reason.area;
        let none = Area { h: 0.0, w: 0.0, ..area };
        let extent = if taller < 0.0 {
            Extent { wanted: area, shown: none }
        } else {
            Extent { wanted: none, shown: area }
        };
        Self { reason, extent, is_shape: false }
    }

    /// Whether it can push other elements about.
    pub(super) fn pushes(&self) -> bool {
        use ReasonKind::{Extra, Missing, Resized, Reworded, WrongSize, WrongWeight};
        matches!(self.reason.kind, Missing | Extra | Resized | Reworded | WrongSize | WrongWeight)
    }
}

/// An element that is on both sides, and how far it is off.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) name: String,
    pub(super) selector: Option<String>,
    pub(super) wanted: Area,
    pub(super) shown: Area,
    pub(super) dx: f64,
    pub(super) dy: f64,
    /// What its being elsewhere costs.
    pub(super) points: f64,
    pub(super) is_line: bool,
}

/// The number nearest to zero.
pub(super) fn least(values: &[f64]) -> f64 {
    values.iter().copied().min_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0)
}

/// Drops boxes that are larger only because of what they hold, and gives what they cost to the cause.
pub(super) fn drop_consequences(case: &Case, changes: &mut Vec<Change>, places: &mut [Place]) {
    let mut dropped = vec![false; changes.len()];
    for at in 0..changes.len() {
        if !changes[at].is_shape {
            continue;
        }
        let Some(cause) = cause_inside(case, changes, places, at) else { continue };
        dropped[at] = true;
        if let Cause::Change(cause) = cause {
            let points = 0.1 * changes[at].reason.points;
            changes[cause].reason.points += points;
        }
    }
    let mut at = 0;
    changes.retain(|_| {
        at += 1;
        !dropped[at - 1]
    });
}

enum Cause {
    Change(usize),
    Move,
}

fn cause_inside(case: &Case, changes: &[Change], places: &[Place], at: usize) -> Option<Cause> {
    let outer = changes[at].extent;
    let (wider, taller) = (outer.wider(), outer.taller());
    let slack = case.slack_px() + 0.6;
    let by_change = changes.iter().enumerate().find(|(other, change)| {
        if *other == at || !change.pushes() {
            return false;
        }
        let inner = change.extent;
        let is_inside = outer.wanted.holds(inner.wanted, slack) && outer.shown.holds(inner.shown, slack);
        let is_smaller =
            inner.shown.size().max(inner.wanted.size()) < outer.shown.size().max(outer.wanted.size());
        if change.is_shape {
            // Height grows from the inside out, width from the outside in.
            let grew_inside = is_inside && is_smaller && wider.abs() <= slack;
            let grew_outside = inner.shown.holds(outer.shown, slack)
                && inner.wanted.holds(outer.wanted, slack)
                && !is_smaller
                && taller.abs() <= slack.max(0.1 * wider.abs())
                && (inner.wider() - wider).abs() <= slack;
            (grew_inside && (inner.taller() - taller).abs() <= slack) || grew_outside
        } else {
            is_inside && is_smaller && wider.abs() <= slack.max(change.extent.wider().abs() + slack)
        }
    });
    if let Some((cause, _)) = by_change {
        return Some(Cause::Change(cause));
    }
    let by_move = places.iter().any(|place| {
        outer.wanted.holds(place.wanted, slack)
            && place.wanted.size() < outer.wanted.size()
            && (place.dy - taller).abs() <= slack
            && place.dy.abs() > slack
            && wider.abs() <= slack
    });
    by_move.then_some(Cause::Move)
}
