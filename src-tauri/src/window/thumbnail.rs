//! The picture of a finished page stands for its project.

use std::sync::Arc;

use facsimile_agent::{RunId, VariantIndex};
use facsimile_studio::Studio;
use facsimile_studio::camera::{Camera, Detail, ShotRequest};
use facsimile_studio::preview::PreviewSource;
use tauri::{AppHandle, Manager};

use crate::camera::WindowCamera;

/// The width at which pages are drawn for their thumbnails.
const WIDTH_PX: u32 = 1280;

/// Takes the picture of a run's first page and keeps it with the project. Without one, the project goes on
/// showing its screenshot.
pub fn take(app: &AppHandle, run: RunId) {
    let studio = app.state::<Studio>();
    if studio.files_of(run, VariantIndex(0)).is_err() {
        return;
    }
    let source = PreviewSource::clone(&app.state::<PreviewSource>());
    let request = ShotRequest {
        serve: Arc::new(move |path| source.respond(path)),
        path: format!("/page/{run}/0/index.html"),
        width_px: WIDTH_PX,
        detail: Detail::Picture,
    };
    let kept = WindowCamera::of(app).shoot(request).map_err(|error| error.to_string());
    let kept = kept.and_then(|shot| studio.keep_thumbnail(run, &shot.png).map_err(|error| error.to_string()));
    if let Err(error) = kept {
        eprintln!("facsimile: the project keeps its screenshot as thumbnail ({error})");
    }
}
