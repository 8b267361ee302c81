//! Taking a page home.

use std::path::{Path, PathBuf};

use facsimile_agent::{ProjectId, RunId, VariantIndex, VersionId};
use facsimile_studio::{Exported, Studio};
use serde::Serialize;
use tauri::{AppHandle, State};
use tauri_plugin_dialog::DialogExt;
use tauri_plugin_opener::OpenerExt;
use ts_rs::TS;

use super::with_studio;
use crate::error::CommandError;

/// What was written.
#[derive(Debug, Serialize, TS)]
pub struct ExportResult {
    folder: PathBuf,
    files: usize,
    bytes: u64,
    warnings: Vec<String>,
}

/// Asks where, and writes the variant's files into a new folder there. Nothing chosen, nothing written.
#[tauri::command]
pub async fn export_run(
    app: AppHandle,
    studio: State<'_, Studio>,
    run_id: RunId,
    variant_index: VariantIndex,
) -> Result<Option<ExportResult>, CommandError> {
    with_studio(&studio, move |studio| {
        let name = studio.project_name_of(run_id)?;
        let Some(folder) = chosen_folder(&app, &name) else { return Ok(None) };
        Ok(Some(studio.export(run_id, variant_index, &folder)?.into()))
    })
    .await
}

/// Asks where, and writes a version's files into a new folder there. Nothing chosen, nothing written.
#[tauri::command]
pub async fn export_version(
    app: AppHandle,
    studio: State<'_, Studio>,
    project_id: ProjectId,
    version_id: VersionId,
) -> Result<Option<ExportResult>, CommandError> {
    with_studio(&studio, move |studio| {
        let name = studio.store().projects().get(project_id)?.name;
        let Some(folder) = chosen_folder(&app, &name) else { return Ok(None) };
        Ok(Some(studio.export_version(project_id, version_id, &folder)?.into()))
    })
    .await
}

fn chosen_folder(app: &AppHandle, name: &str) -> Option<PathBuf> {
    let chosen = app.dialog().file().set_title("Export").blocking_pick_folder();
    Some(free_folder(&chosen?.into_path().ok()?, name))
}

impl From<Exported> for ExportResult {
    fn from(exported: Exported) -> Self {
        let Exported { folder, files, bytes, warnings, .. } = exported;
        Self { folder, files: files.len(), bytes, warnings }
    }
}

/// Shows a folder in the file manager.
#[tauri::command]
pub async fn reveal(app: AppHandle, path: PathBuf) -> Result<(), CommandError> {
    // Only folders are shown, never run: a path from the window must not start a program.
    if !path.is_dir() {
        let shown = path.display();
        return Err(CommandError::new("not_there", format!("{shown} is not there any more.")));
    }
    app.opener()
        .reveal_item_in_dir(&path)
        .map_err(|error| CommandError::new("unknown", format!("The file manager did not open ({error}).")))
}

/// A folder of this name that does not exist yet.
fn free_folder(place: &Path, name: &str) -> PathBuf {
    let safe = safe_name(name);
    let numbered = (2..).map(|number| place.join(format!("{safe} {number}")));
    let mut candidates = std::iter::once(place.join(&safe)).chain(numbered);
    candidates.find(|folder| !folder.exists()).unwrap_or_else(|| place.join(&safe))
}

/// A name that every file system takes.
pub(super) fn safe_name(name: &str) -> String {
    let safe: String =
        name.chars().map(|c| if c.is_control() || r#"\/:*?"<>|"#.contains(c) { '-' } else { c }).collect();
    match safe.trim_matches([' ', '.']) {
        "" => "page".to_owned(),
        safe => safe.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_never_lands_in_a_folder_that_is_there() {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir(place.path().join("Shop")).unwrap();
        let free = |name| free_folder(place.path(), name).file_name().unwrap().to_owned();
        assert_eq!([free("Shop"), free("a/b: c?"), free(" .. ")], ["Shop 2", "a-b- c-", "page"]);
    }
}
