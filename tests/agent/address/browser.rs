//! The same pages as an independent parser has them.

use dom_query::{Document, NodeId, NodeRef};
use facsimile_agent::project::address::{Description, Element, Outline};

/// Where an element begins, its name, and where the nearest one around it begins.
pub type Seen = (usize, String, Option<usize>);

/// A page that says of every element where it begins.
pub fn annotated(outline: &Outline<'_>, page: &str) -> String {
    let mut copy = String::new();
    let mut copied = 0;
    for element in outline.elements() {
        let at = element.start_tag().start;
        let rest = &page[at + 1..];
        let ends_name = |c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>');
        let name_end = at + 1 + rest.find(ends_name).unwrap();
        copy.push_str(&page[copied..name_end]);
        copy.push_str(&format!(" data-fx=\"{at}\""));
        copied = name_end;
    }
    copy.push_str(&page[copied..]);
    copy
}

/// Parses a page.
pub fn document(page: &str) -> Document {
    Document::from(page.strip_prefix('\u{feff}').unwrap_or(page))
}

/// Its elements in the order they were written, and those without an address that nobody may imply.
pub fn elements(page: &str) -> (Vec<Seen>, Vec<String>) {
    let document = document(page);
    let (mut seen, mut strangers) = (Vec::new(), Vec::new());
    let mut open: Vec<(NodeId, Option<usize>)> = vec![(document.root().id, None)];
    while let Some((id, parent)) = open.pop() {
        let node = NodeRef::new(id, &document.tree);
        let mut around = parent;
        if let Some(name) = node.node_name().filter(|_| node.is_element()) {
            let name = name.to_ascii_lowercase();
            match node.attr("data-fx").map(|at| at.parse().unwrap()) {
                Some(at) => {
                    seen.push((at, name.clone(), parent));
                    around = Some(at);
                }
                None if ["html", "head", "body", "tbody", "tr", "colgroup", "p", "br"]
                    .contains(&name.as_str()) => {}
                None => strangers.push(name.clone()),
            }
            // This parser reads what stands there as if scripts were off.
            if name == "noscript" {
                continue;
            }
            if let Some(inner) = node.element_ref().and_then(|element| element.template_contents) {
                open.push((inner, around));
            }
        }
        open.extend(node.children().into_iter().map(|child| (child.id, around)));
    }
    seen.sort();
    (seen, strangers)
}

/// What an element says: its attributes by local name, and its own text without blanks.
pub type Said = (Vec<(String, String)>, String);

/// What the elements that a selector finds say, and where they begin.
pub fn found(document: &Document, selector: &str) -> Vec<(Option<usize>, Said)> {
    let local = |name: &str| name.rsplit(':').next().unwrap_or_default().to_ascii_lowercase();
    let of = |node: &NodeRef<'_>| {
        let attributes = node.attrs().into_iter().map(|a| (local(&a.name.local), a.value.to_string()));
        let mut attributes: Vec<_> = attributes.filter(|(name, _)| name != "data-fx").collect();
        attributes.sort();
        let text = node.immediate_text().chars().filter(|c| !c.is_whitespace()).collect();
        (node.attr("data-fx").map(|at| at.parse().unwrap()), (attributes, text))
    };
    document.select(selector).nodes().iter().map(of).collect()
}

/// What a description says of the same.
pub fn said(description: &Description) -> Said {
    let local = |name: &str| name.rsplit(':').next().unwrap_or_default().to_ascii_lowercase();
    let mut attributes: Vec<_> =
        description.attributes.iter().map(|(name, value)| (local(name), value.clone())).collect();
    attributes.sort();
    // A browser leaves NUL out.
    let is_read = |c: &char| !c.is_whitespace() && *c != '\0';
    (attributes, description.texts.concat().chars().filter(is_read).collect())
}

/// Whether selectors do not reach an element: inside a template it is in no document. What is for browsers without
/// scripts is text to the others.
pub fn is_out_of_reach(element: &Element<'_>) -> bool {
    if element.tag() == "noscript" {
        return true;
    }
    let mut around = element.parent();
    while let Some(outer) = around {
        if outer.tag() == "template" {
            return true;
        }
        around = outer.parent();
    }
    false
}
