//! Lines read from a picture, put right by the pixels: where the page paints what the picture shows, the page's own
//! exact line says what was read there, where it stands and in which colour.

use image::RgbImage;
use rapidfuzz::distance::lcs_seq;

use super::Side;
use super::color::{difference, lab_of};
use super::fold::folded;
use super::geometry::{Area, Line};

/// How far around its place a line is looked for.
const REACH: i32 = 4;
/// Least correlation of the same letters.
const SAME_LETTERS: f64 = 0.9;
/// Correlation beyond which no better place is looked for.
const SURE: f64 = 0.985;
/// Pixels of the largest letters that are looked for.
const MOST_LETTER_PIXELS: f64 = 4_000_000.0;
/// How often all pixels of a page may be gone through; lines that do not lie over each other take a third of it.
const MOST_PASSES: f64 = 82.0;
/// Share of a line's characters that must have been read where it stands.
const READ: f64 = 0.55;
/// Share of a read line that must be told by the page's lines before it gives way to them.
const COVERED: f64 = 0.6;
/// Longest reading of a mere icon.
const ICON: usize = 3;
/// Most of the text's area that may be pictures with letters in them.
const MOST_PICTURES: f64 = 0.15;

/// The reference's lines, cut and placed as the page's wherever the pixels are the same.
pub(super) fn put_right(reference: Side, page: Side) -> Vec<Line> {
    let read = &reference.geometry.texts;
    let mut told: Vec<(Area, Line)> = Vec::new();
    let mut pixels_left = MOST_PASSES * f64::from(page.pixels.width()) * f64::from(page.pixels.height());
    for line in &page.geometry.texts {
        let size = line.area().size();
        if size > MOST_LETTER_PIXELS || size > pixels_left || !was_read(line, read) {
            continue;
        }
        let (seen, passes) = seen_at(line, reference.pixels, page.pixels);
        pixels_left -= size * f64::from(passes);
        if let Some(seen) = seen {
            told.push((seen.area(), seen));
        }
    }
    let icons = icons(reference, page, read);
    let mut lines: Vec<Line> = read
        .iter()
        .zip(icons)
        .filter(|(line, is_icon)| {
            let covered: f64 = told.iter().map(|(area, _)| area.shared(line.area())).sum();
            !is_icon && covered < COVERED * line.area().size()
        })
        .map(|(line, _)| line.clone())
        .collect();
    lines.extend(told.into_iter().map(|(_, line)| line));
    lines
}

/// Whether most of a line's characters were read where it stands.
fn was_read(line: &Line, read: &[Line]) -> bool {
    let own = line.area();
    let near = Area { x: own.x - 4.0, y: own.y - 2.0, w: own.w + 8.0, h: own.h + 4.0 };
    let mut there: Vec<&Line> = read
        .iter()
        .filter(|other| near.shared(other.area()) > 0.25 * own.size().min(other.area().size()))
        .collect();
    there.sort_by(|a, b| a.x.total_cmp(&b.x));
    let there: Vec<char> = there.iter().flat_map(|other| folded(&other.text)).collect();
    let wanted = folded(&line.text);
    let found = lcs_seq::similarity(wanted.iter().copied(), there.iter().copied());
    !wanted.is_empty() && found as f64 >= READ * wanted.len() as f64
}

/// The page's line as it stands in the reference's pixels, if it does, and how often its pixels were gone through.
fn seen_at(line: &Line, reference: &RgbImage, page: &RgbImage) -> (Option<Line>, u32) {
    let Some(shown) = Patch::of(page, line.area()) else { return (None, 1) };
    let mut best = (shown.correlation(reference, 0, 0), 0, 0);
    let mut passes = 1;
    if best.0 < SURE {
        for dy in -REACH..=REACH {
            for dx in -REACH..=REACH {
                passes += 1;
                let found = shown.correlation(reference, dx, dy);
                if found > best.0 {
                    best = (found, dx, dy);
                }
            }
        }
    }
    let (correlation, dx, dy) = best;
    let seen = (correlation >= SAME_LETTERS).then(|| Line {
        x: line.x + f64::from(dx),
        y: line.y + f64::from(dy),
        color: shown.color_in(line, reference, page, dx, dy),
        ..line.clone()
    });
    (seen, passes)
}

