//! Matching blocks, and joining neighbours where one side has one block and the other has two.

use std::cmp::Ordering;

use super::blocks::Block;
use super::sequence::{Alphabet, Comparer, Text};
use crate::fidelity::assignment::cheapest;

/// A merge must gain more.
const LEAST_GAIN: f64 = 0.05;
/// Neighbours whose likeness counts, on each side.
const WINDOW: usize = 1;
/// Table cells that may be gone through while trying merges; a page that has nothing in common would try them all.
const MOST_CELLS: usize = 6_000_000;

/// Two matched blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) row: usize,
    pub(super) column: usize,
    pub(super) similarity: f64,
}

/// Similarities of every row to every column.
struct Table {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Table {
    fn at(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.columns + column]
    }

    fn of(rows: &[Text], columns: &[Text], comparer: &mut Comparer) -> Self {
        let mut values = Vec::with_capacity(rows.len() * columns.len());
        for row in rows {
            values.extend(columns.iter().map(|column| comparer.similarity(row, column)));
        }
        Self { rows: rows.len(), columns: columns.len(), values }
    }

    fn turned(&self) -> Self {
        let mut values = Vec::with_capacity(self.values.len());
        for column in 0..self.columns {
            values.extend((0..self.rows).map(|row| self.at(row, column)));
        }
        Self { rows: self.columns, columns: self.rows, values }
    }

    /// The table after a row and its next have become one.
    fn with_joined(&self, row: usize, joined: &[f64]) -> Self {
        let mut values = Vec::with_capacity(self.values.len());
        values.extend_from_slice(&self.values[..row * self.columns]);
        values.extend_from_slice(joined);
        values.extend_from_slice(&self.values[(row + 2) * self.columns..]);
        Self { rows: self.rows - 1, columns: self.columns, values }
    }

    fn pairs(&self, bonus: f64) -> Vec<Pair> {
        let costs: Vec<f64> = (0..self.rows)
            .flat_map(|row| (0..self.columns).map(move |column| (row, column)))
            .map(|(row, column)| self.cost(row, column, bonus))
            .collect();
        cheapest(self.rows, self.columns, &costs)
            .into_iter()
            .map(|(row, column)| Pair { row, column, similarity: self.at(row, column) })
            .collect()
    }

    /// Less is better; blocks whose neighbours are alike too get a bonus.
    fn cost(&self, row: usize, column: usize, bonus: f64) -> f64 {
        let own = self.at(row, column);
        if bonus == 0.0 || own <= 0.5 {
            return -own;
        }
        let mut around = Vec::with_capacity(9);
        for near_row in row.saturating_sub(WINDOW)..(row + WINDOW + 1).min(self.rows) {
            for near in column.saturating_sub(WINDOW)..(column + WINDOW + 1).min(self.columns) {
                if (near_row, near) != (row, column) {
                    around.push(self.at(near_row, near));
                }
            }
        }
        around.sort_by(|a, b| b.total_cmp(a));
        -own - bonus * around.iter().take(2 * WINDOW).sum::<f64>()
    }
}

/// Two lists of blocks with neighbours joined wherever that makes the lists more alike.
pub(super) struct Merged {
    pub(super) rows: Vec<Block>,
    pub(super) columns: Vec<Block>,
    table: Table,
}

impl Merged {
    pub(super) fn of(mut rows: Vec<Block>, mut columns: Vec<Block>, comparer: &mut Comparer) -> Self {
        let mut table = table(&rows, &columns, comparer);
        let mut effort = Effort { cells_left: MOST_CELLS, comparer };
        loop {
            let joined_rows = joined_where_it_helps(&mut rows, &columns, &table, Side::Rows, &mut effort);
            if joined_rows {
                table = self::table(&rows, &columns, effort.comparer);
            }
            let turned = table.turned();
            let joined_columns =
                joined_where_it_helps(&mut columns, &rows, &turned, Side::Columns, &mut effort);
            if joined_columns {
                table = self::table(&rows, &columns, effort.comparer);
            }
            if !joined_rows && !joined_columns {
                return Self { rows, columns, table };
            }
        }
    }

    /// The best pairs of a row and a column.
    pub(super) fn pairs(&self, bonus: f64) -> Vec<Pair> {
        self.table.pairs(bonus)
    }
}

