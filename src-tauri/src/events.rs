//! The events of a run, on their way to the main window and to no other.

use facsimile_agent::{RunId, VariantIndex};
use facsimile_studio::preview::PreviewSource;
use facsimile_studio::{LifecycleEvent, RunEvent, RunEventBody, Studio};
use serde::Serialize;
use tauri::async_runtime::spawn_blocking;
use tauri::{AppHandle, Emitter, Manager};
use ts_rs::TS;

use crate::error::CommandError;

/// The label of the window that hears and asks.
pub const MAIN: &str = "main";

/// How close a finished option came to its screenshot. Like the text of previews it is for the window alone and part
/// of no record: the score is kept with the version.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct OptionScored {
    run_id: RunId,
    variant_index: VariantIndex,
    /// From 0 to 100.
    score: f64,
}

/// Sends the events of a run to the main window until it has ended.
pub fn forward(app: &AppHandle, studio: &Studio, run: RunId) -> Result<(), CommandError> {
    let (snapshot, mut feed) = studio.attach(run)?;
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        for event in &snapshot.events {
            send(&app, event);
            score_what_ended(&app, event);
        }
        while let Some(event) = feed.recv().await {
            send(&app, &event);
            score_what_ended(&app, &event);
        }
        spawn_blocking(move || crate::window::thumbnail::take(&app, run));
    });
    Ok(())
}

/// Sends the card of every task that changes to the main window, also of one whose run has ended.
pub fn forward_tasks(app: &AppHandle, studio: &Studio) {
    let (app, studio, mut watch) = (app.clone(), studio.clone(), studio.watch_tasks());
    tauri::async_runtime::spawn(async move {
        while let Some(task) = watch.recv().await {
            let studio = studio.clone();
            let card = tauri::async_runtime::spawn_blocking(move || studio.task_view(task)).await;
            // A card that cannot be read now is read again when its project is opened.
            if let Ok(Ok(card)) = card {
                // A window that is closing hears nothing more; the task is recorded all the same.
                let _ = app.emit_to(MAIN, "taskCard", card);
            }
        }
    });
}

fn send(app: &AppHandle, event: &RunEvent) {
    // A window that is closing hears nothing more; the event is recorded all the same.
    let _ = app.emit_to(MAIN, event.name(), event);
    if let Some(text) = app.state::<PreviewSource>().text_of(event) {
        let _ = app.emit_to(MAIN, "previewText", text);
    }
}

/// Has a finished option measured in the background; the window is told of its score.
fn score_what_ended(app: &AppHandle, event: &RunEvent) {
    let (Some(variant_index), RunEventBody::Lifecycle(LifecycleEvent::RunState { state, .. })) =
        (event.variant_index, &event.body)
    else {
        return;
    };
    if !state.is_terminal() {
        return;
    }
    let (app, run_id) = (app.clone(), event.run_id);
    spawn_blocking(move || {
        if let Some(score) = app.state::<Studio>().score(run_id, variant_index) {
            // A window that is closing hears nothing more; the score is kept all the same.
            let _ = app.emit_to(MAIN, "optionScored", OptionScored { run_id, variant_index, score });
        }
    });
}
