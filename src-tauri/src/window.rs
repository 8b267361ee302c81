//! The window: one web view named `main`, walled in on every side.

pub mod drop;
mod opened;
#[cfg(target_os = "linux")]
mod refused;
pub mod thumbnail;
#[cfg(target_os = "linux")]
mod watchdog;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use facsimile_studio::Studio;
use tauri::async_runtime::spawn_blocking;
use tauri::{App, AppHandle, Manager, Url, WebviewUrl, WebviewWindowBuilder};
use tauri_plugin_dialog::{DialogExt, MessageDialogKind};

pub use opened::Opened;

use crate::camera::WindowCamera;
use crate::cli::Arguments;
use crate::commands::{
    diagnostics, exports, history, inputs, models, previews, projects, runs, settings, storage, tasks,
};
use crate::events::{self, MAIN};
use crate::{place, preview};

/// Nothing listens there: the window needs no network, and this keeps even look-ups of names in.
const DEAD_PROXY: &str = "http://127.0.0.1:9";
/// Nobody has chosen a picture before that.
const LOOKING_AROUND: Duration = Duration::from_secs(1);
#[cfg(windows)]
const BROWSER_ARGUMENTS: &str = "--disable-features=msWebOOUI,msPdfOOUI,msSmartScreenProtection \
    --proxy-server=http://127.0.0.1:9 --proxy-bypass-list=<-loopback>";
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
            exports::export_run,
            exports::export_version,
            exports::reveal,
            settings::save_settings,
            settings::save_draft,
            storage::storage,
            storage::clear_storage,
            previews::preview_text,
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
        .on_window_event(drop::on_window_event)
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
    app.manage(diagnostics::Gathered::default());
    app.manage(drop::Hanging::default());
    warm_up(&studio);
    look_through(&studio);
    events::forward_tasks(app.handle(), &studio);
    app.manage(studio);
    let window = WebviewWindowBuilder::new(app, MAIN, WebviewUrl::default())
        .title("Facsimile")
        .inner_size(USUAL_SIZE.0, USUAL_SIZE.1)
        .min_inner_size(LEAST_SIZE.0, LEAST_SIZE.1)
        .on_navigation(is_ours);
    // The development server is the one thing the window may fetch, and only in development.
    let window = if tauri::is_dev() { window } else { window.proxy_url(Url::parse(DEAD_PROXY)?) };
    // Loopback needs to be named there: it is left out of every proxy otherwise.
    #[cfg(windows)]
    let window = window.additional_browser_args(BROWSER_ARGUMENTS);
    let window = window.build()?;
    #[cfg(target_os = "linux")]
    {
        watchdog::watch(&window);
        refused::count(&window);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = window;
    Ok(())
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

/// Where the window and its frames may go.
fn is_ours(url: &Url) -> bool {
    let is_dev_server = tauri::is_dev() && url.host_str() == Some("localhost");
    // Windows spells a custom scheme as a host; elsewhere that host is a stranger.
    let is_spelt_as_host =
        cfg!(windows) && matches!(url.host_str(), Some("tauri.localhost" | "preview.localhost"));
    let is_the_window = url.scheme() == "tauri" && url.host_str() == Some("localhost");
    is_the_window
        || preview::path_of(url.as_str()).is_some()
        || url.as_str() == "about:blank"
        || is_dev_server
        || is_spelt_as_host
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_goes_to_itself_and_to_pages_of_the_one_host() {
        let ours = ["tauri://localhost", "preview://localhost/page/a?v=1", "about:blank"];
        let strangers = [
            "tauri://elsewhere/",
            "preview://elsewhere/page/a",
            "preview://localhost:80/page/a",
            "https://example.test/",
            "file:///etc/passwd",
            "data:text/html,x",
        ];
        let goes = |address: &str| is_ours(&Url::parse(address).unwrap());
        assert_eq!((ours.map(goes), strangers.map(goes)), ([true; 3], [false; 6]));
    }
}
