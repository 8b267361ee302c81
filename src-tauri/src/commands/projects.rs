//! The start screen and the projects.

use std::path::PathBuf;

use facsimile_agent::ProjectId;
use facsimile_studio::view::{ProjectCard, ProjectView, StartView};
use facsimile_studio::{MemoryView, Studio, archive};
use serde::Serialize;
use serde_json::json;
use tauri::{AppHandle, Emitter, State};
use tauri_plugin_dialog::DialogExt;
use ts_rs::TS;

use super::exports::safe_name;
use super::with_studio;
use crate::error::CommandError;
use crate::events::MAIN;
use crate::preview::Served;
use crate::window::Opened;

/// What the start screen shows. The window asks once it listens, so what has waited for it goes out now.
#[tauri::command]
pub async fn start_view(
    app: AppHandle,
    studio: State<'_, Studio>,
    served: State<'_, Served>,
) -> Result<StartView, CommandError> {
    let mut view = with_studio(&studio, Studio::start_view).await?;
    Opened::window_listens(&app);
    if let Some(shown) = served.take_untold(MAIN) {
        // Back to where the person was; the words that were typed go along.
        let run = with_studio(&studio, move |studio| studio.run_behind(shown)).await.ok().flatten();
        view.open_run = view.open_run.or(run);
        // A window that is closing hears nothing more.
        let _ = app.emit_to(MAIN, "watchdog", json!({ "scriptsOff": true }));
    }
    Ok(view)
}

/// Every project, the latest first.
#[tauri::command]
pub async fn list_projects(studio: State<'_, Studio>) -> Result<Vec<ProjectCard>, CommandError> {
    with_studio(&studio, Studio::project_cards).await
}

/// A project with its runs.
#[tauri::command]
pub async fn open_project(studio: State<'_, Studio>, id: ProjectId) -> Result<ProjectView, CommandError> {
    with_studio(&studio, move |studio| studio.project_view(id)).await
}

/// What is left of a deleted project.
#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Deleted {
    /// Whether a damaged copy of the history is kept, which may hold parts of it.
    keeps_damaged_copy: bool,
}

/// Removes a project with everything in it.
#[tauri::command]
pub async fn delete_project(studio: State<'_, Studio>, id: ProjectId) -> Result<Deleted, CommandError> {
    with_studio(&studio, move |studio| {
        studio.delete_project(id)?;
        Ok(Deleted { keeps_damaged_copy: studio.keeps_damaged_copy() })
    })
    .await
}

/// Gives a project another name.
#[tauri::command]
pub async fn rename_project(
    studio: State<'_, Studio>,
    id: ProjectId,
    name: String,
) -> Result<(), CommandError> {
    with_studio(&studio, move |studio| studio.rename_project(id, &name)).await
}

/// Makes a second project like one that is there.
#[tauri::command]
pub async fn duplicate_project(
    studio: State<'_, Studio>,
    id: ProjectId,
    name: String,
) -> Result<ProjectId, CommandError> {
    with_studio(&studio, move |studio| studio.duplicate_project(id, &name)).await
}

/// What the next request would be told of earlier turns.
#[tauri::command]
pub async fn project_memory(studio: State<'_, Studio>, id: ProjectId) -> Result<MemoryView, CommandError> {
    with_studio(&studio, move |studio| studio.memory_view(id)).await
}

/// Has the next request begin without memory of what was done so far.
#[tauri::command]
pub async fn clear_memory(studio: State<'_, Studio>, id: ProjectId) -> Result<(), CommandError> {
    with_studio(&studio, move |studio| studio.clear_memory(id)).await
}

/// Asks where, and saves a project as one file there. Nothing chosen, nothing written.
#[tauri::command]
pub async fn export_project(
    app: AppHandle,
    studio: State<'_, Studio>,
    id: ProjectId,
) -> Result<Option<PathBuf>, CommandError> {
    with_studio(&studio, move |studio| {
        let name = safe_name(&studio.store().projects().get(id)?.name);
        let dialog = app.dialog().file().add_filter("Facsimile", &[archive::EXTENSION]);
        let chosen = dialog.set_file_name(format!("{name}.{}", archive::EXTENSION)).blocking_save_file();
        let Some(mut file) = chosen.and_then(|file| file.into_path().ok()) else { return Ok(None) };
        if file.extension().is_none() {
            file.set_extension(archive::EXTENSION);
        }
        studio.export_project(id, &file)?;
        Ok(Some(file))
    })
    .await
}

/// Asks for a project's file and takes it in. Nothing chosen, nothing taken.
#[tauri::command]
pub async fn import_project(
    app: AppHandle,
    studio: State<'_, Studio>,
) -> Result<Option<ProjectId>, CommandError> {
    with_studio(&studio, move |studio| {
        let dialog = app.dialog().file().add_filter("Facsimile", &[archive::EXTENSION]);
        let chosen = dialog.blocking_pick_file().and_then(|file| file.into_path().ok());
        chosen.map(|file| studio.import_project(&file)).transpose()
    })
    .await
}
