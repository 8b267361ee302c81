//! What there is to say about an element.

use std::collections::HashSet;

use serde::Serialize;
use ts_rs::TS;

use super::change::declarations;
use super::token::TextKind;
use super::tree::Namespace;
use super::{Element, Pick, grammar};
use crate::project::reference::resolved;

/// An element in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Description {
    /// How to name it.
    pub pick: Pick,
    /// Its name.
    pub tag: String,
    /// Where it stands: a selector that finds it, from the nearest element with an id that no other has, else from
    /// `head`, else among the children of the body.
    pub path: String,
    /// The how manieth of all elements with its name and its classes, counted from 1.
    pub number: usize,
    /// How many of those there are.
    pub alike: usize,
    /// Its own texts that are more than blanks, without the blanks around them.
    pub texts: Vec<String>,
    /// Whether it holds other elements.
    pub has_elements: bool,
    /// Its attributes as they read, without those that are repeated.
    pub attributes: Vec<(String, String)>,
    /// Its classes.
    pub classes: Vec<String>,
    /// The declarations of its own style.
    pub style: Vec<(String, String)>,
    /// The nearest element around it that somebody wrote.
    pub parent: Option<Pick>,
}

impl<'o> Element<'o> {
    /// The elements with its name and its classes, itself among them, in the order of their start tags.
    pub fn alike(&self) -> Vec<Element<'o>> {
        let classes = classes(self);
        let is_alike = |other: &Element<'_>| other.tag() == self.tag() && self::classes(other) == classes;
        self.outline.elements().filter(is_alike).collect()
    }

    /// Its name with its id, else with its first class: `li.card`.
    pub fn name(&self) -> String {
        let tag = self.tag();
        let id = self.value("id").filter(|id| !id.trim().is_empty());
        let class = || classes(self).into_iter().next().map(|class| format!("{tag}.{class}"));
        id.map(|id| format!("{tag}#{}", id.trim())).or_else(class).unwrap_or_else(|| tag.to_owned())
    }

    /// What there is to say about it.
    pub fn describe(&self) -> Description {
        let mut attributes: Vec<(String, String)> = Vec::new();
        let mut named = HashSet::new();
        for attribute in self.attributes() {
            let name = &self.source()[attribute.name.clone()];
            if named.insert(name.to_ascii_lowercase()) {
                attributes.push((name.to_owned(), self.value_of(attribute)));
            }
        }
        let classes = classes(self);
        let twins: Vec<_> = self.alike().iter().map(|other| other.id).collect();
        Description {
            pick: self.pick(),
            tag: self.tag().to_owned(),
            path: path(self),
            number: 1 + twins.iter().position(|id| *id == self.id).unwrap_or(0),
            alike: twins.len(),
            texts: self.runs().map(|run| read(&self.source()[run.range.clone()], run.kind)).collect(),
            has_elements: self.node().has_elements,
            attributes,
            classes,
            style: style(self),
            parent: self.parent().map(|parent| parent.pick()),
        }
    }
}

fn read(text: &str, kind: TextKind) -> String {
    let text = text.trim_ascii();
    let text = match kind {
        TextKind::Markup => resolved(text).text().to_owned(),
        TextKind::Raw | TextKind::Endless | TextKind::Cdata => text.to_owned(),
    };
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn classes(element: &Element<'_>) -> Vec<String> {
    let value = element.value("class").unwrap_or_default();
    value.split_ascii_whitespace().map(str::to_owned).collect()
}

fn style(element: &Element<'_>) -> Vec<(String, String)> {
    let style = element.value("style").unwrap_or_default();
    let text = |range: std::ops::Range<usize>| style[range].to_owned();
    declarations(&style)
        .declarations
        .into_iter()
        .map(|declaration| {
            let value =
                declaration.value.start..declaration.important.map_or(declaration.value.end, |i| i.end);
            (text(declaration.property), text(value))
        })
        .collect()
}

fn path(element: &Element<'_>) -> String {
    let nodes = &element.outline.nodes;
    let mut steps = Vec::new();
    let mut id = element.id;
    loop {
        let node = &nodes[id];
        if let Some(name) = own_id(element, id) {
            steps.push(format!("#{name}"));
            break;
        }
        let name = match node.namespace {
            Namespace::Svg => grammar::spelled_in_svg(&node.name),
            _ => &node.name,
        };
        let is_root = matches!(name, "html" | "head" | "body") && node.namespace == Namespace::Html;
        if is_root && !steps.is_empty() && name != "head" {
            // Frames stand in the place of a body.
            if name == "html" {
                steps.push(name.to_owned());
            }
            break;
        }
        let same = |other: &usize| {
            let other = &nodes[*other];
            other.parent == node.parent && other.name == node.name && other.namespace == node.namespace
        };
        let siblings: Vec<_> = (0..nodes.len()).filter(same).collect();
        let place = siblings.iter().position(|sibling| *sibling == id).unwrap_or(0);
        let name = escaped(name);
        steps.push(match siblings.len() {
            1 => name,
            _ => format!("{name}:nth-of-type({})", place + 1),
        });
        match node.parent {
            Some(parent) if !is_root => id = parent,
            _ => break,
        }
    }
    steps.reverse();
    steps.join(" > ")
}

/// A name as selectors spell it.
fn escaped(name: &str) -> String {
    let mut spelled = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii() && !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_') {
            spelled.push('\\');
        }
        spelled.push(c);
    }
    spelled
}

/// The id of an element, if it is plain and no other element has it.
fn own_id(element: &Element<'_>, id: usize) -> Option<String> {
    let outline = element.outline;
    outline.nodes[id].tag.as_ref()?;
    let name = Element::new(outline, id).value("id")?;
    let is_plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let is_alone =
        || outline.elements().filter(|other| other.value("id").as_ref() == Some(&name)).count() == 1;
    (is_plain && is_alone()).then_some(name)
}
