//! What belongs together is told once: the lines of an element, what is missing with what held it, and what is hidden
//! with what hides it.

use super::causes::{Change, Place};
use super::{Case, ReasonKind};
use crate::fidelity::geometry::Area;

/// Share of its points that something keeps which follows from something else.
pub(super) const KEPT: f64 = 0.1;
/// Share of an element that something must lie over to hide it.
const HIDDEN: f64 = 0.4;

/// Gathers what belongs together.
pub(super) fn gather(case: &Case, changes: &mut Vec<Change>, places: &mut [Place]) {
    gather_lines(changes);
    gather_held(case, changes);
    blame_hiding(changes, places);
}

/// The same that is wrong with several lines of one element.
fn gather_lines(changes: &mut Vec<Change>) {
    let mut gathered: Vec<Change> = Vec::with_capacity(changes.len());
    for change in changes.drain(..) {
        let reason = &change.reason;
        let is_same = |other: &&mut Change| {
            change.is_line
                && other.is_line
                && reason.selector.is_some()
                && other.reason.selector == reason.selector
                && other.reason.kind == reason.kind
        };
        match gathered.iter_mut().find(is_same) {
            Some(other) => {
                other.reason.points += reason.points;
                other.reason.amount = other.reason.amount.max(reason.amount);
                other.reason.area = other.reason.area.united(reason.area);
                other.extent.wanted = other.extent.wanted.united(change.extent.wanted);
                other.extent.shown = other.extent.shown.united(change.extent.shown);
            }
            None => gathered.push(change),
        }
    }
    *changes = gathered;
}

/// What is missing, or there for nothing, goes with the box that held it.
fn gather_held(case: &Case, changes: &mut Vec<Change>) {
    let is_held = |inner: &Change, outer: &Change| {
        let (small, large) = (inner.reason.area, outer.reason.area);
        !outer.is_line
            && outer.reason.kind == inner.reason.kind
            && (inner.is_line || large.size() > small.size())
            && large.holds(small, 1.5)
    };
    let is_alone = |change: &Change| matches!(change.reason.kind, ReasonKind::Missing | ReasonKind::Extra);
    let mut dropped = vec![false; changes.len()];
    for at in 0..changes.len() {
        if !is_alone(&changes[at]) {
            continue;
        }
        let outer = (0..changes.len())
            .filter(|other| *other != at && is_held(&changes[at], &changes[*other]))
            .max_by(|a, b| changes[*a].reason.area.size().total_cmp(&changes[*b].reason.area.size()));
        if let Some(outer) = outer {
            let reason = &changes[at].reason;
            let more = (reason.points - case.errors.points(reason.area)).max(0.0);
            changes[outer].reason.points += more;
            dropped[at] = true;
        }
    }
    let mut dropped = dropped.into_iter();
    changes.retain(|_| !dropped.next().unwrap_or_default());
}

/// What cannot be seen because something else lies over it keeps little: that which hides it is to blame. It left no
/// room either.
fn blame_hiding(changes: &mut [Change], places: &mut [Place]) {
    for at in 0..changes.len() {
        if changes[at].reason.kind != ReasonKind::Missing {
            continue;
        }
        let hidden = changes[at].reason.area;
        let covers = |area: Area| area.shared(hidden) >= HIDDEN * hidden.size();
        let is_over = |other: &Change| other.reason.kind == ReasonKind::Extra && covers(other.reason.area);
        let came_over = |place: &&mut Place| covers(place.shown) && !covers(place.wanted);
        let points = (1.0 - KEPT) * changes[at].reason.points;
        if let Some(over) = changes.iter().position(is_over) {
            changes[over].reason.points += points;
        } else if let Some(over) = places.iter_mut().find(came_over) {
            over.points += points;
        } else {
            continue;
        }
        changes[at].reason.points -= points;
        changes[at].extent.shown = changes[at].extent.wanted;
    }
}
