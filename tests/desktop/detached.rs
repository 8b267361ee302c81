//! The page in a window of its own: drawn, led by the main window, and as shut in as there.

use serde_json::json;

use crate::commands::{NOT_GRANTED, let_in};
use crate::policies::NAMES;
use crate::room::Room;
use crate::window::{Place, Window};
use crate::{flood, navigation, network, reach, storage};

#[tokio::test]
async fn s_12_s_01_s_02_s_03_s_05_nothing_of_the_program_is_within_reach_of_a_page_in_its_own_window() {
    reach::nothing_is_within_reach(Place::OwnWindow).await;
}

#[tokio::test]
async fn s_12_s_01_calls_of_a_page_in_its_own_window_are_refused_and_counted() {
    reach::calls_are_refused_and_counted(Place::OwnWindow).await;
}

#[tokio::test]
async fn s_12_s_04_forged_messages_move_nothing_in_the_page_s_own_window() {
    flood::forged_messages_move_nothing(Place::OwnWindow).await;
}

#[tokio::test]
async fn s_12_s_06_nothing_a_page_stores_in_its_own_window_outlives_its_load() {
    storage::nothing_outlives_a_load(Place::OwnWindow).await;
}

#[tokio::test]
async fn s_12_s_07_a_page_in_its_own_window_asks_nothing_of_the_machine() {
    storage::nothing_is_asked_of_the_machine(Place::OwnWindow).await;
}

#[tokio::test]
async fn s_12_s_09_no_way_leads_the_page_s_own_window_elsewhere() {
    navigation::no_way_leads_elsewhere(Place::OwnWindow).await;
}

#[tokio::test]
async fn s_12_s_09_no_click_leads_the_page_s_own_window_elsewhere() {
    navigation::no_click_leads_elsewhere(Place::OwnWindow).await;
}

#[tokio::test]
async fn s_12_s_10_no_packet_and_no_lookup_leaves_a_page_in_its_own_window() {
    network::nothing_leaves_a_page(Place::OwnWindow).await;
}

/// What the window itself may call, if a page ever spoke for it.
#[tokio::test]
async fn s_12_s_08_the_page_s_own_window_may_follow_the_main_one_and_read_the_page_and_nothing_else() {
    let room = Room::new();
    room.project("Kiln", &[("index.html", "<h1>The first page</h1>")]);
    let window = Window::open(&room).await;
    let view = window.invoke("start_view", json!({})).await.unwrap();
    let hidden = room.project("Hidden", &[("index.html", "<h1>Of somebody else</h1>")]);
    let hidden = window.invoke("open_project", json!({"id": hidden})).await.unwrap()["runs"][0]["id"].clone();
    let id = &view["recent"][0]["id"];
    let shown = window.invoke("open_project", json!({"id": id})).await.unwrap()["runs"][0]["id"].clone();
    window.open_page("Kiln", Place::OwnWindow).await;
    let listening = ["plugin:event|listen", "plugin:event|unlisten"];
    let commands = NAMES.iter().copied().chain(NOT_GRANTED).chain(listening);
    assert_eq!(let_in(&window, commands).await, ["preview_text", "follow_page"]);
    let mut told = Vec::new();
    for run in [shown, hidden] {
        let of = json!({"runId": run, "variantIndex": 0, "path": "index.html"});
        told.push(window.invoke("preview_text", of).await.map(|whole| whole["text"].to_string()));
    }
    assert!(told[0].as_ref().is_ok_and(|text| text.contains("The first page")), "{told:?}");
    assert!(told[1].as_ref().is_err_and(|error| error.contains("not_there")), "{told:?}");
    assert_eq!(window.value("typeof window.__TAURI__").await, json!("undefined"));
}

#[tokio::test]
async fn the_page_is_shown_and_a_second_press_opens_no_other_window() {
    let room = Room::new();
    room.project("Kiln", &[("index.html", "<h1>The first page</h1>")]);
    let window = Window::open(&room).await;
    window.open_page("Kiln", Place::OwnWindow).await;
    window.page_shows("The first page").await;
    window.to_main().await;
    window.open_own_window().await;
    window.page_shows("The first page").await;
    assert_eq!(window.windows().await.len(), 2);
}
