//! Rows of cells that stand in the same columns become tables.

use super::naming::first;
use super::{Area, Block, Content, Role, Skin};
use crate::trace::facts::Facts;

const LEAST_ROWS: usize = 3;
const MOST_ROW_PX: f32 = 140.0;
// Cells of one column share their left edge, their right edge or their middle.
const ALIGNED_PX: f32 = 4.0;
const LINES_PX: f32 = 6.0;
const TOUCHING_PX: f32 = 2.0;
const LEAST_TEXT_COLUMNS: usize = 2;

/// Makes tables of what a block holds and of what that holds.
pub(super) fn lay(facts: &Facts, block: &mut Block) {
    let (children, lifted) = block.parts_mut();
    for child in children.iter_mut().chain(lifted) {
        lay(facts, child);
    }
    let Content::Column(children) = &mut block.content else { return };
    // From the end, so that the places of earlier runs stay.
    for (from, to) in runs(children).into_iter().rev() {
        let mut rows: Vec<Block> = children.drain(from..to).collect();
        let Some(area) = rows.iter().map(|row| row.area).reduce(Area::union) else { continue };
        let has_head = is_head(facts, &rows);
        for (at, row) in rows.iter_mut().filter(|row| is_row(row)).enumerate() {
            row.role = Role::TableRow;
            let cell = if has_head && at == 0 { Role::HeadCell } else { Role::Cell };
            let is_framed = are_painted(row.children()) && !are_cards(row.children());
            for part in row.children_mut() {
                if is_framed {
                    part.role = cell;
                } else {
                    make_cell(part, cell);
                }
            }
        }
        for rule in rows.iter_mut().filter(|row| row.role == Role::Rule) {
            rule.role = Role::TableRule;
        }
        fit_columns(&mut rows);
        let table = Block { role: Role::Table, ..Block::bare(area, Content::Column(rows)) };
        children.insert(from, table);
    }
}

fn make_cell(part: &mut Block, role: Role) {
    if part.is_bare_text() {
        part.role = role;
        return;
    }
    let area = part.area;
    let cell = Block { role, ..Block::bare(area, Content::Nothing) };
    let held = std::mem::replace(part, cell);
    part.content = Content::Column(vec![held]);
}

/// Cells of columns that begin at one line reach to the next column.
fn fit_columns(rows: &mut [Block]) {
    let count = rows.iter().find(|row| row.role == Role::TableRow).map_or(0, |row| row.children().len());
    let lefts: Vec<Option<f32>> = (0..count)
        .map(|at| {
            let cells = rows.iter().filter(|row| row.role == Role::TableRow);
            let lefts: Vec<f32> =
                cells.filter_map(|row| row.children().get(at)).map(|cell| cell.area.x).collect();
            let (least, most) = lefts.iter().fold((f32::MAX, f32::MIN), |(a, b), &x| (a.min(x), b.max(x)));
            (most - least <= ALIGNED_PX).then_some(least)
        })
        .collect();
    for row in rows.iter_mut().filter(|row| row.role == Role::TableRow) {
        for (at, cell) in row.children_mut().iter_mut().enumerate() {
            let own = lefts.get(at).copied().flatten();
            let next = lefts.get(at + 1).copied().flatten();
            let left = own.unwrap_or(cell.area.x).min(cell.area.x);
            let right = match (own, next) {
                (Some(_), Some(next)) => next.max(cell.area.right()),
                _ => cell.area.right(),
            };
            cell.area = Area::from_edges(left, cell.area.y, right, cell.area.bottom());
        }
    }
}

/// Where rows of like columns follow each other, with nothing but rules between them.
fn runs(children: &[Block]) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut at = 0;
    while at < children.len() {
        let Some(start) = children.get(at).filter(|child| is_row(child)) else {
            at += 1;
            continue;
        };
        let mut rows = vec![start];
        let mut to = at + 1;
        for (next, child) in children.iter().enumerate().skip(at + 1) {
            if child.role == Role::Rule {
                continue;
            }
            if !is_row(child) || !are_alike(start, child) {
                break;
            }
            rows.push(child);
            to = next + 1;
        }
        if rows.len() >= LEAST_ROWS
            && text_columns(&rows) >= LEAST_TEXT_COLUMNS
            && !are_lines(children.get(at..to).unwrap_or_default())
        {
            runs.push((at, to));
        }
        at = to;
    }
    runs
}

fn is_row(block: &Block) -> bool {
    let is_plain = matches!(block.skin, Skin::Bare | Skin::Box(_)) && block.lifted.is_empty();
    let cells = block.children();
    is_plain
        && matches!(block.content, Content::Row(_) | Content::Grid(..))
        && cells.len() > 1
        && block.area.h <= MOST_ROW_PX
        && cells.iter().all(|cell| cell.role != Role::Field && cell.role != Role::Submit)
        && !are_cards(cells)
}

/// Whether rows follow each other as closely as lines of running text, with nothing painted between them.
fn are_lines(rows: &[Block]) -> bool {
    let is_close = |pair: &[Block]| match pair {
        [above, below] => below.area.y - above.area.bottom() <= LINES_PX,
        _ => true,
    };
    let close = rows.windows(2).filter(|pair| is_close(pair)).count();
    let is_text = |row: &Block| row.skin == Skin::Bare && row.children().iter().all(Block::is_bare_text);
    rows.iter().all(|row| is_text(row) && row.role != Role::Rule) && close * 2 > rows.len() - 1
}

/// Whether every part is painted and stands apart from the next.
fn are_cards(cells: &[Block]) -> bool {
    let is_apart = |pair: &[Block]| match pair {
        [a, b] => b.area.x - a.area.right() > TOUCHING_PX,
        _ => true,
    };
    are_painted(cells) && cells.windows(2).all(is_apart)
}

fn are_painted(cells: &[Block]) -> bool {
    cells.iter().all(|cell| matches!(cell.skin, Skin::Box(_)))
}

fn are_alike(a: &Block, b: &Block) -> bool {
    let (a, b) = (a.children(), b.children());
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            let near = |of: &dyn Fn(Area) -> f32| (of(a.area) - of(b.area)).abs() <= ALIGNED_PX;
            near(&|area| area.x) || near(&Area::right) || near(&Area::center_x)
        })
}

/// In how many columns every row has words.
fn text_columns(rows: &[&Block]) -> usize {
    let count = rows.first().map_or(0, |row| row.children().len());
    let has_words =
        |cell: &Block| cell.text().is_some() || cell.children().iter().any(|part| part.text().is_some());
    (0..count).filter(|&at| rows.iter().all(|row| row.children().get(at).is_some_and(has_words))).count()
}

/// Whether the first row looks otherwise than the second.
fn is_head(facts: &Facts, rows: &[Block]) -> bool {
    let look = |row: &Block| {
        let text = row.children().iter().find_map(Block::text).and_then(|text| first(facts, text))?;
        Some((text.fs.round() as u32, text.fw, text.color))
    };
    let mut looks = rows.iter().filter(|row| is_row(row)).map(|row| (row.skin != Skin::Bare, look(row)));
    match (looks.next(), looks.next()) {
        (Some(first), Some(second)) => first != second,
        _ => false,
    }
}
