//! Elements of mere looks that were left open: what comes behind the end of their block is drawn in a copy of them.

use std::ops::Range;

use super::Builder;
use crate::project::address::tree::Namespace;
use crate::project::address::{Attribute, grammar};

/// Nobody means more looks than this at once.
const MOST_KEPT: usize = 64;
/// Browsers go on with no more of a kind.
const MOST_ALIKE: usize = 3;

/// The elements of mere looks that nobody has ended, oldest first, with a wall at every cell and caption: looks do not
/// go through it.
#[derive(Debug, Default)]
pub(super) struct Formatting {
    kept: Vec<Option<usize>>,
}

impl Formatting {
    /// Sets a wall, where there is one.
    pub(super) fn wall(&mut self, is_wall: bool) {
        if is_wall {
            self.kept.push(None);
        }
    }

    /// Behind a wall nothing of it goes on.
    pub(super) fn forget_to_wall(&mut self) {
        while let Some(Some(_)) = self.kept.pop() {}
    }

    pub(super) fn forget(&mut self, id: usize) {
        self.kept.retain(|kept| *kept != Some(id));
    }

    /// Forgets the last one this side of the wall that is meant.
    pub(super) fn forget_last(&mut self, is_meant: impl Fn(usize) -> bool) {
        let meant = self.here().rev().find(|id| is_meant(*id));
        if let Some(id) = meant {
            self.forget(id);
        }
    }

    /// Those this side of the wall, oldest first.
    fn here(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let start = self.kept.iter().rposition(Option::is_none).map_or(0, |wall| wall + 1);
        self.kept[start..].iter().copied().flatten()
    }
}

impl Builder<'_> {
    /// Keeps an element of mere looks until it is ended.
    pub(super) fn format(&mut self, id: usize) {
        let alike: Vec<_> = self.formatting.here().filter(|other| self.looks_alike(*other, id)).collect();
        let is_full = self.formatting.here().count() >= MOST_KEPT;
        let dropped = alike.first().copied().filter(|_| alike.len() >= MOST_ALIKE);
        if let Some(dropped) = dropped.or_else(|| self.formatting.here().next().filter(|_| is_full)) {
            self.formatting.forget(dropped);
        }
        self.formatting.kept.push(Some(id));
    }

    /// Whether two elements have one name and the same attributes.
    fn looks_alike(&self, a: usize, b: usize) -> bool {
        let attributes = |id: usize| self.nodes[id].tag.iter().flat_map(|tag| &tag.attributes);
        let text = |range: &Range<usize>| &self.source[range.clone()];
        let is_same = |a: &Attribute, b: &Attribute| {
            text(&a.name).eq_ignore_ascii_case(text(&b.name))
                && a.value.as_ref().map(text) == b.value.as_ref().map(text)
        };
        self.nodes[a].name == self.nodes[b].name
            && attributes(a).count() == attributes(b).count()
            && attributes(a).all(|a| attributes(b).any(|b| is_same(a, b)))
    }

    /// Goes on with the elements of mere looks that ended with a block and that nobody has ended.
    pub(super) fn reopen(&mut self) {
        let closed: Vec<_> = self.formatting.here().rev().take_while(|id| !self.open.contains(id)).collect();
        for id in closed.into_iter().rev() {
            if let Some(around) = self.parent_for(&self.nodes[id].name) {
                self.nodes[around].has_elements = true;
            }
            if self.open.len() < super::MOST_OPEN {
                self.open.push(id);
            }
        }
    }

    /// Whether a text here is drawn in what looks go on: not between the parts of a table, where blanks stay.
    pub(super) fn takes_formatting(&self, is_blank: bool) -> bool {
        let Some(top) = self.top().filter(|_| self.reads_html()) else { return false };
        let node = &self.nodes[top];
        let is_in_body = self.body.is_some() || self.is_in_template();
        let is_written_out = matches!(
            node.name.as_str(),
            "textarea"
                | "xmp"
                | "iframe"
                | "noembed"
                | "noframes"
                | "plaintext"
                | "select"
                | "option"
                | "optgroup"
        );
        let is_between = is_blank && (grammar::is_table_frame(&node.name) || node.name == "colgroup");
        is_in_body && !is_written_out && !is_between
    }

    /// Whether what comes next is read as HTML, and not as a part of a picture or a formula.
    pub(super) fn reads_html(&self) -> bool {
        self.top().is_none_or(|top| self.nodes[top].namespace == Namespace::Html || self.takes_html(top))
    }

    /// Whether looks do not go into an element, nor out of it.
    pub(super) fn is_wall(&self, id: usize) -> bool {
        let node = &self.nodes[id];
        node.namespace == Namespace::Html
            && matches!(
                node.name.as_str(),
                "applet" | "object" | "marquee" | "template" | "td" | "th" | "caption"
            )
    }
}
