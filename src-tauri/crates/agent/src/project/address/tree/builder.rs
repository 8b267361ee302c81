//! The stack of open elements, and what start tags do to it.

mod closing;
mod formatting;
mod frames;
mod sight;

use super::{Namespace, Node, Run};
use crate::project::address::grammar;
use crate::project::address::token::StartTag;
use formatting::Formatting;
use sight::Seen;

/// Browsers nest no deeper; what is deeper becomes a neighbour.
const MOST_OPEN: usize = 512;

pub(super) struct Builder<'s> {
    source: &'s str,
    /// Without a doctype a table does not end a paragraph.
    has_doctype: bool,
    nodes: Vec<Node>,
    open: Vec<usize>,
    head: Option<usize>,
    body: Option<usize>,
    form: Option<usize>,
    /// Elements of mere looks that go on behind the block they were left open in.
    formatting: Formatting,
}

impl<'s> Builder<'s> {
    pub(super) fn new(source: &'s str, has_doctype: bool) -> Self {
        let (nodes, open, formatting) = (Vec::new(), Vec::new(), Formatting::default());
        Self { source, has_doctype, nodes, open, head: None, body: None, form: None, formatting }
    }

    pub(super) fn finish(mut self) -> Vec<Node> {
        self.close_down_to(0, self.source.len());
        self.nodes
    }

    pub(super) fn text(&mut self, run: Run) {
        let is_blank = self.source[run.range.clone()].trim_ascii().is_empty();
        if self.has_frames() && !is_blank && self.top_name() != Some("noframes") {
            return;
        }
        let is_in_raw = self.top().is_some_and(|top| {
            matches!(self.nodes[top].name.as_str(), "title" | "style" | "script" | "noscript")
        });
        if !is_blank && !is_in_raw {
            self.need_body(run.range.start);
        }
        if !is_in_raw && self.takes_formatting(is_blank) {
            self.reopen();
        }
        // What stands between the parts of a table is shown in front of it.
        let around = if is_blank { self.top() } else { self.parent_for("") };
        if let Some(around) = around {
            self.nodes[around].runs.push(run);
        }
    }

    pub(super) fn comment(&mut self) {
        if let Some(top) = self.top() {
            self.nodes[top].has_comments = true;
        }
    }

    pub(super) fn start(&mut self, tag: StartTag) {
        let at = tag.range.start;
        if self.has_frames() {
            return self.start_in_frames(tag);
        }
        let namespace = self.namespace_of(&tag);
        if namespace != Namespace::Html {
            self.need_body(at);
            if self.reads_html() {
                self.reopen();
            }
            let leaves = tag.is_self_closing;
            self.open_element(tag, namespace, leaves);
            return;
        }
        self.leave_foreign(at);
        let name = tag.name.clone();
        if self.is_in_template() {
            return self.start_in_body(tag, &name, at);
        }
        match name.as_str() {
            "html" => self.adopt(self.nodes.first().map(|_| 0), tag),
            "head" => match self.head {
                None if self.body.is_none() => {
                    self.need_html();
                    self.head = Some(self.open_html(tag, false));
                }
                _ => {}
            },
            "body" if self.body.is_some() => self.adopt(self.body, tag),
            "body" | "frameset" => {
                self.close_head(at);
                self.body = Some(self.open_html(tag, false));
            }
            _ if self.body.is_none() && grammar::is_of_head(&name) && !self.begins_body(&name) => {
                self.need_head();
                // Behind the head they still go into it.
                if let (true, Some(head)) = (self.is_behind_head(), self.head) {
                    let id = self.add(Some(tag), &name, Namespace::Html, Some(head));
                    if !grammar::is_void(&name) {
                        self.open.push(id);
                    }
                } else {
                    let is_void = grammar::is_void(&name);
                    self.open_html(tag, is_void);
                }
            }
            _ => {
                self.need_body(at);
                self.start_in_body(tag, &name, at);
            }
        }
    }

    fn start_in_body(&mut self, tag: StartTag, name: &str, at: usize) {
        if matches!(name, "html" | "head" | "body" | "frameset" | "frame") {
            return;
        }
        if grammar::is_table_part(name) {
            if self.make_room_in_table(name, at) {
                self.open_html(tag, name == "col");
            }
            return;
        }
        match name {
            "form" if self.form.is_some() && !self.is_in_template() => return,
            "table" => {
                let is_nested = self.nearest(&["table"], Seen::InBlock);
                if let Some(depth) = is_nested {
                    self.close_down_to(depth, at);
                } else if self.has_doctype {
                    self.end_paragraph(at);
                }
            }
            "li" => self.end_item(&["li"], at),
            "dd" | "dt" => self.end_item(&["dd", "dt"], at),
            "option" | "optgroup" => self.end_option(name, at),
            "button" => self.end_in_scope(&["button"], at),
            "a" | "nobr" => self.end_formatting_unsaid(name, at),
            "select" if self.nearest(&["select"], Seen::InBlock).is_some() => {
                return self.end_in_scope(&["select"], at);
            }
            "rb" | "rtc" => self.end_unsaid("", at),
            "rp" | "rt" => self.end_unsaid("rtc", at),
            _ => {}
        }
        if grammar::ends_paragraph(name) {
            self.end_paragraph(at);
        }
        if grammar::is_heading(name) && self.top_name().is_some_and(grammar::is_heading) {
            self.close_down_to(self.open.len() - 1, at);
        }
        if grammar::goes_on_formatted(name) {
            self.reopen();
        }
        let is_void = grammar::is_void(name);
        let id = self.open_html(tag, is_void);
        if grammar::is_formatting(name) {
            self.format(id);
        }
        if name == "form" && !self.is_in_template() {
            self.form = Some(id);
        }
    }

