//! Pages with more lines than can each be weighed against each.
//!
//! A line that says the same where it stood is taken first, then one that says what only one other says. What is left
//! is weighed in reading order, a handful of lines against those of the page that stand nearest, and at last the
//! largest that found nobody there, wherever they stand. The work grows with the number of lines.

use std::collections::HashMap;

use super::{Alike, Lines, apart};

/// Lines of the reference that are weighed together.
const HANDFUL: usize = 100;
/// Lines of the page they are weighed against.
const AROUND: usize = 300;
/// A line that moved by no more stands where it stood.
const STAYED_PX: f64 = 8.0;

pub(super) fn paired(lines: &mut Lines) -> Vec<Alike> {
    let mut found = same_text(lines);
    let (mut rows, mut columns) = (in_reading_order(&lines.there), in_reading_order(&lines.here));
    drop_taken(&found, &mut rows, &mut columns);
    for handful in rows.chunks(HANDFUL) {
        let (_, middle) = lines.there[handful[handful.len() / 2]];
        let next = columns.partition_point(|column| lines.here[*column].1 < middle);
        let from = next.saturating_sub(AROUND / 2).min(columns.len().saturating_sub(AROUND));
        let near = &columns[from..(from + AROUND).min(columns.len())];
        let pairs = lines.weighed(handful, near);
        drop_taken(&pairs, &mut Vec::new(), &mut columns);
        found.extend(pairs);
    }
    drop_taken(&found, &mut rows, &mut columns);
    let largest = |of: &[super::Line], mut left: Vec<usize>| {
        left.sort_by(|a, b| of[*b].area().size().total_cmp(&of[*a].area().size()).then(a.cmp(b)));
        left.truncate(AROUND);
        left
    };
    let (rows, columns) = (largest(lines.wanted, rows), largest(lines.shown, columns));
    found.extend(lines.weighed(&rows, &columns));
    found.sort_by_key(|pair| pair.row);
    found
}

fn in_reading_order(middles: &[(f64, f64)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..middles.len()).collect();
    order.sort_by(|a, b| {
        let ((ax, ay), (bx, by)) = (middles[*a], middles[*b]);
        ay.total_cmp(&by).then(ax.total_cmp(&bx))
    });
    order
}

fn drop_taken(pairs: &[Alike], rows: &mut Vec<usize>, columns: &mut Vec<usize>) {
    let taken = |of: fn(&Alike) -> usize| pairs.iter().map(of).collect::<std::collections::HashSet<_>>();
    let (taken_rows, taken_columns) = (taken(|pair| pair.row), taken(|pair| pair.column));
    rows.retain(|row| !taken_rows.contains(row));
    columns.retain(|column| !taken_columns.contains(column));
}

/// Those of both sides that say one thing.
#[derive(Default)]
struct Saying {
    rows: Vec<usize>,
    columns: Vec<usize>,
}

/// Lines that say the same: where they stood, or the only one left on either side.
fn same_text(lines: &Lines) -> Vec<Alike> {
    let mut sayings: HashMap<&[char], Saying> = HashMap::new();
    for (row, text) in lines.rows.iter().enumerate() {
        sayings.entry(text).or_default().rows.push(row);
    }
    for (column, text) in lines.columns.iter().enumerate() {
        sayings.entry(text).or_default().columns.push(column);
    }
    let mut found = Vec::new();
    for Saying { rows, columns } in sayings.into_values() {
        let mut standing = Standing::of(lines, columns);
        let moved: Vec<usize> = rows
            .into_iter()
            .filter(|row| match standing.take_near(lines, *row) {
                Some(column) => {
                    found.push(Alike { row: *row, column, similarity: 1.0 });
                    false
                }
                None => true,
            })
            .collect();
        if let ([row], Some(column)) = (&moved[..], standing.only()) {
            found.push(Alike { row: *row, column, similarity: 1.0 });
        }
    }
    found
}

/// Lines of the page by the square they stand in.
struct Standing(HashMap<(i64, i64), Vec<usize>>);

fn square((x, y): (f64, f64)) -> (i64, i64) {
    ((x / STAYED_PX).floor() as i64, (y / STAYED_PX).floor() as i64)
}

impl Standing {
    fn of(lines: &Lines, columns: Vec<usize>) -> Self {
        let mut squares: HashMap<_, Vec<usize>> = HashMap::new();
        for column in columns {
            squares.entry(square(lines.shown[column].area().center())).or_default().push(column);
        }
        Self(squares)
    }

