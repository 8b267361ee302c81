//! Pictures cut out of a page: where they are, where their edges really run, and the cut-outs as files.
//!
//! [`Segments`] looks at a picture once; it then offers [`Segments::candidates`] and moves a roughly named
//! [`PixelBox`] to real edges with [`Segments::snap`]. [`cut`] makes the file.

mod candidates;
mod crop;
mod snap;

use crate::raster::Raster;
use crate::trace::borders;
use crate::trace::color::{pixel, reach};
use crate::trace::geometry::Rect;
use crate::trace::mask::Mask;
use crate::trace::pictures;
use crate::trace::regions;
pub use candidates::{Candidate, CandidateKind};
pub use crop::cut;

/// A box of whole pixels inside a picture; never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct PixelBox {
    /// Left edge.
    pub x: u32,
    /// Top edge.
    pub y: u32,
    /// Width, at least 1.
    pub width: u32,
    /// Height, at least 1.
    pub height: u32,
}

impl PixelBox {
    /// The box that a model names as `[ymin, xmin, ymax, xmax]` in thousandths of a picture's sides. Swapped
    /// edges are put right, what lies outside is cut off, and a box thinner than a pixel keeps one; nothing
    /// comes of numbers that are none.
    pub fn from_thousandths(edges: [f64; 4], width: u32, height: u32) -> Option<Self> {
        if width == 0 || height == 0 || edges.iter().any(|edge| !edge.is_finite()) {
            return None;
        }
        let [top, left, bottom, right] = edges;
        let (x, width) = span(left, right, width);
        let (y, height) = span(top, bottom, height);
        Some(Self { x, y, width, height })
    }

    /// The part of the box inside a picture; at least the pixel nearest to it.
    pub fn within(self, width: u32, height: u32) -> Self {
        let (x, y) = (self.x.min(width.saturating_sub(1)), self.y.min(height.saturating_sub(1)));
        let right = self.x.saturating_add(self.width).min(width).max(x + 1);
        let bottom = self.y.saturating_add(self.height).min(height).max(y + 1);
        Self { x, y, width: right - x, height: bottom - y }
    }

    fn rect(self) -> Rect {
        Rect { x: self.x as i32, y: self.y as i32, w: self.width as i32, h: self.height as i32 }
    }

    fn of(area: Rect) -> Option<Self> {
        let [x, y, width, height] = [area.x, area.y, area.w, area.h].map(|length| u32::try_from(length).ok());
        let found = Self { x: x?, y: y?, width: width?, height: height? };
        (found.width > 0 && found.height > 0).then_some(found)
    }
}

/// Start and length of a stretch named in thousandths.
fn span(from: f64, to: f64, length: u32) -> (u32, u32) {
    let at = |thousandths: f64| (thousandths.clamp(0.0, 1000.0) / 1000.0 * f64::from(length)).round() as u32;
    let start = at(from.min(to)).min(length - 1);
    let end = at(from.max(to)).clamp(start + 1, length);
    (start, end - start)
}

/// What a picture is made of, as far as boxes go.
pub struct Segments<'a> {
    raster: &'a Raster,
    /// Pictures as the tracer finds them, largest unions of what touches.
    pictures: Vec<pictures::Picture>,
    /// Painted boxes, such as cards and buttons.
    painted: Vec<Rect>,
    /// The smallest connected pieces.
    pieces: Vec<Rect>,
}

// A page of noise is one picture; nobody names its grains.
const MOST_PIECES: usize = 20_000;

const SOFT_EDGE: i32 = 2;
const EDGE_CONTRAST: f32 = 12.0;

impl<'a> Segments<'a> {
    /// Looks at a picture.
    pub fn of(raster: &'a Raster) -> Self {
        let picture = raster.pixels();
        let regions = regions::regions(picture);
        let boxes = borders::with_borders(picture, regions.boxes);
        let detail = borders::without_pill_ends(regions.detail, &boxes);
        let mut pieces = small_pieces(&detail);
        pieces.truncate(MOST_PIECES);
        let (pictures, boxes) = pictures::pictures(picture, &detail, boxes, &[]);
        let painted =
            boxes.iter().filter(|painted| !painted.is_irregular).map(|painted| painted.area).collect();
        Self { raster, pictures, painted, pieces }
    }

    /// A thing's box with its thin ends and soft edges, which looking for things leaves out.
    fn with_edges(&self, area: Rect) -> Rect {
        let (page, area) = (self.raster.pixels(), area.common(self.whole()));
        let wide = area.grown(SOFT_EDGE).common(self.whole());
        let Some(color) = crop::color_around(page, wide) else { return area };
        let mut found = area;
        for (x, y) in (wide.y..wide.bottom()).flat_map(|y| (wide.x..wide.right()).map(move |x| (x, y))) {
            let is_outside = x < found.x || y < found.y || x >= found.right() || y >= found.bottom();
            if is_outside && reach(pixel(page, x, y), color) > EDGE_CONTRAST {
                found = found.union(Rect { x, y, w: 1, h: 1 });
            }
        }
        found
    }

    fn whole(&self) -> Rect {
        Rect { x: 0, y: 0, w: self.raster.width() as i32, h: self.raster.height() as i32 }
    }
}

fn small_pieces(detail: &Mask) -> Vec<Rect> {
    let mut pieces: Vec<Rect> = detail.closed(1).blobs().into_iter().map(|blob| blob.area).collect();
    pieces.sort_by_key(|piece| (std::cmp::Reverse(piece.area()), *piece));
    pieces
}

#[cfg(test)]
mod tests;
