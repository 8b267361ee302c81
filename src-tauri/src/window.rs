//! The window.

use std::path::PathBuf;
use std::process::ExitCode;

/// Opens the window with these files as inputs.
pub fn open(_files: &[PathBuf]) -> ExitCode {
    if !has_display() {
        eprintln!(
            "facsimile: there is no display to open a window on. Start it on a desktop, or use a subcommand such \
             as `facsimile create screenshot.png --out page`; `facsimile --help` lists them."
        );
        return ExitCode::FAILURE;
    }
    let opened = tauri::Builder::default()
        .plugin(tauri_plugin_dialog::init())
        .setup(|app| {
            tauri::WebviewWindowBuilder::new(app, "main", tauri::WebviewUrl::default())
                .title("Facsimile")
                .inner_size(1440.0, 900.0)
                .min_inner_size(900.0, 600.0)
                .build()?;
            Ok(())
        })
        .run(tauri::generate_context!());
    match opened {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!(
                "facsimile: the window could not be opened ({error}). Check that WebKitGTK is installed."
            );
            ExitCode::FAILURE
        }
    }
}

#[cfg(target_os = "linux")]
fn has_display() -> bool {
    ["WAYLAND_DISPLAY", "DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

#[cfg(not(target_os = "linux"))]
fn has_display() -> bool {
    true
}
