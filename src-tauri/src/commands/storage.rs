//! Where data lies, and clearing parts of it.

use facsimile_studio::{StorageKind, StorageView, Studio};
use tauri::State;

use super::with_studio;
use crate::error::CommandError;

/// Where data lies, and how much of what.
#[tauri::command]
pub async fn storage(studio: State<'_, Studio>) -> Result<StorageView, CommandError> {
    with_studio(&studio, Studio::storage_view).await
}

/// Takes a part of the data folder away; what people made stays.
#[tauri::command]
pub async fn clear_storage(
    studio: State<'_, Studio>,
    kind: StorageKind,
) -> Result<StorageView, CommandError> {
    with_studio(&studio, move |studio| studio.clear_storage(kind)).await
}
