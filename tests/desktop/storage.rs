//! What a page can keep and what it can ask of the machine: nothing.

use serde_json::{Value, json};

use crate::room::Room;
use crate::window::{Place, Window};

async fn opened(room: &Room, place: Place) -> (Window, Value) {
    room.project("Hostile", &[("index.html", include_str!("pages/storage.html"))]);
    let window = Window::open(room).await;
    let report = window.report_in(place, "Hostile").await;
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
    nothing_outlives_a_load(Place::MainWindow).await;
}

pub async fn nothing_outlives_a_load(place: Place) {
    let room = Room::new();
    let (window, first) = opened(&room, place).await;
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
    nothing_is_asked_of_the_machine(Place::MainWindow).await;
}

pub async fn nothing_is_asked_of_the_machine(place: Place) {
    let room = Room::new();
    let (window, report) = opened(&room, place).await;
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
    let own = if place == Place::OwnWindow { 2 } else { 1 };
    assert_eq!(windows.lines().count(), own, "a question stands on the screen: {windows}");
}
