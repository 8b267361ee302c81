//! Embeds the window and lists the commands it may call.
#![allow(clippy::expect_used)] // a build that cannot go on has nobody else to tell

use std::fs;
use std::path::Path;

include!("src/commands/names.rs");

fn main() {
    // A fresh clone has no built window yet: a page that says so lets cargo alone build the command line.
    let dist = Path::new("ui/dist");
    if !dist.join("index.html").exists() {
        fs::create_dir_all(dist).expect("create ui/dist");
        fs::write(
            dist.join("index.html"),
            "<!doctype html><title>Facsimile</title><p>The window is not built: npm --prefix ui ci && npm --prefix ui run build",
        )
        .expect("write the stand-in page");
    }
    println!("cargo:rerun-if-changed=ui/dist");
    let manifest = tauri_build::AppManifest::new().commands(NAMES);
    let attributes = tauri_build::Attributes::new()
        .app_manifest(manifest)
        .capabilities_path_pattern("src-tauri/capabilities/*.json");
    tauri_build::try_build(attributes).expect("prepare the Tauri build");
}
