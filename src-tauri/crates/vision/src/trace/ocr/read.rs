use std::sync::Arc;

use image::{RgbImage, imageops};
use rten::{Model, ThreadPool};

use super::{ReadChar, ReadLine, planes, run};
use crate::trace::TraceError;
use crate::trace::geometry::Rect;

const HEIGHT: u32 = 48;
const WIDEST: f32 = 3200.0;
// A long line has so much context that it is read as well in smaller letters: a fifth of the time saved, and
// 1.00 % instead of 0.99 % of the characters wrong. Short lines lose by it.
const LONG: f32 = 480.0;
const LONG_HEIGHT: u32 = 38;
const GRAIN: usize = 32;

/// What one line says; `None` when it says nothing.
pub(super) fn line(
    model: &Model,
    pool: &Arc<ThreadPool>,
    keys: &[char],
    picture: &RgbImage,
    area: Rect,
) -> Result<Option<ReadLine>, TraceError> {
    let cut = imageops::crop_imm(picture, area.x as u32, area.y as u32, area.w as u32, area.h as u32);
    let width_at = |height: u32| height as f32 * area.w as f32 / area.h as f32;
    let height = if width_at(HEIGHT) > LONG { LONG_HEIGHT } else { HEIGHT };
    let width = width_at(height).ceil().clamp(16.0, WIDEST) as u32;
    let scaled = imageops::resize(&cut.to_image(), width, height, imageops::FilterType::Triangle);
    let padded = (width as usize).next_multiple_of(GRAIN);
    let (shape, values) = run(model, pool, planes(&centred(&scaled), padded, HEIGHT as usize))?;
    let &[_, steps, classes] = shape.as_slice() else { return Err(TraceError::ModelShape) };
    if classes == 0 || steps == 0 {
        return Err(TraceError::ModelShape);
    }
    // Steps cover the padded width; the picture ends at `width`.
    let pixels_a_step = padded as f32 / steps as f32 * area.w as f32 / width as f32;
    let mut chars = Vec::new();
    let (mut sum, mut last) = (0.0, 0);
    for (step, scores) in values.chunks_exact(classes).enumerate() {
        let (class, score) = best(scores);
        if class != 0 && class != last {
            let char = keys.get(class - 1).copied().unwrap_or(' ');
            chars.push(ReadChar { char, x: area.x as f32 + (step as f32 + 0.5) * pixels_a_step });
            sum += score;
        }
        last = class;
    }
    if chars.iter().all(|read| read.char.is_whitespace()) {
        return Ok(None);
    }
    let confidence = sum / chars.len() as f32;
    Ok(Some(ReadLine { chars, area, confidence }))
}

/// A line in the middle of the height that is read; its own edges go on above and below.
fn centred(line: &RgbImage) -> RgbImage {
    let above = (HEIGHT - line.height()) / 2;
    RgbImage::from_fn(line.width(), HEIGHT, |x, y| {
        *line.get_pixel(x, y.saturating_sub(above).min(line.height() - 1))
    })
}

fn best(scores: &[f32]) -> (usize, f32) {
    let mut best = (0, f32::MIN);
    for (class, &score) in scores.iter().enumerate() {
        if score > best.1 {
            best = (class, score);
        }
    }
    best
}
