//! From a recognised line to measured text: split at gaps, tight ink, colours.

mod ink;

use image::RgbImage;

use super::color::{Color, distance, mean_color, median, quantile};
use super::geometry::Rect;
use super::ocr::{ReadChar, ReadLine};
use ink::{InkPatch, grounds, runs};

/// A piece of text on one line with what its pixels say.
#[derive(Clone, Debug)]
pub(crate) struct InkText {
    pub(crate) text: String,
    /// Tight box of the ink.
    pub(crate) ink: Rect,
    pub(crate) color: Color,
    pub(crate) background: Color,
    /// Mean coverage inside the tight box, 0 to 1.
    pub(crate) coverage: f32,
    /// How much of the surroundings has the background's colour, 0 to 1.
    pub(crate) flatness: f32,
    /// Its words and punctuation, in order.
    pub(crate) tokens: Vec<InkToken>,
}

/// A word or a row of punctuation marks: characters `from` up to `to` of the text.
#[derive(Clone, Debug)]
pub(crate) struct InkToken {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) color: Color,
}

impl InkText {
    /// The colour behind it, unless it stands on a picture.
    pub(crate) fn plain_background(&self) -> Option<Color> {
        (self.flatness > 0.6).then_some(self.background)
    }
}

// A gap that no word space has, in em.
const COLUMN_GAP_EM: f32 = 0.8;
// The same in code, where a space is as wide as a letter.
const CODE_GAP_EM: f32 = 2.0;
// The same beside a lone character: an icon that was read as a letter.
const ICON_GAP_EM: f32 = 0.4;
// From here on the words beside a gap are compared; their sizes differ by more than this when they are two texts.
const SIZE_GAP_EM: f32 = 0.07;
const SIZE_CHANGE: f32 = 1.5;
// Characters that stand alone as words; round and crossed ones are more often icons.
const LONE_WORDS: &str = "123456789ABDEFGH";
// A word space beside such a character, by the height of the line's ink.
const LONE_WORD_GAP: f32 = 0.62;
const LOST_SPACE_EM: f32 = 0.34;
const MARKER_GAP_EM: f32 = 0.15;
const LEAST_CONTRAST: f32 = 24.0;
const LEAST_INK_HEIGHT: i32 = 5;
const LEAST_INK_WIDTH: i32 = 2;

/// The texts in all lines.
pub(crate) fn measured(picture: &RgbImage, lines: &[ReadLine]) -> Vec<InkText> {
    let areas: Vec<Rect> = lines.iter().map(|line| line.area).collect();
    let mut texts: Vec<InkText> = lines
        .iter()
        .flat_map(|line| pieces(picture, line, row_limits(line.area, &areas)))
        .filter(|text| text.ink.h >= LEAST_INK_HEIGHT && text.ink.w >= LEAST_INK_WIDTH)
        .filter(|text| !is_lone_mark(&text.text))
        .collect();
    texts.sort_by_key(|text| (text.ink.y, text.ink.x));
    texts
}

fn is_lone_mark(text: &str) -> bool {
    let mut chars = text.chars();
    matches!((chars.next(), chars.next()), (Some(only), None) if !only.is_alphanumeric())
}

/// The rows that belong to a line: overlap with the line above or below is shared out half and half.
fn row_limits(area: Rect, areas: &[Rect]) -> (i32, i32) {
    let (mut top, mut bottom) = (area.y - 1, area.bottom() + 1);
    for other in areas {
        let shared = area.common(*other);
        if *other == area || shared.w * 3 < area.w.min(other.w) {
            continue;
        }
        let (middle, other_middle) = (area.y * 2 + area.h, other.y * 2 + other.h);
        // Boxes of one line side by side overlap too; only true neighbours are above or below.
        if (middle - other_middle).abs() < area.h.min(other.h) * 4 / 5 {
            continue;
        }
        if other_middle < middle {
            top = top.max((other.bottom() + area.y) / 2);
        } else {
            bottom = bottom.min((other.y + area.bottom()) / 2);
        }
    }
    if bottom - top < 6 { (area.y - 1, area.bottom() + 1) } else { (top, bottom) }
}

