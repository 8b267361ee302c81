//! The window: one web view named `main`, walled in on every side, and a second one for the page alone.

pub mod drop;
mod opened;
pub mod page;
#[cfg(target_os = "linux")]
mod refused;
pub mod thumbnail;
mod walls;
#[cfg(target_os = "linux")]
mod watchdog;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use facsimile_studio::Studio;
use tauri::async_runtime::spawn_blocking;
use tauri::{App, AppHandle, Manager, WebviewUrl, WebviewWindowBuilder, Window, WindowEvent};
use tauri_plugin_dialog::{DialogExt, MessageDialogKind};

pub use opened::Opened;

use crate::camera::WindowCamera;
use crate::cli::Arguments;
use crate::commands::{
    diagnostics, elements, exports, history, inputs, models, page_window, previews, projects, runs, settings,
    storage, tasks,
};
use crate::events::{self, MAIN};
use crate::{place, preview};

/// Nobody has chosen a picture before that.
const LOOKING_AROUND: Duration = Duration::from_secs(1);
const USUAL_SIZE: (f64, f64) = (1440.0, 900.0);
const LEAST_SIZE: (f64, f64) = (900.0, 600.0);

/// Opens the window with these files as inputs.
pub fn open(files: Vec<PathBuf>) -> ExitCode {
    if !has_display() {
        eprintln!(
            "facsimile: there is no display to open a window on. Start it on a desktop, or use a subcommand such \
             as `facsimile create screenshot.png --out page`; `facsimile --help` lists them."
        );
        return ExitCode::FAILURE;
    }
    let here = std::env::current_dir().unwrap_or_default();
    let files: Vec<_> = files.iter().map(|file| here.join(file)).collect();
    let opened = tauri::Builder::default()
        .plugin(tauri_plugin_single_instance::init(|app, arguments, folder| {
            second_start(app, &arguments, &folder);
        }))
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_clipboard_manager::init())
        .plugin(tauri_plugin_opener::init())
        .register_asynchronous_uri_scheme_protocol(preview::SCHEME, preview::serve)
        .invoke_handler(tauri::generate_handler![
            projects::start_view,
            projects::list_projects,
            projects::open_project,
            projects::delete_project,
            projects::rename_project,
            projects::duplicate_project,
            projects::project_memory,
            projects::clear_memory,
            projects::export_project,
            projects::import_project,
            inputs::add_files,
            inputs::choose_files,
            inputs::paste_picture,
            inputs::add_picture,
            inputs::use_sample,
            runs::likely_cost,
            runs::start_run,
            runs::cancel_run,
            runs::run_snapshot,
            tasks::list_tasks,
            tasks::cancel_task,
            tasks::retry_task,
            history::history,
            history::version_files,
            history::open_version,
            history::restore_version,
            history::undo,
            history::redo,
            history::compare_versions,
            history::name_version,
            elements::describe_element,
            elements::change_element,
            exports::export_run,
            exports::export_version,
            exports::reveal,
            settings::save_settings,
            settings::save_draft,
            storage::storage,
            storage::clear_storage,
            previews::preview_text,
            page_window::open_page_window,
            page_window::show_page,
            page_window::follow_page,
            models::model_settings,
            models::set_key,
            models::remove_key,
            models::test_provider,
            models::list_models,
            models::save_endpoint,
            models::remove_endpoint,
            models::choose_engines,
            models::save_spend_cap,
            models::save_image_settings,
            diagnostics::gather_diagnostics,
            diagnostics::save_diagnostics,
        ])
        .on_window_event(on_window_event)
        // Another start may hand its files over before this one is set up.
        .manage(Opened::with(files))
        .setup(set_up)
        .run(tauri::generate_context!());
    match opened {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(%error, "the window could not be opened");
            eprintln!("facsimile: the window could not be opened ({error}).");
            ExitCode::FAILURE
        }
    }
}

/// Looks for damage that the start had no time to look for; the next start mends it.
fn look_through(studio: &Studio) {
    let store = studio.store().clone();
    spawn_blocking(move || match store.look_through() {
        Ok(None) => {}
        Ok(Some(detail)) => {
            tracing::error!(detail, "the history is damaged and is mended at the next start");
        }
        Err(error) => tracing::warn!(%error, "the history was not looked through"),
    });
}

fn set_up(app: &mut App) -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tauri::async_runtime::handle().inner().clone();
    let studio = place::open_studio(None, runtime)?;
    if let Some(notice) = studio.opening_notice()? {
        // The window is not there yet, and what is told has to be seen before anything is done with it.
        app.dialog().message(notice).title("Facsimile").kind(MessageDialogKind::Warning).show(|_| {});
    }
    studio.see_through(Arc::new(WindowCamera::of(app.handle())));
    app.manage(preview::source(&studio));
    app.manage(preview::Served::default());
    app.manage(page::Following::default());
    app.manage(diagnostics::Gathered::default());
    app.manage(drop::Hanging::default());
    warm_up(&studio);
    look_through(&studio);
    events::forward_tasks(app.handle(), &studio);
    app.manage(studio);
    let window = WebviewWindowBuilder::new(app.handle(), MAIN, WebviewUrl::default())
        .title("Facsimile")
        .inner_size(USUAL_SIZE.0, USUAL_SIZE.1)
        .min_inner_size(LEAST_SIZE.0, LEAST_SIZE.1);
    walls::watch(&walls::around(window)?.build()?);
    Ok(())
}

/// The windows come and go together with the main one, and only that takes files.
fn on_window_event(window: &Window, event: &WindowEvent) {
    match (window.label(), event) {
        (MAIN, WindowEvent::DragDrop(drag)) => drop::on_drag(window, drag),
        (MAIN, WindowEvent::Destroyed) => page::close(window.app_handle()),
        (page::PAGE, WindowEvent::Destroyed) => page::forget(window.app_handle()),
        _ => {}
    }
}

/// Makes the pictures of the start screen while the web view is still starting, and loads the reader's weights
/// while the user looks around: before that they would only hold the window up.
fn warm_up(studio: &Studio) {
    let studio = studio.clone();
    tauri::async_runtime::spawn(async move {
        let pictures = studio.clone();
        // What fails here is reported to the window, which asks for the same again.
        let _ = spawn_blocking(move || pictures.start_view()).await;
        tokio::time::sleep(LOOKING_AROUND).await;
        // A reader that cannot be loaded is reported by the first run that needs it.
        let _ = spawn_blocking(move || studio.tracer()).await;
    });
}

/// The program was started again: its files come here, and the window to the front.
fn second_start(app: &AppHandle, arguments: &[String], folder: &str) {
    let folder = PathBuf::from(folder);
    // What it could not have been started with brings no files.
    let files = Arguments::try_parse_from(arguments).map(|arguments| arguments.files).unwrap_or_default();
    tracing::info!(files = files.len(), "the program was started again");
    opened::hand_over(app, files.iter().map(|file| folder.join(file)).collect());
    if let Some(window) = app.get_webview_window(MAIN) {
        // A window manager that refuses to raise a window leaves it where it is.
        let _ = window.unminimize();
        let _ = window.set_focus();
    }
}

/// Whether a display is named; it need not be there.
#[cfg(target_os = "linux")]
pub fn has_display() -> bool {
    ["WAYLAND_DISPLAY", "DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

#[cfg(not(target_os = "linux"))]
fn has_display() -> bool {
    true
}
