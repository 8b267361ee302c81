//! The events of a run, on their way to the main window and to no other.

use facsimile_agent::RunId;
use facsimile_studio::preview::PreviewSource;
use facsimile_studio::{RunEvent, Studio};
use tauri::{AppHandle, Emitter, Manager};

use crate::error::CommandError;

/// The label of the window that hears and asks.
pub const MAIN: &str = "main";

/// Sends the events of a run to the main window until it has ended.
pub fn forward(app: &AppHandle, studio: &Studio, run: RunId) -> Result<(), CommandError> {
    let (snapshot, mut feed) = studio.attach(run)?;
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        for event in &snapshot.events {
            send(&app, event);
        }
        while let Some(event) = feed.recv().await {
            send(&app, &event);
        }
        tauri::async_runtime::spawn_blocking(move || crate::window::thumbnail::take(&app, run));
    });
    Ok(())
}

fn send(app: &AppHandle, event: &RunEvent) {
    // A window that is closing hears nothing more; the event is recorded all the same.
    let _ = app.emit_to(MAIN, event.name(), event);
    if let Some(text) = app.state::<PreviewSource>().text_of(event) {
        let _ = app.emit_to(MAIN, "previewText", text);
    }
}
