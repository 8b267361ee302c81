//! What is wrong with lines of text.

use super::causes::{Change, Extent, Place, least};
use super::gathering::KEPT;
use super::words::{larger_by, line_name, quoted};
use super::wraps::{Wrap, said, wraps};
use super::{Case, Reason, ReasonKind, Unit};
use crate::fidelity::Reading;
use crate::fidelity::geometry::Line;
use crate::fidelity::matching::LineMatch;

/// Differences in size that are named.
const SIZE_SLACK: f64 = 0.025;

pub(super) fn compare(case: &Case, changes: &mut Vec<Change>, places: &mut Vec<Place>) {
    let (wanted, shown) = (&case.pairing.reference, &case.pairing.page);
    let weights = Weights::of(case);
    let (mut is_found, mut is_known) = (vec![false; wanted.len()], vec![false; shown.len()]);
    let mut is_wrapped = vec![false; shown.len()];
    for wrap in wraps(case.pairing) {
        wrap.reference.iter().for_each(|at| is_found[*at] = true);
        for at in &wrap.page {
            (is_known[*at], is_wrapped[*at]) = (true, true);
        }
        let Some(first) = wrap.page.first().and_then(|at| shown.get(*at)) else { continue };
        changes.push(wrapped(case, &weights, first, &wrap));
        places.push(wrapped_place(first, &wrap));
    }
    for pair in &case.pairing.pairs {
        let (Some(a), Some(b)) = (wanted.get(pair.reference), shown.get(pair.page)) else { continue };
        is_found[pair.reference] = true;
        is_known[pair.page] = true;
        let is_wrapped = is_wrapped[pair.page];
        let pair = LineMatch { similarity: if is_wrapped { 1.0 } else { pair.similarity }, ..*pair };
        changes.extend(differences(case, &weights, a, b, &pair));
        if is_wrapped {
            continue;
        }
        places.push(Place {
            name: line_name(b),
            selector: b.selector.clone(),
            wanted: a.area(),
            shown: b.area(),
            dx: least(&[b.x - a.x, b.x + b.w - a.x - a.w, b.area().center().0 - a.area().center().0]),
            dy: least(&[b.y - a.y, b.y + b.h - a.y - a.h, b.area().center().1 - a.area().center().1]),
            points: weights.area(a) * pair.similarity * (1.0 - (-pair.apart_px / 10.0).exp()),
            is_line: true,
        });
    }
    let left = |lines: &[Line], known: &[bool]| -> Vec<Line> {
        lines.iter().zip(known).filter(|(_, known)| !**known).map(|(line, _)| line.clone()).collect()
    };
    for line in left(wanted, &is_found) {
        let points = weights.characters(&line) + 2.0 * weights.area(&line) + case.errors.points(line.area());
        let message = format!("Text missing: {}.", quoted(&line.text));
        changes.push(Change::only(lost(&line, ReasonKind::Missing, points, message), -line.h).of_line());
    }
    for line in left(shown, &is_known) {
        let points = weights.characters(&line) + case.errors.points(line.area());
        let message = format!("{} is not in the screenshot.", line_name(&line));
        changes.push(Change::only(lost(&line, ReasonKind::Extra, points, message), line.h).of_line());
    }
}

/// A text that runs over other lines, or says something else on them.
fn wrapped(case: &Case, weights: &Weights, first: &Line, wrap: &Wrap) -> Change {
    let (wanted, shown) = (&case.pairing.reference, &case.pairing.page);
    let extent = Extent { wanted: wrap.wanted, shown: wrap.shown };
    let seen = case.errors.points(wrap.wanted.united(wrap.shown));
    let taller = extent.taller();
    let (kind, amount, unit, points, message) = if wrap.similarity < 1.0 {
        let characters = |lines: &[Line], some: &[usize]| -> f64 {
            some.iter().map(|at| weights.characters(&lines[*at])).sum()
        };
        let all = characters(wanted, &wrap.reference) + characters(shown, &wrap.page);
        let points = (1.0 - wrap.similarity) * all + seen;
        let (is, should) = (said(shown, &wrap.page), said(wanted, &wrap.reference));
        let message = format!("Text reads {} instead of {}.", quoted(&is), quoted(&should));
        (ReasonKind::Reworded, points, Unit::Points, points, message)
    } else {
        let (is, should) = (wrap.page.len(), wrap.reference.len());
        let message = format!("{} takes {is} lines instead of {should}.", line_name(first));
        (ReasonKind::Resized, taller.abs(), Unit::Pixels, KEPT * seen, message)
    };
    let selector = first.selector.clone();
    let reason = Reason { kind, selector, area: wrap.shown, amount, unit, message, points };
    Change { reason, extent, is_shape: false, is_line: true }
}

