//! What is a change of its own and what only follows from another one.

use super::gathering::KEPT;
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
    /// It is a text's.
    pub(super) is_line: bool,
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
        Self { reason, extent, is_shape: false, is_line: false }
    }

    /// The same, of a text.
    pub(super) fn of_line(self) -> Self {
        Self { is_line: true, ..self }
    }

    /// Whether it is a text that only runs over other lines.
    pub(super) fn is_wrap(&self) -> bool {
        self.is_line && self.reason.kind == ReasonKind::Resized
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

/// A box that has another size because of something else.
#[derive(Clone, Copy, Debug)]
pub(super) struct Follower {
    /// Which change is the cause.
    pub(super) cause: usize,
    pub(super) extent: Extent,
}

/// Drops boxes that are larger only because of what they hold or stand beside, and gives what they cost to the cause.
pub(super) fn drop_consequences(case: &Case, changes: &mut Vec<Change>, places: &[Place]) -> Vec<Follower> {
    let cause = |at: usize| match &changes[at] {
        change if change.is_shape => cause_inside(case, changes, places, at),
        change if change.is_wrap() => cause_of_wrap(case, changes, at),
        _ => None,
    };
    let mut causes: Vec<Option<Cause>> = (0..changes.len()).map(cause).collect();
    for at in 0..changes.len() {
        if changes[at].is_shape && causes[at].is_none() {
            causes[at] = cause_beside(case, changes, &causes, at);
        }
    }
    let mut followers = Vec::new();
    for at in 0..changes.len() {
        let Some(Cause::Change(first)) = causes[at] else { continue };
        let cause = root(&causes, first);
        let points = KEPT * changes[at].reason.points;
        changes[cause].reason.points += points;
        // Those before it that are dropped leave their places.
        let place = cause - causes[..cause].iter().flatten().count();
        if causes[cause].is_none() {
            followers.push(Follower { cause: place, extent: changes[at].extent });
        }
    }
    let mut causes = causes.into_iter();
    changes.retain(|_| causes.next().is_none_or(|cause| cause.is_none()));
    followers
}

/// The change at the end of a chain of causes.
fn root(causes: &[Option<Cause>], from: usize) -> usize {
    let mut at = from;
    for _ in 0..causes.len() {
        match causes[at] {
            Some(Cause::Change(next)) => at = next,
            _ => break,
        }
    }
    at
}

/// What made a text run over other lines: its own letters, the box around it, or what takes its room.
fn cause_of_wrap(case: &Case, changes: &[Change], at: usize) -> Option<Cause> {
    let own = &changes[at];
    let slack = case.slack_px() + 0.6;
    let is_own = |other: &Change| {
        other.is_line && other.pushes() && !other.is_wrap() && other.reason.selector == own.reason.selector
    };
    let is_around = |other: &Change| {
        other.is_shape
            && other.extent.wider().abs() > slack
            && other.extent.wanted.holds(own.extent.wanted, slack)
            && other.extent.shown.holds(own.extent.shown, slack)
    };
    let is_beside = |other: &Change| {
        let (there, here) = (other.extent.wanted, own.extent.wanted);
        other.pushes()
            && !other.is_wrap()
            && other.extent.wider().abs() > slack
            && there.y < here.bottom()
            && here.y < there.bottom()
    };
    let first = |is_cause: &dyn Fn(&Change) -> bool| changes.iter().position(is_cause);
    first(&is_own).or_else(|| first(&is_around)).or_else(|| first(&is_beside)).map(Cause::Change)
}

/// What made a box as tall as its neighbours, or left it so little room.
fn cause_beside(case: &Case, changes: &[Change], causes: &[Option<Cause>], at: usize) -> Option<Cause> {
    let own = changes[at].extent;
    let slack = case.slack_px() + 0.6;
    let is_cause = |other: &usize| {
        let there = &changes[*other];
        let extent = there.extent;
        let is_row = extent.wanted.y < own.wanted.bottom() && own.wanted.y < extent.wanted.bottom();
        if *other == at || !is_row {
            return false;
        }
        let is_apart = extent.wanted.shared(own.wanted) <= 0.5 * own.wanted.size();
        let is_stretched = there.is_shape
            && causes[*other].is_some()
            && root(causes, *other) != at
            && own.taller().abs() > slack
            && (extent.taller() - own.taller()).abs() <= slack
            && (extent.wanted.y - own.wanted.y).abs() <= slack;
        let is_squeezed = is_apart
            && there.pushes()
            && causes[*other].is_none()
            && extent.wider() > slack
            && own.wider() < -slack
            && own.wider().abs() <= extent.wider() + slack;
        is_stretched || is_squeezed
    };
    (0..changes.len()).find(is_cause).map(Cause::Change)
}

#[derive(Clone, Copy)]
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
                && wider.abs() > slack
                && taller.abs() <= slack.max(0.1 * wider.abs())
                && (inner.wider() - wider).abs() <= slack;
            (grew_inside && (inner.taller() - taller).abs() <= slack) || grew_outside
        } else {
            let most = if change.is_wrap() { slack } else { change.extent.wider().abs() + slack };
            is_inside && is_smaller && wider.abs() <= most
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
