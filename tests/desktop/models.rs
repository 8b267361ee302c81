//! A model writes a page in the real window: an endpoint on loopback, chosen as a person would choose it.

use facsimile_agent::RunStatus;
use facsimile_testkit::replay::{KEY, ReplayServer, Served, ServedTurn, Spoken};
use serde_json::json;

use crate::room::Room;
use crate::window::{Opening, Window};

/// A window with a model of an added endpoint on loopback, chosen for what is made next.
pub async fn window_with_model(room: &Room, server: &ReplayServer) -> Window {
    let window = Opening::bare(room).unlocked(room).open(room).await;
    choose(&window, &[server]).await;
    window
}

/// Adds an endpoint for each server and offers their models, box-1 first.
pub async fn choose(window: &Window, servers: &[&ReplayServer]) {
    let mut engines = Vec::new();
    for (server, number) in servers.iter().zip(1..) {
        let endpoint =
            json!({ "name": format!("Box {number}"), "provider": "chat", "address": server.address() });
        let saved = window.invoke("save_endpoint", json!({ "endpoint": endpoint })).await.unwrap();
        let id = saved["id"].as_str().unwrap();
        window.invoke("set_key", json!({ "provider": format!("endpoint:{id}"), "key": KEY })).await.unwrap();
        engines.push(format!("chat/{id}:box-{number}"));
    }
    window.invoke("choose_engines", json!({ "engines": engines })).await.unwrap();
    window.script("location.reload()", vec![]).await.unwrap();
    window.sees("footer", "box-1").await;
}

#[tokio::test]
async fn a_model_of_an_added_endpoint_writes_the_page_live_and_it_is_kept() {
    let page = format!(
        "<!doctype html><html lang=\"en\"><title>Shop</title><body><h1>Written by a model</h1>{}</body></html>",
        "<p>Grüße</p>".repeat(40)
    );
    let call =
        ServedTurn::new().calling("c1", "create_file", json!({ "path": "index.html", "content": page }));
    let answers = [Served::from(call), ServedTurn::new().saying("The shop is there.").into()];
    let server = ReplayServer::playing(Spoken::OpenAiChat, answers).await.unwrap();
    let room = Room::new();
    let window = window_with_model(&room, &server).await;

    window.press("Pottery shop").await;
    window.press("Make the page").await;

    window.sees("footer", "Done").await;
    window.page_shows("Written by a model").await;
    assert_eq!(server.complaints(), Vec::<String>::new());
    let kept =
        window.desk.until("the end of the run", || room.outcome().filter(|(state, _)| state.is_terminal()));
    assert_eq!(kept, (RunStatus::Succeeded, [("index.html".to_owned(), page)].into()));
}
