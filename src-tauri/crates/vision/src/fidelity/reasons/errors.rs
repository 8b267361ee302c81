//! Where pixels differ, coarse enough to be asked often.

use image::RgbImage;

use crate::fidelity::geometry::Area;

const CELL: usize = 8;

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
        let cell = |edge: f64, most: usize| (edge.max(0.0) as usize / CELL).min(most);
        let (left, top) = (cell(area.x, self.columns), cell(area.y, self.rows));
        let right = (cell(area.right(), self.columns) + 1).min(self.columns).max(left);
        let bottom = (cell(area.bottom(), self.rows) + 1).min(self.rows).max(top);
        let at = |row: usize, column: usize| self.sums[row * (self.columns + 1) + column];
        at(bottom, right) - at(top, right) - at(bottom, left) + at(top, left)
    }

    /// Mean difference of a channel inside an area, 0 to 255.
    pub(super) fn mean(&self, area: Area) -> f64 {
        self.sum(area) / (3.0 * area.size()).max(1.0)
    }

    /// The points an area's differences cost.
    pub(super) fn points(&self, area: Area) -> f64 {
        let all = self.sums.last().copied().unwrap_or_default();
        if all > 0.0 { self.sum(area) / all * self.points } else { 0.0 }
    }
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
