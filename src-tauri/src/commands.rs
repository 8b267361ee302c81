//! What the window may ask for, one file per noun. Every command stands in [`NAMES`] too, from which the
//! build makes the permissions: one that is missing there is refused.

pub mod exports;
pub mod inputs;
pub mod previews;
pub mod projects;
pub mod runs;
pub mod settings;

use facsimile_studio::{Studio, StudioError};
use tauri::async_runtime::spawn_blocking;

use crate::error::CommandError;

include!("commands/names.rs");

/// Does blocking work on the studio, off the threads that carry events.
async fn with_studio<T: Send + 'static>(
    studio: &Studio,
    work: impl FnOnce(&Studio) -> Result<T, StudioError> + Send + 'static,
) -> Result<T, CommandError> {
    let studio = studio.clone();
    let done = spawn_blocking(move || work(&studio)).await.map_err(|error| CommandError::lost(&error))?;
    Ok(done?)
}
