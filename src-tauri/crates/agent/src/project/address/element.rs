//! One element of an outline.

use std::ops::Range;

use super::token::{Attribute, StartTag};
use super::tree::{Namespace, Node, Run};
use super::{Outline, Pick, grammar};
use crate::project::reference::resolved;

/// An element that somebody wrote.
#[derive(Debug, Clone, Copy)]
pub struct Element<'o> {
    pub(super) outline: &'o Outline<'o>,
    pub(super) id: usize,
}

impl<'o> Element<'o> {
    pub(super) fn new(outline: &'o Outline<'_>, id: usize) -> Self {
        Self { outline, id }
    }

    /// How to name it.
    pub fn pick(&self) -> Pick {
        Pick { at: self.start_tag().start, version: self.outline.version.clone() }
    }

    /// Its name, in lower case.
    pub fn tag(&self) -> &'o str {
        &self.node().name
    }

    /// The bytes of its start tag.
    pub fn start_tag(&self) -> Range<usize> {
        self.written().map_or(0..0, |tag| tag.range.clone())
    }

    /// The bytes between its tags. Without an end tag it ends where a browser takes it to.
    pub fn content(&self) -> Range<usize> {
        let start = self.start_tag().end;
        start..self.node().content_end.max(start)
    }

    /// The bytes of its end tag, if it has one.
    pub fn end_tag(&self) -> Option<Range<usize>> {
        self.node().end_tag.clone()
    }

    /// Its attributes as they are written, also those that a browser overlooks because they are repeated.
    pub fn attributes(&self) -> &'o [Attribute] {
        self.written().map_or(&[], |tag| &tag.attributes)
    }

    /// The bytes of its own texts that are more than blanks, in order.
    pub fn texts(&self) -> impl Iterator<Item = Range<usize>> + use<'o> {
        self.runs().map(|run| run.range.clone())
    }

    /// The nearest element around it that somebody wrote.
    pub fn parent(&self) -> Option<Element<'o>> {
        let mut id = self.node().parent?;
        while self.outline.nodes[id].tag.is_none() {
            id = self.outline.nodes[id].parent?;
        }
        Some(Element { outline: self.outline, id })
    }

    pub(super) fn node(&self) -> &'o Node {
        &self.outline.nodes[self.id]
    }

    pub(super) fn source(&self) -> &'o str {
        self.outline.source
    }

    pub(super) fn runs(&self) -> impl Iterator<Item = &'o Run> + use<'o> {
        let source = self.source();
        self.node().runs.iter().filter(move |run| !source[run.range.clone()].trim_ascii().is_empty())
    }

    /// Where an attribute can be added behind the name when there is none yet.
    pub(super) fn name_end(&self) -> usize {
        self.written().map_or(0, |tag| tag.range.start + 1 + tag.name.len())
    }

    /// The attribute of this name that counts.
    pub(super) fn attribute(&self, name: &str) -> Option<&'o Attribute> {
        self.attributes().iter().find(|attribute| self.is_named(attribute, name))
    }

    pub(super) fn is_named(&self, attribute: &Attribute, name: &str) -> bool {
        self.source()[attribute.name.clone()].eq_ignore_ascii_case(name)
    }

    /// What an attribute says, if it is there.
    pub(super) fn value(&self, name: &str) -> Option<String> {
        self.attribute(name).map(|attribute| self.value_of(attribute))
    }

    pub(super) fn value_of(&self, attribute: &Attribute) -> String {
        let value = attribute.value.clone().map_or("", |value| &self.source()[value]);
        resolved(value).text().replace("\r\n", "\n").replace('\r', "\n")
    }

    /// Whether there is no room for content.
    pub(super) fn is_void(&self) -> bool {
        let node = self.node();
        match node.namespace {
            Namespace::Html => grammar::is_void(&node.name),
            _ => self.written().is_some_and(|tag| tag.is_self_closing),
        }
    }

    fn written(&self) -> Option<&'o StartTag> {
        self.node().tag.as_ref()
    }
}