/// Readings of pictures: short ones, and those on pictures, wherever the page shows the same without text.
fn icons(reference: Side, page: Side, read: &[Line]) -> Vec<bool> {
    let is_told =
        |area: Area| page.geometry.texts.iter().any(|line| line.area().shared(area) > 0.2 * area.size());
    let is_same = |area: Area| {
        Patch::of(page.pixels, area)
            .is_some_and(|shown| shown.correlation(reference.pixels, 0, 0) >= SAME_LETTERS)
    };
    let is_bare = |line: &Line| !is_told(line.area()) && is_same(line.area());
    let on_picture = |line: &Line| {
        let boxes = page.geometry.boxes.iter().filter(|painted| painted.img || painted.bgi);
        let pictures = page.geometry.images.iter().map(super::Picture::area);
        boxes.map(super::PaintedBox::area).chain(pictures).any(|area| area.holds(line.area(), 6.0))
    };
    let all: f64 = read.iter().map(|line| line.area().size()).sum();
    let pictured: Vec<bool> = read.iter().map(|line| on_picture(line) && is_bare(line)).collect();
    let area: f64 =
        read.iter().zip(&pictured).filter(|(_, is)| **is).map(|(line, _)| line.area().size()).sum();
    let are_few = area <= MOST_PICTURES * all;
    read.iter()
        .zip(pictured)
        .map(|(line, is_pictured)| {
            (is_pictured && are_few) || (folded(&line.text).len() <= ICON && is_bare(line))
        })
        .collect()
}

/// The brightness of a part of a picture.
struct Patch {
    left: i32,
    top: i32,
    width: i32,
    height: i32,
    /// Without their mean.
    values: Vec<f32>,
    norm: f64,
}

fn brightness(pixel: [u8; 3]) -> f32 {
    0.299 * f32::from(pixel[0]) + 0.587 * f32::from(pixel[1]) + 0.114 * f32::from(pixel[2])
}

impl Patch {
    /// Nothing if it lies outside or is of one colour.
    fn of(picture: &RgbImage, area: Area) -> Option<Self> {
        let edge = |value: f64, most: u32| value.clamp(0.0, f64::from(most)) as i32;
        let (left, top) = (edge(area.x.floor(), picture.width()), edge(area.y.floor(), picture.height()));
        let right = edge(area.right().ceil(), picture.width());
        let bottom = edge(area.bottom().ceil(), picture.height());
        let (width, height) = (right - left, bottom - top);
        if width < 3 || height < 3 {
            return None;
        }
        let mut values = Vec::with_capacity((width * height) as usize);
        for y in top..bottom {
            values.extend((left..right).map(|x| brightness(picture.get_pixel(x as u32, y as u32).0)));
        }
        let mean = values.iter().sum::<f32>() / values.len() as f32;
        values.iter_mut().for_each(|value| *value -= mean);
        let norm = values.iter().map(|value| f64::from(value * value)).sum::<f64>();
        (norm > 4.0 * values.len() as f64).then_some(Self { left, top, width, height, values, norm })
    }

    /// Correlation with the same part of another picture, moved; 0 where that leaves the picture.
    fn correlation(&self, other: &RgbImage, dx: i32, dy: i32) -> f64 {
        let (left, top) = (self.left + dx, self.top + dy);
        let (right, bottom) = (left + self.width, top + self.height);
        if left < 0 || top < 0 || right > other.width() as i32 || bottom > other.height() as i32 {
            return 0.0;
        }
        let across = other.width() as usize * 3;
        let (mut product, mut sum, mut squares) = (0.0_f64, 0.0_f64, 0.0_f64);
        for (y, own) in (top..).zip(self.values.chunks_exact(self.width as usize)) {
            let start = y as usize * across + left as usize * 3;
            let row = &other.as_raw()[start..start + self.width as usize * 3];
            let (mut row_product, mut row_sum, mut row_squares) = (0.0_f32, 0.0_f32, 0.0_f32);
            for (own, pixel) in own.iter().zip(row.chunks_exact(3)) {
                let value = brightness([pixel[0], pixel[1], pixel[2]]);
                row_product += own * value;
                row_sum += value;
                row_squares += value * value;
            }
            product += f64::from(row_product);
            sum += f64::from(row_sum);
            squares += f64::from(row_squares);
        }
        let norm = squares - sum * sum / self.values.len() as f64;
        if norm <= 1.0 { 0.0 } else { product / (norm * self.norm).sqrt() }
    }

    /// The line's colour in the other picture: its own, unless its letters are painted otherwise there.
    fn color_in(&self, line: &Line, other: &RgbImage, own: &RgbImage, dx: i32, dy: i32) -> [u8; 3] {
        let strongest = self.values.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
        let (mut ours, mut theirs, mut count) = ([0.0; 3], [0.0; 3], 0.0_f64);
        for (at, value) in (0_i32..).zip(&self.values) {
            let (x, y) = (self.left + at % self.width, self.top + at / self.width);
            let there = other.get_pixel_checked((x + dx) as u32, (y + dy) as u32);
            let here = own.get_pixel_checked(x as u32, y as u32);
            if let (true, Some(here), Some(there)) = (value.abs() >= 0.85 * strongest, here, there) {
                for channel in 0..3 {
                    ours[channel] += f64::from(here.0[channel]);
                    theirs[channel] += f64::from(there.0[channel]);
                }
                count += 1.0;
            }
        }
        let (ours, theirs) = (ours.map(|sum| sum / count.max(1.0)), theirs.map(|sum| sum / count.max(1.0)));
        if difference(lab_of(ours), lab_of(theirs)) < 1.0 {
            return line.color;
        }
        theirs.map(|channel| channel.round().clamp(0.0, 255.0) as u8)
    }
}
