//! The pictures of finished pages stand for them in the history, and for their project.

use std::sync::Arc;

use facsimile_agent::{RunId, VersionId};
use facsimile_studio::Studio;
use facsimile_studio::camera::{Camera, Detail, ShotRequest};
use facsimile_studio::preview::PreviewSource;
use tauri::{AppHandle, Manager};

use crate::camera::WindowCamera;

/// The width at which pages are drawn that were made from no screenshot.
const WIDTH_PX: u32 = 1280;

/// Takes the pictures of what a run made and keeps them with their versions. Without one, the history shows an
/// empty sheet and the project its screenshot.
pub fn take(app: &AppHandle, run: RunId) {
    let studio = app.state::<Studio>();
    let variants = studio.store().runs().get(run).map(|run| run.variants).unwrap_or_default();
    let versions: Vec<_> = variants.into_iter().filter_map(|variant| variant.version).collect();
    if versions.is_empty() {
        return;
    }
    // A phone's page on a wide sheet is a strip nobody knows again.
    let width_px = studio.page_width_px(run).unwrap_or(WIDTH_PX);
    for version in versions {
        if let Err(error) = take_of(app, version, width_px) {
            tracing::warn!(%version, error, "a version goes without a picture");
        }
    }
}

fn take_of(app: &AppHandle, version: VersionId, width_px: u32) -> Result<(), String> {
    let studio = app.state::<Studio>();
    // What is served where there is no page is an answer, and none to keep a picture of.
    let Some(path) = studio.page_of_version(version).map_err(|error| error.to_string())? else {
        return Ok(());
    };
    let source = PreviewSource::clone(&app.state::<PreviewSource>());
    let request = ShotRequest {
        serve: Arc::new(move |path| source.respond(path)),
        path,
        width_px,
        detail: Detail::Picture,
    };
    let shot = WindowCamera::of(app).shoot(request).map_err(|error| error.to_string())?;
    studio.keep_picture(version, &shot.png).map_err(|error| error.to_string())
}
