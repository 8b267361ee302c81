//! Taking pictures in: from paths, from a dialog, from the clipboard, from the page.

use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use facsimile_studio::view::{AddedInputs, RefusedView};
use facsimile_studio::{Studio, StudioError, samples};
use tauri::async_runtime::spawn_blocking;
use tauri::{AppHandle, State};
use tauri_plugin_clipboard_manager::ClipboardExt;
use tauri_plugin_dialog::DialogExt;

use super::with_studio;
use crate::error::CommandError;

/// What a pasted picture is called.
const PASTED_NAME: &str = "Pasted picture.png";

/// Takes files in; what cannot be taken in is named with its reason.
#[tauri::command]
pub async fn add_files(studio: State<'_, Studio>, paths: Vec<PathBuf>) -> Result<AddedInputs, CommandError> {
    with_studio(&studio, move |studio| take_files(studio, &paths)).await
}

/// Asks for files in the system's dialog and takes them in.
#[tauri::command]
pub async fn choose_files(app: AppHandle, studio: State<'_, Studio>) -> Result<AddedInputs, CommandError> {
    with_studio(&studio, move |studio| {
        let endings = ["png", "jpg", "jpeg", "webp", "gif", "bmp", "ico", "tif", "tiff", "svg"];
        let dialog = app.dialog().file().add_filter("Pictures", &endings);
        let chosen = dialog.blocking_pick_files().unwrap_or_default();
        let paths: Vec<_> = chosen.into_iter().filter_map(|file| file.into_path().ok()).collect();
        take_files(studio, &paths)
    })
    .await
}

/// Takes in the picture on the system's clipboard.
#[tauri::command]
pub async fn paste_picture(app: AppHandle, studio: State<'_, Studio>) -> Result<AddedInputs, CommandError> {
    let read = spawn_blocking(move || {
        let image = app.clipboard().read_image().ok()?;
        encode_png(image.width(), image.height(), image.rgba())
    });
    let png = read.await.map_err(|error| CommandError::lost(&error))?.ok_or_else(|| {
        CommandError::new(
            "clipboard_empty",
            "There is no picture on the clipboard. Copy one, then paste again.",
        )
    })?;
    with_studio(&studio, move |studio| take_bytes(studio, PASTED_NAME, png)).await
}

/// Takes in a picture that the window holds.
#[tauri::command]
pub async fn add_picture(
    studio: State<'_, Studio>,
    name: String,
    base64: String,
) -> Result<AddedInputs, CommandError> {
    let bytes = STANDARD
        .decode(base64.as_bytes())
        .map_err(|_| CommandError::new("bad_request", "The picture arrived damaged. Paste it again."))?;
    with_studio(&studio, move |studio| take_bytes(studio, &name, bytes)).await
}

/// Takes a bundled screenshot in.
#[tauri::command]
pub async fn use_sample(studio: State<'_, Studio>, id: String) -> Result<AddedInputs, CommandError> {
    let sample = samples::sample(&id)
        .ok_or_else(|| CommandError::new("bad_request", format!("There is no sample {id:?}.")))?;
    with_studio(&studio, move |studio| take_bytes(studio, sample.file_name, sample.png.to_vec())).await
}

/// Takes files in one by one, so that a bad one does not keep the others out.
pub fn take_files(studio: &Studio, paths: &[PathBuf]) -> Result<AddedInputs, StudioError> {
    let mut added = AddedInputs::default();
    for path in paths {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        sort_in(studio, &mut added, &name, studio.add_file(path))?;
    }
    Ok(added)
}

fn take_bytes(studio: &Studio, name: &str, bytes: Vec<u8>) -> Result<AddedInputs, StudioError> {
    let mut added = AddedInputs::default();
    sort_in(studio, &mut added, name, studio.add_picture(name, bytes))?;
    Ok(added)
}

fn sort_in(
    studio: &Studio,
    added: &mut AddedInputs,
    name: &str,
    taken: Result<facsimile_studio::TakenInput, StudioError>,
) -> Result<(), StudioError> {
    match taken {
        Ok(taken) => added.inputs.push(studio.taken_view(&taken)?),
        Err(StudioError::Input(refused)) => added.refused.push(RefusedView {
            name: name.to_owned(),
            code: refused.code().to_owned(),
            message: refused.to_string(),
        }),
        Err(other) => return Err(other),
    }
    Ok(())
}

fn encode_png(width: u32, height: u32, rgba: &[u8]) -> Option<Vec<u8>> {
    let image = image::RgbaImage::from_raw(width, height, rgba.to_vec())?;
    let mut png = Vec::new();
    let mut out = std::io::Cursor::new(&mut png);
    image.write_to(&mut out, image::ImageFormat::Png).ok()?;
    Some(png)
}