    /// The line nearest to where one of the reference stood, if one stayed there.
    fn take_near(&mut self, lines: &Lines, row: usize) -> Option<usize> {
        let there = lines.wanted[row].area().center();
        let (across, down) = square(there);
        let squares = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (across + dx, down + dy)));
        let near = squares.flat_map(|at| {
            self.0.get(&at).into_iter().flatten().enumerate().map(move |(nth, column)| (at, nth, *column))
        });
        let far = |column: usize| apart(there, lines.shown[column].area().center());
        let stayed = near.filter(|(.., column)| far(*column) <= STAYED_PX);
        let (at, nth, column) = stayed.min_by(|a, b| far(a.2).total_cmp(&far(b.2)).then(a.2.cmp(&b.2)))?;
        self.0.get_mut(&at)?.swap_remove(nth);
        Some(column)
    }

    /// The one that is left, if it is one.
    fn only(&self) -> Option<usize> {
        let mut left = self.0.values().flatten();
        left.next().copied().filter(|_| left.next().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Reading;
    use super::super::super::geometry::{Geometry, Line};
    use super::super::MOST_LINES;
    use super::*;

    /// A page of rows that say nearly the same.
    fn page(count: usize, says: impl Fn(usize) -> String) -> Geometry {
        let line = |at: usize| {
            let y = 20.0 * at as f64;
            Line { text: says(at), x: 10.0, y, w: 300.0, h: 16.0, fs: 14.0, ..Line::default() }
        };
        let height = 20.0 * count as f64;
        Geometry { width: 1280.0, height, texts: (0..count).map(line).collect(), ..Geometry::default() }
    }

    fn row(at: usize) -> String {
        format!("Order {at} was sent on day {}", at % 31)
    }

    /// Pairs, and how many lines were weighed against one another to find them.
    fn found(wanted: &Geometry, shown: &Geometry) -> (Vec<Alike>, usize) {
        let mut lines = Lines::of((wanted, &wanted.texts), (shown, &shown.texts), Reading::Dom);
        let before = lines.cells_left;
        let pairs = paired(&mut lines);
        (pairs, before - lines.cells_left)
    }

    fn straight(pairs: &[Alike]) -> usize {
        pairs.iter().filter(|pair| pair.row == pair.column).count()
    }

    // S-70
    #[test]
    fn work_grows_with_the_lines_and_not_with_their_square() {
        let weighed = |count: usize| {
            let page_of = |ending: &'static str| page(count, move |at| row(at) + ending);
            let (pairs, cells) = found(&page_of(" by ship"), &page_of(" by rail"));
            (straight(&pairs), cells)
        };
        let (few, many) = (weighed(1000), weighed(8000));
        assert_eq!((few.0, many.0), (1000, 8000));
        assert!(few.1 >= 1000 * 100 && many.1 <= 9 * few.1, "{} {}", few.1, many.1);
        assert!(few.1 <= MOST_LINES * MOST_LINES, "{}", few.1);
    }

    #[test]
    fn what_stayed_is_not_weighed_at_all() {
        let wanted = page(4000, row);
        let (pairs, cells) = found(&wanted, &wanted);
        assert_eq!((straight(&pairs), cells), (4000, 0));
    }

    #[test]
    fn a_page_pushed_down_by_a_section_keeps_its_lines() {
        let wanted = page(2000, |_| "Edit".to_owned());
        let mut shown = wanted.clone();
        for line in &mut shown.texts[1000..] {
            line.y += 700.0;
        }
        shown.texts[1500].text = "Add".to_owned();
        shown.height += 700.0;
        let (pairs, _) = found(&wanted, &shown);
        // One of them says something else and has no partner.
        assert_eq!(pairs.len(), 1999);
    }

    #[test]
    fn a_line_that_stands_elsewhere_is_found_by_what_it_says() {
        let wanted = page(3000, row);
        let mut shown = wanted.clone();
        shown.texts[40].y = 50_000.0;
        let (pairs, cells) = found(&wanted, &shown);
        assert_eq!((straight(&pairs), cells), (3000, 0));
    }

    #[test]
    fn crowds_are_paired_as_if_each_was_weighed_against_each() {
        let wanted = page(MOST_LINES, row);
        let mut shown = page(MOST_LINES, |at| if at % 3 == 0 { row(at) + " twice" } else { row(at) });
        shown.texts.retain(|line| !line.text.contains("day 7"));
        let mut lines = Lines::of((&wanted, &wanted.texts), (&shown, &shown.texts), Reading::Dom);
        let all = |count: usize| Vec::from_iter(0..count);
        let mut exact = lines.weighed(&all(wanted.texts.len()), &all(shown.texts.len()));
        exact.sort_by_key(|pair| pair.row);
        let (pairs, _) = found(&wanted, &shown);
        let sum = |pairs: &[Alike]| pairs.iter().map(|pair| pair.similarity).sum::<f64>();
        assert_eq!(pairs.len(), exact.len());
        assert!((sum(&pairs) - sum(&exact)).abs() < 0.01 * sum(&exact), "{} {}", sum(&pairs), sum(&exact));
    }
}
