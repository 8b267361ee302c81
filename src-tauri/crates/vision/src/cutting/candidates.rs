//! What on a page is worth cutting out.

use super::{PixelBox, Segments};
use crate::trace::color::{distance, dominant, pixel};
use crate::trace::facts::{Facts, ImageKind};
use crate::trace::geometry::Rect;
use crate::trace::mask::Mask;

/// What a candidate looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CandidateKind {
    /// Many colours: a photo or a painting.
    Photo,
    /// A small sign of few colours.
    Icon,
    /// A mark in the head of the page.
    Logo,
    /// Anything between: charts, illustrations, placeholders.
    Picture,
}

/// A part of the page that looks like a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Where it is.
    pub area: PixelBox,
    /// What it looks like.
    pub kind: CandidateKind,
    /// How surely it is a picture of its own, 0 to 1.
    pub score: f32,
}

impl Candidate {
    /// The pictures a trace has found, in the pixels of the screenshot; surer than looking without reading.
    pub fn of_facts(facts: &Facts) -> Vec<Self> {
        let scale = facts.scale.max(1) as f32;
        let mut found: Vec<Self> = facts
            .images
            .iter()
            .filter_map(|image| {
                let [x, y, w, h] = [image.x, image.y, image.w, image.h].map(|length| (length * scale) as i32);
                let area = Rect { x, y, w, h };
                let kind = named(image.kind, area, facts.width as f32 * scale);
                Some(Self { area: PixelBox::of(area)?, kind, score: sureness(kind, 1.0) })
            })
            .collect();
        sort(&mut found);
        found
    }
}

// The head of a page, where its logo stands, in pixels at one a point.
const HEAD: i32 = 120;
const MOST_TEXT_HEIGHT: i32 = 96;
const LEAST_LETTERS: usize = 3;
const LEAST_GROUND: f32 = 0.4;
const INK: f32 = 36.0;

impl Segments<'_> {
    /// The pictures, surest first, without lines of text.
    pub fn candidates(&self) -> Vec<Candidate> {
        let mut found: Vec<Candidate> = self
            .pictures
            .iter()
            .filter(|picture| !self.is_text(picture.area))
            .filter_map(|picture| {
                let kind = named(picture.kind, picture.area, self.raster.width() as f32);
                let area = PixelBox::of(self.with_edges(picture.area))?;
                Some(Candidate { area, kind, score: sureness(kind, self.solidity(picture.area)) })
            })
            .collect();
        sort(&mut found);
        found
    }

    /// How much of an area its pieces fill.
    fn solidity(&self, area: Rect) -> f32 {
        let filled: i64 = self.pieces.iter().map(|piece| piece.common(area)).map(Rect::area).sum();
        (filled as f32 / area.area().max(1) as f32).clamp(0.0, 1.0)
    }

    /// Whether an area holds letters side by side on one colour.
    pub(super) fn is_text(&self, area: Rect) -> bool {
        if area.h > MOST_TEXT_HEIGHT || area.w * 10 < area.h * 13 {
            return false;
        }
        let area = area.grown(1).common(self.whole());
        let colors: Vec<_> = (area.y..area.bottom())
            .flat_map(|y| (area.x..area.right()).map(move |x| (x, y)))
            .map(|(x, y)| pixel(self.raster.pixels(), x, y))
            .collect();
        let (ground, share) = dominant(&colors, 8.0);
        if share < LEAST_GROUND {
            return false;
        }
        let ink = colors.iter().map(|&color| u8::from(distance(color, ground) > INK)).collect();
        let letters = Mask::from_cells(area.w as usize, area.h as usize, ink).blobs();
        let widest = letters.iter().map(|letter| letter.area.w).max().unwrap_or(0);
        let side_by_side: i32 = letters.iter().map(|letter| letter.area.w).sum();
        letters.len() >= LEAST_LETTERS
            && widest <= 2 * area.h
            // Letters share the width; the parts of a drawing lie over each other.
            && side_by_side <= area.w * 13 / 10
            && letters.len() as i32 * 2 * area.h >= area.w
    }
}

fn named(kind: ImageKind, area: Rect, page_width: f32) -> CandidateKind {
    let is_in_head = area.bottom() <= HEAD && (area.x as f32) < page_width * 0.3 && area.w >= 16;
    match kind {
        ImageKind::Photo => CandidateKind::Photo,
        ImageKind::Icon | ImageKind::Graphic if is_in_head => CandidateKind::Logo,
        ImageKind::Icon => CandidateKind::Icon,
        ImageKind::Graphic => CandidateKind::Picture,
    }
}

fn sureness(kind: CandidateKind, solidity: f32) -> f32 {
    let base = match kind {
        CandidateKind::Photo => 0.7,
        CandidateKind::Logo => 0.6,
        CandidateKind::Picture => 0.5,
        CandidateKind::Icon => 0.4,
    };
    ((base + 0.3 * solidity) * 100.0).round() / 100.0
}

fn sort(found: &mut [Candidate]) {
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.area.y.cmp(&b.area.y)).then(a.area.cmp(&b.area)));
}
