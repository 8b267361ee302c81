//! Yes-or-no pictures and what can be done to them.

use std::collections::VecDeque;

use super::geometry::Rect;

const SET: u8 = 1;
const COUNTED: u8 = 2;

/// One flag a pixel, in fewer than 2³² pixels.
#[derive(Clone)]
pub(crate) struct Mask {
    pub(crate) width: usize,
    pub(crate) height: usize,
    cells: Vec<u8>,
}

/// Connected set pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Blob {
    pub(crate) area: Rect,
    pub(crate) count: usize,
}

impl Mask {
    pub(crate) fn empty(width: usize, height: usize) -> Self {
        Self { width, height, cells: vec![0; width * height] }
    }

    pub(crate) fn from_cells(width: usize, height: usize, cells: Vec<u8>) -> Self {
        Self { width, height, cells }
    }

    pub(crate) fn at(&self, x: usize, y: usize) -> bool {
        x < self.width && self.cells.get(y * self.width + x).is_some_and(|&cell| cell != 0)
    }

    pub(crate) fn clear(&mut self, x: i32, y: i32) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        if x < self.width
            && let Some(cell) = self.cells.get_mut(y * self.width + x)
        {
            *cell = 0;
        }
    }

    pub(crate) fn paint(&mut self, area: Rect) {
        let whole = Rect { x: 0, y: 0, w: self.width as i32, h: self.height as i32 };
        let area = area.common(whole);
        if area.is_empty() {
            return;
        }
        for y in area.y..area.bottom() {
            let start = y as usize * self.width + area.x as usize;
            if let Some(row) = self.cells.get_mut(start..start + area.w as usize) {
                row.fill(1);
            }
        }
    }

    /// How many pixels of an area are set.
    pub(crate) fn count_in(&self, area: Rect) -> usize {
        let whole = Rect { x: 0, y: 0, w: self.width as i32, h: self.height as i32 };
        let area = area.common(whole);
        (area.y..area.bottom())
            .map(|y| {
                let start = y as usize * self.width + area.x as usize;
                let row = self.cells.get(start..start + area.w.max(0) as usize).unwrap_or_default();
                row.iter().filter(|&&cell| cell != 0).count()
            })
            .sum()
    }

    /// Without anything thinner than two pixels.
    pub(crate) fn opened(&self) -> Self {
        self.swept(1, 0, Extreme::Least).swept(0, 1, Extreme::Most)
    }

    /// With gaps of up to twice `reach` pixels closed.
    pub(crate) fn closed(&self, reach: usize) -> Self {
        self.swept(reach, reach, Extreme::Most).swept(reach, reach, Extreme::Least)
    }

    /// The least or most of a square window, columns after rows.
    fn swept(&self, before: usize, after: usize, extreme: Extreme) -> Self {
        let (w, h) = (self.width, self.height);
        let rows = Self::line_sweep(&self.cells, w, h, (1, w), (before, after), &extreme);
        let cells = Self::line_sweep(&rows, h, w, (w, 1), (before, after), &extreme);
        Self { width: w, height: h, cells }
    }

    fn line_sweep(
        cells: &[u8],
        length: usize,
        lines: usize,
        (step, line_step): (usize, usize),
        (before, after): (usize, usize),
        extreme: &Extreme,
    ) -> Vec<u8> {
        let mut out = vec![0; cells.len()];
        let get = |at: usize| cells.get(at).copied().unwrap_or(0);
        for line in 0..lines {
            let start = line * line_step;
            let mut set = (0..after.min(length)).map(|at| usize::from(get(start + at * step))).sum::<usize>();
            for at in 0..length {
                if at + after < length {
                    set += usize::from(get(start + (at + after) * step));
                }
                if at > before {
                    set -= usize::from(get(start + (at - before - 1) * step));
                }
                let window = (at + after).min(length - 1) - at.saturating_sub(before) + 1;
                let value = match extreme {
                    Extreme::Least => set == window,
                    Extreme::Most => set > 0,
                };
                if let Some(cell) = out.get_mut(start + at * step) {
                    *cell = u8::from(value);
                }
            }
        }
        out
    }

    /// Set where this one is not.
    pub(crate) fn inverted(&self) -> Self {
        let cells = self.cells.iter().map(|&cell| u8::from(cell == 0)).collect();
        Self { width: self.width, height: self.height, cells }
    }

    /// Set where this one is and the other, of the same size, is not.
    pub(crate) fn without(&self, other: &Self) -> Self {
        let cells = self.cells.iter().zip(&other.cells).map(|(&own, &other)| own & (1 - other)).collect();
        Self { width: self.width, height: self.height, cells }
    }

    /// Set where this one is or the other, of the same size, is.
    pub(crate) fn with(mut self, other: &Self) -> Self {
        self.cells.iter_mut().zip(&other.cells).for_each(|(own, &other)| *own |= other);
        self
    }

    /// The pieces whose number of pixels is wanted, side by side neighbours belonging together.
    pub(crate) fn pieces(self, is_wanted: impl Fn(usize) -> bool) -> Self {
        let mut pieces = self;
        // Places are walked from the outside in: few are open at a time, where a list of all takes gigabytes.
        let mut open = VecDeque::new();
        for seed in 0..pieces.cells.len() {
            let count = pieces.repaint(seed, (SET, COUNTED), &mut open);
            if count > 0 && !is_wanted(count) {
                pieces.repaint(seed, (COUNTED, 0), &mut open);
            }
        }
        pieces.cells.iter_mut().for_each(|cell| *cell = (*cell).min(SET));
        pieces
    }

    /// Gives all pixels around a place that are like it another value; how many there were.
    fn repaint(&mut self, seed: usize, (from, to): (u8, u8), open: &mut VecDeque<u32>) -> usize {
        let width = self.width;
        let mut count = 0;
        let mut reach = |at: usize, open: &mut VecDeque<u32>| {
            if let Some(cell) = self.cells.get_mut(at).filter(|cell| **cell == from) {
                *cell = to;
                count += 1;
                open.push_back(at as u32);
            }
        };
        reach(seed, open);
        while let Some(at) = open.pop_front() {
            let at = at as usize;
            let x = at % width;
            let beside = [(x > 0).then(|| at - 1), (x + 1 < width).then_some(at + 1)];
            let above_and_below = [at.checked_sub(width), Some(at + width)];
            beside.into_iter().chain(above_and_below).flatten().for_each(|near| reach(near, open));
        }
        count
    }

    /// Blobs of pixels that touch, also at corners, in reading order of their first pixel.
    pub(crate) fn blobs(&self) -> Vec<Blob> {
        let mut left = self.cells.clone();
        let mut found = Vec::new();
        let mut open = VecDeque::new();
        for seed in 0..left.len() {
            if !take(&mut left, seed) {
                continue;
            }
            let (mut x0, mut y0, mut x1, mut y1, mut count) = (self.width, self.height, 0, 0, 0);
            open.push_back(seed as u32);
            while let Some(at) = open.pop_front() {
                let (x, y) = (at as usize % self.width, at as usize / self.width);
                (x0, y0, x1, y1) = (x0.min(x), y0.min(y), x1.max(x), y1.max(y));
                count += 1;
                for row in y.saturating_sub(1)..=(y + 1).min(self.height - 1) {
                    for column in x.saturating_sub(1)..=(x + 1).min(self.width - 1) {
                        if take(&mut left, row * self.width + column) {
                            open.push_back((row * self.width + column) as u32);
                        }
                    }
                }
            }
            let area = Rect::from_edges(x0 as i32, y0 as i32, x1 as i32 + 1, y1 as i32 + 1);
            found.push(Blob { area, count });
        }
        found
    }

    /// Everything that cannot be reached from outside through unset pixels.
    pub(crate) fn filled(&self) -> Self {
        let (w, h) = (self.width, self.height);
        let mut outside = vec![0_u8; self.cells.len()];
        let mut open = VecDeque::new();
        let visit = |at: usize, outside: &mut Vec<u8>, open: &mut VecDeque<u32>| {
            if self.cells.get(at) == Some(&0)
                && let Some(cell) = outside.get_mut(at)
                && *cell == 0
            {
                *cell = 1;
                open.push_back(at as u32);
            }
        };
        for x in 0..w {
            visit(x, &mut outside, &mut open);
            visit((h - 1) * w + x, &mut outside, &mut open);
        }
        for y in 0..h {
            visit(y * w, &mut outside, &mut open);
            visit(y * w + w - 1, &mut outside, &mut open);
        }
        while let Some(at) = open.pop_front() {
            let at = at as usize;
            let (x, y) = (at % w, at / w);
            if x > 0 {
                visit(at - 1, &mut outside, &mut open);
            }
            if x + 1 < w {
                visit(at + 1, &mut outside, &mut open);
            }
            if y > 0 {
                visit(at - w, &mut outside, &mut open);
            }
            if y + 1 < h {
                visit(at + w, &mut outside, &mut open);
            }
        }
        Self { width: w, height: h, cells: outside.into_iter().map(|cell| 1 - cell).collect() }
    }
}

