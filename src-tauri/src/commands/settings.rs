//! What the window remembers.

use facsimile_studio::Studio;
use facsimile_studio::view::WindowSettings;
use tauri::State;

use super::with_studio;
use crate::error::CommandError;

/// Keeps the window's settings.
#[tauri::command]
pub async fn save_settings(studio: State<'_, Studio>, settings: WindowSettings) -> Result<(), CommandError> {
    with_studio(&studio, move |studio| studio.save_settings(&settings)).await
}

/// Keeps the words that were typed and not sent.
#[tauri::command]
pub async fn save_draft(studio: State<'_, Studio>, text: String) -> Result<(), CommandError> {
    with_studio(&studio, move |studio| studio.save_draft(&text)).await
}
