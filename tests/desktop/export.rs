//! Export through the desktop's own dialog.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::desk::{Desk, comes_soon};
use crate::room::Room;
use crate::window::Opening;

/// Accepts the folder that the open dialog begins with: where the program was started.
pub fn accept(desk: &Desk, dialog: &str) {
    desk.until("the end of the dialog", || {
        desk.activate(dialog);
        desk.xdotool(&["key", "--clearmodifiers", "alt+o"]);
        comes_soon(|| desk.xdotool(&["search", "--onlyvisible", "--name", "^Export$"]).is_empty())
            .then_some(())
    });
}

fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[tokio::test]
async fn a_page_is_taken_home_through_the_native_dialog() {
    let room = Room::new();
    let window = Opening::managed(&room).open(&room).await;
    window.press("Tide times").await;
    window.press("Make the page").await;
    window.sees("footer", "Done").await;
    window.press("Export").await;
    let dialog = window.desk.window_titled("Export");
    accept(&window.desk, &dialog);
    window.sees("[role=dialog]", "Exported to tide").await;
    let folder = room.path("home/place/tide");
    let expected = ["assets", "index.html", "styles.css"].map(str::to_owned);
    assert_eq!(names(&folder), BTreeSet::from(expected));
    // A picture behind other things is named by the style sheet.
    let [page, styles] =
        ["index.html", "styles.css"].map(|name| fs::read_to_string(folder.join(name)).unwrap());
    let assets = names(&folder.join("assets"));
    assert!(page.contains("Gull Haven quay") && !assets.is_empty(), "{page}");
    for asset in assets {
        let path = format!("assets/{asset}");
        assert!(page.contains(&path) || styles.contains(&path), "{asset} is used nowhere");
    }
}

#[tokio::test]
async fn a_dialog_that_is_closed_exports_nothing() {
    let room = Room::new();
    room.project("Kept", &[("index.html", "<h1>Kept</h1>")]);
    let window = Opening::managed(&room).open(&room).await;
    window.open_project("Kept").await;
    window.enter_page().await;
    window.leave_page().await;
    window.press("Export").await;
    let dialog = window.desk.window_titled("Export");
    window.desk.activate(&dialog);
    window.desk.until("the end of the dialog", || {
        window.desk.xdotool(&["key", "Escape"]);
        window.desk.xdotool(&["search", "--onlyvisible", "--name", "^Export$"]).is_empty().then_some(())
    });
    window
        .until(
            "the button",
            "document.querySelector('button[aria-keyshortcuts=\"Control+E\"][aria-busy=false]')",
        )
        .await;
    let shown = window
        .value(
            "[document.querySelectorAll('[role=dialog]').length, document.querySelectorAll('.toast').length]",
        )
        .await;
    assert_eq!(shown, serde_json::json!([0, 0]));
}
