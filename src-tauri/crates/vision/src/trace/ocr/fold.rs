//! Emptiness taken out of a picture before lines are looked for: the detector judges a place by all it sees, and
//! between wide empty parts it overlooks short lines.

use image::{Rgb, RgbImage};

use crate::trace::geometry::Rect;

/// So much of an empty part stays: lines beside it do not come closer to each other than they would on any page.
const KEPT: usize = 64;
/// Rows of one colour each may differ by so much in a part that is empty to the eye.
const MOST_DIFFERENCE: u8 = 2;

/// A picture without what repeats, and where its rows and columns were.
pub(super) struct Folded {
    pub(super) picture: RgbImage,
    columns: Vec<u32>,
    rows: Vec<u32>,
}

impl Folded {
    pub(super) fn of(picture: &RgbImage) -> Self {
        let (width, height) = picture.dimensions();
        let rows = kept(height, |y, first| (0..width).all(|x| is_alike(picture, (x, y), (x, first))));
        let columns = kept(width, |x, first| rows.iter().all(|y| is_alike(picture, (x, *y), (first, *y))));
        let at = |x: u32, y: u32| Some((*columns.get(x as usize)?, *rows.get(y as usize)?));
        let color = |x, y| at(x, y).map_or(Rgb([0; 3]), |(x, y)| *picture.get_pixel(x, y));
        let folded = RgbImage::from_fn(columns.len() as u32, rows.len() as u32, color);
        Self { picture: folded, columns, rows }
    }

    /// Where a part of the folded picture was.
    pub(super) fn unfolded(&self, area: Rect) -> Rect {
        let span = |from: i32, to: i32, kept: &[u32]| {
            let at = |index: i32| kept.get(index.max(0) as usize).or(kept.last()).map_or(0, |at| *at as i32);
            (at(from), at(to - 1) + 1)
        };
        let (left, right) = span(area.x, area.right(), &self.columns);
        let (top, bottom) = span(area.y, area.bottom(), &self.rows);
        Rect::from_edges(left, top, right, bottom)
    }
}

fn is_alike(picture: &RgbImage, a: (u32, u32), b: (u32, u32)) -> bool {
    let (Rgb(a), Rgb(b)) = (picture.get_pixel(a.0, a.1), picture.get_pixel(b.0, b.1));
    a.iter().zip(b).all(|(a, b)| a.abs_diff(*b) <= MOST_DIFFERENCE)
}

/// Which of so many rows or columns stay: of those that look like the first of their run, the outer ones.
fn kept(count: u32, looks_like: impl Fn(u32, u32) -> bool) -> Vec<u32> {
    let mut kept = Vec::with_capacity(count as usize);
    let mut first = 0;
    while first < count {
        let end = (first + 1..count).find(|at| !looks_like(*at, first)).unwrap_or(count);
        let half = (KEPT / 2) as u32;
        if end - first > 2 * half {
            kept.extend((first..first + half).chain(end - half..end));
        } else {
            kept.extend(first..end);
        }
        first = end;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHITE: Rgb<u8> = Rgb([255; 3]);

    fn page(width: u32, height: u32, marks: &[Rect]) -> RgbImage {
        RgbImage::from_fn(width, height, |x, y| {
            let at = Rect { x: x as i32, y: y as i32, w: 1, h: 1 };
            let is_marked = marks.iter().any(|mark| mark.holds(at, 0));
            // Ink never looks the same in two rows or columns.
            if is_marked { Rgb([(7 * x + 13 * y) as u8 % 100; 3]) } else { WHITE }
        })
    }

    #[test]
    fn emptiness_goes_and_what_is_drawn_is_found_where_it_was() {
        let marks = [Rect { x: 300, y: 20, w: 40, h: 12 }, Rect { x: 310, y: 900, w: 50, h: 16 }];
        let folded = Folded::of(&page(800, 1000, &marks));
        let (width, height) = folded.picture.dimensions();
        assert!(width < 60 + 2 * 64 + 2 && height < 20 + 12 + 16 + 2 * 64 + 2, "{width} x {height}");
        let is_ink = |x: u32, y: u32| *folded.picture.get_pixel(x, y) != WHITE;
        let rows: Vec<u32> = (0..height).filter(|y| (0..width).any(|x| is_ink(x, *y))).collect();
        let columns: Vec<u32> = (0..width).filter(|x| is_ink(*x, rows[0])).collect();
        let first = Rect { x: columns[0] as i32, y: rows[0] as i32, w: 40, h: 12 };
        assert_eq!(folded.unfolded(first), marks[0]);
    }

    #[test]
    fn a_picture_without_emptiness_stays_as_it_is() {
        for picture in
            [page(90, 70, &[Rect { x: 0, y: 0, w: 90, h: 70 }]), page(1, 1, &[]), page(64, 64, &[])]
        {
            let folded = Folded::of(&picture);
            assert_eq!(folded.picture, picture);
            let whole = Rect { x: 0, y: 0, w: picture.width() as i32, h: picture.height() as i32 };
            assert_eq!(folded.unfolded(whole), whole);
        }
    }
}
