//! S-04: a page that shouts at the window.

use crate::room::Room;
use crate::window::Window;

#[tokio::test]
async fn s_04_a_hundred_thousand_forged_messages_move_nothing_and_the_window_stays_usable() {
    let room = Room::new();
    room.project("Hostile", &[("index.html", include_str!("pages/flood.html"))]);
    let window = Window::open(&room).await;
    window.open_project("Hostile").await;
    window.sees(".stage", "It sent more messages than a page should.").await;
    window.until("the frame to be gone", "document.querySelectorAll('.stage iframe').length === 0").await;
    window.press("Code").await;
    window.sees(".cm-content", "A loud page").await;
    let polluted = window
        .value("[({}).polluted, Object.prototype.k, document.title, [...document.querySelectorAll('.toast')].length]")
        .await;
    assert_eq!(polluted, serde_json::json!([null, null, "Facsimile", 0]));
}
