//! Finished pages are measured where there is a display, and their scores shown.

use std::path::Path;

use serde_json::{Value, json};

use crate::desk::Desk;
use crate::room::Room;
use crate::window::Window;

#[tokio::test]
async fn an_option_shows_its_score_and_its_picture_soon_after_it_has_ended_and_after_a_restart() {
    let room = Room::new();
    let window = Window::open(&room).await;
    window.press("Tide times").await;
    window.press("Make the page").await;
    // What is measured and photographed after the end comes into a history that is open already.
    window.press("History").await;
    window.sees(".node .score", "Fidelity").await;
    window.sees(".details .score", "Fidelity").await;
    for picture in [".node img", ".details img"] {
        let drawn = format!("document.querySelector('{picture}')?.naturalWidth > 0");
        window.until("the picture of the page", &drawn).await;
    }
    window.press("Preview").await;
    window.sees(".card .score", "Fidelity").await;
    window.kill().await;
    let window = Window::open(&room).await;
    window.open_project("tide").await;
    window.sees(".card .score", "Fidelity").await;
    let project = window.invoke("list_projects", json!({})).await.unwrap()[0]["id"].clone();
    let view = window.invoke("open_project", json!({ "id": project })).await.unwrap();
    let score = view["runs"][0]["variants"][0]["score"].as_f64();
    assert!(score.is_some_and(|score| (60.0..=100.0).contains(&score)), "{view}");
    window.press("History").await;
    window.sees(".node .score", "Fidelity").await;
    window.sees(".details .score", "Fidelity").await;
}

#[test]
fn the_command_line_tells_the_score_where_there_is_a_display() {
    let room = Room::new();
    let desk = Desk::new(&room);
    let screenshot = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pages/sb2-login.png");
    let out = room.path("out");
    let [screenshot, out] = [&screenshot, &out].map(|path| path.to_str().unwrap());
    let program = env!("CARGO_BIN_EXE_facsimile");
    let done = desk.run(program, &["create", screenshot, "--engine", "offline", "--out", out, "--json"]);
    let said = String::from_utf8_lossy(&done.stderr);
    let result: Value = serde_json::from_slice(&done.stdout).unwrap_or_else(|_| panic!("{said}"));
    let score = result["variants"][0]["score"].as_f64();
    assert!(done.status.success() && score.is_some_and(|score| score > 85.0), "{result} {said}");
}
