//! What end tags do, and what ends without one.

use std::ops::Range;

use super::Builder;
use super::sight::Seen;
use crate::project::address::grammar;
use crate::project::address::tree::Namespace;

impl Builder<'_> {
    pub(in crate::project::address::tree) fn end(&mut self, range: Range<usize>, name: &str) {
        let at = range.start;
        if self.has_frames() && !matches!(name, "frameset" | "noframes" | "html") {
            return;
        }
        if self.top().is_some_and(|top| self.nodes[top].namespace != Namespace::Html)
            && self.end_foreign(range.clone(), name)
        {
            return;
        }
        match name {
            "html" | "body" => {
                let node = if name == "html" { Some(0) } else { self.body };
                if let Some(node) = node.and_then(|node| self.nodes.get_mut(node)) {
                    node.end_tag.get_or_insert(range);
                }
            }
            "head" => {
                if let Some(depth) = self.nearest(&["head"], Seen::InBlock) {
                    self.close_with(depth, range);
                }
            }
            "p" if self.nearest(&["p"], Seen::InButton).is_none() => {
                self.need_body(at);
                let parent = self.parent_for("p");
                self.add(None, "p", Namespace::Html, parent);
            }
            "br" => {
                self.need_body(at);
                let parent = self.parent_for("br");
                self.add(None, "br", Namespace::Html, parent);
            }
            "p" => self.close_named(&["p"], Seen::InButton, range),
            "li" => self.close_named(&["li"], Seen::InList, range),
            _ if grammar::is_heading(name) => {
                self.close_named(&["h1", "h2", "h3", "h4", "h5", "h6"], Seen::InBlock, range);
            }
            _ if grammar::is_formatting(name) => self.end_formatting(range, name),
            "form" => {
                let form = self.form.take();
                match form.and_then(|form| self.open.iter().position(|open| *open == form)) {
                    Some(depth) => self.close_with(depth, range),
                    None => self.close_named(&["form"], Seen::InBlock, range),
                }
            }
            "template" => self.close_named(&[name], Seen::FromAnywhere, range),
            "table" => self.close_named(&[name], Seen::InTable, range),
            _ if grammar::is_table_part(name) => self.close_named(&[name], Seen::InTable, range),
            _ if grammar::is_special(name) => self.close_named(&[name], Seen::InBlock, range),
            _ => self.end_other(range, name),
        }
    }

    pub(super) fn close_down_to(&mut self, depth: usize, at: usize) {
        for id in self.open.split_off(depth.min(self.open.len())) {
            let node = &mut self.nodes[id];
            node.content_end = node.end_tag.as_ref().map_or(at, |end_tag| end_tag.start);
            if self.is_wall(id) {
                self.formatting.forget_to_wall();
            }
            if self.form == Some(id) {
                self.form = None;
            }
        }
    }

    pub(super) fn close_with(&mut self, depth: usize, end_tag: Range<usize>) {
        let at = end_tag.start;
        if let Some(id) = self.open.get(depth) {
            self.nodes[*id].end_tag = Some(end_tag);
        }
        self.close_down_to(depth, at);
    }

    pub(super) fn close_named(&mut self, names: &[&str], seen: Seen, end_tag: Range<usize>) {
        if let Some(depth) = self.nearest(names, seen) {
            self.close_with(depth, end_tag);
        }
    }

    pub(super) fn end_in_scope(&mut self, names: &[&str], at: usize) {
        if let Some(depth) = self.nearest(names, Seen::InBlock) {
            self.close_down_to(depth, at);
        }
    }

    pub(super) fn end_paragraph(&mut self, at: usize) {
        if let Some(depth) = self.nearest(&["p"], Seen::InButton) {
            self.close_down_to(depth, at);
        }
    }

    pub(super) fn end_item(&mut self, names: &[&str], at: usize) {
        for depth in (0..self.open.len()).rev() {
            let name = self.nodes[self.open[depth]].name.as_str();
            if names.contains(&name) {
                return self.close_down_to(depth, at);
            }
            if grammar::is_special(name) && !matches!(name, "address" | "div" | "p") {
                return;
            }
        }
    }

    pub(super) fn end_option(&mut self, name: &str, at: usize) {
        let is_in_select = self.nearest(&["select"], Seen::InBlock).is_some();
        let ends = |open: &str| open == "option" || is_in_select && name == "optgroup" && open == "optgroup";
        while self.top_name().is_some_and(ends) {
            self.close_down_to(self.open.len() - 1, at);
        }
    }

    pub(super) fn end_unsaid(&mut self, except: &str, at: usize) {
        if self.nearest(&["ruby"], Seen::InBlock).is_none() {
            return;
        }
        while self.top_name().is_some_and(|name| grammar::may_end_unsaid(name) && name != except) {
            self.close_down_to(self.open.len() - 1, at);
        }
    }

    /// An end tag that crosses a block ends its element there, and the block goes on.
    pub(super) fn end_formatting(&mut self, range: Range<usize>, name: &str) {
        let Some(depth) = self.nearest(&[name], Seen::InBlock) else {
            // It was closed with the block around it, and does not go on.
            return self.formatting.forget_last(|id| self.nodes[id].name == name);
        };
        self.formatting.forget(self.open[depth]);
        if self.is_crossed(depth) {
            let id = self.leave_early(depth, range.start);
            self.nodes[id].end_tag = Some(range);
        } else {
            self.close_with(depth, range);
        }
    }

    /// The same where the end is only implied, as a link ends where the next one begins.
    pub(super) fn end_formatting_unsaid(&mut self, name: &str, at: usize) {
        let nearest = self.nearest(&[name], Seen::InBlock);
        match nearest {
            Some(depth) => self.formatting.forget(self.open[depth]),
            None => self.formatting.forget_last(|id| self.nodes[id].name == name),
        }
        match nearest {
            Some(depth) if self.is_crossed(depth) => {
                self.leave_early(depth, at);
            }
            Some(depth) => self.close_down_to(depth, at),
            None => {}
        }
    }

    /// Whether a block is open inside an element of mere looks.
    fn is_crossed(&self, depth: usize) -> bool {
        self.open[depth + 1..].iter().any(|id| self.is_block(*id))
    }

    fn is_block(&self, id: usize) -> bool {
        let node = &self.nodes[id];
        node.namespace == Namespace::Html && grammar::is_special(&node.name)
    }

    /// Ends an element around an open block. A browser takes the block out of it and puts a copy of the element into
    /// the block, around what is there already.
    fn leave_early(&mut self, depth: usize, at: usize) -> usize {
        let id = self.open.remove(depth);
        self.nodes[id].content_end = at;
        let block = self.open[depth..].iter().copied().find(|open| self.is_block(*open));
        if let Some(block) = block {
            if self.open.get(depth) == Some(&block) {
                self.nodes[block].parent = depth.checked_sub(1).map(|outer| self.open[outer]);
            }
            let runs = std::mem::take(&mut self.nodes[block].runs);
            self.nodes[id].runs.extend(runs);
            for inner in &mut self.nodes[block + 1..] {
                if inner.parent == Some(block) {
                    inner.parent = Some(id);
                }
            }
            self.nodes[block].has_elements = true;
        }
        id
    }

    pub(super) fn end_other(&mut self, range: Range<usize>, name: &str) {
        for depth in (0..self.open.len()).rev() {
            let open = &self.nodes[self.open[depth]];
            let is_html = open.namespace == Namespace::Html;
            if is_html && open.name == name {
                return self.close_with(depth, range);
            }
            // An end tag does not reach out of HTML that is drawn inside a picture.
            if is_html && grammar::is_special(&open.name) || self.takes_html(self.open[depth]) {
                return;
            }
        }
    }

    /// Gives whether the end tag is dealt with.
    pub(super) fn end_foreign(&mut self, range: Range<usize>, name: &str) -> bool {
        if matches!(name, "p" | "br") {
            self.leave_foreign(range.start);
            return false;
        }
        for depth in (0..self.open.len()).rev() {
            let open = &self.nodes[self.open[depth]];
            if open.namespace == Namespace::Html {
                return false;
            }
            if open.name == name {
                self.close_with(depth, range);
                return true;
            }
        }
        false
    }

    pub(super) fn leave_foreign(&mut self, at: usize) {
        while let Some(top) = self.top() {
            let node = &self.nodes[top];
            if node.namespace == Namespace::Html || self.takes_html(top) {
                return;
            }
            self.close_down_to(self.open.len() - 1, at);
        }
    }
}
