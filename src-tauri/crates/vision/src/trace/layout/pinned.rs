//! Everything keeps its measured place inside what holds it.

mod role;

use super::{Area, Role};
use crate::trace::facts::Facts;
pub(crate) use role::Part;

/// A thing on the page with everything that stands on it.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) part: Part,
    pub(crate) role: Role,
    pub(crate) area: Area,
    /// Needed when the order of the document would paint it under a neighbour.
    pub(crate) z_index: usize,
    pub(crate) children: Vec<Node>,
}

// Glyphs may stick out of their box by a rounding.
const SLACK: f32 = 1.5;

/// Nodes in reading order, nested by containment.
pub(crate) fn positioned(facts: &Facts) -> Vec<Node> {
    let mut flat = parts(facts);
    let parents: Vec<Option<usize>> = (0..flat.len()).map(|index| parent_of(&flat, index)).collect();
    let mut children: Vec<Vec<Node>> = vec![Vec::new(); flat.len()];
    let mut roots = Vec::new();
    // Painting order puts parents before their children; backwards, children are complete when taken.
    for index in (0..flat.len()).rev() {
        let Some(mut node) = flat.pop() else { break };
        node.children = std::mem::take(children.get_mut(index).unwrap_or(&mut Vec::new()));
        node.children.reverse();
        node.children = in_reading_order(node.children);
        match parents.get(index).copied().flatten().and_then(|parent| children.get_mut(parent)) {
            Some(siblings) => siblings.push(node),
            None => roots.push(node),
        }
    }
    roots.reverse();
    let mut roots = in_reading_order(roots);
    role::name(facts, &mut roots);
    roots
}

/// All parts in painting order: boxes and pictures by size, text on top.
fn parts(facts: &Facts) -> Vec<Node> {
    let node = |part, area| Node { part, role: Role::Panel, area, z_index: 0, children: Vec::new() };
    let boxes = facts
        .boxes
        .iter()
        .enumerate()
        .map(|(index, b)| node(Part::Box(index), Area { x: b.x, y: b.y, w: b.w, h: b.h }));
    let images = facts
        .images
        .iter()
        .enumerate()
        .map(|(index, i)| node(Part::Image(index), Area { x: i.x, y: i.y, w: i.w, h: i.h }));
    let mut painted: Vec<Node> = boxes.chain(images).collect();
    painted.sort_by(|a, b| b.area.size().total_cmp(&a.area.size()));
    let texts = facts
        .texts
        .iter()
        .enumerate()
        .map(|(index, t)| node(Part::Text(index), Area { x: t.x, y: t.y, w: t.w, h: t.h }));
    painted.into_iter().chain(texts).collect()
}

/// The smallest box painted before a part that holds it.
fn parent_of(parts: &[Node], index: usize) -> Option<usize> {
    let child = parts.get(index)?;
    parts
        .iter()
        .enumerate()
        .take(index)
        .rev()
        .find(|(_, parent)| matches!(parent.part, Part::Box(_)) && parent.area.holds(child.area, SLACK))
        .map(|(at, _)| at)
}

/// Rows from top to bottom, inside a row from left to right.
fn in_reading_order(nodes: Vec<Node>) -> Vec<Node> {
    let mut ranked: Vec<(usize, Node)> = nodes.into_iter().enumerate().collect();
    ranked.sort_by(|(_, a), (_, b)| a.area.y.total_cmp(&b.area.y).then(a.area.x.total_cmp(&b.area.x)));
    let mut rows: Vec<(f32, Vec<(usize, Node)>)> = Vec::new();
    for (rank, node) in ranked {
        let middle = node.area.y + node.area.h / 2.0;
        match rows.last_mut() {
            // In the same row when the middle lies within the row's first thing.
            Some((bottom, row)) if middle <= *bottom => row.push((rank, node)),
            _ => rows.push((node.area.y + node.area.h, vec![(rank, node)])),
        }
    }
    let mut ordered: Vec<(usize, Node)> = rows
        .into_iter()
        .flat_map(|(_, mut row)| {
            row.sort_by(|(_, a), (_, b)| a.area.x.total_cmp(&b.area.x).then(a.area.y.total_cmp(&b.area.y)));
            row
        })
        .collect();
    raise_covered(&mut ordered);
    ordered.into_iter().map(|(_, node)| node).collect()
}

/// A node that the order of the document would paint under a neighbour it lies on gets a z-index.
fn raise_covered(ordered: &mut [(usize, Node)]) {
    for index in (0..ordered.len()).rev() {
        let Some((rank, area)) = ordered.get(index).map(|(rank, node)| (*rank, node.area)) else { continue };
        let above = ordered
            .iter()
            .skip(index + 1)
            .filter(|(other_rank, other)| *other_rank < rank && other.area.overlaps(area))
            .map(|(_, other)| other.z_index + 1)
            .max();
        if let (Some(z_index), Some((_, node))) = (above, ordered.get_mut(index)) {
            node.z_index = z_index;
        }
    }
}