fn pieces(picture: &RgbImage, line: &ReadLine, rows: (i32, i32)) -> Vec<InkText> {
    let window = Rect::from_edges(line.area.x - 1, rows.0, line.area.right() + 1, rows.1);
    let grounds = grounds(picture, window);
    let last = grounds.len().saturating_sub(1);
    grounds
        .iter()
        .enumerate()
        .flat_map(|(index, &(from, to))| {
            let chars = line
                .chars
                .iter()
                .filter(|read| (index == 0 || read.x >= from as f32) && (index == last || read.x < to as f32))
                .copied()
                .collect();
            let part = ReadLine { chars, area: line.area, confidence: line.confidence };
            pieces_on_ground(picture, &part, Rect::from_edges(from, window.y, to, window.bottom()))
        })
        .collect()
}

fn pieces_on_ground(picture: &RgbImage, line: &ReadLine, window: Rect) -> Vec<InkText> {
    let Some(patch) = InkPatch::of(picture, window) else { return Vec::new() };
    if patch.contrast < LEAST_CONTRAST {
        return Vec::new();
    }
    let Some(rows) = patch.line_rows() else { return Vec::new() };
    let cuts = column_cuts(&patch, rows, &line.chars);
    let mut found = Vec::new();
    let mut start = patch.area.x;
    let mut carried = None;
    for cut in cuts.iter().copied().chain([(patch.area.right(), patch.area.right())]) {
        let middle = (cut.0 + cut.1) as f32 / 2.0;
        let from = start as f32;
        let is_last = cut.0 == patch.area.right();
        let mut chars: Vec<ReadChar> = line
            .chars
            .iter()
            .filter(|read| (read.x >= from || start == patch.area.x) && (read.x < middle || is_last))
            .copied()
            .collect();
        chars.splice(0..0, carried.take());
        // A stroke between two sizes belongs to the second: "$9" and "/ mo.".
        if !is_last && chars.len() > 1 && chars.last().is_some_and(|read| read.char == '/') {
            carried = chars.pop();
        }
        found.extend(piece(&patch, rows, (start, cut.0), &chars));
        start = (middle as i32).max(start + 1).max(cut.1.min(patch.area.right()));
    }
    found
}

/// Gaps that separate columns, as pixel columns of the picture.
fn column_cuts(patch: &InkPatch, rows: (i32, i32), chars: &[ReadChar]) -> Vec<(i32, i32)> {
    let inked: Vec<bool> =
        (patch.area.x..patch.area.right()).map(|x| (rows.0..rows.1).any(|y| patch.is_ink(x, y))).collect();
    let em = 1.25 * (rows.1 - rows.0).max(6) as f32 * 0.85;
    let column_gap = if is_code(chars) { CODE_GAP_EM } else { COLUMN_GAP_EM };
    let lone = |side: &[&ReadChar]| side.iter().filter(|read| !read.char.is_whitespace()).count() <= 1;
    runs(inked.iter().map(|ink| !ink))
        .into_iter()
        .filter(|&(from, to)| from > 0 && to < inked.len())
        .map(|(from, to)| (patch.area.x + from as i32, patch.area.x + to as i32))
        .filter(|&(from, to)| {
            let (width, middle) = ((to - from) as f32, (from + to) as f32 / 2.0);
            let (before, after): (Vec<&ReadChar>, Vec<&ReadChar>) =
                chars.iter().partition(|read| read.x < middle);
            // Ink beyond the first or last letter that goes on outside is a neighbour's.
            let is_cut_off = before.is_empty() && inked.first() == Some(&true)
                || after.is_empty() && inked.last() == Some(&true);
            width > column_gap * em
                || width > SIZE_GAP_EM * em && is_cut_off
                || width > ICON_GAP_EM * em
                    && (lone(&before) || lone(&after) && !is_last_word(&before, &after, width, rows))
                || width > MARKER_GAP_EM * em && is_marker(&before)
                || width > SIZE_GAP_EM * em && size_changes(patch, rows, (from, to), &before, &after)
        })
        .collect()
}

