//! Files that are dragged onto the window. The platform hands their paths to us, never to the page.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use facsimile_studio::view::AddedInputs;
use facsimile_studio::{Studio, archive};
use serde::Serialize;
use tauri::{AppHandle, DragDropEvent, Emitter, Manager, PhysicalPosition, Window};
use ts_rs::TS;

use crate::commands::inputs::take_files;
use crate::events::MAIN;

/// Whether files hang over the window, how many and where.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, TS)]
pub struct DragState {
    over: bool,
    count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    x: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    y: Option<f64>,
}

/// How many files hang over the window: the platform tells it once, when they come in.
#[derive(Debug, Default)]
pub struct Hanging(AtomicUsize);

/// Follows a drag over the window.
pub fn on_drag(window: &Window, drag: &DragDropEvent) {
    let app = window.app_handle();
    match drag {
        DragDropEvent::Enter { paths, position } => {
            app.state::<Hanging>().0.store(paths.len(), Ordering::Relaxed);
            tell(window, true, paths.len(), Some(*position));
        }
        DragDropEvent::Over { position } => {
            tell(window, true, app.state::<Hanging>().0.load(Ordering::Relaxed), Some(*position));
        }
        DragDropEvent::Drop { paths, .. } => {
            tell(window, false, paths.len(), None);
            take(app, paths.clone(), "filesDropped");
        }
        DragDropEvent::Leave => tell(window, false, 0, None),
        _ => {}
    }
}

fn tell(window: &Window, over: bool, count: usize, position: Option<PhysicalPosition<f64>>) {
    let scale = window.scale_factor().unwrap_or(1.0);
    let at = position.map(|position| position.to_logical::<f64>(scale));
    let state = DragState { over, count, x: at.map(|at| at.x), y: at.map(|at| at.y) };
    // A window that is closing hears nothing more.
    let _ = window.app_handle().emit_to(MAIN, "dragState", state);
}

/// Takes files in and tells the window what came of it.
pub fn take(app: &AppHandle, paths: Vec<PathBuf>, event: &'static str) {
    let app = app.clone();
    tauri::async_runtime::spawn_blocking(move || {
        let (projects, paths): (Vec<_>, Vec<_>) =
            paths.into_iter().partition(|path| path.extension().is_some_and(|end| end == archive::EXTENSION));
        let mut added = take_files(&app.state::<Studio>(), &paths).unwrap_or_else(|error| AddedInputs {
            inputs: Vec::new(),
            refused: paths.iter().map(|path| refused(path, &error.to_string())).collect(),
        });
        for file in &projects {
            // A window that is closing hears nothing more.
            match app.state::<Studio>().import_project(file) {
                Ok(project) => drop(app.emit_to(MAIN, "projectImported", project)),
                Err(error) => added.refused.push(refused(file, &error.to_string())),
            }
        }
        if !(paths.is_empty() && added.refused.is_empty()) {
            let _ = app.emit_to(MAIN, event, added);
        }
    });
}

fn refused(path: &std::path::Path, message: &str) -> facsimile_studio::view::RefusedView {
    facsimile_studio::view::RefusedView {
        name: path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
        code: "storage".to_owned(),
        message: message.to_owned(),
    }
}
