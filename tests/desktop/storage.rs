//! What a page can keep and what it can ask of the machine: nothing.

use serde_json::{Value, json};

use crate::room::Room;
use crate::window::Window;

async fn opened(room: &Room) -> (Window, Value) {
    room.project("Hostile", &[("index.html", include_str!("pages/storage.html"))]);
    let window = Window::open(room).await;
    let report = window.report_of("Hostile").await;
    (window, report)
}

/// Those of the attempts that brought something.
fn granted<'a>(report: &'a Value, names: &[&'a str]) -> Vec<(&'a str, &'a Value)> {
    let outcome = |name| (name, &report[name]);
    names
        .iter()
        .map(|name| outcome(*name))
        .filter(|(_, got)| **got != json!("refused") && **got != json!("absent"))
        .collect()
}

#[tokio::test]
async fn s_06_nothing_a_page_stores_outlives_its_load() {
    let room = Room::new();
    let (window, first) = opened(&room).await;
    let nothing = json!({"local": null, "session": null, "cookie": "", "name": ""});
    let within = json!({"local": "kept", "session": "kept", "cookie": "mark=kept"});
    assert_eq!((&first["found"], &first["within"]), (&nothing, &within));
    let kinds =
        ["indexedDB", "caches", "serviceWorker", "sharedWorker", "fileSystem", "persist", "storageAccess"];
    assert_eq!(granted(&first, &kinds), []);
    window.script("document.querySelector('iframe.front').dataset.old = ''", vec![]).await.unwrap();
    window.press("Reload page").await;
    window.until("the new load", "document.querySelector('iframe.front:not([data-old])')").await;
    let second = window.read_report().await;
    assert_eq!(second["found"], nothing);
}

#[tokio::test]
async fn s_07_camera_place_clipboard_and_screen_are_denied_without_a_question() {
    let room = Room::new();
    let (window, report) = opened(&room).await;
    let kinds = [
        "camera",
        "microphone",
        "screen",
        "location",
        "clipboardRead",
        "clipboardItems",
        "notifications",
        "usb",
        "bluetooth",
        "midi",
        "wakeLock",
        "fullScreen",
        "pointerLock",
        "share",
        "payment",
    ];
    assert_eq!(granted(&report, &kinds), []);
    assert_eq!(report["dialogs"], json!(["undefined", false, null, "undefined"]));
    let windows = window.desk.xdotool(&["search", "--onlyvisible", "--name", "."]);
    assert_eq!(windows.lines().count(), 1, "a question stands on the screen: {windows}");
}
