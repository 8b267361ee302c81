//! The pictures of finished pages stand for them in the history, and for their project.

use std::sync::{Arc, Mutex, PoisonError};

use facsimile_agent::{ProjectId, RunId, VariantIndex, VersionId};
use facsimile_studio::Studio;
use facsimile_studio::camera::{Camera, Detail, ShotRequest};
use facsimile_studio::preview::PreviewSource;
use tauri::{AppHandle, Manager};

use crate::camera::WindowCamera;

/// The width at which pages are drawn that were made from no screenshot.
const WIDTH_PX: u32 = 1280;

/// One picture at a time: the machine is needed by whoever still works.
static TURN: Mutex<()> = Mutex::new(());

/// Whether a picture of a page was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It is kept with its version.
    Kept,
    /// There is no page, or its picture could not be taken, which is logged.
    Nothing,
}

/// Takes the picture of what a variant made and keeps it with its version. Without one, the history shows an empty
/// sheet and the project its screenshot.
pub fn take(app: &AppHandle, run: RunId, variant: VariantIndex) -> Taken {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let studio = app.state::<Studio>();
    let variants = studio.store().runs().get(run).map(|run| run.variants).unwrap_or_default();
    let ended = variants.into_iter().find(|ended| ended.index == variant);
    let Some(version) = ended.and_then(|ended| ended.version) else { return Taken::Nothing };
    // A phone's page on a wide sheet is a strip nobody knows again.
    let width_px = studio.page_width_px(run).unwrap_or(WIDTH_PX);
    take_or_log(app, version, width_px)
}

/// Takes the picture of a version that was made by hand.
pub fn take_of_edit(app: &AppHandle, project: ProjectId, version: VersionId) -> Taken {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let width_px = app.state::<Studio>().version_width_px(project, version).unwrap_or(WIDTH_PX);
    take_or_log(app, version, width_px)
}

fn take_or_log(app: &AppHandle, version: VersionId, width_px: u32) -> Taken {
    take_of(app, version, width_px).unwrap_or_else(|error| {
        tracing::warn!(%version, error, "a version goes without a picture");
        Taken::Nothing
    })
}

fn take_of(app: &AppHandle, version: VersionId, width_px: u32) -> Result<Taken, String> {
    let studio = app.state::<Studio>();
    // What is served where there is no page is an answer, and none to keep a picture of.
    let Some(path) = studio.page_of_version(version).map_err(|error| error.to_string())? else {
        return Ok(Taken::Nothing);
    };
    let source = PreviewSource::clone(&app.state::<PreviewSource>());
    let request = ShotRequest {
        serve: Arc::new(move |path| source.respond(path)),
        path,
        width_px,
        detail: Detail::Picture,
    };
    let shot = WindowCamera::of(app).shoot(request).map_err(|error| error.to_string())?;
    studio.keep_picture(version, &shot.png).map_err(|error| error.to_string())?;
    Ok(Taken::Kept)
}
