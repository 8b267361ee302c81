use std::sync::Arc;

use image::{RgbImage, imageops};
use rten::{Model, ThreadPool};

use super::{planes, run};
use crate::trace::TraceError;
use crate::trace::geometry::Rect;

// Bigger tiles cost memory (about 0.25 GB here), smaller ones context and, by their overlaps, time.
const TILE_HEIGHT: usize = 1056;
const TILE_WIDTH: usize = 1600;
const OVERLAP: usize = 96;
// The network halves five times.
const GRAIN: usize = 32;

const INK: u8 = 77; // 0.3 of 255
const LEAST_MEAN: f32 = 127.5;
const LEAST_SIDE: i32 = 3;
// The detector is trained on shrunken lines; this grows them back.
const GROWTH: f32 = 1.5;

/// A part of the picture the detector sees at once, and the part of it whose answer is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    seen: Rect,
    used: Rect,
}

/// Even tiles with overlap; each pixel is used from exactly one.
pub(super) fn tiles(width: u32, height: u32) -> Vec<Tile> {
    let columns = spans(width as usize, TILE_WIDTH);
    spans(height as usize, TILE_HEIGHT)
        .iter()
        .flat_map(|rows| {
            columns.iter().map(|columns| Tile {
                seen: Rect::from_edges(columns.seen.0, rows.seen.0, columns.seen.1, rows.seen.1),
                used: Rect::from_edges(columns.used.0, rows.used.0, columns.used.1, rows.used.1),
            })
        })
        .collect()
}

struct Span {
    seen: (i32, i32),
    used: (i32, i32),
}

fn spans(length: usize, most: usize) -> Vec<Span> {
    let count = if length <= most { 1 } else { (length - OVERLAP).div_ceil(most - OVERLAP) };
    let step = if count == 1 { length } else { (length - OVERLAP).div_ceil(count) };
    (0..count)
        .map(|index| {
            let start = index * step;
            let end = if index + 1 == count { length } else { (start + step + OVERLAP).min(length) };
            let used_start = if index == 0 { 0 } else { start + OVERLAP / 2 };
            let used_end = if index + 1 == count { length } else { start + step + OVERLAP / 2 };
            Span { seen: (start as i32, end as i32), used: (used_start as i32, used_end as i32) }
        })
        .collect()
}

/// How sure the detector is of text at each pixel of a tile's used part, 255 = certain.
pub(super) fn text_map(
    model: &Model,
    pool: &Arc<ThreadPool>,
    picture: &RgbImage,
    tile: &Tile,
) -> Result<Vec<u8>, TraceError> {
    let Rect { x, y, w, h } = tile.seen;
    let view = imageops::crop_imm(picture, x as u32, y as u32, w as u32, h as u32).to_image();
    let (width, height) = ((w as usize).next_multiple_of(GRAIN), (h as usize).next_multiple_of(GRAIN));
    let (shape, values) = run(model, pool, planes(&view, width, height))?;
    if shape.get(2..) != Some(&[height, width]) {
        return Err(TraceError::ModelShape);
    }
    let used = tile.used;
    let mut map = Vec::with_capacity((used.w * used.h) as usize);
    for row in used.y - y..used.bottom() - y {
        let start = row as usize * width + (used.x - x) as usize;
        let cells = values.get(start..start + used.w as usize).unwrap_or_default();
        map.extend(cells.iter().map(|value| (value.clamp(0.0, 1.0) * 255.0) as u8));
    }
    Ok(map)
}

/// The boxes of lines in the stitched answers, top to bottom.
pub(super) fn line_areas(tiles: &[Tile], maps: &[Vec<u8>], width: u32, height: u32) -> Vec<Rect> {
    let (width, height) = (width as usize, height as usize);
    let mut whole = vec![0_u8; width * height];
    for (tile, map) in tiles.iter().zip(maps) {
        for (row, cells) in map.chunks(tile.used.w.max(1) as usize).enumerate() {
            let start = (tile.used.y as usize + row) * width + tile.used.x as usize;
            if let Some(target) = whole.get_mut(start..start + cells.len()) {
                target.copy_from_slice(cells);
            }
        }
    }
    let mut areas: Vec<Rect> =
        components(&mut whole, width, height).into_iter().filter(|area| area.w >= 4 && area.h >= 6).collect();
    areas.sort_by_key(|area| (area.y, area.x));
    areas
}

/// Connected text, grown to whole lines; empties the map.
fn components(map: &mut [u8], width: usize, height: usize) -> Vec<Rect> {
    let mut found = Vec::new();
    let mut open = Vec::new();
    for seed in 0..map.len() {
        let Some(first) = take_ink(map, seed) else { continue };
        let (mut x0, mut y0, mut x1, mut y1) = (width, height, 0, 0);
        let (mut sum, mut count) = (0_u64, 0_u64);
        open.push((seed, first));
        while let Some((at, value)) = open.pop() {
            let (x, y) = (at % width, at / width);
            (x0, y0, x1, y1) = (x0.min(x), y0.min(y), x1.max(x), y1.max(y));
            sum += u64::from(value);
            count += 1;
            for row in y.saturating_sub(1)..=(y + 1).min(height - 1) {
                for column in x.saturating_sub(1)..=(x + 1).min(width - 1) {
                    let neighbour = row * width + column;
                    if let Some(value) = take_ink(map, neighbour) {
                        open.push((neighbour, value));
                    }
                }
            }
        }
        let (w, h) = ((x1 - x0 + 1) as i32, (y1 - y0 + 1) as i32);
        if w.min(h) < LEAST_SIDE || (sum as f32) < LEAST_MEAN * count as f32 {
            continue;
        }
        let grow = (w * h) as f32 * GROWTH / (2 * (w + h)) as f32;
        let (left, top) = ((x0 as f32 - grow) as i32, (y0 as f32 - grow) as i32);
        let right = ((x1 + 1) as f32 + grow).ceil() as i32;
        let bottom = ((y1 + 1) as f32 + grow).ceil() as i32;
        found.push(Rect::from_edges(
            left.max(0),
            top.max(0),
            right.min(width as i32),
            bottom.min(height as i32),
        ));
    }
    found
}

fn take_ink(map: &mut [u8], at: usize) -> Option<u8> {
    let cell = map.get_mut(at).filter(|cell| **cell >= INK)?;
    Some(std::mem::take(cell))
}
