//! Which line of the page stands for which line of the reference.

mod crowded;

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

/// Up to so many lines a side each is weighed against each. A usual page has a tenth of it; beyond, time would grow
/// with the square of the lines, and that of the solver with the cube.
const MOST_LINES: usize = 600;
/// Pairs that may be weighed for each line beyond that.
const CELLS_PER_LINE: usize = 400;

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
    let mut lines = Lines::of((on, wanted), (at, shown), reading);
    let alike = if wanted.len().max(shown.len()) <= MOST_LINES {
        lines.weighed(&Vec::from_iter(0..wanted.len()), &Vec::from_iter(0..shown.len()))
    } else {
        crowded::paired(&mut lines)
    };
    let told = |Alike { row, column, similarity }| {
        let (a, b) = (&wanted[row], &shown[column]);
        LineMatch {
            reference: row,
            page: column,
            similarity,
            distance: apart(lines.there[row], lines.here[column]),
            apart_px: apart(a.area().center(), b.area().center()),
            size_ratio: size_ratio(a, b, reading),
            delta_e: difference(lab(a.color), lab(b.color)),
        }
    };
    alike.into_iter().map(told).collect()
}

/// Two lines that say about the same.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Alike {
    row: usize,
    column: usize,
    similarity: f64,
}

/// The lines of both sides, ready to be weighed against each other: rows are the reference's.
struct Lines<'a> {
    wanted: &'a [Line],
    shown: &'a [Line],
    rows: Vec<Vec<char>>,
    columns: Vec<Vec<char>>,
    /// Middles as shares of the page.
    there: Vec<(f64, f64)>,
    here: Vec<(f64, f64)>,
    reading: Reading,
    /// So many more pairs may be weighed.
    cells_left: usize,
}

impl<'a> Lines<'a> {
    fn of(
        (on, wanted): (&Geometry, &'a [Line]),
        (at, shown): (&Geometry, &'a [Line]),
        reading: Reading,
    ) -> Self {
        let said = |line: &Line| match reading {
            Reading::Dom => line.text.chars().collect(),
            Reading::Ocr => folded(&line.text),
        };
        Self {
            wanted,
            shown,
            rows: wanted.iter().map(said).collect(),
            columns: shown.iter().map(said).collect(),
            there: middles(wanted, on),
            here: middles(shown, at),
            reading,
            cells_left: MOST_LINES * MOST_LINES + CELLS_PER_LINE * (wanted.len() + shown.len()),
        }
    }

    /// The best pairs among some rows and columns, each weighed against each.
    fn weighed(&mut self, rows: &[usize], columns: &[usize]) -> Vec<Alike> {
        let cells = rows.len() * columns.len();
        if cells == 0 || cells > self.cells_left {
            return Vec::new();
        }
        self.cells_left -= cells;
        let (mut likeness, mut costs) = (Vec::with_capacity(cells), Vec::with_capacity(cells));
        for row in rows {
            let comparator = indel::BatchComparator::new(self.rows[*row].iter().copied());
            for column in columns {
                let similarity = comparator.normalized_similarity(self.columns[*column].iter().copied());
                let is_equal = self.reading == Reading::Ocr && similarity >= READ_ALIKE;
                let similarity = if is_equal { 1.0 } else { similarity };
                let bonus = if similarity >= SAME_LINE { 1.0 } else { 0.0 };
                let distance = apart(self.there[*row], self.here[*column]);
                likeness.push(similarity);
                costs.push(-(similarity - DISTANCE_WEIGHT * distance + bonus));
            }
        }
        cheapest(rows.len(), columns.len(), &costs)
            .into_iter()
            .map(|(row, column)| Alike {
                row: rows[row],
                column: columns[column],
                similarity: likeness[row * columns.len() + column],
            })
            .filter(|pair| pair.similarity >= SAME_LINE)
            .collect()
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
