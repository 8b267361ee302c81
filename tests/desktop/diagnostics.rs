//! What is handed on when something goes wrong: read in the window, saved through the desktop's own dialog.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::{Value, json};
use zip::ZipArchive;

use crate::desk::comes_soon;
use crate::room::Room;
use crate::window::{Opening, Window};

fn texts(bundle: &Path) -> BTreeMap<String, String> {
    let mut archive = ZipArchive::new(File::open(bundle).unwrap()).unwrap();
    let mut texts = BTreeMap::new();
    for at in 0..archive.len() {
        let mut file = archive.by_index(at).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        texts.insert(file.name().unwrap().into_owned(), text);
    }
    texts
}

/// Presses a key in the dialog until it is gone.
fn end_dialog(window: &Window, key: &str) {
    let dialog = window.desk.window_titled("Save diagnostics");
    window.desk.until("the end of the dialog", || {
        window.desk.activate(&dialog);
        window.desk.xdotool(&["key", "--clearmodifiers", key]);
        comes_soon(|| {
            window.desk.xdotool(&["search", "--onlyvisible", "--name", "^Save diagnostics$"]).is_empty()
        })
        .then_some(())
    });
}

#[tokio::test]
async fn a_diagnostics_bundle_is_read_first_and_saved_as_it_was_read() {
    let room = Room::new();
    room.project("Kiln", &[("index.html", "<h1>The firing plan</h1>")]);
    let window = Opening::managed(&room).open(&room).await;
    window.press("Settings").await;
    // The rows above it move it until they are there.
    window.sees("#settings-storage ~ ul", "Damaged copies").await;
    window.press("Gather…").await;
    window.sees("[role=dialog] pre", "It holds no pictures").await;
    let told = "[...document.querySelectorAll('[role=dialog] .files button')].map(file => file.firstElementChild.nextElementSibling.textContent)";
    let names: Vec<String> = serde_json::from_value(window.value(told).await).unwrap();
    let about = window.value("document.querySelector('[role=dialog] pre').textContent").await;

    window.press("Save…").await;
    end_dialog(&window, "Escape");
    window.sees("[role=dialog] pre", "It holds no pictures").await;
    let bundle = room.path("home/place/facsimile-diagnostics.zip");
    assert!(!bundle.exists(), "a dialog that is closed saves nothing");

    window.press("Save…").await;
    end_dialog(&window, "Return");
    window.sees(".toast", "facsimile-diagnostics.zip").await;
    let saved = texts(&bundle);
    assert_eq!(
        (json!(saved.keys().collect::<Vec<_>>()), json!(saved["about.txt"])),
        (json!(names.iter().collect::<BTreeSet<_>>()), about),
    );
    let everything = Value::from_iter(saved.clone()).to_string();
    assert!(!everything.contains("firing plan") && !everything.contains("Kiln"), "{everything}");
}
