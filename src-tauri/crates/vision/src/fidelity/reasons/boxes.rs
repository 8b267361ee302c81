//! What is wrong with painted boxes and pictures.

use super::causes::{Change, Extent, Place, least};
use super::words::{box_name, larger_by, number};
use super::{Case, Reason, ReasonKind, Unit};
use crate::fidelity::Reading;
use crate::fidelity::assignment::cheapest;
use crate::fidelity::color::{Lab, difference, lab_of};
use crate::fidelity::geometry::{Area, Geometry, PaintedBox, Picture};

/// Boxes beyond this many are left out, the smallest first.
const MOST_BOXES: usize = 400;
/// Pictures whose channels differ by no more show the same.
const LEAST_LEVELS: f64 = 2.0;
/// Pairs dearer than this are no pairs.
const DEAREST: f64 = 1.2;

pub(super) fn compare(case: &Case, changes: &mut Vec<Change>, places: &mut Vec<Place>) {
    let (wanted, shown) = (all_boxes(case.reference.geometry), all_boxes(case.page.geometry));
    let pairs = pairs(case, &wanted, &shown);
    for &(row, column) in &pairs {
        let (a, b) = (&wanted[row], &shown[column]);
        changes.extend(differences(case, a, b));
        places.push(Place {
            name: box_name(b, case.page.geometry),
            selector: b.selector.clone(),
            wanted: a.area(),
            shown: b.area(),
            dx: shift(b.x - a.x, b.area().right() - a.area().right()),
            dy: shift(b.y - a.y, b.area().bottom() - a.area().bottom()),
            points: 0.0,
            is_line: false,
        });
    }
    let lost = |painted: &PaintedBox, kind, on: &Geometry| {
        let area = painted.area();
        let name = box_name(painted, on);
        let points = case.errors.points(area);
        let (message, taller) = match kind {
            ReasonKind::Missing => (format!("{name} is missing."), -painted.h),
            _ => (format!("{name} is not in the screenshot."), painted.h),
        };
        let selector = painted.selector.clone();
        let reason = Reason { kind, selector, area, amount: points, unit: Unit::Points, message, points };
        Change::only(reason, taller)
    };
    let is_free = |at: usize, side: fn(&(usize, usize)) -> usize| pairs.iter().all(|pair| side(pair) != at);
    for (at, painted) in wanted.iter().enumerate() {
        if is_free(at, |pair| pair.0) && case.is_seen(painted.area()) {
            changes.push(lost(painted, ReasonKind::Missing, case.reference.geometry));
        }
    }
    for (at, painted) in shown.iter().enumerate() {
        if is_free(at, |pair| pair.1) && case.is_seen(painted.area()) {
            changes.push(lost(painted, ReasonKind::Extra, case.page.geometry));
        }
    }
}

/// How far both edges went together.
fn shift(near: f64, far: f64) -> f64 {
    if near * far <= 0.0 { 0.0 } else { least(&[near, far]) }
}

/// Boxes and pictures, the largest if there are too many.
fn all_boxes(on: &Geometry) -> Vec<PaintedBox> {
    // A camera tells pictures twice: as boxes, and on their own.
    let is_told =
        |picture: &&Picture| on.boxes.iter().any(|painted| painted.img && painted.area() == picture.area());
    let pictures = on.images.iter().filter(|picture| !is_told(picture)).map(|picture| PaintedBox {
        x: picture.x,
        y: picture.y,
        w: picture.w,
        h: picture.h,
        img: true,
        selector: picture.selector.clone(),
        ..PaintedBox::default()
    });
    let mut all: Vec<PaintedBox> = on.boxes.iter().cloned().chain(pictures).collect();
    if all.len() > MOST_BOXES {
        all.sort_by(|a, b| b.area().size().total_cmp(&a.area().size()));
        all.truncate(MOST_BOXES);
    }
    all
}

fn pairs(case: &Case, wanted: &[PaintedBox], shown: &[PaintedBox]) -> Vec<(usize, usize)> {
    let costs: Vec<f64> = wanted.iter().flat_map(|a| shown.iter().map(|b| cost(case, a, b))).collect();
    cheapest(wanted.len(), shown.len(), &costs)
        .into_iter()
        .filter(|(row, column)| costs[row * shown.len() + column] < DEAREST)
        .collect()
}

/// How unlike two boxes are; 0 for the same, 3 at most.
fn cost(case: &Case, a: &PaintedBox, b: &PaintedBox) -> f64 {
    if a.img != b.img {
        return 3.0;
    }
    if case.reading == Reading::Dom && a.tag != b.tag {
        return 3.0;
    }
    let ((ax, ay), (bx, by)) = (a.area().center(), b.area().center());
    let apart = ((ax - bx).abs() + (ay - by).abs()) / 200.0;
    let size = |a: f64, b: f64| (a.max(1.0) / b.max(1.0)).ln().abs();
    let edges =
        [a.x - b.x, a.y - b.y, a.area().right() - b.area().right(), a.area().bottom() - b.area().bottom()];
    let off_edges = edges.iter().filter(|off| off.abs() > 3.0).count() as f64 / 16.0;
    let is_named = a.selector.is_some() && a.selector == b.selector;
    let fill = difference(fill(a), fill(b)).min(40.0) / 400.0;
    (apart + size(a.w, b.w) + size(a.h, b.h) + off_edges + fill).min(3.0) * if is_named { 0.25 } else { 1.0 }
}

