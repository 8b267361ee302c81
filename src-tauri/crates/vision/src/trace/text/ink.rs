use image::RgbImage;

use crate::trace::color::{Color, distance, dominant, median_color, pixel, quantile};
use crate::trace::geometry::Rect;

// Share of the strongest contrast from which a pixel counts as ink.
const INK_SHARE: f32 = 0.35;
// A filled badge covers at least this share of the middle rows.
const BADGE_SHARE: f32 = 0.3;
const BADGE_CONTRAST: f32 = 8.0;
const GROUND_CONTRAST: f32 = 20.0;
const SOLID_SHARE: f32 = 0.7;
// A ground narrower than this share of the line's height is a letter's stem.
const GROUND_WIDTH: f32 = 0.8;
const STEM_WIDTH: f32 = 0.2;
const SAME_GROUND: f32 = 14.0;

/// The pixels around a line, each with its distance from the background colour.
pub(super) struct InkPatch {
    pub(super) area: Rect,
    pub(super) background: Color,
    pub(super) flatness: f32,
    /// Nearly the largest distance.
    pub(super) contrast: f32,
    colors: Vec<Color>,
    distances: Vec<f32>,
}

impl InkPatch {
    /// The patch under a window; inside a badge or button it shrinks to the filled part.
    pub(super) fn of(picture: &RgbImage, window: Rect) -> Option<Self> {
        let whole = Rect { x: 0, y: 0, w: picture.width() as i32, h: picture.height() as i32 };
        let area = window.common(whole);
        if area.w < 2 || area.h < 2 {
            return None;
        }
        let colors = colors_of(picture, area);
        let ring = ring(&colors, area);
        let background = median_color(&ring);
        let flat = ring.iter().filter(|color| distance(**color, background) < 12.0).count();
        let flatness = flat as f32 / ring.len().max(1) as f32;
        match badge(&colors, area, background) {
            Some((inner, fill)) => {
                let mut colors = colors_of(picture, inner);
                fill_corners(&mut colors, inner, fill);
                Some(Self::measured(colors, inner, fill, 1.0))
            }
            None => Some(Self::measured(colors, area, background, flatness)),
        }
    }

    fn measured(colors: Vec<Color>, area: Rect, background: Color, flatness: f32) -> Self {
        let distances: Vec<f32> = colors.iter().map(|&color| distance(color, background)).collect();
        let contrast = quantile(&mut distances.clone(), 0.995);
        Self { area, background, flatness, contrast, colors, distances }
    }

    fn index(&self, x: i32, y: i32) -> usize {
        ((y - self.area.y) * self.area.w + (x - self.area.x)) as usize
    }

    fn distance(&self, x: i32, y: i32) -> f32 {
        self.distances.get(self.index(x, y)).copied().unwrap_or(0.0)
    }

    pub(super) fn is_ink(&self, x: i32, y: i32) -> bool {
        self.distance(x, y) > INK_SHARE * self.contrast
    }

    pub(super) fn cells(&self, area: Rect) -> impl Iterator<Item = (Color, f32)> {
        let area = area.common(self.area);
        (area.y..area.bottom()).flat_map(move |y| {
            (area.x..area.right()).filter_map(move |x| {
                let at = self.index(x, y);
                Some((*self.colors.get(at)?, *self.distances.get(at)?))
            })
        })
    }

    pub(super) fn distances(&self, area: Rect) -> impl Iterator<Item = f32> {
        self.cells(area).map(|(_, distance)| distance)
    }

    /// The smallest box around the ink in an area.
    pub(super) fn tight(&self, area: Rect) -> Option<Rect> {
        let area = area.common(self.area);
        let (mut x0, mut y0, mut x1, mut y1) = (i32::MAX, i32::MAX, i32::MIN, i32::MIN);
        for y in area.y..area.bottom() {
            for x in area.x..area.right() {
                if self.is_ink(x, y) {
                    (x0, y0, x1, y1) = (x0.min(x), y0.min(y), x1.max(x), y1.max(y));
                }
            }
        }
        (x0 <= x1).then(|| Rect::from_edges(x0, y0, x1 + 1, y1 + 1))
    }