/// Whether a lone character after a space is a count or a name, as in "Basket 2", and not an icon.
fn is_last_word(before: &[&ReadChar], after: &[&ReadChar], gap: f32, rows: (i32, i32)) -> bool {
    let is_blank = |read: &&&ReadChar| read.char.is_whitespace();
    let is_spaced = before.last().is_some_and(|read| is_blank(&read))
        || after.first().is_some_and(|read| is_blank(&read));
    let is_named = after.iter().any(|read| LONE_WORDS.contains(read.char));
    is_spaced && is_named && gap < LONE_WORD_GAP * (rows.1 - rows.0) as f32
}

/// Code keeps its wide spaces in one line.
fn is_code(chars: &[ReadChar]) -> bool {
    chars.iter().filter(|read| "<>{}=;_".contains(read.char)).count() >= 2
}

/// A bullet or box in front of a text; it is drawn, not written.
fn is_marker(before: &[&ReadChar]) -> bool {
    let mut inked = before.iter().filter(|read| !read.char.is_whitespace());
    matches!((inked.next(), inked.next()), (Some(only), None) if "●○■□★☆▶◀•".contains(only.char))
}

/// Whether the words on both sides of a gap are set in different sizes, such as a price and its period.
fn size_changes(
    patch: &InkPatch,
    rows: (i32, i32),
    gap: (i32, i32),
    before: &[&ReadChar],
    after: &[&ReadChar],
) -> bool {
    let is_blank = |read: &&&ReadChar| read.char.is_whitespace();
    let beside = [before.last(), after.first()];
    // Inside a word letters differ in height; a stroke or a wide gap may stand for a space that was not read.
    let is_wide = (gap.1 - gap.0) as f32 > LOST_SPACE_EM * (rows.1 - rows.0) as f32;
    if !is_wide && !beside.iter().flatten().any(|read| read.char.is_whitespace() || read.char == '/') {
        return false;
    }
    let left: Vec<&&ReadChar> =
        before.iter().rev().skip_while(is_blank).take_while(|read| !is_blank(read)).collect();
    let right: Vec<&&ReadChar> =
        after.iter().skip_while(is_blank).take_while(|read| !is_blank(read)).collect();
    // Prices and figures have units in small; between plain words a change of size is a misread height.
    if !left.iter().chain(&right).any(|read| read.char.is_ascii_digit()) {
        return false;
    }
    let size = |word: &[&&ReadChar], from: i32, to: i32| {
        let ink = patch.tight(Rect::from_edges(from, rows.0, to, rows.1))?;
        Some(ink.h as f32 / usual_height_em(word)?)
    };
    let left_edge = left.last().map_or(gap.0, |read| read.x as i32);
    let right_edge = right.last().map_or(gap.1, |read| read.x as i32 + 1);
    match (size(&left, left_edge, gap.0), size(&right, gap.1, right_edge)) {
        (Some(left), Some(right)) => left.max(right) / left.min(right) > SIZE_CHANGE,
        _ => false,
    }
}

/// How tall the ink of a word is in most families, in em; nothing for words that do not tell.
fn usual_height_em(word: &[&&ReadChar]) -> Option<f32> {
    let has = |set: &str| word.iter().any(|read| set.contains(read.char));
    let is_tall = |read: &&&ReadChar| read.char.is_uppercase() || read.char.is_ascii_digit();
    if word.iter().all(|read| !read.char.is_alphanumeric()) && !has("/$%&@") {
        return None;
    }
    let above = if word.iter().any(is_tall) || has("bdfhijklt/()[]|$%&@#") { 0.72 } else { 0.53 };
    let below = if has("gjpqy()[]|@") {
        0.21
    } else if has(",;") {
        0.12
    } else {
        0.0
    };
    Some(above + below)
}

