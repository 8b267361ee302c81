//! How close a page is to its screenshot, from pixels and geometry alone.
//!
//! [`measure`] compares two [`Side`]s and gives a [`Measurement`]: the score that is steered by, its parts, the
//! numbers papers use, and [`Reason`]s a designer can act on. Pure and deterministic; nothing is read or rendered
//! here.

mod alike;
mod assignment;
mod color;
mod d2c;
mod fold;
mod geometry;
mod ghost;
mod map;
mod matching;
mod parts;
mod pixels;
mod planes;
mod reasons;
mod visual;

use image::RgbImage;
use serde::Serialize;

pub use d2c::{Design2Code, design2code, design2code_candidate};
pub use geometry::{Area, Geometry, Line, PaintedBox, Picture};
pub use map::difference_map;
pub use parts::Parts;
pub use pixels::PixelNumbers;
pub use reasons::{Reason, ReasonKind, Unit};

/// One of the two things compared: what is on it, and how it looks.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Lines, boxes and pictures.
    pub geometry: &'a Geometry,
    /// The whole page as painted.
    pub pixels: &'a RgbImage,
    /// The page painted with its text hidden; text still to be seen there is baked into pictures.
    pub textless: Option<&'a RgbImage>,
}

impl<'a> Side<'a> {
    /// A side that was not painted without its text.
    pub fn new(geometry: &'a Geometry, pixels: &'a RgbImage) -> Self {
        Self { geometry, pixels, textless: None }
    }

    /// The same side with the picture of it that shows no text.
    pub fn with_textless(self, textless: &'a RgbImage) -> Self {
        Self { textless: Some(textless), ..self }
    }
}

/// Where the reference's lines come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// From a document: exact.
    Dom,
    /// Read from pixels: nearly equal lines and sizes count as equal.
    Ocr,
}

/// Everything measured between a reference and a page. Shares go from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Measurement {
    /// The number to steer by, 0 to 100.
    pub score: f64,
    /// What the score is made of.
    pub parts: Parts,
    /// Mean of five lenient numbers in the manner of Design2Code; it saturates.
    pub total: f64,
    /// Area of matched lines in all lines' area.
    pub block: f64,
    /// Mean similarity of matched lines.
    pub text: f64,
    /// Mean nearness of matched lines.
    pub pos: f64,
    /// Mean likeness of the colours of matched lines.
    pub color: f64,
    /// Design2Code without its model: for comparison with papers.
    pub d2c: Design2Code,
    /// What the pixels alone say.
    #[serde(flatten)]
    pub pixels: PixelNumbers,
    /// What to do about it, worst first.
    pub reasons: Vec<Reason>,
}

/// How close `page` is to `reference`.
pub fn measure(reference: Side, page: Side, reading: Reading) -> Measurement {
    let (wanted, shown) = (reference.geometry.bounded(), page.geometry.bounded());
    let reference = Side { geometry: &wanted, ..reference };
    let page = Side { geometry: &shown, ..page };
    let pairing = matching::paired(reference, page, reading);
    let visual = visual::visual(reference.pixels, page.pixels);
    let ghost = page.textless.map_or(0.0, |textless| ghost::ghost(reference, textless));
    let scored = parts::scored(reference.geometry, page.geometry, &pairing, visual.gain, ghost);
    Measurement {
        score: 100.0 * scored.parts.strict(),
        total: scored.total(),
        block: scored.block,
        text: scored.text,
        pos: scored.pos,
        color: scored.color,
        parts: scored.parts,
        d2c: design2code(reference.geometry, page.geometry),
        pixels: pixels::numbers(reference.pixels, page.pixels, visual.ssim),
        reasons: reasons::reasons(reference, page, &pairing, reading, visual.gain),
    }
}
