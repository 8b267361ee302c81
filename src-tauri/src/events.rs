//! The events of a run, on their way to the main window and to no other: the window of the page hears the text of
//! its page alone.

use std::time::Duration;

use facsimile_agent::{ProjectId, RunId, VariantIndex, VersionId};
use facsimile_studio::preview::PreviewSource;
use facsimile_studio::{LifecycleEvent, RunEvent, RunEventBody, Studio};
use serde::Serialize;
use tauri::async_runtime::spawn_blocking;
use tauri::{AppHandle, Emitter, Manager};
use ts_rs::TS;

use crate::error::CommandError;
use crate::window::page::Following;
use crate::window::thumbnail::{self, Taken};

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

/// A picture was taken of the page of an option that has ended. The window alone hears of it: the picture is kept with
/// the version.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct OptionPictured {
    run_id: RunId,
    variant_index: VariantIndex,
}

/// A version that was made by hand was looked at: it has a picture or a score, or other ones than before.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct VersionSeen {
    project_id: ProjectId,
    version_id: VersionId,
}

/// A version that is changed on at once is not looked at: somebody who turns a value has many of them in a row.
const BEFORE_LOOKING: Duration = Duration::from_millis(700);

/// Looks at a version that was made by hand once it stays open; the window is told when that is done.
pub fn look_at_edit(app: &AppHandle, project_id: ProjectId, version_id: VersionId) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(BEFORE_LOOKING).await;
        let looked = spawn_blocking(move || {
            let studio = app.state::<Studio>().inner().clone();
            let standing = studio.store().steps().standing(project_id);
            if !standing.is_ok_and(|standing| standing.version == Some(version_id)) {
                return;
            }
            let picture = thumbnail::take_of_edit(&app, project_id, version_id);
            let score = studio.score_by_hand(project_id, version_id);
            if picture == Taken::Kept || score.is_some() {
                tell(&app, "versionSeen", VersionSeen { project_id, version_id });
            }
        });
        if let Err(error) = looked.await {
            tracing::warn!(%version_id, %error, "a version was not looked at");
        }
    });
}

/// Sends the events of a run to the main window until it has ended.
pub fn forward(app: &AppHandle, studio: &Studio, run: RunId) -> Result<(), CommandError> {
    let (snapshot, mut feed) = studio.attach(run)?;
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        for event in &snapshot.events {
            send(&app, event);
            look_at_what_ended(&app, event);
        }
        while let Some(event) = feed.recv().await {
            send(&app, &event);
            look_at_what_ended(&app, &event);
        }
    });
    Ok(())
}

/// Sends the card of every task that changes to the main window, also of one whose run has ended. A page whose picture
/// came after its end is looked at again.
pub fn forward_tasks(app: &AppHandle, studio: &Studio) {
    let (app, studio, mut watch) = (app.clone(), studio.clone(), studio.watch_tasks());
    tauri::async_runtime::spawn(async move {
        while let Some(task) = watch.recv().await {
            let studio = studio.clone();
            let card = tauri::async_runtime::spawn_blocking(move || studio.task_view(task)).await;
            // A card that cannot be read now is read again when its project is opened.
            let Ok(Ok(card)) = card else { continue };
            if let Some((run, variant)) = card.run_id.zip(card.variant_index)
                && card.state == "succeeded"
            {
                look_at(&app, run, variant, Studio::score_again);
            }
            tell(&app, "taskCard", card);
        }
    });
}

fn send(app: &AppHandle, event: &RunEvent) {
    // A window that is closing hears nothing more; the event is recorded all the same.
    let _ = app.emit_to(MAIN, event.name(), event);
    if let Some(text) = app.state::<PreviewSource>().text_of(event) {
        app.state::<Following>().take_piece(&text);
        let _ = app.emit_to(MAIN, "previewText", text);
    }
}

/// Has a picture taken of a finished option's page and has it measured, in the background; the window is told of both.
fn look_at_what_ended(app: &AppHandle, event: &RunEvent) {
    let (Some(variant_index), RunEventBody::Lifecycle(LifecycleEvent::RunState { state, .. })) =
        (event.variant_index, &event.body)
    else {
        return;
    };
    if !state.is_terminal() {
        return;
    }
    look_at(app, event.run_id, variant_index, Studio::score);
}

/// Looks at the page of an option in the background; the window is told of its picture and its score.
fn look_at(app: &AppHandle, run_id: RunId, variant_index: VariantIndex, score: Scoring) {
    let picturing = app.clone();
    spawn_blocking(move || {
        if thumbnail::take(&picturing, run_id, variant_index) == Taken::Kept {
            tell(&picturing, "optionPictured", OptionPictured { run_id, variant_index });
        }
    });
    let scoring = app.clone();
    spawn_blocking(move || {
        if let Some(score) = score(&scoring.state::<Studio>(), run_id, variant_index) {
            tell(&scoring, "optionScored", OptionScored { run_id, variant_index, score });
        }
    });
}

/// Gives the score of an option's page, if it has one.
type Scoring = fn(&Studio, RunId, VariantIndex) -> Option<f64>;

/// Tells the window of what is kept all the same: one that is closing hears nothing more.
fn tell(app: &AppHandle, name: &str, payload: impl Serialize + Clone) {
    let _ = app.emit_to(MAIN, name, payload);
}
