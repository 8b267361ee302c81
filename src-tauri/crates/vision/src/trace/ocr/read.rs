use std::sync::Arc;

use image::{RgbImage, imageops};
use rten::{Model, ThreadPool};

use super::{ReadChar, ReadLine, pieces, planes, run};
use crate::trace::TraceError;
use crate::trace::geometry::Rect;

const HEIGHT: u32 = 48;
const WIDEST: f32 = 3200.0;
// A long line has so much context that it is read as well in smaller letters: 0.91 % instead of 0.89 % of the
// characters wrong over nine pages, with a quarter fewer pixels to read. Short lines lose by it.
const LONG: f32 = 200.0;
const LONG_HEIGHT: u32 = 36;
// The network makes one step of eight columns.
const GRAIN: usize = 8;
// Wider pieces cost more a pixel: their layers no longer fit the cache of a core.
const PIECE_WIDTH: f32 = 420.0;

/// How high a line is read, and how wide it is then.
pub(super) fn read_size(area: Rect) -> (u32, f32) {
    let at = |height: u32| height as f32 * area.w as f32 / area.h.max(1) as f32;
    let height = if at(HEIGHT) > LONG { LONG_HEIGHT } else { HEIGHT };
    (height, at(height))
}

/// What one line says; `None` when it says nothing.
pub(super) fn line(
    model: &Model,
    pool: &Arc<ThreadPool>,
    keys: &[char],
    picture: &RgbImage,
    area: Rect,
) -> Result<Option<ReadLine>, TraceError> {
    let whole =
        imageops::crop_imm(picture, area.x as u32, area.y as u32, area.w as u32, area.h as u32).to_image();
    let (height, _) = read_size(area);
    let piece_width = PIECE_WIDTH * area.h as f32 / height as f32;
    let cuts = pieces::cuts(&whole, piece_width);
    let mut read = Letters::default();
    let edges: Vec<u32> = [0].into_iter().chain(cuts).chain([whole.width()]).collect();
    for pair in edges.windows(2) {
        let &[start, end] = pair else { continue };
        let piece = imageops::crop_imm(&whole, start, 0, end - start, whole.height()).to_image();
        let mut next = letters(model, pool, keys, &piece, height)?;
        for letter in &mut next.chars {
            letter.x += (area.x as u32 + start) as f32;
        }
        if start > 0 && read.ends_in_word() && next.starts_with_word() {
            read.chars.push(ReadChar { char: ' ', x: (area.x as u32 + start) as f32 });
            read.sureness += 1.0;
        }
        read.chars.append(&mut next.chars);
        read.sureness += next.sureness;
    }
    if read.chars.iter().all(|read| read.char.is_whitespace()) {
        return Ok(None);
    }
    let confidence = read.sureness / read.chars.len() as f32;
    Ok(Some(ReadLine { chars: read.chars, area, confidence }))
}

/// Characters of a piece and the sum of how sure the recogniser is of them.
#[derive(Default)]
struct Letters {
    chars: Vec<ReadChar>,
    sureness: f32,
}

impl Letters {
    fn ends_in_word(&self) -> bool {
        self.chars.last().is_some_and(|read| !read.char.is_whitespace())
    }

    fn starts_with_word(&self) -> bool {
        self.chars.first().is_some_and(|read| !read.char.is_whitespace())
    }
}

/// The characters of a piece read at this height, `x` counted from the piece's left edge.
fn letters(
    model: &Model,
    pool: &Arc<ThreadPool>,
    keys: &[char],
    piece: &RgbImage,
    height: u32,
) -> Result<Letters, TraceError> {
    let width =
        (height as f32 * piece.width() as f32 / piece.height() as f32).ceil().clamp(16.0, WIDEST) as u32;
    let scaled = imageops::resize(piece, width, height, imageops::FilterType::Triangle);
    let padded = (width as usize).next_multiple_of(GRAIN);
    let (shape, values) = run(model, pool, planes(&centred(&scaled), padded, HEIGHT as usize))?;
    let &[_, steps, classes] = shape.as_slice() else { return Err(TraceError::ModelShape) };
    if classes == 0 || steps == 0 {
        return Err(TraceError::ModelShape);
    }
    // Steps cover the padded width; the picture ends at `width`.
    let pixels_a_step = padded as f32 / steps as f32 * piece.width() as f32 / width as f32;
    let mut read = Letters::default();
    let mut last = 0;
    for (step, scores) in values.chunks_exact(classes).enumerate() {
        let (class, score) = best(scores);
        if class != 0 && class != last {
            let char = keys.get(class - 1).copied().unwrap_or(' ');
            read.chars.push(ReadChar { char, x: (step as f32 + 0.5) * pixels_a_step });
            read.sureness += score;
        }
        last = class;
    }
    Ok(read)
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