enum Extreme {
    Least,
    Most,
}

fn take(cells: &mut [u8], at: usize) -> bool {
    cells.get_mut(at).is_some_and(|cell| std::mem::take(cell) != 0)
}

/// Boxes that touch become one, until none touch.
pub(crate) fn merged(mut areas: Vec<Rect>, width: usize, height: usize, slack: i32) -> Vec<Rect> {
    // Boxes painted over each other find their neighbours faster than comparing all pairs.
    for _ in 0..8 {
        let mut mask = Mask::empty(width, height);
        for area in &areas {
            mask.paint(Rect { w: area.w + slack, h: area.h + slack, ..*area });
        }
        let blobs = mask.blobs();
        let count = areas.len();
        areas = blobs
            .into_iter()
            .map(|blob| {
                let inside = |area: &&Rect| blob.area.holds(**area, 0);
                areas.iter().filter(inside).copied().reduce(Rect::union).unwrap_or(blob.area)
            })
            .collect();
        if areas.len() == count {
            break;
        }
    }
    areas
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_kept_by_their_size_and_corners_do_not_join_them() {
        let mask = |rows: [&str; 5]| {
            let cells: Vec<u8> = rows.concat().bytes().map(|cell| u8::from(cell == b'#')).collect();
            Mask::from_cells(6, 5, cells)
        };
        let whole = ["##..#.", "#...##", "..#...", ".#..##", "#...##"];
        let kept = |is_wanted: fn(usize) -> bool| mask(whole).pieces(is_wanted).cells;
        let large = ["##..#.", "#...##", "......", "....##", "....##"];
        let single = ["......", "......", "..#...", ".#....", "#....."];
        assert_eq!(
            [kept(|count| count >= 3), kept(|count| count == 1), kept(|_| true)],
            [mask(large).cells, mask(single).cells, mask(whole).cells]
        );
        assert_eq!(mask(large).with(&mask(single)).cells, mask(whole).cells);
    }
}
