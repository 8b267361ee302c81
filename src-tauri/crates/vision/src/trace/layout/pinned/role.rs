//! Gives every node its role.

use super::Node;
use crate::trace::facts::{Align, BoxFact, Facts, TextFact};
use crate::trace::layout::Role;
use crate::trace::layout::naming::heading_sizes;

/// Which fact a node shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Box(usize),
    Image(usize),
    Text(usize),
}

const CAPTION_SIZE: f32 = 12.5;

/// Gives every node its role.
pub(super) fn name(facts: &Facts, nodes: &mut [Node]) {
    let sizes = heading_sizes(facts);
    for node in nodes {
        name_node(facts, &sizes, node);
    }
}

fn name_node(facts: &Facts, sizes: &[f32], node: &mut Node) {
    for child in &mut node.children {
        name_node(facts, sizes, child);
    }
    node.role = match node.part {
        Part::Text(index) => facts.texts.get(index).map_or(Role::Text, |text| text_role(text, sizes)),
        Part::Box(index) => {
            facts.boxes.get(index).map_or(Role::Panel, |painted| box_role(facts, painted, &node.children))
        }
        Part::Image(_) if node.area.w.max(node.area.h) <= 48.0 => Role::Icon,
        Part::Image(_) => Role::Picture,
    };
}

fn text_role(text: &TextFact, sizes: &[f32]) -> Role {
    if let Some(level) = sizes.iter().position(|&size| size == text.fs.round()) {
        return Role::Heading(level as u8 + 1);
    }
    if text.ff.contains("monospace") {
        Role::Code
    } else if text.fs <= CAPTION_SIZE {
        Role::Caption
    } else if text.text.chars().count() < 24 {
        Role::Label
    } else {
        Role::Text
    }
}

fn box_role(facts: &Facts, painted: &BoxFact, children: &[Node]) -> Role {
    let texts: Vec<&TextFact> = children
        .iter()
        .filter_map(|child| match child.part {
            Part::Text(index) => facts.texts.get(index),
            _ => None,
        })
        .collect();
    let has_border = painted.bw.iter().any(|&width| width > 0.0);
    if painted.w.min(painted.h) <= 3.0 {
        return Role::Rule;
    }
    if let [text] = texts.as_slice()
        && painted.h <= 72.0
        && painted.w <= 480.0
    {
        if painted.h <= 26.0 && painted.w <= 120.0 {
            return Role::Badge;
        }
        if text.align == Align::Center {
            return Role::Button;
        }
        if has_border {
            return Role::Field;
        }
    }
    if texts.is_empty() && children.is_empty() && has_border && (28.0..=60.0).contains(&painted.h) {
        return Role::Field;
    }
    Role::of_size(painted, facts.width)
}
