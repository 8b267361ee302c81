//! Starting, watching and stopping runs.

use facsimile_agent::{ProjectId, RunId, VariantIndex};
use facsimile_studio::{LikelyCost, RunEvent, RunRequest, Studio, Typing, Which};
use serde::Serialize;
use tauri::{AppHandle, State};
use ts_rs::TS;

use super::with_studio;
use crate::error::CommandError;
use crate::events;

/// The ids of a started run.
#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "StartedRun")]
pub struct Started {
    project_id: ProjectId,
    run_id: RunId,
}

/// Everything recorded of a run so far.
#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "RunSnapshot")]
pub struct Snapshot {
    run_id: RunId,
    project_id: ProjectId,
    seq: u64,
    events: Vec<RunEvent>,
}

/// What a run is likely to cost; none where a price is not known. Asks no keychain.
#[tauri::command]
pub async fn likely_cost(
    studio: State<'_, Studio>,
    request: RunRequest,
) -> Result<Option<LikelyCost>, CommandError> {
    with_studio(&studio, move |studio| studio.likely_cost(&request)).await
}

/// Starts a run; its events go to the main window.
#[tauri::command]
pub async fn start_run(
    app: AppHandle,
    studio: State<'_, Studio>,
    request: RunRequest,
) -> Result<Started, CommandError> {
    let request = RunRequest { typing: Typing::Watchable, ..request };
    let started = with_studio(&studio, move |studio| studio.start_run(request)).await?;
    events::forward(&app, &studio, started.run)?;
    Ok(Started { project_id: started.project, run_id: started.run })
}

/// Stops a run, or one of its variants.
#[tauri::command]
pub fn cancel_run(studio: State<'_, Studio>, run_id: RunId, variant_index: Option<VariantIndex>) {
    studio.cancel(run_id, variant_index.map_or(Which::All, Which::Only));
}

/// Everything of a run so far, for a window that was reloaded or lost an event.
#[tauri::command]
pub async fn run_snapshot(studio: State<'_, Studio>, run_id: RunId) -> Result<Snapshot, CommandError> {
    let (snapshot, _) = with_studio(&studio, move |studio| studio.attach(run_id)).await?;
    Ok(Snapshot {
        run_id: snapshot.run,
        project_id: snapshot.project,
        seq: snapshot.seq,
        events: snapshot.events.iter().map(|event| event.as_ref().clone()).collect(),
    })
}