fn piece(patch: &InkPatch, rows: (i32, i32), columns: (i32, i32), chars: &[ReadChar]) -> Option<InkText> {
    let chars = trimmed(chars);
    if chars.is_empty() {
        return None;
    }
    let ink = patch.tight(Rect::from_edges(columns.0, rows.0, columns.1, rows.1))?;
    let chars = &spaced(patch, ink, chars);
    let color = patch.ink_color(ink)?;
    let contrast = distance(color, patch.background).max(1.0);
    let coverage = patch.distances(ink).map(|distance| f64::from((distance / contrast).min(1.0))).sum::<f64>()
        as f32
        / ink.area().max(1) as f32;
    Some(InkText {
        text: chars.iter().map(|read| read.char).collect(),
        ink,
        color,
        background: patch.background,
        coverage,
        flatness: patch.flatness,
        tokens: tokens(patch, ink, chars),
    })
}

/// The characters with the spaces the recogniser left out, as around words on a tint.
fn spaced(patch: &InkPatch, ink: Rect, chars: &[ReadChar]) -> Vec<ReadChar> {
    let mut all = chars.to_vec();
    if is_code(chars) || chars.len() < 4 {
        return all;
    }
    let is_blank = (ink.x..ink.right()).map(|x| !(ink.y..ink.bottom()).any(|y| patch.is_ink(x, y)));
    let gaps = runs(is_blank);
    let mut widths: Vec<f32> = gaps.iter().map(|(from, to)| (to - from) as f32).collect();
    // Letter-spaced text has wide gaps everywhere.
    let least = (LOST_SPACE_EM * ink.h as f32).max(3.0 * median(&mut widths));
    for (from, to) in gaps.into_iter().filter(|(from, to)| (to - from) as f32 > least) {
        let middle = ink.x as f32 + (from + to) as f32 / 2.0;
        let at = all.partition_point(|read| read.x < middle);
        let near = at.saturating_sub(2)..(at + 2).min(all.len());
        let has_space = all.get(near).unwrap_or_default().iter().any(|read| read.char.is_whitespace());
        if !has_space && at > 0 && at < all.len() {
            all.insert(at, ReadChar { char: ' ', x: middle });
        }
    }
    all
}

fn trimmed(chars: &[ReadChar]) -> &[ReadChar] {
    let is_ink = |read: &ReadChar| !read.char.is_whitespace();
    let Some(first) = chars.iter().position(is_ink) else { return &[] };
    let last = chars.iter().rposition(is_ink).unwrap_or(first);
    chars.get(first..=last).unwrap_or_default()
}

/// Words and punctuation of trimmed characters, each with the colour of its thickest ink.
fn tokens(patch: &InkPatch, ink: Rect, chars: &[ReadChar]) -> Vec<InkToken> {
    let kind = |char: char| (char.is_whitespace(), char.is_alphanumeric() || "-_".contains(char));
    let mut found = Vec::new();
    let mut from = 0;
    for run in chars.chunk_by(|a, b| kind(a.char) == kind(b.char)) {
        let to = from + run.len();
        let middle = |a: Option<&ReadChar>, b: Option<&ReadChar>| Some((a?.x + b?.x) / 2.0);
        let left = from.checked_sub(1).and_then(|before| middle(chars.get(before), chars.get(from)));
        let right = middle(chars.get(to - 1), chars.get(to));
        let columns = Rect::from_edges(
            left.map_or(ink.x, |x| (x as i32).max(ink.x)),
            ink.y,
            right.map_or(ink.right(), |x| (x as i32 + 1).min(ink.right())),
            ink.bottom(),
        );
        let is_blank = run.first().is_some_and(|read| read.char.is_whitespace());
        if let (false, Some(color)) = (is_blank, patch.ink_color(columns)) {
            found.push(InkToken { from, to, color });
        }
        from = to;
    }
    found
}

impl InkPatch {
    /// The colour where the ink is thickest.
    fn ink_color(&self, area: Rect) -> Option<Color> {
        if area.is_empty() {
            return None;
        }
        let mut distances: Vec<f32> = self.distances(area).collect();
        let most = distances.iter().copied().fold(0.0, f32::max);
        let least = quantile(&mut distances, 0.985).max(0.75 * most);
        mean_color(self.cells(area).filter(|(_, distance)| *distance >= least).map(|(color, _)| color))
    }
}
