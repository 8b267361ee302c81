//! Things on a plane become rows and columns: cut where nothing stands, again and again.

use super::columns::in_columns;
use super::units::in_units;
use super::{Area, Block, Content, Skin};
use crate::trace::facts::Facts;

/// A thing with the area that counts for cutting: what it really paints.
type Thing = (Area, Block);

// How far neighbours may reach into each other, tried in this order.
const OVERLAPS_PX: [f32; 3] = [0.5, 2.6, 5.0];
// A heap of more things than this has no order to be found.
const MOST_LIFTED: usize = 24;
const MOST_COMPARED: usize = 400;
// Blocks inside each other; no page made by hand has as many.
pub(super) const MOST_DEPTH: usize = 48;
// Columns this many times farther from each other than lines are, are read column by column.
const WIDE_COLUMNS: f32 = 2.0;

/// Things in order, and what lies over them; `depth` counts the blocks around it.
pub(super) fn cut(facts: &Facts, mut things: Vec<Thing>, depth: usize) -> (Content, Vec<Block>) {
    let mut lifted = Vec::new();
    loop {
        if things.is_empty() {
            return (Content::Nothing, lifted);
        }
        if things.len() == 1 {
            let (_, block) = things.remove(0);
            // A single text is the content of what holds it, unless something lies over it.
            return match block {
                Block { content: Content::Text(paragraph), skin: Skin::Bare, .. } if lifted.is_empty() => {
                    (Content::Text(paragraph), lifted)
                }
                block => (Content::Column(vec![block]), lifted),
            };
        }
        let is_deep = depth >= MOST_DEPTH;
        if let Some((axis, groups)) = split(facts, &things).filter(|_| !is_deep) {
            let mut left: Vec<Option<Thing>> = things.into_iter().map(Some).collect();
            let mut blocks = Vec::new();
            for group in groups {
                let group = group.into_iter().filter_map(|at| left.get_mut(at).and_then(Option::take));
                blocks.push(block_of(facts, group.collect(), depth));
            }
            return (content(axis, blocks), lifted);
        }
        if is_deep || lifted.len() >= MOST_LIFTED || things.len() > MOST_COMPARED {
            lifted.extend(things.drain(..).map(|(_, block)| block));
            continue;
        }
        // Nothing can be cut: what is most in the way lies over the rest.
        let at = most_in_the_way(&things);
        lifted.push(things.remove(at).1);
    }
}

fn content(axis: Axis, blocks: Vec<Block>) -> Content {
    match axis {
        Axis::Down => Content::Column(blocks),
        Axis::Across => in_columns(in_units(blocks)),
    }
}

