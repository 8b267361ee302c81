//! The start screen and the projects.

use facsimile_agent::ProjectId;
use facsimile_studio::Studio;
use facsimile_studio::view::{ProjectCard, ProjectView, StartView};
use serde_json::json;
use tauri::{AppHandle, Emitter, State};

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
    if let Some(run) = served.take_untold() {
        // Back to where the person was; the words that were typed go along.
        view.open_run.get_or_insert(run);
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

/// Removes a project with everything in it.
#[tauri::command]
pub async fn delete_project(studio: State<'_, Studio>, id: ProjectId) -> Result<(), CommandError> {
    with_studio(&studio, move |studio| Ok(studio.store().projects().delete(id)?)).await
}

/// Gives a project another name.
#[tauri::command]
pub async fn rename_project(
    studio: State<'_, Studio>,
    id: ProjectId,
    name: String,
) -> Result<(), CommandError> {
    with_studio(&studio, move |studio| Ok(studio.store().projects().rename(id, &name)?)).await
}
