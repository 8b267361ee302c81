//! Elements that stand elsewhere: what moved together is told once, and what was pushed is told at what pushed it.

use super::causes::{Change, Extent, Follower, Place};
use super::words::off_by;
use super::{Case, Reason, ReasonKind, Unit};
use crate::fidelity::geometry::Area;

/// Elements of one group are off by the same, give or take this much.
const ALIKE_PX: f64 = 0.8;

pub(super) fn add_moves(case: &Case, changes: &mut Vec<Change>, followers: &[Follower], places: &[Place]) {
    for group in groups(places, case.slack_px()) {
        let points = group.iter().map(|place| place.points).sum::<f64>() + seen(case, &group);
        match pusher(case, changes, followers, &group) {
            Some(at) => changes[at].reason.points += points,
            None => changes.extend(moved(&group, points)),
        }
    }
}

/// Elements by how far they are off, those that are not left out.
fn groups(places: &[Place], slack: f64) -> Vec<Vec<&Place>> {
    let mut groups: Vec<Vec<&Place>> = Vec::new();
    let is_off = |place: &&Place| place.dx.abs() > slack || place.dy.abs() > slack;
    for place in places.iter().filter(is_off) {
        let is_alike = |group: &&mut Vec<&Place>| {
            group.first().is_some_and(|first| {
                (first.dx - place.dx).abs() <= ALIKE_PX && (first.dy - place.dy).abs() <= ALIKE_PX
            })
        };
        match groups.iter_mut().find(is_alike) {
            Some(group) => group.push(place),
            None => groups.push(vec![place]),
        }
    }
    groups
}

/// What the differences in pixels of a group cost.
fn seen(case: &Case, group: &[&Place]) -> f64 {
    roots(group).iter().map(|root| case.errors.points(root.wanted.united(root.shown))).sum()
}

/// Elements of a group that no other one holds.
fn roots<'a>(group: &[&'a Place]) -> Vec<&'a Place> {
    let holds = |outer: &Place, inner: &Place| {
        let is_larger = outer.shown.size() > inner.shown.size();
        !outer.is_line && is_larger && outer.shown.holds(inner.shown, 2.0)
    };
    group.iter().copied().filter(|place| !group.iter().any(|other| holds(other, place))).collect()
}

fn around(group: &[&Place]) -> Option<Area> {
    group.iter().map(|place| place.wanted).reduce(Area::united)
}

/// The change that pushed a group to where it is, if there is one.
fn pusher(case: &Case, changes: &[Change], followers: &[Follower], group: &[&Place]) -> Option<usize> {
    let first = group.first()?;
    let shift = Shift { area: around(group)?, dx: first.dx, dy: first.dy, slack: case.slack_px() };
    // An element's own place follows from its own size.
    let own = |change: &Change| {
        let selector = change.reason.selector.as_deref();
        let is_own =
            |place: &&Place| place.selector.as_deref() == selector && (place.is_line || change.is_shape);
        change.pushes()
            && (change.is_line || change.is_shape)
            && selector.is_some()
            && group.iter().all(is_own)
    };
    let by_change =
        changes.iter().enumerate().filter(|(_, change)| change.pushes()).filter_map(|(at, change)| {
            let is_one_sided = change.extent.wanted.size() == 0.0 || change.extent.shown.size() == 0.0;
            let is_text = change.is_line && !is_one_sided;
            let lever = match (is_one_sided, is_text) {
                (true, _) => Lever::Whole,
                (_, true) => Lever::Text,
                _ => Lever::Box,
            };
            let fit = if own(change) { Some(0.0) } else { shift.fit(change.extent, lever) };
            Some((fit?, at))
        });
    let by_follower = followers
        .iter()
        .filter_map(|follower| Some((1.0 + shift.fit(follower.extent, Lever::Box)?, follower.cause)));
    by_change.chain(by_follower).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, at)| at)
}

/// What a change has to push with.
#[derive(Clone, Copy, PartialEq)]
enum Lever {
    /// Its size on one side only: with it go the margins around it.
    Whole,
    /// Letters, whose lines and margins are higher than they are.
    Text,
    /// The size of a box.
    Box,
}

/// How far a group is off, and where it should stand.
struct Shift {
    area: Area,
    dx: f64,
    dy: f64,
    slack: f64,
}

impl Shift {
    /// How badly the change of an extent explains the shift; nothing where it cannot.
    fn fit(&self, Extent { wanted, shown }: Extent, lever: Lever) -> Option<f64> {
        let slack = self.slack + 1.0;
        let from = if wanted.size() > 0.0 { wanted } else { shown };
        let (wider, taller) = (shown.w - wanted.w, shown.h - wanted.h);
        let is_below = self.area.y >= from.y - slack && self.dy.abs() > self.slack;
        let is_row = self.area.y < from.bottom() && self.area.bottom() > from.y;
        let is_beside = self.dx.abs() > self.slack && is_row;
        if is_below && (taller - self.dy).abs() <= slack {
            return Some((taller - self.dy).abs());
        }
        // Half of what an element in the middle gains comes out on either side.
        if is_beside && self.dx.abs() <= wider.abs() + slack && wider.abs() > slack {
            return Some(10.0 + (wider.abs() - self.dx.abs()).abs());
        }
        let is_same_way = taller * self.dy > 0.0;
        if is_row && is_same_way && self.dy.abs() <= taller.abs() + slack {
            return Some(20.0 + (taller - self.dy).abs());
        }
        // Beyond its own height a line takes or leaves margins, and a change of words may cost a line.
        let most = match lever {
            Lever::Whole => 2.5 * from.h + 24.0,
            Lever::Text => 2.0 * taller.abs() + 4.0,
            Lever::Box => 0.0,
        };
        (is_below && is_same_way && self.dy.abs() <= most).then(|| 100.0 + (taller - self.dy).abs())
    }
}

fn moved(group: &[&Place], points: f64) -> Option<Change> {
    let roots = roots(group);
    let holds_all = |outer: &&&Place| {
        let within = outer.selector.as_deref().map(|selector| format!("{selector} > "));
        roots.iter().all(|place| {
            std::ptr::eq(*place, **outer)
                || within
                    .as_ref()
                    .is_some_and(|within| place.selector.as_deref().is_some_and(|it| it.starts_with(within)))
        })
    };
    // What comes first on the page pushed the rest.
    let head = roots.iter().find(holds_all).or_else(|| {
        roots.iter().min_by(|a, b| {
            let top = a.wanted.y.total_cmp(&b.wanted.y);
            top.then(a.wanted.x.total_cmp(&b.wanted.x)).then(b.wanted.size().total_cmp(&a.wanted.size()))
        })
    })?;
    let off = off_by(head.dx, head.dy);
    let message = match roots.len() {
        1 => format!("{} is {off}.", head.name),
        2 => format!("{} and one more are {off}.", head.name),
        more => format!("{} and {} more are {off}.", head.name, more - 1),
    };
    let reason = Reason {
        kind: ReasonKind::Moved,
        selector: head.selector.clone(),
        area: head.shown,
        amount: head.dx.abs().max(head.dy.abs()),
        unit: Unit::Pixels,
        message,
        points,
    };
    let extent = Extent { wanted: head.wanted, shown: head.shown };
    Some(Change { reason, extent, is_shape: false, is_line: head.is_line })
}