    fn open_html(&mut self, tag: StartTag, is_without_content: bool) -> usize {
        self.open_element(tag, Namespace::Html, is_without_content)
    }

    fn open_element(&mut self, tag: StartTag, namespace: Namespace, is_without_content: bool) -> usize {
        let is_picture = namespace == Namespace::Html && tag.name == "image";
        let name = if is_picture { "img".to_owned() } else { tag.name.clone() };
        if self.open.len() >= MOST_OPEN {
            self.close_down_to(MOST_OPEN - 1, tag.range.start);
        }
        let parent = self.parent_for(&name);
        let id = self.add(Some(tag), &name, namespace, parent);
        if !is_without_content {
            self.open.push(id);
            self.formatting.wall(self.is_wall(id));
        }
        id
    }

    /// What is no part of a table is taken out of it.
    fn parent_for(&self, name: &str) -> Option<usize> {
        let top = self.top()?;
        let belongs = grammar::is_table_part(name)
            || matches!(name, "style" | "script" | "template" | "form" | "input");
        if belongs || self.nodes[top].namespace != Namespace::Html {
            return Some(top);
        }
        let is_frame = |id: &&usize| grammar::is_table_frame(&self.nodes[**id].name);
        self.open.iter().rev().find(|id| !is_frame(id)).copied().or(Some(top))
    }

    fn add(
        &mut self,
        tag: Option<StartTag>,
        name: &str,
        namespace: Namespace,
        parent: Option<usize>,
    ) -> usize {
        if let Some(parent) = parent {
            self.nodes[parent].has_elements = true;
        }
        self.nodes.push(Node {
            name: name.to_owned(),
            namespace,
            content_end: tag.as_ref().map_or(0, |tag| tag.range.end),
            tag,
            parent,
            end_tag: None,
            runs: Vec::new(),
            has_elements: false,
            has_comments: false,
        });
        self.nodes.len() - 1
    }

    fn imply(&mut self, name: &str) -> usize {
        let parent = self.top();
        let id = self.add(None, name, Namespace::Html, parent);
        self.open.push(id);
        id
    }

    /// A second `html` or `body` only adds to the first; one that was implied gets its tag late.
    fn adopt(&mut self, node: Option<usize>, tag: StartTag) {
        match node {
            Some(node) => {
                self.nodes[node].tag.get_or_insert(tag);
            }
            None => {
                self.open_html(tag, false);
            }
        }
    }

    fn need_html(&mut self) {
        if self.nodes.is_empty() {
            self.imply("html");
        }
    }

    fn need_head(&mut self) {
        self.need_html();
        if self.head.is_none() {
            self.head = Some(self.imply("head"));
        }
    }

    fn is_behind_head(&self) -> bool {
        self.head.is_some_and(|head| !self.open.contains(&head))
    }

    /// Whether an element that belongs into the head is of the body, as it stands behind the head.
    fn begins_body(&self, name: &str) -> bool {
        name == "noscript" && self.is_behind_head()
    }

    fn close_head(&mut self, at: usize) {
        self.need_head();
        self.close_down_to(1, at);
    }

    fn need_body(&mut self, at: usize) {
        if self.body.is_none() && !self.is_in_template() {
            self.close_head(at);
            self.body = Some(self.imply("body"));
        }
    }

    /// Opens what a part of a table needs around it. Gives whether the part may stand here at all.
    fn make_room_in_table(&mut self, name: &str, at: usize) -> bool {
        let Some(depth) = self.nearest(&["table", "template"], Seen::InTable) else { return false };
        let keeps: &[&str] = match name {
            "td" | "th" => &["tr", "tbody", "thead", "tfoot"],
            "tr" => &["tbody", "thead", "tfoot"],
            "col" => &["colgroup"],
            _ => &[],
        };
        let kept = self.nearest(keeps, Seen::InTable).unwrap_or(depth);
        self.close_down_to(kept + 1, at);
        let is_in_template = self.nodes[self.open[depth]].name == "template";
        if is_in_template && kept == depth {
            return true;
        }
        let top = self.top_name().unwrap_or_default().to_owned();
        match (name, top.as_str()) {
            ("col", "table") => {
                self.imply("colgroup");
            }
            ("tr", "table") => {
                self.imply("tbody");
            }
            ("td" | "th", "table") => {
                self.imply("tbody");
                self.imply("tr");
            }
            ("td" | "th", "tbody" | "thead" | "tfoot") => {
                self.imply("tr");
            }
            _ => {}
        }
        true
    }
}
