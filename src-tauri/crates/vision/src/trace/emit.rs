//! A page as one HTML document with one style sheet, and the pictures it shows.

mod base;
mod colors;
mod crop;
mod document;
mod flow;
mod flowing;
mod look;
mod pictures;
mod pieces;
mod pinned;
mod sheet;
mod stand;
mod title;
mod words;

#[cfg(test)]
mod tests;

use super::facts::Facts;
use super::layout::tidied;
use crate::raster::Raster;
use pictures::Pictures;

/// How a page holds its things where they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layout {
    /// In rows, columns and grids that come out as measured and fold on narrower screens.
    #[default]
    Flowing,
    /// Each at its measured place, at the screenshot's width only.
    Pinned,
}

/// A document and its pictures.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedPage {
    /// The whole document.
    pub html: String,
    /// The pictures the document names, each once.
    pub assets: Vec<TracedAsset>,
}

/// A picture cut out of the screenshot, without the text that stood on it.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedAsset {
    /// The path the document uses.
    pub path: String,
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// The media type.
    pub mime: &'static str,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Where it first stands on the page: left, top, width and height in page pixels.
    pub place: [f32; 4],
}

/// The page of what was measured. `asset_path` gets a picture's bytes and file name ending and gives the path the document
/// uses for it.
pub fn emit(
    facts: &Facts,
    raster: &Raster,
    layout: Layout,
    asset_path: &dyn Fn(&[u8], &str) -> String,
) -> TracedPage {
    let pictures = Pictures::of(facts, raster, asset_path);
    match layout {
        Layout::Flowing => flowing::page(&tidied(facts), pictures),
        Layout::Pinned => pinned::page(facts, pictures),
    }
}

/// A length in CSS, at most one decimal.
fn px(length: f32) -> String {
    let number = trimmed(length, 1);
    if number == "0" { number } else { number + "px" }
}

fn trimmed(value: f32, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