    /// The rows of the line itself: the inked rows around the middle, without a neighbour's leftovers
    /// and without rules above and below.
    pub(super) fn line_rows(&self) -> Option<(i32, i32)> {
        let area = self.area;
        let counts: Vec<i32> = (area.y..area.bottom())
            .map(|y| (area.x..area.right()).filter(|&x| self.is_ink(x, y)).count() as i32)
            .collect();
        // A row that is ink from end to end is a rule or a box edge, not text.
        let is_text = |count: &i32| *count > 0 && *count * 100 < area.w * 92;
        let found = runs(counts.iter().map(is_text));
        let weight = |run: &(usize, usize)| counts.get(run.0..run.1).unwrap_or_default().iter().sum::<i32>();
        let middle = counts.len() as f32 / 2.0;
        let main = found.iter().copied().max_by(|a, b| {
            let rank = |run: &(usize, usize)| {
                let off = ((run.0 + run.1) as f32 / 2.0 - middle).abs() / middle.max(1.0);
                weight(run) as f32 * (1.2 - off)
            };
            rank(a).total_cmp(&rank(b)).then(b.0.cmp(&a.0))
        })?;
        let (mut top, mut bottom) = main;
        let height = (bottom - top) as f32;
        // Dots and accents stand apart from their letters; a neighbour's leftover touches the edge.
        for run in found.iter().rev().filter(|run| run.1 <= main.0) {
            let (gap, tall) = ((top - run.1) as f32, (run.1 - run.0) as f32);
            let is_mark = gap <= (0.22 * height).max(1.0) && tall <= 0.45 * height && run.0 > 0;
            if is_mark {
                top = run.0;
            } else {
                break;
            }
        }
        for run in found.iter().filter(|run| run.0 >= main.1) {
            let (gap, tall) = ((run.0 - bottom) as f32, (run.1 - run.0) as f32);
            let is_mark = gap <= (0.22 * height).max(1.0) && tall <= 0.35 * height && run.1 < counts.len();
            if is_mark {
                bottom = run.1;
            } else {
                break;
            }
        }
        Some((area.y + top as i32, area.y + bottom as i32))
    }
}

/// What shows beside a badge's rounded corners is no ink: rows are filled up to where the badge begins.
fn fill_corners(colors: &mut [Color], area: Rect, fill: Color) {
    let deepest = (area.h / 2) as usize;
    for row in colors.chunks_mut(area.w.max(1) as usize) {
        let is_fill = |color: &Color| distance(*color, fill) < SAME_GROUND;
        let left = row.iter().take(deepest).position(is_fill).unwrap_or(0);
        row.iter_mut().take(left).for_each(|color| *color = fill);
        let right = row.iter().rev().take(deepest).position(is_fill).unwrap_or(0);
        row.iter_mut().rev().take(right).for_each(|color| *color = fill);
    }
}

#[derive(Clone, Copy)]
enum Inwards {
    Forwards,
    Backwards,
}

/// Where the fill begins to be solid: behind rounded corners, and behind a border with its surroundings.
fn solid_from(counts: &[usize], edge: i32, inwards: Inwards, length: i32) -> Option<i32> {
    let at = |step: i32| match inwards {
        Inwards::Forwards => edge + step,
        Inwards::Backwards => edge - step,
    };
    let is_solid = |step: i32| {
        let count = usize::try_from(at(step)).ok().and_then(|at| counts.get(at));
        count.is_some_and(|&count| count as f32 > SOLID_SHARE * length as f32)
    };
    let first = (1..6).find(|&step| is_solid(step) && is_solid(step + 1))?;
    Some(at(if first == 1 { 0 } else { first }))
}

/// The stretches of a window that stand on different colours, left to right: two buttons side by side are one
/// line to the recogniser. A single stretch when the ground does not change.
pub(super) fn grounds(picture: &RgbImage, window: Rect) -> Vec<(i32, i32)> {
    let whole = Rect { x: 0, y: 0, w: picture.width() as i32, h: picture.height() as i32 };
    let area = window.common(whole);
    let margin = if area.h > 12 { area.h / 6 } else { 0 };
    let mut found: Vec<(i32, i32, Color)> = Vec::new();
    for x in area.x..area.right() {
        let column: Vec<Color> =
            (area.y + margin..area.bottom() - margin).map(|y| pixel(picture, x, y)).collect();
        let (color, _) = dominant(&column, 12.0);
        match found.last_mut() {
            Some((_, to, last)) if *to == x && distance(*last, color) < SAME_GROUND => *to = x + 1,
            _ => found.push((x, x + 1, color)),
        }
    }
    // Stems go first, so that the ground between them is one; then what is still narrow.
    let wide = without_narrow(found, (STEM_WIDTH * area.h as f32) as i32);
    let wide = without_narrow(wide, (GROUND_WIDTH * area.h as f32) as i32);
    let mut cuts = vec![window.x];
    cuts.extend(wide.windows(2).filter_map(|pair| match pair {
        [left, right] => Some((left.1 + right.0) / 2),
        _ => None,
    }));
    cuts.push(window.right());
    cuts.windows(2).filter_map(|pair| Some((*pair.first()?, *pair.last()?))).collect()
}

