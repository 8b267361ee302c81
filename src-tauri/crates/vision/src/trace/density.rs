//! Whether a screenshot shows every page pixel as two by two of its own, as high-density displays do.

use std::borrow::Cow;

use image::{RgbImage, imageops};

use super::geometry::Rect;
use super::ocr::{ReadChar, ReadLine};

// An edge this long belongs to a box or rule, not to a letter.
const LEAST_EDGE: u32 = 40;
// Labelling takes 20 bytes a pixel; beyond this a trace would need more than a gigabyte.
const MOST_PIXELS: u64 = 26_000_000;
const LEAST_STEP: u8 = 10;
const LEAST_EDGES: usize = 6;
const EVEN_SHARE: f32 = 0.9;
// Boxes around ordinary text are 18 to 30 px high; a page whose smaller texts are beyond that is doubled.
const SMALLEST_TEXT: i32 = 30;
const LEAST_CHARS: usize = 4;

/// A picture in page pixels with its lines, and how many screenshot pixels make one of them.
pub(super) struct Paged<'a> {
    pub(super) picture: Cow<'a, RgbImage>,
    pub(super) lines: Vec<ReadLine>,
    pub(super) scale: u32,
}

/// The same picture and lines in page pixels.
pub(super) fn in_page_pixels<'a>(picture: &'a RgbImage, lines: &[ReadLine]) -> Paged<'a> {
    let is_huge = u64::from(picture.width()) * u64::from(picture.height()) > MOST_PIXELS;
    if !is_huge && !is_doubled(picture, lines) {
        return Paged { picture: Cow::Borrowed(picture), lines: lines.to_vec(), scale: 1 };
    }
    let (width, height) = (picture.width() / 2, picture.height() / 2);
    let half = |length: i32| length / 2;
    let lines = lines
        .iter()
        .map(|line| ReadLine {
            chars: line.chars.iter().map(|read| ReadChar { x: read.x / 2.0, ..*read }).collect(),
            area: Rect::from_edges(
                half(line.area.x),
                half(line.area.y),
                half(line.area.right() + 1),
                half(line.area.bottom() + 1),
            ),
            confidence: line.confidence,
        })
        .collect();
    Paged { picture: Cow::Owned(imageops::thumbnail(picture, width, height)), lines, scale: 2 }
}

fn is_doubled(picture: &RgbImage, lines: &[ReadLine]) -> bool {
    if picture.width() < 4 || picture.height() < 4 {
        return false;
    }
    // Icons are read as short texts of any height.
    let words = lines.iter().filter(|line| line.chars.len() >= LEAST_CHARS);
    let mut heights: Vec<i32> = words.map(|line| line.area.h).collect();
    heights.sort_unstable();
    let smallest = heights.get(heights.len() / 4);
    if smallest.is_none_or(|&height| height < SMALLEST_TEXT) {
        return false;
    }
    let (width, height) = (picture.width(), picture.height());
    let mut edges = edge_lines(height, width, |line, along| picture.get_pixel(along, line).0);
    edges.extend(edge_lines(width, height, |line, along| picture.get_pixel(line, along).0));
    let even = edges.iter().filter(|&&line| line % 2 == 0).count();
    edges.len() >= LEAST_EDGES && even as f32 >= EVEN_SHARE * edges.len() as f32
}

/// The lines at which a long straight edge begins.
fn edge_lines(lines: u32, length: u32, pixel: impl Fn(u32, u32) -> [u8; 3]) -> Vec<u32> {
    let mut found = Vec::new();
    for line in 1..lines {
        let mut run = 0;
        let mut longest = 0;
        let mut last = None;
        for along in 0..length {
            let pair = (pixel(line - 1, along), pixel(line, along));
            let step = pair.0.iter().zip(pair.1).map(|(a, b)| a.abs_diff(b)).max().unwrap_or(0);
            run = match last {
                _ if step < LEAST_STEP => 0,
                Some(before) if before == pair => run + 1,
                _ => 1,
            };
            last = Some(pair);
            longest = longest.max(run);
        }
        if longest >= LEAST_EDGE {
            found.push(line);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;

    fn page(scale: u32) -> RgbImage {
        RgbImage::from_fn(100 * scale, 120 * scale, |x, y| {
            let (x, y) = (x / scale, y / scale);
            let is_rule = y % 10 == 5 && (10..90).contains(&x);
            Rgb(if is_rule { [80; 3] } else { [255; 3] })
        })
    }

    fn line(height: i32) -> ReadLine {
        ReadLine {
            chars: vec![ReadChar { char: 'a', x: 20.0 }; LEAST_CHARS],
            area: Rect { x: 10, y: 8, w: 60, h: height },
            confidence: 1.0,
        }
    }

    #[test]
    fn doubled_page_is_halved_with_its_lines() {
        let doubled = page(2);
        let paged = in_page_pixels(&doubled, &[line(44)]);
        assert_eq!((paged.scale, paged.picture.into_owned()), (2, page(1)));
        let halved = paged.lines.first().unwrap();
        assert_eq!((halved.area, halved.chars[0].x), (Rect { x: 5, y: 4, w: 30, h: 22 }, 10.0));
    }

    #[test]
    fn ordinary_page_stays_as_it_is() {
        assert_eq!(in_page_pixels(&page(1), &[line(22)]).scale, 1);
    }

    #[test]
    fn large_text_alone_does_not_halve_a_page() {
        assert_eq!(in_page_pixels(&page(1), &[line(60)]).scale, 1);
    }
}
