//! Pictures of whole pages, taken in a hidden web view that has no network, no commands and no memory.
//!
//! [`WindowCamera`] takes them in the program with a window, [`beside_camera`] in a subcommand. The view belongs to
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
pub use linux::{beside_camera, has_display, shoot_alone, shoot_here, tidy};
#[cfg(not(target_os = "linux"))]
pub use walled::{beside_camera, has_display, shoot_alone, shoot_here, tidy};

use std::sync::mpsc;
use std::time::Duration;

use facsimile_studio::camera::{Camera, CameraError, ShotRequest, ShotResult};
use tauri::AppHandle;

/// No picture is higher than this: the platform's own limit is 32,767 pixels a side.
pub const MAX_HEIGHT_PX: u32 = 16_000;
/// A page that has not settled by then is taken as it is.
pub const SETTLE: Duration = Duration::from_secs(3);
/// A page that has not even loaded by then gives no picture.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Takes pictures from any thread but the main one.
#[derive(Clone)]
pub struct WindowCamera {
    app: AppHandle,
}

impl WindowCamera {
    /// A camera of the running program.
    pub fn of(app: &AppHandle) -> Self {
        Self { app: app.clone() }
    }
}

impl Camera for WindowCamera {
    fn shoot(&self, request: ShotRequest) -> ShotResult {
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
