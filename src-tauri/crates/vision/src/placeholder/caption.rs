//! The words on a placeholder: what it is, and what it stands for.

use image::RgbaImage;

use super::paper::mixed;
use super::{MARK, Placeholder};
use crate::trace::font::{Family, Placement, Typeface};

const LEAST_SIZE: f32 = 11.0;
const MOST_SIZE: f32 = 26.0;
const MOST_LINES: usize = 2;
/// The plate leaves the rest of the height to the picture.
const MOST_OF_HEIGHT: f32 = 0.5;
const LINE_HEIGHT: f32 = 1.35;
const PLATE: [f32; 3] = [255.0; 3];
const INK: [f32; 3] = [36.0, 40.0, 48.0];
const FAINT_INK: [f32; 3] = [84.0, 92.0, 104.0];

struct Line {
    words: String,
    ink: [f32; 3],
}

/// Writes the caption on a plate in the lower left corner. Where no letters would be readable the picture is crossed
/// out instead, as drafts have it.
pub(super) fn write(picture: &mut RgbaImage, placeholder: &Placeholder) {
    // Without its font the mark inside the file still says what it is.
    let Some(face) = Typeface::embedded(Family::Inter, 500) else { return };
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    let size = ((width / 30.0).min(height / 12.0)).clamp(LEAST_SIZE, MOST_SIZE);
    // On a tile the plate stays clear of the round corner.
    let margin = (size * 0.7).max(placeholder.corner() * 0.3).round();
    let room = width - 4.0 * margin;
    let fits = |of_height: f32| ((of_height - 1.2 * margin) / (size * LINE_HEIGHT)).floor().max(0.0) as usize;
    if fits(height - 2.0 * margin) == 0 || advance(&face, MARK, size) > room {
        return cross_out(picture);
    }
    let most_lines = fits(height * MOST_OF_HEIGHT).max(1);
    let mut lines = vec![Line { words: MARK.to_owned(), ink: FAINT_INK }];
    let wrapped = wrapped(&face, &placeholder.prompt, size, room, MOST_LINES.min(most_lines - 1));
    lines.extend(wrapped.into_iter().map(|words| Line { words, ink: INK }));
    let widest = lines.iter().map(|line| advance(&face, &line.words, size)).fold(0.0, f32::max);
    let plate_height = lines.len() as f32 * size * LINE_HEIGHT + 1.2 * margin;
    let (left, top) = (margin, height - margin - plate_height);
    plate(picture, left, top, widest + 2.0 * margin, plate_height);
    for (at, line) in lines.iter().enumerate() {
        let baseline = top + 0.6 * margin + (at as f32 + 0.8) * size * LINE_HEIGHT;
        draw(picture, &face, line, size, left + margin, baseline.round());
    }
}

/// Lines along the edges and from corner to corner, light on dark and dark on light.
fn cross_out(picture: &mut RgbaImage) {
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    let length = width.hypot(height);
    let (columns, rows) = picture.dimensions();
    for (x, y) in (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y))) {
        let (across, down) = (x as f32 + 0.5, y as f32 + 0.5);
        let falling = (across * height - down * width).abs() / length;
        let rising = (across * height + down * width - width * height).abs() / length;
        let edge = across.min(down).min(width - across).min(height - down);
        let on_line = (1.0 - falling.min(rising)).max(if edge < 1.0 { 1.0 } else { 0.0 });
        let is_dark = picture.get_pixel(x, y).0.into_iter().take(3).map(u32::from).sum::<u32>() < 3 * 128;
        let ink = if is_dark { PLATE } else { INK };
        if picture.get_pixel(x, y).0.last().is_some_and(|opacity| *opacity > 0) {
            paint(picture, x, y, ink, 0.55 * on_line.clamp(0.0, 1.0));
        }
    }
}

fn advance(face: &Typeface, words: &str, size: f32) -> f32 {
    face.set(words).map_or(0.0, |setting| setting.advance * size)
}

/// The words in lines that fit; what does not fit ends in an ellipsis. Words in letters that the font has not are
/// left out.
fn wrapped(face: &Typeface, words: &str, size: f32, room: f32, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut is_cut = false;
    for word in words.split(' ').filter(|word| face.set(word).is_some()) {
        let longer = lines.last().map(|line| format!("{line} {word}"));
        let longer = longer.filter(|longer| advance(face, longer, size) <= room);
        let has_room = lines.len() < most;
        match (lines.last_mut(), longer) {
            (Some(last), Some(longer)) => *last = longer,
            _ if has_room => lines.push(word.to_owned()),
            _ => {
                is_cut = true;
                break;
            }
        }
    }
    let count = lines.len();
    for (at, line) in lines.iter_mut().enumerate() {
        shorten(face, line, size, room, is_cut && at + 1 == count);
    }
    lines
}

fn shorten(face: &Typeface, line: &mut String, size: f32, room: f32, is_cut: bool) {
    if !is_cut && advance(face, line, size) <= room {
        return;
    }
    let fits = |line: &str| advance(face, &format!("{line}…"), size) <= room;
    while !line.is_empty() && !fits(line) {
        line.pop();
    }
    let kept = line.trim_end().len();
    line.truncate(kept);
    line.push('…');
}

fn plate(picture: &mut RgbaImage, left: f32, top: f32, width: f32, height: f32) {
    let corner = 6.0_f32.min(height / 4.0);
    for y in top.floor().max(0.0) as u32..((top + height).ceil() as u32).min(picture.height()) {
        for x in left.floor().max(0.0) as u32..((left + width).ceil() as u32).min(picture.width()) {
            let beyond = |at: f32, from: f32, length: f32| {
                ((at + 0.5 - from - length / 2.0).abs() - (length / 2.0 - corner)).max(0.0)
            };
            let (dx, dy) = (beyond(x as f32, left, width), beyond(y as f32, top, height));
            paint(picture, x, y, PLATE, (corner - dx.hypot(dy) + 0.5).clamp(0.0, 1.0));
        }
    }
}

fn draw(picture: &mut RgbaImage, face: &Typeface, line: &Line, size: f32, x: f32, baseline: f32) {
    let Some(setting) = face.set(&line.words) else { return };
    let covered = face.draw(&setting, Placement { x, baseline, em_x: size, em_y: size });
    for row in covered.y.max(0)..(covered.y + covered.h).min(picture.height() as i32) {
        for column in covered.x.max(0)..(covered.x + covered.w).min(picture.width() as i32) {
            paint(picture, column as u32, row as u32, line.ink, covered.at(column, row));
        }
    }
}

fn paint(picture: &mut RgbaImage, x: u32, y: u32, color: [f32; 3], share: f32) {
    let Some(pixel) = picture.get_pixel_mut_checked(x, y) else { return };
    let [r, g, b, opacity] = pixel.0.map(f32::from);
    let [r, g, b] = mixed([r, g, b], color, share);
    pixel.0 = [r, g, b, opacity + share * (255.0 - opacity)].map(|channel| channel.round() as u8);
}
