//! The history of a project.

use std::collections::BTreeMap;

use facsimile_agent::{ProjectId, ProjectPath, VersionId};
use facsimile_studio::{FileDifference, HistoryView, StandingView, Studio};
use serde::Serialize;
use tauri::State;
use ts_rs::TS;

use super::with_studio;
use crate::error::CommandError;

/// What restoring a version gave.
#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Restored {
    /// The version that has the files now; one that was open already is not made again.
    version_id: VersionId,
    /// Where the project stands.
    standing: StandingView,
}

/// Every version of a project, and where it stands.
#[tauri::command]
pub async fn history(studio: State<'_, Studio>, project_id: ProjectId) -> Result<HistoryView, CommandError> {
    with_studio(&studio, move |studio| studio.history_view(project_id)).await
}

/// The files of a version.
#[tauri::command]
pub async fn version_files(
    studio: State<'_, Studio>,
    project_id: ProjectId,
    version_id: VersionId,
) -> Result<BTreeMap<ProjectPath, String>, CommandError> {
    with_studio(&studio, move |studio| {
        let files = studio.version_files(project_id, version_id)?;
        Ok(files.iter().map(|(path, text)| (path.clone(), text.to_owned())).collect())
    })
    .await
}

/// Opens a version, as a step that can be undone; what comes next goes on from it.
#[tauri::command]
pub async fn open_version(
    studio: State<'_, Studio>,
    project_id: ProjectId,
    version_id: VersionId,
) -> Result<StandingView, CommandError> {
    with_studio(&studio, move |studio| Ok(studio.step_to(project_id, version_id)?.into())).await
}

/// Makes a new version like an older one and opens it.
#[tauri::command]
pub async fn restore_version(
    studio: State<'_, Studio>,
    project_id: ProjectId,
    version_id: VersionId,
) -> Result<Restored, CommandError> {
    with_studio(&studio, move |studio| {
        let version_id = studio.restore(project_id, version_id)?;
        Ok(Restored { version_id, standing: studio.store().steps().standing(project_id)?.into() })
    })
    .await
}

/// Goes one step back.
#[tauri::command]
pub async fn undo(studio: State<'_, Studio>, project_id: ProjectId) -> Result<StandingView, CommandError> {
    with_studio(&studio, move |studio| Ok(studio.undo(project_id)?.into())).await
}

/// Goes one undone step forward again.
#[tauri::command]
pub async fn redo(studio: State<'_, Studio>, project_id: ProjectId) -> Result<StandingView, CommandError> {
    with_studio(&studio, move |studio| Ok(studio.redo(project_id)?.into())).await
}

/// What differs from one version to another, file by file.
#[tauri::command]
pub async fn compare_versions(
    studio: State<'_, Studio>,
    project_id: ProjectId,
    from: VersionId,
    to: VersionId,
) -> Result<Vec<FileDifference>, CommandError> {
    with_studio(&studio, move |studio| studio.compare(project_id, from, to)).await
}

/// Gives a version a name in the history; an empty one takes it away.
#[tauri::command]
pub async fn name_version(
    studio: State<'_, Studio>,
    project_id: ProjectId,
    version_id: VersionId,
    name: String,
) -> Result<(), CommandError> {
    with_studio(&studio, move |studio| studio.label_version(project_id, version_id, &name)).await
}