fn block_of(facts: &Facts, mut group: Vec<Thing>, depth: usize) -> Block {
    if group.len() == 1 {
        return group.remove(0).1;
    }
    let area = group.iter().map(|(_, block)| block.area).reduce(Area::union);
    let area = area.unwrap_or(Area { x: 0.0, y: 0.0, w: 0.0, h: 0.0 });
    let (content, lifted) = cut(facts, group, depth + 1);
    Block { lifted, ..Block::bare(area, content) }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axis {
    Down,
    Across,
}

impl Axis {
    fn span(self, area: Area) -> (f32, f32) {
        match self {
            Self::Down => (area.y, area.bottom()),
            Self::Across => (area.x, area.right()),
        }
    }
}

/// How things can be cut apart, and which belong together then.
fn split(facts: &Facts, things: &[Thing]) -> Option<(Axis, Vec<Vec<usize>>)> {
    for overlap in OVERLAPS_PX {
        let down = groups(things, Axis::Down, overlap);
        let across = groups(things, Axis::Across, overlap);
        let axis = match (down.len() > 1, across.len() > 1) {
            (false, false) => continue,
            (true, false) => Axis::Down,
            (false, true) => Axis::Across,
            (true, true) if are_columns(facts, things, &down, &across) => Axis::Across,
            (true, true) => Axis::Down,
        };
        return Some((axis, if axis == Axis::Down { down } else { across }));
    }
    None
}

/// Whether things that could be read either way are columns: like things stand beside each other in columns of unlike
/// ones, or else the columns are lines of text far apart.
fn are_columns(facts: &Facts, things: &[Thing], down: &[Vec<usize>], across: &[Vec<usize>]) -> bool {
    let (rows, columns) = (likeness(facts, things, down), likeness(facts, things, across));
    // Boxes keep together what belongs together; loose things need columns for that.
    let boxes = things.iter().filter(|(_, block)| block.skin != Skin::Bare && block.has_words()).count();
    if boxes * 5 > things.len() {
        return false;
    }
    if (rows - columns).abs() > 0.2 {
        return rows > columns;
    }
    let has_columns = across.iter().filter(|column| column.len() > 1).count() * 2 > across.len();
    let narrowest = gaps(things, across, Axis::Across).into_iter().fold(f32::MAX, f32::min);
    let mut between = gaps(things, down, Axis::Down);
    between.sort_by(f32::total_cmp);
    let usual = between.get(between.len() / 2).copied().unwrap_or(f32::MAX);
    let is_text = things.iter().all(|(_, block)| block.is_bare_text());
    has_columns && is_text && narrowest > WIDE_COLUMNS * usual && narrowest >= 24.0
}

/// The share of groups of several things in which all are of one kind.
fn likeness(facts: &Facts, things: &[Thing], groups: &[Vec<usize>]) -> f32 {
    let kind = |at: usize| {
        let (_, block) = things.get(at)?;
        Some(match (block.skin, block.text()) {
            (Skin::Bare, Some(paragraph)) => (
                0,
                paragraph.size.round() as usize,
                facts.texts.get(paragraph.face).map_or(0, |text| text.fw),
            ),
            (Skin::Image(_), _) => (1, 0, 0),
            _ => (2, 0, 0),
        })
    };
    let several: Vec<&Vec<usize>> = groups.iter().filter(|group| group.len() > 1).collect();
    let alike = several.iter().filter(|group| {
        let first = group.first().and_then(|&at| kind(at));
        group.iter().all(|&at| kind(at) == first)
    });
    alike.count() as f32 / several.len().max(1) as f32
}

/// The distances between groups that follow each other.
fn gaps(things: &[Thing], groups: &[Vec<usize>], axis: Axis) -> Vec<f32> {
    let spans: Vec<(f32, f32)> = groups
        .iter()
        .map(|group| {
            let spans = group.iter().filter_map(|&at| things.get(at)).map(|(area, _)| axis.span(*area));
            spans.fold((f32::MAX, f32::MIN), |(from, to), span| (from.min(span.0), to.max(span.1)))
        })
        .collect();
    spans
        .windows(2)
        .map(|pair| pair.last().map_or(0.0, |b| b.0) - pair.first().map_or(0.0, |a| a.1))
        .collect()
}

/// Which things stand together along an axis, in order.
fn groups(things: &[Thing], axis: Axis, overlap: f32) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..things.len()).collect();
    let span = |at: usize| things.get(at).map_or((0.0, 0.0), |(area, _)| axis.span(*area));
    order.sort_by(|&a, &b| span(a).0.total_cmp(&span(b).0));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut end = f32::MIN;
    for at in order {
        let (from, to) = span(at);
        match groups.last_mut() {
            Some(group) if from < end - overlap => group.push(at),
            _ => groups.push(vec![at]),
        }
        end = end.max(to);
    }
    groups
}

/// The thing that shares most with the others, for its size.
fn most_in_the_way(things: &[Thing]) -> usize {
    let share = |at: usize| {
        let Some((own, _)) = things.get(at) else { return 0.0 };
        let shared: f32 = things
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != at)
            .map(|(_, (other, _))| own.shared(*other))
            .sum();
        shared / own.size().max(1.0)
    };
    (0..things.len()).max_by(|&a, &b| share(a).total_cmp(&share(b))).unwrap_or(0)
}
