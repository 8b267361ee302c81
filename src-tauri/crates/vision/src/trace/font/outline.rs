use ab_glyph_rasterizer::{Point, Rasterizer, point};
use rustybuzz::Face;
use rustybuzz::ttf_parser::{GlyphId, OutlineBuilder};

use super::Setting;

/// A glyph's curves and extent in em; y grows downwards from the baseline.
#[derive(Debug, Default)]
pub(super) struct Outline {
    curves: Vec<Curve>,
    pub(super) left: f32,
    pub(super) top: f32,
    pub(super) right: f32,
    pub(super) bottom: f32,
    pub(super) area: f32,
}

#[derive(Clone, Copy, Debug)]
enum Curve {
    Line(Point, Point),
    Quad(Point, Point, Point),
    Cubic(Point, Point, Point, Point),
}

impl Outline {
    pub(super) fn of(face: &Face, glyph: GlyphId) -> Self {
        let scale = 1.0 / face.units_per_em() as f32;
        let mut pen = Pen { scale, start: point(0.0, 0.0), at: point(0.0, 0.0), curves: Vec::new() };
        let Some(bounds) = face.outline_glyph(glyph, &mut pen) else { return Self::default() };
        // Shoelace over the chords plus what curves add is close enough; overlaps count twice.
        let doubled: f32 = pen.curves.iter().map(doubled_area).sum();
        Self {
            left: f32::from(bounds.x_min) * scale,
            right: f32::from(bounds.x_max) * scale,
            top: -f32::from(bounds.y_max) * scale,
            bottom: -f32::from(bounds.y_min) * scale,
            area: doubled.abs() / 2.0,
            curves: pen.curves,
        }
    }
}

fn doubled_area(curve: &Curve) -> f32 {
    let cross = |a: Point, b: Point| a.x * b.y - b.x * a.y;
    match *curve {
        Curve::Line(a, b) => cross(a, b),
        Curve::Quad(a, b, c) => (2.0 * cross(a, b) + 2.0 * cross(b, c) + cross(a, c)) / 3.0,
        Curve::Cubic(a, b, c, d) => {
            (6.0 * cross(a, b)
                + 3.0 * cross(a, c)
                + cross(a, d)
                + 3.0 * cross(b, c)
                + 3.0 * cross(b, d)
                + 6.0 * cross(c, d))
                / 10.0
        }
    }
}

struct Pen {
    scale: f32,
    start: Point,
    at: Point,
    curves: Vec<Curve>,
}

impl Pen {
    fn scaled(&self, x: f32, y: f32) -> Point {
        point(x * self.scale, -y * self.scale)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.at = self.scaled(x, y);
        self.start = self.at;
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let end = self.scaled(x, y);
        self.curves.push(Curve::Line(self.at, end));
        self.at = end;
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let end = self.scaled(x, y);
        self.curves.push(Curve::Quad(self.at, self.scaled(x1, y1), end));
        self.at = end;
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let end = self.scaled(x, y);
        self.curves.push(Curve::Cubic(self.at, self.scaled(x1, y1), self.scaled(x2, y2), end));
        self.at = end;
    }

    fn close(&mut self) {
        if self.at != self.start {
            self.curves.push(Curve::Line(self.at, self.start));
        }
        self.at = self.start;
    }
}

/// Where a string is drawn: the pen's start on the baseline and the size of an em in pixels both ways.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    pub(crate) x: f32,
    pub(crate) baseline: f32,
    pub(crate) em_x: f32,
    pub(crate) em_y: f32,
}

/// How much of each pixel is covered, 0 to 1, over a part of the picture.
#[derive(Clone, Debug)]
pub(crate) struct Coverage {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) w: i32,
    pub(crate) h: i32,
    alpha: Vec<f32>,
}

impl Coverage {
    /// Coverage at a pixel of the picture; nothing outside.
    pub(crate) fn at(&self, x: i32, y: i32) -> f32 {
        let (column, row) = (x - self.x, y - self.y);
        if column < 0 || row < 0 || column >= self.w || row >= self.h {
            return 0.0;
        }
        self.alpha.get((row * self.w + column) as usize).copied().unwrap_or(0.0)
    }
}

// Nothing larger is ever compared; a broken fit must not ask for gigabytes.
const MOST_CELLS: i64 = 16_000_000;

pub(super) fn draw<'a>(
    glyphs: impl Iterator<Item = (&'a Outline, f32)>,
    setting: &Setting,
    place: Placement,
) -> Coverage {
    let x = (place.x + setting.left * place.em_x).floor() as i32 - 2;
    let y = (place.baseline + setting.top * place.em_y).floor() as i32 - 2;
    let w = (place.x + setting.right * place.em_x).ceil() as i32 + 2 - x;
    let h = (place.baseline + setting.bottom * place.em_y).ceil() as i32 + 2 - y;
    if w <= 0 || h <= 0 || i64::from(w) * i64::from(h) > MOST_CELLS {
        return Coverage { x, y, w: 0, h: 0, alpha: Vec::new() };
    }
    let mut raster = Rasterizer::new(w as usize, h as usize);
    let (left, base) = (place.x - x as f32, place.baseline - y as f32);
    for (outline, pen) in glyphs {
        let moved = |p: Point| point(left + (pen + p.x) * place.em_x, base + p.y * place.em_y);
        for curve in &outline.curves {
            match *curve {
                Curve::Line(a, b) => raster.draw_line(moved(a), moved(b)),
                Curve::Quad(a, b, c) => raster.draw_quad(moved(a), moved(b), moved(c)),
                Curve::Cubic(a, b, c, d) => raster.draw_cubic(moved(a), moved(b), moved(c), moved(d)),
            }
        }
    }
    let mut alpha = vec![0.0; (w * h) as usize];
    raster.for_each_pixel(|index, value| {
        if let Some(cell) = alpha.get_mut(index) {
            *cell = value.clamp(0.0, 1.0);
        }
    });
    Coverage { x, y, w, h, alpha }
}
