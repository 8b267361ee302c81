//! The port to the camera: the studio says which page is photographed, the shell has the web view.

use std::fmt::Write;
use std::sync::Arc;

use facsimile_agent::{ProjectPath, RunId, VariantIndex, VersionId};

use crate::preview::PreviewResponse;

/// Answers an address of the preview scheme, without its host.
pub type Serve = Arc<dyn Fn(&str) -> PreviewResponse + Send + Sync>;

/// How much is taken of a page; each holds what comes before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Its picture.
    Picture,
    /// What is where on it, and what is wrong with it.
    Geometry,
    /// A second picture without its text.
    Textless,
}

/// What is to be taken.
#[derive(Clone)]
pub struct ShotRequest {
    /// Answers the page's addresses.
    pub serve: Serve,
    /// The page, as a path of the preview host.
    pub path: String,
    /// The width of the view in CSS pixels.
    pub width_px: u32,
    /// How much is taken.
    pub detail: Detail,
}

/// A picture of a whole page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shot {
    /// The encoded picture.
    pub png: Vec<u8>,
    /// Its width; more than asked for where the page overflows.
    pub width_px: u32,
    /// Its height.
    pub height_px: u32,
    /// The height of the whole page, where the picture ends before it.
    pub cut_from_px: Option<u32>,
    /// What is where on the page as JSON, if it was asked for.
    pub geometry: Option<String>,
    /// The page without its text, if it was asked for.
    pub textless_png: Option<Vec<u8>>,
}

/// Why there is no picture.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CameraError {
    /// The page did not load.
    #[error("the page could not be loaded ({0}); check that it is an HTML file")]
    NotLoaded(String),
    /// The page never finished loading.
    #[error("the page was still loading after 20 seconds; simplify it or take its picture without scripts")]
    TooSlow,
    /// The platform refused.
    #[error("the picture could not be taken ({0}); try a smaller width")]
    Failed(String),
    /// Only pictures can be taken on this system.
    #[error("what is where on a page cannot be read on this system yet; take its picture alone")]
    NoGeometry,
    /// Pages cannot be drawn here.
    #[error("there is no display to draw on; run this under xvfb-run")]
    NoDisplay,
}

/// How a shot ends.
pub type ShotResult = Result<Shot, CameraError>;

/// Takes pictures of pages.
///
/// An implementor promises a view without a network, without commands and without memory, and an answer in any case:
/// a page that never loads is an error. It blocks until then.
pub trait Camera: Send + Sync {
    /// Takes a picture.
    fn shoot(&self, request: ShotRequest) -> ShotResult;
}

impl Shot {
    /// What is to be said of a picture that ends before its page.
    pub fn cut_notice(&self) -> Option<String> {
        let page_px = self.cut_from_px?;
        let shown = self.height_px;
        Some(format!(
            "The page is {page_px} pixels high; its picture ends after {shown}. Split it to see the rest"
        ))
    }
}

/// Where a page stands in the preview scheme, as a path of its host.
pub fn page_address(run: RunId, variant: VariantIndex, page: &ProjectPath) -> String {
    below(format!("/page/{run}/{variant}/"), page)
}

/// Where a page of a version stands there.
pub(crate) fn version_address(version: VersionId, page: &ProjectPath) -> String {
    below(format!("/version/{version}/"), page)
}

fn below(folder: String, page: &ProjectPath) -> String {
    page.as_str().bytes().fold(folder, |mut address, byte| {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                address.push(char::from(byte));
            }
            // Writing to a string cannot fail.
            other => drop(write!(address, "%{other:02X}")),
        }
        address
    })
}
