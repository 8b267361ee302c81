//! How much work a drawing asks for, guessed before it is done: a few hundred bytes can ask for hours.

use std::collections::HashMap;

use resvg::usvg::filter::{self, Filter};
use resvg::usvg::{Group, Node, Tree, roxmltree};
use roxmltree::{Document, NodeId};

// Elements, with everything that `use` and markers repeat.
const MOST_ELEMENTS: u64 = 200_000;
// Bytes that layers lying on top of each other hold at one time.
const MOST_LAYER_BYTES: f64 = 256e6;
// Pixels touched in all layers and filters, about a second for each 500 million.
const MOST_PIXELS_TOUCHED: f64 = 2.5e9;
const DEEPEST: u32 = 900;

/// Whether a document stays small when everything that refers to something is replaced by it.
pub(super) fn is_parsed_soon(document: &Document) -> bool {
    let ids = document.descendants().filter_map(|node| Some((node.attribute("id")?, node))).collect();
    let mut counted = Counted { ids, known: HashMap::new() };
    let elements = counted.of(document.root_element(), 0);
    let marker = document.descendants().filter(|node| node.has_tag_name_anywhere("marker"));
    let largest_marker = marker.map(|marker| counted.of(marker, 0)).max().unwrap_or(0);
    // A marker is repeated at each corner; a corner takes at least four characters.
    let corners: usize = document
        .descendants()
        .flat_map(|node| [node.attribute("d"), node.attribute("points")])
        .flatten()
        .map(|path| path.len() / 4)
        .sum();
    elements.saturating_add(largest_marker.saturating_mul(corners as u64)) <= MOST_ELEMENTS
}

trait AnyNamespace {
    fn has_tag_name_anywhere(&self, name: &str) -> bool;
}

impl AnyNamespace for roxmltree::Node<'_, '_> {
    fn has_tag_name_anywhere(&self, name: &str) -> bool {
        self.tag_name().name() == name
    }
}

struct Counted<'a, 'input> {
    ids: HashMap<&'a str, roxmltree::Node<'a, 'input>>,
    known: HashMap<NodeId, u64>,
}

impl<'a, 'input> Counted<'a, 'input> {
    fn of(&mut self, node: roxmltree::Node<'a, 'input>, depth: u32) -> u64 {
        if depth > DEEPEST {
            return u64::MAX;
        }
        if let Some(&known) = self.known.get(&node.id()) {
            return known;
        }
        // Met again while it is counted, it refers to itself and is drawn as nothing.
        self.known.insert(node.id(), 0);
        let mut count = 1_u64;
        for child in node.children().filter(roxmltree::Node::is_element) {
            count = count.saturating_add(self.of(child, depth + 1));
        }
        if node.has_tag_name_anywhere("use") {
            let href = node.attributes().find(|attribute| attribute.name() == "href");
            let target = href.and_then(|href| self.ids.get(href.value().trim().strip_prefix('#')?).copied());
            if let Some(target) = target {
                count = count.saturating_add(self.of(target, depth + 1));
            }
        }
        self.known.insert(node.id(), count);
        count
    }
}

/// Whether layers, masks and filters fit into memory and end within seconds.
pub(super) fn is_drawn_soon(tree: &Tree, scale: f64, columns: u32, rows: u32) -> bool {
    let canvas = f64::from(columns) * f64::from(rows);
    let mut work = Work { canvas, scale, touched: 0.0, most_bytes: 0.0 };
    work.add(tree.root(), 0.0);
    for pattern in tree.patterns() {
        let rect = pattern.rect();
        let tile =
            f64::from(rect.width()) * f64::from(rect.height()) * area_scale(pattern.transform(), scale);
        work.most_bytes = work.most_bytes.max(4.0 * tile.min(1e12));
    }
    work.most_bytes <= MOST_LAYER_BYTES && work.touched <= MOST_PIXELS_TOUCHED
}

fn area_scale(transform: resvg::tiny_skia::Transform, scale: f64) -> f64 {
    let (x, y) = transform.get_scale();
    f64::from(x) * f64::from(y) * scale * scale
}

struct Work {
    canvas: f64,
    scale: f64,
    touched: f64,
    most_bytes: f64,
}

impl Work {
    fn add(&mut self, group: &Group, bytes_below: f64) {
        let mut bytes = bytes_below;
        if group.should_isolate() {
            let masks = group.mask().map_or(0.0, |_| 2.0) + group.clip_path().map_or(0.0, |_| 1.0);
            bytes += 4.0 * self.canvas * (1.0 + masks);
            self.touched += self.canvas * (1.0 + masks);
        }
        for filter in group.filters() {
            let rect = filter.rect();
            let region = f64::from(rect.width()) * f64::from(rect.height());
            // No filter is given more than five times the canvas either way.
            let region = (region * area_scale(group.abs_transform(), self.scale)).min(25.0 * self.canvas);
            bytes += 4.0 * region * (3.0 + filter.primitives().len() as f64);
            self.touched += region * weight(filter);
        }
        self.most_bytes = self.most_bytes.max(bytes);
        for node in group.children() {
            self.touched += 1.0;
            if let Node::Group(inner) = node {
                self.add(inner, bytes);
            }
            // Masks, clips and patterns are drawings of their own.
            node.subroots(|inner| self.add(inner, bytes));
        }
    }
}

fn weight(filter: &Filter) -> f64 {
    filter.primitives().iter().map(|primitive| primitive_weight(primitive.kind())).sum()
}

fn primitive_weight(kind: &filter::Kind) -> f64 {
    match kind {
        filter::Kind::Turbulence(turbulence) => 30.0 * f64::from(turbulence.num_octaves()),
        filter::Kind::ConvolveMatrix(convolve) => {
            f64::from(convolve.matrix().columns()) * f64::from(convolve.matrix().rows())
        }
        filter::Kind::Morphology(morphology) => {
            4.0 + f64::from(morphology.radius_x().get()) * f64::from(morphology.radius_y().get())
        }
        _ => 8.0,
    }
}