fn without_narrow(runs: Vec<(i32, i32, Color)>, least: i32) -> Vec<(i32, i32, Color)> {
    let mut wide: Vec<(i32, i32, Color)> = Vec::new();
    for (from, to, color) in runs.into_iter().filter(|(from, to, _)| to - from >= least) {
        match wide.last_mut() {
            Some(last) if distance(last.2, color) < GROUND_CONTRAST => last.1 = to,
            _ => wide.push((from, to, color)),
        }
    }
    wide
}

fn colors_of(picture: &RgbImage, area: Rect) -> Vec<Color> {
    (area.y..area.bottom()).flat_map(|y| (area.x..area.right()).map(move |x| pixel(picture, x, y))).collect()
}

fn ring(colors: &[Color], area: Rect) -> Vec<Color> {
    let (w, h) = (area.w as usize, area.h as usize);
    colors
        .iter()
        .enumerate()
        .filter(|(at, _)| {
            let (x, y) = (at % w, at / w);
            x == 0 || y == 0 || x + 1 == w || y + 1 == h
        })
        .map(|(_, color)| *color)
        .collect()
}

/// The filled box the text stands on, when it is smaller than the window.
fn badge(colors: &[Color], area: Rect, around: Color) -> Option<(Rect, Color)> {
    let (w, h) = (area.w as usize, area.h as usize);
    let margin = if h > 12 { (h as f32 * 0.16) as usize } else { 0 };
    let middle = colors.get(margin * w..(h - margin) * w)?;
    let (fill, share) = dominant(middle, 6.0);
    if share <= BADGE_SHARE || distance(fill, around) <= BADGE_CONTRAST {
        return None;
    }
    let mut in_row = vec![0_usize; h];
    let mut in_column = vec![0_usize; w];
    for (at, color) in colors.iter().enumerate() {
        if distance(*color, fill) < 14.0 {
            if let Some(row) = in_row.get_mut(at / w) {
                *row += 1;
            }
            if let Some(column) = in_column.get_mut(at % w) {
                *column += 1;
            }
        }
    }
    let span = |counts: &[usize], length: usize, least: f32| {
        let enough = |count: &usize| *count as f32 > least * length as f32;
        let matching = counts.iter().filter(|count| enough(count)).count();
        let first = counts.iter().position(enough)?;
        let last = counts.iter().rposition(enough)?;
        (matching > 5).then_some((first as i32, last as i32 + 1))
    };
    let (top, bottom) = span(&in_row, w, 0.35)?;
    let (left, right) = span(&in_column, h, 0.3)?;
    // Heavy letters cover as much as a badge does, but their outer rows and columns are not solid.
    let (rows, columns) = (bottom - top, right - left);
    let top = solid_from(&in_row, top, Inwards::Forwards, columns)?;
    let bottom = solid_from(&in_row, bottom - 1, Inwards::Backwards, columns)? + 1;
    let left = solid_from(&in_column, left, Inwards::Forwards, rows)?;
    let right = solid_from(&in_column, right - 1, Inwards::Backwards, rows)? + 1;
    Some((Rect::from_edges(area.x + left, area.y + top, area.x + right, area.y + bottom), fill))
}

/// The stretches of `true`, as start and end.
pub(super) fn runs(flags: impl Iterator<Item = bool>) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (at, flag) in flags.enumerate() {
        match found.last_mut() {
            Some(last) if flag && last.1 == at => last.1 = at + 1,
            _ if flag => found.push((at, at + 1)),
            _ => {}
        }
    }
    found
}
