//! How large a document becomes when everything that refers to something is replaced by it.

mod corners;
mod styles;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use resvg::usvg::roxmltree::{Document, Node, NodeId};

use styles::{Given, Styles, Wish};

// Elements, with everything that is drawn more than once.
const MOST_ELEMENTS: u64 = 200_000;
// Bytes of attributes and texts, read anew each time, and corners; no file has as many of its own.
const MOST_BYTES: u64 = 16 * 1024 * 1024;
const DEEPEST: u32 = 900;
const SVG: &str = "http://www.w3.org/2000/svg";
// What gets markers and patterns.
const SHAPES: [&str; 9] =
    ["circle", "ellipse", "line", "path", "polygon", "polyline", "rect", "text", "tspan"];
// What is drawn wherever its name is asked for.
const DRAWN_BY_NAME: [&str; 5] = ["clipPath", "filter", "marker", "mask", "pattern"];

/// Whether a document stays small with everything repeated that is drawn more than once.
pub(super) fn stays_small(document: &Document) -> bool {
    let Some(styles) = Styles::of(document) else { return false };
    let mut first = HashMap::new();
    let mut drawn_by_name: HashMap<_, Vec<_>> = HashMap::new();
    for node in document.descendants() {
        let Some(id) = node.attribute("id") else { continue };
        first.entry(id).or_insert(node);
        if DRAWN_BY_NAME.contains(&node.tag_name().name()) {
            drawn_by_name.entry(id).or_default().push(node);
        }
    }
    let mut repeats = Repeats {
        styles: &styles,
        first,
        drawn_by_name,
        given: HashMap::new(),
        around: HashMap::new(),
        open: HashSet::new(),
        elements_left: MOST_ELEMENTS,
        bytes_left: MOST_BYTES,
    };
    let elements = repeats.elements_of(document.root_element(), &Inherited::default(), 0);
    elements.is_some_and(|elements| elements <= MOST_ELEMENTS)
}

/// What shapes may inherit. Which of several wins is a matter of many rules; all together are on the safe side.
#[derive(Clone, Default)]
struct Inherited<'a> {
    once: Vec<&'a str>,
    at_corners: Vec<&'a str>,
}

impl<'a> Inherited<'a> {
    fn with(&self, given: &[Given<'a>]) -> Cow<'_, Self> {
        let mut with = Cow::Borrowed(self);
        for given in given {
            let names = match given.wish {
                Wish::Shape => &mut with.to_mut().once,
                Wish::EachCorner => &mut with.to_mut().at_corners,
                Wish::Element => continue,
            };
            if !names.contains(&given.name) {
                names.push(given.name);
            }
        }
        with
    }
}

/// A walk through a document as it is drawn, which ends as soon as there is too much of it.
struct Repeats<'a, 'input> {
    styles: &'a Styles<'a>,
    /// Of several elements of one name, `use` means the first.
    first: HashMap<&'a str, Node<'a, 'input>>,
    drawn_by_name: HashMap<&'a str, Vec<Node<'a, 'input>>>,
    given: HashMap<NodeId, Rc<[Given<'a>]>>,
    /// What comes down to the insides of an element that is drawn by its name.
    around: HashMap<NodeId, Rc<Inherited<'a>>>,
    /// What is drawn in itself is nothing there.
    open: HashSet<NodeId>,
    elements_left: u64,
    bytes_left: u64,
}

impl<'a, 'input> Repeats<'a, 'input> {
    /// How many elements one becomes; nothing when it is too many.
    fn elements_of(&mut self, node: Node<'a, 'input>, outer: &Inherited<'a>, depth: u32) -> Option<u64> {
        self.elements_left = self.elements_left.checked_sub(1)?;
        self.bytes_left = self.bytes_left.checked_sub(bytes_of(node))?;
        if depth > DEEPEST {
            return None;
        }
        let given = self.given(node);
        let inherited = outer.with(&given);
        let mut count = 1_u64;
        for child in node.children().filter(Node::is_element) {
            count = count.checked_add(self.elements_of(child, &inherited, depth + 1)?)?;
        }
        let tag = node.tag_name().name();
        if matches!(tag, "use" | "feImage" | "pattern") {
            for target in self.meant(node) {
                count = count.checked_add(self.elements_of(target, &inherited, depth + 1)?)?;
            }
        }
        for given in given.iter().filter(|given| given.wish == Wish::Element) {
            count = count.checked_add(self.elements_named(&[given.name], depth)?)?;
        }
        if SHAPES.contains(&tag) {
            let corners = corners::most(node);
            self.bytes_left = self.bytes_left.checked_sub(corners)?;
            count = count.checked_add(self.elements_named(&inherited.once, depth)?)?;
            let at_each = self.elements_named(&inherited.at_corners, depth)?;
            count = count.checked_add(at_each.checked_mul(corners)?)?;
        }
        Some(count)
    }

    /// What an element refers to, unless that holds the element itself and so is not drawn in it.
    fn meant(&self, node: Node<'a, 'input>) -> Vec<Node<'a, 'input>> {
        let hrefs = node.attributes().filter(|attribute| attribute.name() == "href");
        let name = |href: &'a str| href.trim().strip_prefix('#')?.split(' ').next();
        let found = hrefs.filter_map(|href| self.first.get(name(href.value())?).copied());
        let is_drawn = |target: &Node| {
            !node.has_tag_name((SVG, "use")) || node.ancestors().all(|outer| outer != *target)
        };
        found.filter(is_drawn).collect()
    }

    fn elements_named(&mut self, names: &[&'a str], depth: u32) -> Option<u64> {
        let mut count = 0_u64;
        for name in names {
            for drawn in self.drawn_by_name.get(name).cloned().unwrap_or_default() {
                if self.open.insert(drawn.id()) {
                    let around = self.around(drawn);
                    count = count.checked_add(self.elements_of(drawn, &around, depth + 1)?)?;
                    self.open.remove(&drawn.id());
                }
            }
        }
        Some(count)
    }

    fn given(&mut self, node: Node<'a, 'input>) -> Rc<[Given<'a>]> {
        let styles = self.styles;
        Rc::clone(self.given.entry(node.id()).or_insert_with(|| styles.given_to(node).into()))
    }

    fn around(&mut self, drawn: Node<'a, 'input>) -> Rc<Inherited<'a>> {
        if let Some(known) = self.around.get(&drawn.id()) {
            return Rc::clone(known);
        }
        let mut around = Inherited::default();
        for outer in drawn.ancestors().skip(1) {
            around = around.with(&self.given(outer)).into_owned();
        }
        Rc::clone(self.around.entry(drawn.id()).or_insert(Rc::new(around)))
    }
}

fn bytes_of(node: Node) -> u64 {
    let attributes = node.attributes().map(|attribute| attribute.value().len());
    let texts = node.children().filter(Node::is_text).filter_map(|text| text.text()).map(str::len);
    attributes.chain(texts).sum::<usize>() as u64
}
