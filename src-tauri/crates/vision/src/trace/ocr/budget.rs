//! How much is read of a picture that is full of tiny text.

use super::read::read_size;
use crate::trace::geometry::Rect;

/// Pixels of a picture for each column that is read. A page full of code has eleven, an article thirty; a page full of
/// letters five pixels high, which nobody can read, has two, and would keep the reader for a minute.
const PIXELS_A_COLUMN: f32 = 6.0;
/// What a small picture may take all the same.
const FEWEST_COLUMNS: f32 = 20_000.0;
/// What a line takes beside its columns: a run of the network costs as much however short the line is.
const COLUMNS_OF_A_RUN: f32 = 270.0;

/// The lines that are read of a picture: all, or the highest of them where there is too much to read. They stay in
/// order.
pub(super) fn legible(areas: Vec<Rect>, width: u32, height: u32) -> Vec<Rect> {
    let mut left = (width as f32 * height as f32 / PIXELS_A_COLUMN).max(FEWEST_COLUMNS);
    let mut highest: Vec<usize> = (0..areas.len()).collect();
    highest.sort_by_key(|at| (std::cmp::Reverse(areas[*at].h), *at));
    let mut is_read = vec![false; areas.len()];
    for at in highest {
        left -= columns(areas[at]);
        if left < 0.0 {
            break;
        }
        is_read[at] = true;
    }
    areas.into_iter().zip(is_read).filter_map(|(area, is_read)| is_read.then_some(area)).collect()
}

fn columns(area: Rect) -> f32 {
    read_size(area).1 + COLUMNS_OF_A_RUN
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(height: i32, pitch: i32, page_height: i32) -> Vec<Rect> {
        (0..page_height / pitch).map(|row| Rect { x: 0, y: row * pitch, w: 1280, h: height }).collect()
    }

    // S-70
    #[test]
    fn what_is_read_grows_with_the_picture_and_not_with_what_is_written_on_it() {
        for page_height in [2000, 16_000] {
            let pixels = 1280.0 * page_height as f32;
            let read: f32 =
                legible(rows(7, 8, page_height), 1280, page_height as u32).into_iter().map(columns).sum();
            assert!((0.9..=1.0).contains(&(read * PIXELS_A_COLUMN / pixels)), "{read}");
        }
    }

    #[test]
    fn every_line_of_a_page_full_of_code_is_read() {
        let code = rows(17, 18, 2000);
        assert_eq!(legible(code.clone(), 1280, 2000), code);
        let strip = vec![Rect { x: 0, y: 0, w: 300, h: 9 }];
        assert_eq!(legible(strip.clone(), 300, 10), strip);
    }

    #[test]
    fn of_too_much_the_highest_lines_are_read_in_order() {
        let mut areas = rows(7, 8, 2000);
        for at in [10, 200, 249] {
            areas[at].h = 8;
        }
        let wanted = [areas[10], areas[200], areas[249]];
        let read = legible(areas, 1280, 2000);
        let high: Vec<Rect> = read.into_iter().filter(|area| area.h == 8).collect();
        assert_eq!(high, wanted);
    }
}
