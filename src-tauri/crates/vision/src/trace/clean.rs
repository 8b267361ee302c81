//! The picture without its text: what lies behind is filled in.

use image::{Rgb, RgbImage};

use super::color::{Color, distance, median_color, pixel, rounded};
use super::geometry::Rect;

// Anti-aliased edges and descenders reach this far beyond the ink box.
const MARGIN: i32 = 2;
const SAME_COLOR: f32 = 6.0;
// A tint is a pale variant of the ground; anything stronger is a neighbour's ink.
const TINT: f32 = 40.0;
const FLAT_SHARE: f32 = 0.6;

/// The picture with everything inside the ink boxes painted over.
pub(crate) fn without_text(
    picture: &RgbImage,
    inks: impl Iterator<Item = (Rect, Option<Color>)>,
) -> RgbImage {
    let mut clean = picture.clone();
    let whole = Rect { x: 0, y: 0, w: picture.width() as i32, h: picture.height() as i32 };
    for (ink, background) in inks {
        let area = ink.grown(MARGIN).common(whole);
        if area.is_empty() {
            continue;
        }
        match background.filter(|&color| is_flat(picture, area, color)) {
            Some(color) => fill(&mut clean, area, color),
            None => blend(&mut clean, area),
        }
    }
    clean
}

fn is_flat(picture: &RgbImage, area: Rect, color: Color) -> bool {
    let edge = edge_pixels(area);
    let alike = edge.iter().filter(|&&(x, y)| distance(pixel(picture, x, y), color) < SAME_COLOR).count();
    alike as f32 > FLAT_SHARE * edge.len() as f32
}

fn edge_pixels(area: Rect) -> Vec<(i32, i32)> {
    let mut edge = Vec::new();
    for x in area.x..area.right() {
        edge.extend([(x, area.y), (x, area.bottom() - 1)]);
    }
    for y in area.y..area.bottom() {
        edge.extend([(area.x, y), (area.right() - 1, y)]);
    }
    edge
}

/// Columns take the colour that stands above and below them, so that tinted words keep their tint.
fn fill(clean: &mut RgbImage, area: Rect, color: Color) {
    for x in area.x..area.right() {
        let (top, bottom) = (pixel(clean, x, area.y), pixel(clean, x, area.bottom() - 1));
        let ground =
            if distance(top, bottom) < SAME_COLOR && distance(top, color) < TINT { top } else { color };
        for y in area.y..area.bottom() {
            clean.put_pixel(x as u32, y as u32, Rgb(rounded(ground)));
        }
    }
}

/// Each pixel becomes the mean of the four edge pixels in its row and column, near ones counting more.
fn blend(clean: &mut RgbImage, area: Rect) {
    // One odd pixel on the edge would leave a stripe; three make a steadier one.
    let steady = |x: i32, y: i32, dx: i32, dy: i32, clean: &RgbImage| {
        let inside = |x: i32, y: i32| (x.clamp(area.x, area.right() - 1), y.clamp(area.y, area.bottom() - 1));
        let near = [-2, -1, 0, 1, 2].map(|step| {
            let (x, y) = inside(x + step * dx, y + step * dy);
            pixel(clean, x, y)
        });
        median_color(&near)
    };
    let columns: Vec<(Color, Color)> = (area.x..area.right())
        .map(|x| (steady(x, area.y, 1, 0, clean), steady(x, area.bottom() - 1, 1, 0, clean)))
        .collect();
    let rows: Vec<(Color, Color)> = (area.y..area.bottom())
        .map(|y| (steady(area.x, y, 0, 1, clean), steady(area.right() - 1, y, 0, 1, clean)))
        .collect();
    for (y, (left, right)) in (area.y..area.bottom()).zip(&rows) {
        for (x, (top, bottom)) in (area.x..area.right()).zip(&columns) {
            let parts = [
                (top, y - area.y + 1),
                (bottom, area.bottom() - y),
                (left, x - area.x + 1),
                (right, area.right() - x),
            ];
            let mut sum = [0.0_f32; 3];
            let mut weights = 0.0;
            for (color, far) in parts {
                let weight = 1.0 / (far * far) as f32;
                weights += weight;
                for (sum, channel) in sum.iter_mut().zip(color) {
                    *sum += weight * channel;
                }
            }
            clean.put_pixel(x as u32, y as u32, Rgb(rounded(sum.map(|sum| sum / weights))));
        }
    }
}
