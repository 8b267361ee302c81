//! A roughly named box moved to the edges that are really there.

use super::{PixelBox, Segments, crop};
use crate::trace::color::{colors_within, dominant_within, pixel, reach};
use crate::trace::geometry::Rect;

// Models are off by up to this share of the page's sides.
const OFF_BY: f32 = 0.03;
const LEAST_OFF_BY: f32 = 6.0;
const SAME_COLOR: f32 = 6.0;
const FLAT_SHARE: f32 = 0.9995;
// A step this clear along an edge is an edge; weaker ones are what pictures show.
const CLEAR_STEP: f32 = 10.0;
// Edges of parts beyond this share of the way to the next one belong to the neighbour.
const LARGEST_MISS: f32 = 0.75;

impl Segments<'_> {
    /// The box of what someone meant who named `rough`, when each of its edges may be off by 3 % of the picture:
    /// a thing whose edges all lie that near, else the things inside, else the clearest edges nearby. Nothing
    /// where there is only one colour.
    pub fn snap(&self, rough: PixelBox) -> Option<PixelBox> {
        let rough = rough.within(self.raster.width(), self.raster.height()).rect();
        let [across, down] =
            [self.raster.width(), self.raster.height()].map(|side| (side as f32 * OFF_BY).max(LEAST_OFF_BY));
        let tolerance = Tolerance { across, down };
        let found = self.nearest_thing(rough, tolerance).or_else(|| self.things_inside(rough, tolerance));
        match found {
            Some(area) => PixelBox::of(self.with_edges(area)),
            None if self.is_blank(rough) => None,
            None if self.has_blank_edges(rough) => PixelBox::of(self.with_edges(self.content(rough))),
            None => PixelBox::of(self.at_steps(rough, tolerance).common(self.whole())),
        }
    }

    fn things(&self) -> impl Iterator<Item = (Rect, f32)> {
        // Between equals, a picture is meant rather than the card around it, and either rather than a part.
        let pictures = self.pictures.iter().map(|picture| (picture.area, 0.0));
        let painted = self.painted.iter().map(|&area| (area, 0.04));
        pictures.chain(painted).chain(self.pieces.iter().map(|&area| (area, 0.08)))
    }

    fn nearest_thing(&self, rough: Rect, tolerance: Tolerance) -> Option<Rect> {
        self.things()
            .filter_map(|(area, rank)| Some((area, tolerance.miss(rough, area)? + rank)))
            .filter(|(area, miss)| *miss <= LARGEST_MISS || area.holds(rough, 0))
            .min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)))
            .map(|(area, _)| area)
    }

    /// The box around everything that lies inside, when its edges are near enough to have been meant.
    fn things_inside(&self, rough: Rect, tolerance: Tolerance) -> Option<Rect> {
        let inside = |area: &Rect| area.common(rough).area() * 2 > area.area();
        let all = self.things().map(|(area, _)| area).filter(inside).reduce(Rect::union)?;
        tolerance.miss(rough, all).map(|_| all)
    }

    /// Whether nothing crosses a box's edges: what is meant then lies inside.
    fn has_blank_edges(&self, rough: Rect) -> bool {
        crop::color_at_edges(self.raster.pixels(), rough).is_some()
    }

    /// The box around everything inside that differs from the box's edges.
    fn content(&self, rough: Rect) -> Rect {
        let page = self.raster.pixels();
        let Some(ground) = crop::color_at_edges(page, rough) else { return rough };
        (rough.y..rough.bottom())
            .flat_map(|y| (rough.x..rough.right()).map(move |x| Rect { x, y, w: 1, h: 1 }))
            .filter(|place| reach(pixel(page, place.x, place.y), ground) > SAME_COLOR)
            .reduce(Rect::union)
            .unwrap_or(rough)
    }

    fn is_blank(&self, area: Rect) -> bool {
        let picture = self.raster.pixels();
        let common = dominant_within(picture, area);
        let is_alike = |color: &[u8; 3]| reach(color.map(f32::from), common) <= SAME_COLOR;
        let alike = colors_within(picture, area).filter(is_alike).count();
        alike as f32 >= FLAT_SHARE * area.area() as f32
    }

    /// Each edge at the clearest straight step nearby; where there is none it stays.
    fn at_steps(&self, rough: Rect, tolerance: Tolerance) -> Rect {
        let across = tolerance.across.min(rough.w as f32 / 3.0) as i32;
        let down = tolerance.down.min(rough.h as f32 / 3.0) as i32;
        let column = |at: i32| self.clearest(at, across, |x, row| (x, row), rough.y, rough.bottom());
        let row = |at: i32| self.clearest(at, down, |y, column| (column, y), rough.x, rough.right());
        let area =
            Rect::from_edges(column(rough.x), row(rough.y), column(rough.right()), row(rough.bottom()));
        if area.is_empty() { rough } else { area }
    }

    fn clearest(&self, at: i32, by: i32, place: impl Fn(i32, i32) -> (i32, i32), from: i32, to: i32) -> i32 {
        let picture = self.raster.pixels();
        let step = |edge: i32| {
            let steps = (from..to).map(|along| {
                let ((ax, ay), (bx, by)) = (place(edge - 1, along), place(edge, along));
                reach(pixel(picture, ax, ay), pixel(picture, bx, by))
            });
            steps.sum::<f32>() / (to - from).max(1) as f32
        };
        (at - by..=at + by)
            .map(|edge| (edge, step(edge)))
            .filter(|(_, clearness)| *clearness >= CLEAR_STEP)
            // Of equal steps the nearer one is meant.
            .map(|(edge, clearness)| {
                (edge, clearness * (1.0 - 0.5 * (edge - at).abs() as f32 / by.max(1) as f32))
            })
            .max_by(|a, b| a.1.total_cmp(&b.1).then((b.0 - at).abs().cmp(&(a.0 - at).abs())))
            .map_or(at, |(edge, _)| edge)
    }
}

/// How far edges may be off.
#[derive(Clone, Copy)]
struct Tolerance {
    across: f32,
    down: f32,
}

impl Tolerance {
    /// How badly a box fits a rough one, 0 to 1; nothing when an edge is too far off or most of it lies apart.
    fn miss(self, rough: Rect, area: Rect) -> Option<f32> {
        let off = [
            (area.x - rough.x) as f32 / self.across,
            (area.right() - rough.right()) as f32 / self.across,
            (area.y - rough.y) as f32 / self.down,
            (area.bottom() - rough.bottom()) as f32 / self.down,
        ]
        .map(f32::abs);
        if off.iter().any(|off| *off > 1.05) {
            return None;
        }
        // Where things are small against the tolerance, sharing ground says more than edges do.
        let shared = area.common(rough).area() as f32;
        let apart = 1.0 - shared / (area.area() + rough.area() - area.common(rough).area()).max(1) as f32;
        Some((off.iter().sum::<f32>() / 4.0 + apart) / 2.0)
    }
}
