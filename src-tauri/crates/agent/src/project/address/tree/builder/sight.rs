//! Which open elements count where.

use super::Builder;
use crate::project::address::token::StartTag;
use crate::project::address::tree::Namespace;
use crate::project::address::{Attribute, grammar};

impl Builder<'_> {
    /// The world that a start tag opens its element in.
    pub(super) fn namespace_of(&self, tag: &StartTag) -> Namespace {
        match tag.name.as_str() {
            "svg" => return Namespace::Svg,
            "math" => return Namespace::MathMl,
            _ => {}
        }
        let Some(top) = self.top().filter(|top| !self.takes_html(*top)) else { return Namespace::Html };
        let names = |attribute: &Attribute| &self.source[attribute.name.clone()];
        let is_styled = || tag.attributes.iter().any(|attribute| grammar::styles_font(names(attribute)));
        if grammar::leaves_foreign(&tag.name) || tag.name == "font" && is_styled() {
            return Namespace::Html;
        }
        self.nodes[top].namespace
    }

    /// Whether HTML goes on inside an element of another world.
    pub(super) fn takes_html(&self, id: usize) -> bool {
        let node = &self.nodes[id];
        match (node.namespace, node.name.as_str()) {
            (Namespace::Svg, "foreignobject" | "desc" | "title") => true,
            (Namespace::MathMl, "mi" | "mo" | "mn" | "ms" | "mtext") => true,
            (Namespace::MathMl, "annotation-xml") => {
                let written = node.tag.as_ref().map_or("", |tag| &self.source[tag.range.clone()]);
                let lower = written.to_ascii_lowercase();
                lower.contains("text/html") || lower.contains("application/xhtml+xml")
            }
            _ => false,
        }
    }

    pub(super) fn top(&self) -> Option<usize> {
        self.open.last().copied()
    }

    pub(super) fn top_name(&self) -> Option<&str> {
        self.top().map(|top| self.nodes[top].name.as_str())
    }

    pub(super) fn is_in_template(&self) -> bool {
        self.open.iter().any(|id| self.nodes[*id].name == "template")
    }

    /// How deep the nearest open element of these names lies, if nothing hides it.
    pub(super) fn nearest(&self, names: &[&str], seen: Seen) -> Option<usize> {
        for depth in (0..self.open.len()).rev() {
            let node = &self.nodes[self.open[depth]];
            let name = node.name.as_str();
            let is_html = node.namespace == Namespace::Html;
            if is_html && names.contains(&name) {
                return Some(depth);
            }
            let hides = match seen {
                Seen::FromAnywhere => false,
                Seen::InTable => is_html && matches!(name, "table" | "template"),
                _ if !is_html => self.takes_html(self.open[depth]),
                Seen::InBlock => grammar::is_scope(name),
                Seen::InButton => grammar::is_scope(name) || name == "button",
                Seen::InList => grammar::is_scope(name) || matches!(name, "ol" | "ul"),
            };
            if hides {
                return None;
            }
        }
        None
    }
}

/// Beyond which walls an open element cannot be seen.
#[derive(Debug, Clone, Copy)]
pub(super) enum Seen {
    FromAnywhere,
    InTable,
    InBlock,
    InButton,
    InList,
}