fn wrapped_place(first: &Line, wrap: &Wrap) -> Place {
    Place {
        name: line_name(first),
        selector: first.selector.clone(),
        wanted: wrap.wanted,
        shown: wrap.shown,
        dx: least(&[wrap.shown.x - wrap.wanted.x, wrap.shown.right() - wrap.wanted.right()]),
        dy: least(&[wrap.shown.y - wrap.wanted.y, wrap.shown.bottom() - wrap.wanted.bottom()]),
        points: 0.0,
        is_line: true,
    }
}

fn lost(line: &Line, kind: ReasonKind, points: f64, message: String) -> Reason {
    Reason {
        kind,
        selector: line.selector.clone(),
        area: line.area(),
        amount: points,
        unit: Unit::Points,
        message,
        points,
    }
}

fn differences(case: &Case, weights: &Weights, a: &Line, b: &Line, pair: &LineMatch) -> Vec<Change> {
    let extent = Extent { wanted: a.area(), shown: b.area() };
    let seen = case.errors.points(a.area().united(b.area()));
    let reason = |kind, amount, unit, points, message| {
        let reason =
            Reason { kind, selector: b.selector.clone(), area: b.area(), amount, unit, message, points };
        Change { reason, extent, is_shape: false, is_line: true }
    };
    let name = line_name(b);
    let mut found = Vec::new();
    if pair.similarity < 1.0 {
        let points = (1.0 - pair.similarity) * (weights.characters(a) + weights.characters(b)) + seen;
        let message = format!("Text reads {} instead of {}.", quoted(&b.text), quoted(&a.text));
        found.push(reason(ReasonKind::Reworded, points, Unit::Points, points, message));
    }
    let off = pair.size_ratio.ln().abs();
    if off > if case.reading == Reading::Dom { SIZE_SLACK / 2.0 } else { 2.0 * SIZE_SLACK } {
        let points = weights.area(a) * 0.5 * (2.0 * off).min(1.0) + seen;
        let by = b.fs - a.fs;
        let message = format!("{name} is {}.", larger_by(by, "larger", "smaller"));
        found.push(reason(ReasonKind::WrongSize, by.abs(), Unit::Pixels, points, message));
    }
    // Weights read from pixels are a guess between neighbours.
    let weight_slack = if case.reading == Reading::Dom { 50 } else { 250 };
    if a.fw > 0 && b.fw > 0 && a.fw.abs_diff(b.fw) >= weight_slack {
        let by = f64::from(b.fw) - f64::from(a.fw);
        let which = if by > 0.0 { "bolder" } else { "lighter" };
        let points = weights.area(a) * 0.25 * (by.abs() / 300.0).min(1.0) + seen;
        let message = format!("{name} is {which}: {} instead of {}.", b.fw, a.fw);
        found.push(reason(ReasonKind::WrongWeight, by.abs() / 100.0, Unit::Points, points, message));
    }
    let color_slack = if case.reading == Reading::Dom { 0.5 } else { 8.0 };
    if pair.delta_e > color_slack {
        let points = weights.area(a) * 0.5 * (pair.delta_e / 20.0).min(1.0) + seen;
        let message = format!("{name} is off by ΔE {:.0} in colour.", pair.delta_e);
        found.push(reason(ReasonKind::Recoloured, pair.delta_e, Unit::DeltaE, points, message));
    }
    found
}

/// What lines are worth in points of the score.
struct Weights {
    characters: f64,
    area: f64,
}

impl Weights {
    fn of(case: &Case) -> Self {
        let (wanted, shown) = (&case.pairing.reference, &case.pairing.page);
        let characters: usize = wanted.iter().chain(shown.iter()).map(|line| line.text.chars().count()).sum();
        let area: f64 = wanted.iter().map(|line| line.area().size()).sum();
        Self { characters: 25.0 / (characters.max(1) as f64), area: 25.0 / area.max(1.0) }
    }

    fn characters(&self, line: &Line) -> f64 {
        self.characters * line.text.chars().count() as f64
    }

    fn area(&self, line: &Line) -> f64 {
        self.area * line.area().size()
    }
}
