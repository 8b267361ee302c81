//! Which line of the page stands for which line of the reference.

use std::borrow::Cow;

use rapidfuzz::distance::indel;

use super::alike::put_right;
use super::assignment::cheapest;
use super::color::{difference, lab};
use super::fold::folded;
use super::geometry::{Geometry, Line};
use super::{Reading, Side};

/// Least similarity of two lines that are the same line.
const SAME_LINE: f64 = 0.5;
/// How much a place at the other end of the page weighs against similarity.
const DISTANCE_WEIGHT: f64 = 0.3;
/// Lines read from pixels that are at least this similar are equal.
const READ_ALIKE: f64 = 0.92;
/// Sizes measured in pixels that differ by no more are equal.
const SIZED_ALIKE: f64 = 0.03;

/// A line of the reference and the page's line that stands for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LineMatch {
    /// Index among the reference's lines.
    pub(super) reference: usize,
    /// Index among the page's lines.
    pub(super) page: usize,
    /// Similarity of what they say.
    pub(super) similarity: f64,
    /// How far apart, as a share of the page.
    pub(super) distance: f64,
    /// How far apart, in pixels along the worse axis.
    pub(super) apart_px: f64,
    /// The reference's font size over the page's.
    pub(super) size_ratio: f64,
    /// CIEDE2000 of their colours.
    pub(super) delta_e: f64,
}

/// The lines of both sides, cut alike, and which belong together.
pub(super) struct Pairing<'a> {
    pub(super) reference: Cow<'a, [Line]>,
    pub(super) page: Cow<'a, [Line]>,
    pub(super) pairs: Vec<LineMatch>,
}

pub(super) fn paired<'a>(reference: Side<'a>, page: Side<'a>, reading: Reading) -> Pairing<'a> {
    let shown = &page.geometry.texts;
    let wanted = match reading {
        Reading::Dom => Cow::Borrowed(reference.geometry.texts.as_slice()),
        Reading::Ocr => Cow::Owned(put_right(reference, page)),
    };
    let pairs = pairs(reference.geometry, &wanted, page.geometry, shown, reading);
    Pairing { reference: wanted, page: Cow::Borrowed(shown), pairs }
}

fn pairs(on: &Geometry, wanted: &[Line], at: &Geometry, shown: &[Line], reading: Reading) -> Vec<LineMatch> {
    if wanted.is_empty() || shown.is_empty() {
        return Vec::new();
    }
    let likeness = Likeness::of(wanted, shown, reading);
    let there = middles(wanted, on);
    let here = middles(shown, at);
    let mut costs = Vec::with_capacity(wanted.len() * shown.len());
    for (row, a) in there.iter().enumerate() {
        for (column, b) in here.iter().enumerate() {
            let similarity = likeness.at(row, column);
            let bonus = if similarity >= SAME_LINE { 1.0 } else { 0.0 };
            costs.push(-(similarity - DISTANCE_WEIGHT * apart(*a, *b) + bonus));
        }
    }
    cheapest(wanted.len(), shown.len(), &costs)
        .into_iter()
        .filter(|&(row, column)| likeness.at(row, column) >= SAME_LINE)
        .map(|(row, column)| {
            let (a, b) = (&wanted[row], &shown[column]);
            LineMatch {
                reference: row,
                page: column,
                similarity: likeness.at(row, column),
                distance: apart(there[row], here[column]),
                apart_px: apart(a.area().center(), b.area().center()),
                size_ratio: size_ratio(a, b, reading),
                delta_e: difference(lab(a.color), lab(b.color)),
            }
        })
        .collect()
}

struct Likeness {
    columns: usize,
    values: Vec<f64>,
}

impl Likeness {
    fn of(wanted: &[Line], shown: &[Line], reading: Reading) -> Self {
        let exact = |line: &Line| line.text.chars().collect::<Vec<_>>();
        let said = |lines: &[Line]| match reading {
            Reading::Dom => lines.iter().map(exact).collect::<Vec<_>>(),
            Reading::Ocr => lines.iter().map(|line| folded(&line.text)).collect(),
        };
        let shown = said(shown);
        let mut values = Vec::with_capacity(wanted.len() * shown.len());
        for line in said(wanted) {
            let comparator = indel::BatchComparator::new(line.iter().copied());
            for other in &shown {
                let similarity = comparator.normalized_similarity(other.iter().copied());
                let is_equal = reading == Reading::Ocr && similarity >= READ_ALIKE;
                values.push(if is_equal { 1.0 } else { similarity });
            }
        }
        Self { columns: shown.len(), values }
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.columns + column]
    }
}

fn middles(lines: &[Line], on: &Geometry) -> Vec<(f64, f64)> {
    let (width, height) = (on.width.max(1.0), on.height.max(1.0));
    let middle = |line: &Line| {
        let (x, y) = line.area().center();
        (x / width, y / height)
    };
    lines.iter().map(middle).collect()
}

fn apart(a: (f64, f64), b: (f64, f64)) -> f64 {
    (a.0 - b.0).abs().max((a.1 - b.1).abs())
}

fn size_ratio(a: &Line, b: &Line, reading: Reading) -> f64 {
    let ratio = a.fs.max(0.1) / b.fs.max(0.1);
    let is_equal = reading == Reading::Ocr && ratio.ln().abs() <= (1.0 + SIZED_ALIKE).ln();
    if is_equal { 1.0 } else { ratio }
}
