//! Pictures of whole pages, taken in a hidden web view that has no network, no commands and no memory.
//!
//! [`Camera::shoot`] gives the PNG of a preview address. The view belongs to
//! the platform's main thread; callers wait on any other.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(not(target_os = "linux"))]
mod walled;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
pub use linux::{shoot_alone, shoot_here, tidy};
#[cfg(not(target_os = "linux"))]
pub use walled::{shoot_alone, shoot_here, tidy};

use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use facsimile_studio::preview::PreviewResponse;
use tauri::AppHandle;

/// Answers an address of the preview scheme, without its host.
pub type Serve = Arc<dyn Fn(&str) -> PreviewResponse + Send + Sync>;

/// No picture is higher than this: the platform's own limit is 32,767 pixels a side.
pub const MAX_HEIGHT_PX: u32 = 16_000;
/// A page that has not settled by then is taken as it is.
pub const SETTLE: Duration = Duration::from_secs(3);
/// A page that has not even loaded by then gives no picture.
pub const PATIENCE: Duration = Duration::from_secs(20);

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
    #[cfg(target_os = "linux")]
    #[error("the page could not be loaded ({0}); check that it is an HTML file")]
    NotLoaded(String),
    /// The page never finished loading.
    #[error("the page was still loading after 20 seconds; simplify it or take its picture without scripts")]
    TooSlow,
    /// The platform refused.
    #[error("the picture could not be taken ({0}); try a smaller width")]
    Failed(String),
    /// Only pictures can be taken on this system.
    #[cfg(not(target_os = "linux"))]
    #[error("what is where on a page cannot be read on this system yet; take its picture alone")]
    NoGeometry,
    /// Pages cannot be drawn here.
    #[cfg(target_os = "linux")]
    #[error("there is no display to draw on; run this under xvfb-run")]
    NoDisplay,
}

/// How a shot ends.
pub type ShotResult = Result<Shot, CameraError>;

/// Takes pictures from any thread but the main one.
#[derive(Clone)]
pub struct Camera {
    app: AppHandle,
}

impl Camera {
    /// A camera of the running program.
    pub fn of(app: &AppHandle) -> Self {
        Self { app: app.clone() }
    }

    /// Takes a picture; blocks until it is there or the time is up.
    pub fn shoot(&self, request: ShotRequest) -> ShotResult {
        let (sender, receiver) = mpsc::channel();
        let asked = self.app.run_on_main_thread(move || {
            shoot_here(request, move |result| {
                // Whoever asked may have given up.
                let _ = sender.send(result);
            });
        });
        asked.map_err(|error| CameraError::Failed(error.to_string()))?;
        let shot = receiver.recv_timeout(PATIENCE + SETTLE).unwrap_or(Err(CameraError::TooSlow));
        // A program that is closing closes its views itself.
        let _ = self.app.run_on_main_thread(tidy);
        shot
    }
}