/// The fill as painted on white.
fn fill(painted: &PaintedBox) -> Lab {
    let [r, g, b, alpha] = painted.bg.unwrap_or([255.0, 255.0, 255.0, 0.0]);
    lab_of([r, g, b].map(|channel| channel * alpha + 255.0 * (1.0 - alpha)))
}

fn differences(case: &Case, a: &PaintedBox, b: &PaintedBox) -> Vec<Change> {
    let both = a.area().united(b.area());
    if !case.is_seen(both) {
        return Vec::new();
    }
    let extent = Extent { wanted: a.area(), shown: b.area() };
    let name = box_name(b, case.page.geometry);
    let seen = case.errors.points(both);
    let change = |kind, amount, unit, points, message| {
        let reason =
            Reason { kind, selector: b.selector.clone(), area: b.area(), amount, unit, message, points };
        Change { reason, extent, is_shape: kind == ReasonKind::Resized, is_line: false }
    };
    let mut found = Vec::new();
    let (wider, taller) = (b.w - a.w, b.h - a.h);
    if wider.abs().max(taller.abs()) > case.slack_px() {
        let amount = wider.abs().max(taller.abs());
        let mut parts = Vec::new();
        if wider.abs() > case.slack_px() {
            parts.push(larger_by(wider, "wider", "narrower"));
        }
        if taller.abs() > case.slack_px() {
            parts.push(larger_by(taller, "taller", "shorter"));
        }
        let message = format!("{name} is {}.", parts.join(" and "));
        found.push(change(ReasonKind::Resized, amount, Unit::Pixels, seen, message));
    } else if case.reading == Reading::Dom && rounder(a, b).abs() > 0.9 {
        let by = rounder(a, b);
        let corners = corner_points(case, both);
        let message = format!("{name} has corners {}.", larger_by(by, "rounder", "sharper"));
        found.push(change(ReasonKind::Resized, by.abs(), Unit::Pixels, corners, message));
        // Corners neither push nor grow.
        if let Some(last) = found.last_mut() {
            last.is_shape = false;
        }
    }
    let off = difference(fill(a), fill(b));
    let color_slack = if case.reading == Reading::Dom { 0.5 } else { 4.0 };
    if !a.img && !a.bgi && !b.bgi && off > color_slack {
        let message = format!("{name} is off by ΔE {} in colour.", number(off));
        found.push(change(ReasonKind::Recoloured, off, Unit::DeltaE, seen, message));
    }
    found.extend(
        border(case, a, b, &name).map(|(amount, message)| {
            change(ReasonKind::Recoloured, amount, Unit::DeltaE, 0.5 * seen, message)
        }),
    );
    let is_picture = a.img || a.bgi || b.bgi;
    let is_in_place = wider.abs().max(taller.abs()).max((a.x - b.x).abs()).max((a.y - b.y).abs()) <= 1.5;
    if is_picture && is_in_place {
        let (levels, points) = case.errors.own(both, &case.parts_of(both));
        if levels > LEAST_LEVELS {
            let amount = picture_difference(case, both);
            let message = format!("{name} shows something else (ΔE {}).", number(amount));
            found.push(change(ReasonKind::ImageDiffers, amount, Unit::DeltaE, points, message));
        }
    }
    found
}

/// By how much corners are rounder; past half the height nothing changes.
fn rounder(a: &PaintedBox, b: &PaintedBox) -> f64 {
    let radius = |painted: &PaintedBox| painted.r.min(painted.w.min(painted.h) / 2.0);
    radius(b) - radius(a)
}

fn corner_points(case: &Case, area: Area) -> f64 {
    let side = 16.0_f64.min(area.w / 2.0).min(area.h / 2.0);
    let (x, y) = (area.right() - side, area.bottom() - side);
    [(area.x, area.y), (x, area.y), (area.x, y), (x, y)]
        .iter()
        .map(|(x, y)| case.errors.points(Area { x: *x, y: *y, w: side, h: side }))
        .sum()
}

fn border(case: &Case, a: &PaintedBox, b: &PaintedBox, name: &str) -> Option<(f64, String)> {
    if case.reading == Reading::Ocr {
        return None;
    }
    let width = |painted: &PaintedBox| painted.bw.iter().copied().fold(0.0, f64::max);
    let (wanted, shown) = (width(a), width(b));
    if wanted <= 0.0 || shown <= 0.0 {
        return None;
    }
    let off = difference(lab_of(a.bc.map(f64::from)), lab_of(b.bc.map(f64::from)));
    (off > 1.0).then(|| (off, format!("{name} has a border that is off by ΔE {}.", number(off))))
}

/// Mean CIEDE2000 of some pixels of an area.
fn picture_difference(case: &Case, area: Area) -> f64 {
    const SAMPLES: u32 = 16;
    let (mut sum, mut count) = (0.0, 0_u32);
    for row in 0..SAMPLES {
        for column in 0..SAMPLES {
            let at = |from: f64, len: f64, step: u32| {
                (from + len * (f64::from(step) + 0.5) / f64::from(SAMPLES)).max(0.0) as u32
            };
            let (x, y) = (at(area.x, area.w, column), at(area.y, area.h, row));
            let pixel = |of: &image::RgbImage| of.get_pixel_checked(x, y).map(|pixel| pixel.0.map(f64::from));
            if let (Some(a), Some(b)) = (pixel(case.reference.pixels), pixel(case.page.pixels)) {
                sum += difference(lab_of(a), lab_of(b));
                count += 1;
            }
        }
    }
    sum / f64::from(count.max(1))
}
