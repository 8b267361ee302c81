//! S-04: a page that shouts at the window.

use serde_json::json;

use crate::room::Room;
use crate::window::{Place, Window};

#[tokio::test]
async fn s_04_a_hundred_thousand_forged_messages_move_nothing_and_the_window_stays_usable() {
    forged_messages_move_nothing(Place::MainWindow).await;
}

pub async fn forged_messages_move_nothing(place: Place) {
    let room = Room::new();
    room.project("Hostile", &[("index.html", include_str!("pages/flood.html"))]);
    let window = Window::open(&room).await;
    window.open_page("Hostile", place).await;
    window.sees(".stage", "It sent more messages than a page should.").await;
    window.until("the frame to be gone", "document.querySelectorAll('.stage iframe').length === 0").await;
    let of_the_page = window.value("[({}).polluted, Object.prototype.k]").await;
    window.to_main().await;
    window.press("Code").await;
    window.sees(".cm-content", "A loud page").await;
    let polluted = window
        .value("[({}).polluted, Object.prototype.k, document.title, [...document.querySelectorAll('.toast')].length]")
        .await;
    assert_eq!((of_the_page, polluted), (json!([null, null]), json!([null, null, "Facsimile", 0])));
}