fn table(rows: &[Block], columns: &[Block], comparer: &mut Comparer) -> Table {
    let mut alphabet = Alphabet::default();
    let mut texts =
        |blocks: &[Block]| blocks.iter().map(|block| alphabet.text(&block.text)).collect::<Vec<_>>();
    Table::of(&texts(rows), &texts(columns), comparer)
}

/// What may still be done to find merges.
struct Effort<'a> {
    cells_left: usize,
    comparer: &'a mut Comparer,
}

/// Which list is being joined; similarity is not the same both ways.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Rows,
    Columns,
}

fn joined_where_it_helps(
    ours: &mut Vec<Block>,
    theirs: &[Block],
    table: &Table,
    side: Side,
    Effort { cells_left, comparer }: &mut Effort,
) -> bool {
    if ours.len() < 2 || theirs.is_empty() {
        return false;
    }
    let mut alphabet = Alphabet::default();
    let others: Vec<Text> = theirs.iter().map(|block| alphabet.text(&block.text)).collect();
    let before = table.pairs(0.0);
    let mut matched = vec![0.0_f64; ours.len()];
    for pair in &before {
        matched[pair.row] = pair.similarity;
    }
    let before: Vec<f64> = before.iter().map(|pair| -pair.similarity).collect();
    let mut gains: Vec<(f64, usize)> = Vec::new();
    for row in 0..ours.len() - 1 {
        let floor = matched[row].max(matched[row + 1]);
        let text = alphabet.text(&ours[row].joined(&ours[row + 1]).text);
        // A merge only gains if the joined text is nearer to some text than both halves were to theirs.
        if !others.iter().any(|other| text.most_similarity(other) > floor) {
            continue;
        }
        let joined: Vec<f64> = others
            .iter()
            .map(|other| match side {
                Side::Rows => comparer.similarity(&text, other),
                Side::Columns => comparer.similarity(other, &text),
            })
            .collect();
        let cells = ours.len() * theirs.len();
        if !joined.iter().any(|similarity| *similarity > floor) || *cells_left < cells {
            continue;
        }
        *cells_left -= cells;
        let after = table.with_joined(row, &joined).pairs(0.0);
        let gain = gain(&before, &after.iter().map(|pair| -pair.similarity).collect::<Vec<_>>());
        if gain > LEAST_GAIN {
            gains.push((gain, row));
        }
    }
    apply(ours, gains)
}

/// Joins the best first and leaves out those that touch a block already joined.
fn apply(ours: &mut Vec<Block>, mut gains: Vec<(f64, usize)>) -> bool {
    gains.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut used = vec![false; ours.len()];
    let mut rows = Vec::new();
    for (_, row) in gains {
        if !used[row] && !used[row + 1] {
            used[row] = true;
            used[row + 1] = true;
            rows.push(row);
        }
    }
    rows.sort_unstable();
    for row in rows.iter().rev() {
        let next = ours.remove(row + 1);
        ours[*row] = ours[*row].joined(&next);
    }
    !rows.is_empty()
}

/// By how much matched costs fell on average, not counting those that stayed.
fn gain(before: &[f64], after: &[f64]) -> f64 {
    let (before, after) = without_common(before, after);
    let mean = |costs: &[f64]| {
        if costs.is_empty() { 0.0 } else { costs.iter().sum::<f64>() / costs.len() as f64 }
    };
    let least = |costs: &[f64]| costs.iter().copied().fold(0.0, f64::min);
    let fall = mean(&before) - mean(&after);
    if fall > 0.0 && least(&before) <= least(&after) { 0.0 } else { fall }
}

fn without_common(a: &[f64], b: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let sorted = |costs: &[f64]| {
        let mut costs = costs.to_vec();
        costs.sort_by(f64::total_cmp);
        costs
    };
    let (a, b) = (sorted(a), sorted(b));
    let (mut only_a, mut only_b) = (Vec::new(), Vec::new());
    let (mut at, mut on) = (0, 0);
    while at < a.len() && on < b.len() {
        match a[at].total_cmp(&b[on]) {
            Ordering::Less => {
                only_a.push(a[at]);
                at += 1;
            }
            Ordering::Greater => {
                only_b.push(b[on]);
                on += 1;
            }
            Ordering::Equal => {
                at += 1;
                on += 1;
            }
        }
    }
    only_a.extend_from_slice(&a[at..]);
    only_b.extend_from_slice(&b[on..]);
    (only_a, only_b)
}
