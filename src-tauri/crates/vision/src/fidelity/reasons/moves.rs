//! Elements that stand elsewhere: what moved together is told once, and what was pushed is told at what pushed it.

use super::causes::{Change, Extent, Place};
use super::words::off_by;
use super::{Case, Reason, ReasonKind, Unit};
use crate::fidelity::geometry::Area;

/// Elements of one group are off by the same, give or take this much.
const ALIKE_PX: f64 = 0.8;

pub(super) fn add_moves(case: &Case, changes: &mut Vec<Change>, places: &[Place]) {
    for group in groups(places, case.slack_px()) {
        let points = group.iter().map(|place| place.points).sum::<f64>() + seen(case, &group);
        match pusher(case, changes, &group) {
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
fn pusher(case: &Case, changes: &[Change], group: &[&Place]) -> Option<usize> {
    let first = group.first()?;
    let area = around(group)?;
    let slack = case.slack_px() + 1.0;
    let fits = |change: &Change| -> Option<f64> {
        let Extent { wanted, shown } = change.extent;
        let from = if wanted.size() > 0.0 { wanted } else { shown };
        let (wider, taller) = (change.extent.wider(), change.extent.taller());
        if !change.pushes() {
            return None;
        }
        let is_below = area.y >= from.y - slack && first.dy.abs() > slack;
        let is_beside = first.dx.abs() > case.slack_px() && area.y < from.bottom() && area.bottom() > from.y;
        let is_one_sided = wanted.size() == 0.0 || shown.size() == 0.0;
        if is_below && (taller - first.dy).abs() <= slack {
            return Some((taller - first.dy).abs());
        }
        // Half of what an element in the middle gains comes out on either side.
        if is_beside && first.dx.abs() <= wider.abs() + slack && wider.abs() > slack {
            return Some(10.0 + (wider.abs() - first.dx.abs()).abs());
        }
        // Beyond its own height a line takes or leaves margins, and a change of words may cost a line.
        let most = if is_one_sided { 2.5 * from.h + 24.0 } else { 0.0 };
        (is_below && taller * first.dy > 0.0 && first.dy.abs() <= most)
            .then(|| 100.0 + (taller - first.dy).abs())
    };
    changes
        .iter()
        .enumerate()
        .filter_map(|(at, change)| Some((fits(change)?, at)))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, at)| at)
}

fn moved(group: &[&Place], points: f64) -> Option<Change> {
    let roots = roots(group);
    // What comes first on the page pushed the rest.
    let head = roots.iter().min_by(|a, b| {
        let top = a.wanted.y.total_cmp(&b.wanted.y);
        top.then(a.wanted.x.total_cmp(&b.wanted.x)).then(b.wanted.size().total_cmp(&a.wanted.size()))
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
    Some(Change { reason, extent: Extent { wanted: head.wanted, shown: head.shown }, is_shape: false })
}
