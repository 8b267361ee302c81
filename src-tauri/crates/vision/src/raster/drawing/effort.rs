//! How much work painting a drawing is, guessed before it is done: a few hundred bytes can ask for hours.

use resvg::usvg::filter::{self, Filter};
use resvg::usvg::{Group, Node, Tree};

// Bytes that layers lying on top of each other hold at one time.
const MOST_LAYER_BYTES: f64 = 256e6;
// Pixels touched in all layers and filters, about a second for each 500 million.
const MOST_PIXELS_TOUCHED: f64 = 2.5e9;

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
