use super::Painted;
use super::label::{LabelMap, Region};
use crate::trace::mask::Mask;

// How far the diagonal of a rounded corner is from its box corner, per radius: 1 - sqrt(1/2).
const DIAGONAL: f32 = 0.2929;
const RULE_THICKNESS: i32 = 5;
const ICON_STROKE: f32 = 2.5;
const ICON_SIDE: i32 = 80;
// A circle covers 0.785 of its square.
const CIRCLE_FULLNESS: f32 = 0.83;
const RULE_LENGTH: i32 = 12;

/// A region of one colour as a rule, a box or an outline.
pub(super) fn flat(map: &LabelMap, index: usize) -> Option<Painted> {
    let region = map.regions.get(index)?;
    let (w, h) = (region.area.w, region.area.h);
    if w < 3 && h < 3 {
        return None;
    }
    let filled = mask_of(map, index, region).filled();
    let covered = filled.count_in(whole(&filled));
    let fullness = covered as f32 / region.area.area() as f32;
    let (is_box, radius) = if w.min(h) <= RULE_THICKNESS && w.max(h) >= RULE_LENGTH {
        (fullness > 0.9, 0.0)
    } else if w >= 6 && h >= 6 {
        let is_circle = (w - h).abs() <= 2 && fullness < CIRCLE_FULLNESS;
        let radius = if is_circle { w.min(h) as f32 / 2.0 } else { corner_radius(&filled) };
        (is_rounded_box(&filled, radius) && fullness > 0.7, radius)
    } else {
        (false, 0.0)
    };
    // Corners may be uneven: a box with small defects is still a box.
    let is_rough_box = fullness > 0.93 && w >= 12 && h >= 12;
    if !is_box && !is_rough_box {
        return None;
    }
    let thickness = region.count as f32 / (2 * (w + h)) as f32;
    let solid = region.count as f32 / covered.max(1) as f32;
    let is_ring = solid < 0.35 && thickness < 6.0 && w.min(h) > 8;
    // Thick small outlines are icons, with more inside than a border would leave.
    if is_ring && thickness >= ICON_STROKE && w.max(h) <= ICON_SIDE {
        return None;
    }
    Some(Painted {
        area: region.area,
        fill: Some(region.mean),
        gradient: None,
        radius: if is_box { radius } else { 0.0 },
        border: None,
        ring: is_ring.then_some((thickness.round() as i32).max(1)),
        fullness,
        is_irregular: false,
        shadow: None,
    })
}

/// A large flat region of any shape: what other things stand on.
pub(super) fn irregular(region: &Region) -> Painted {
    Painted {
        area: region.area,
        fill: Some(region.mean),
        gradient: None,
        radius: 0.0,
        border: None,
        ring: None,
        fullness: region.count as f32 / region.area.area() as f32,
        is_irregular: true,
        shadow: None,
    }
}

pub(super) fn whole(mask: &Mask) -> crate::trace::geometry::Rect {
    crate::trace::geometry::Rect { x: 0, y: 0, w: mask.width as i32, h: mask.height as i32 }
}

pub(super) fn mask_of(map: &LabelMap, index: usize, region: &Region) -> Mask {
    let area = region.area;
    let mut cells = Vec::with_capacity(area.area() as usize);
    for y in area.y..area.bottom() {
        let start = y as usize * map.width + area.x as usize;
        let row = map.labels.get(start..start + area.w as usize).unwrap_or_default();
        cells.extend(row.iter().map(|&label| u8::from(label as usize == index)));
    }
    Mask::from_cells(area.w as usize, area.h as usize, cells)
}

/// The radius that explains both where corner diagonals and where edges begin to be covered.
pub(crate) fn corner_radius(filled: &Mask) -> f32 {
    let (w, h) = (filled.width, filled.height);
    let reach = w.min(h) / 2;
    let at = |right: bool, bottom: bool, dx: usize, dy: usize| {
        let x = if right { w - 1 - dx } else { dx };
        let y = if bottom { h - 1 - dy } else { dy };
        filled.at(x, y)
    };
    let corners = [(false, false), (true, false), (false, true), (true, true)];
    let mut radii = corners.map(|(right, bottom)| {
        let diagonal = (0..reach).find(|&step| at(right, bottom, step, step)).unwrap_or(reach);
        if diagonal == 0 {
            return 0.0;
        }
        let along_x = (0..reach).find(|&step| at(right, bottom, step, 0)).unwrap_or(reach);
        let along_y = (0..reach).find(|&step| at(right, bottom, 0, step)).unwrap_or(reach);
        // Step n of the diagonal is the first that is covered for all radii between these.
        let (least, most) = ((diagonal - 1) as f32 / DIAGONAL, diagonal as f32 / DIAGONAL);
        (along_x.max(along_y) as f32).clamp(least, most)
    });
    radii.sort_by(f32::total_cmp);
    let [_, second, third, _] = radii;
    ((second + third) / 2.0).min(w.min(h) as f32 / 2.0)
}

/// Whether what is missing of the rectangle is missing in its corners.
fn is_rounded_box(filled: &Mask, radius: f32) -> bool {
    let corner = if radius > 0.0 { (radius * 1.15).ceil() as usize + 1 } else { 0 };
    let (w, h) = (filled.width, filled.height);
    let mut missing = 0;
    for y in 0..h {
        let is_edge_row = y < corner || y + corner >= h;
        for x in 0..w {
            let is_corner = is_edge_row && (x < corner || x + corner >= w);
            missing += usize::from(!is_corner && !filled.at(x, y));
        }
    }
    (missing as f32) < 0.015 * (w * h) as f32
}
