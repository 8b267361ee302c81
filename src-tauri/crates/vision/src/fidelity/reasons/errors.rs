//! Where pixels differ, coarse enough to be asked often.

use image::RgbImage;

use crate::fidelity::geometry::Area;

const CELL: usize = 8;
/// Share of an area that must be covered by nothing to speak for it.
const LEAST_OPEN: f64 = 0.1;

/// Sums of differences over every rectangle of cells.
pub(super) struct ErrorMap {
    columns: usize,
    rows: usize,
    /// Sum of all cells above and left of a corner.
    sums: Vec<f64>,
    points: f64,
}

impl ErrorMap {
    /// The differences of two pictures, which cost a number of points in all.
    pub(super) fn of(reference: &RgbImage, page: &RgbImage, points: f64) -> Self {
        let width = reference.width().max(page.width()) as usize;
        let height = reference.height().max(page.height()) as usize;
        let (columns, rows) = (width.div_ceil(CELL), height.div_ceil(CELL));
        let mut cells = vec![0.0_f64; columns * rows];
        if reference != page {
            let row = |picture: &RgbImage, y: usize| {
                let across = picture.width() as usize * 3;
                y * across..(y + 1) * across
            };
            for y in 0..height {
                let wanted = reference.as_raw().get(row(reference, y)).unwrap_or_default();
                let shown = page.as_raw().get(row(page, y)).unwrap_or_default();
                let line = &mut cells[y / CELL * columns..(y / CELL + 1) * columns];
                add_row(line, wanted, shown);
            }
        }
        let mut sums = vec![0.0; (columns + 1) * (rows + 1)];
        for row in 0..rows {
            let mut line = 0.0;
            for column in 0..columns {
                line += cells[row * columns + column];
                sums[(row + 1) * (columns + 1) + column + 1] = sums[row * (columns + 1) + column + 1] + line;
            }
        }
        Self { columns, rows, sums, points }
    }

    fn sum(&self, area: Area) -> f64 {
        let (left, top) = (cell(area.x, self.columns), cell(area.y, self.rows));
        let right = (cell(area.right(), self.columns) + 1).min(self.columns).max(left);
        let bottom = (cell(area.bottom(), self.rows) + 1).min(self.rows).max(top);
        self.cells(left, top, right - left, bottom - top)
    }

    /// The sum of some cells.
    fn cells(&self, left: usize, top: usize, across: usize, down: usize) -> f64 {
        let (right, bottom) = ((left + across).min(self.columns), (top + down).min(self.rows));
        let (left, top) = (left.min(right), top.min(bottom));
        let at = |row: usize, column: usize| self.sums[row * (self.columns + 1) + column];
        at(bottom, right) - at(top, right) - at(bottom, left) + at(top, left)
    }

    /// Mean difference of a channel inside an area, 0 to 255.
    pub(super) fn mean(&self, area: Area) -> f64 {
        self.sum(area) / (3.0 * area.size()).max(1.0)
    }

    /// Share of the area that no part covers, and the sum of the differences there.
    fn apart(&self, area: Area, parts: &[Area]) -> (f64, f64) {
        let [left, right] = [area.x, area.right()].map(|edge| cell(edge, self.columns));
        let [top, bottom] = [area.y, area.bottom()].map(|edge| cell(edge, self.rows));
        let (across, down) = (right.max(left) - left + 1, bottom.max(top) - top + 1);
        // What parts begin and end in each cell; summed up they tell how many cover it, however large they are.
        let mut edges = vec![0_i32; (across + 1) * (down + 1)];
        for part in parts {
            let (from, to) =
                (cell(part.x, self.columns).max(left), cell(part.right(), self.columns).min(right));
            let (first, last) =
                (cell(part.y, self.rows).max(top), cell(part.bottom(), self.rows).min(bottom));
            if from <= to && first <= last {
                let (from, to) = (from - left, to + 1 - left);
                for (row, by) in [(first - top, 1), (last + 1 - top, -1)] {
                    edges[row * (across + 1) + from] += by;
                    edges[row * (across + 1) + to] -= by;
                }
            }
        }
        let mut is_covered = Vec::with_capacity(across * down);
        let mut above = vec![0_i32; across + 1];
        for row in edges.chunks_exact(across + 1).take(down) {
            let mut covering = 0;
            for (above, edge) in above.iter_mut().zip(row).take(across) {
                *above += edge;
                covering += *above;
                is_covered.push(covering > 0);
            }
        }
        let open = is_covered.iter().enumerate().filter(|(_, is_covered)| !**is_covered);
        let sum = |at: usize| self.cells(left + at % across, top + at / across, 1, 1);
        let (count, all) = open.fold((0_usize, 0.0), |(count, all), (at, _)| (count + 1, all + sum(at)));
        (count as f64 / (across * down) as f64, all)
    }

    /// Mean difference of a channel where an area is covered by none of its parts, and the points that costs. An area
    /// that is covered altogether is taken with its parts.
    pub(super) fn own(&self, area: Area, parts: &[Area]) -> (f64, f64) {
        let (share, sum) = self.apart(area, parts);
        if share < LEAST_OPEN {
            return (self.mean(area), self.points(area));
        }
        (sum / (3.0 * share * area.size()).max(1.0), self.share(sum))
    }

    fn share(&self, sum: f64) -> f64 {
        let all = self.sums.last().copied().unwrap_or_default();
        if all > 0.0 { sum / all * self.points } else { 0.0 }
    }

    /// The points an area's differences cost.
    pub(super) fn points(&self, area: Area) -> f64 {
        self.share(self.sum(area))
    }
}

/// The cell an edge lies in.
fn cell(edge: f64, most: usize) -> usize {
    (edge.max(0.0) as usize / CELL).min(most)
}

fn add_row(cells: &mut [f64], wanted: &[u8], shown: &[u8]) {
    let both = wanted.len().min(shown.len());
    if wanted[..both] != shown[..both] {
        let pieces = wanted[..both].chunks(CELL * 3).zip(shown[..both].chunks(CELL * 3));
        for (cell, (a, b)) in cells.iter_mut().zip(pieces) {
            *cell += f64::from(a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(*b))).sum::<u32>());
        }
    }
    // Where only one has pixels, the difference to mid-grey counts.
    let longer = if wanted.len() > both { wanted } else { shown };
    for (at, channel) in longer.iter().enumerate().skip(both) {
        if let Some(cell) = cells.get_mut(at / (CELL * 3)) {
            *cell += f64::from(channel.abs_diff(127));
        }
    }
}
