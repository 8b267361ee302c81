//! From a screenshot to a page that is still there tomorrow.

use facsimile_agent::RunStatus;
use serde_json::{Value, json};

use crate::room::Room;
use crate::window::Window;

#[tokio::test]
async fn a_sample_becomes_a_page_that_is_found_again_after_a_restart() {
    let room = Room::new();
    let window = Window::open(&room).await;
    window.sees("h1", "Drop a screenshot").await;
    window.press("Tide times").await;
    window.press("Make the page").await;
    window.sees("footer", "Done").await;
    window.enter_page().await;
    window.sees("h1", "Gull Haven quay").await;
    window.leave_page().await;
    window.press("Code").await;
    window.sees(".files", "index.html").await;
    window.sees(".cm-content", "Gull Haven quay").await;
    assert_eq!(window.files().await, ["index.html", "styles.css"]);
    window
        .desk
        .until("the end of the run", || room.outcome().filter(|(state, _)| *state == RunStatus::Succeeded));
    window.kill().await;

    let window = Window::open(&room).await;
    window.sees(".recent h2", "Go on with").await;
    window.open_project("tide").await;
    window.enter_page().await;
    window.sees("h1", "Gull Haven quay").await;
    window.leave_page().await;
    window.press("Code").await;
    window.sees(".files", "styles.css").await;
    assert_eq!(window.files().await, ["index.html", "styles.css"]);
}

#[tokio::test]
async fn a_stopped_run_keeps_its_partial_page() {
    let room = Room::new();
    let window = Window::open(&room).await;
    window.press("Pottery shop").await;
    window.sees("button", "Make the page").await;
    // Stop is pressed in the moment in which the first heading has come.
    let script = r#"
        const { transformCallback, invoke } = window.__TAURI_INTERNALS__;
        let text = '';
        const handler = transformCallback(({ payload }) => {
            text = payload.base === 0 ? payload.text : text + payload.text;
            const stop = [...document.querySelectorAll('button')].find(b => b.textContent.startsWith('Stop'));
            if (text.includes('">daily tables') && stop) stop.click();
        });
        invoke('plugin:event|listen', { event: 'setCode', target: { kind: 'Any' }, handler }).then(() => done('listens'));
    "#;
    assert_eq!(window.later(script, vec![]).await, Ok(json!("listens")));
    window.press("Make the page").await;
    window.sees("footer", "Stopped").await;
    let (state, files) = window.desk.until("the end of the run", || {
        room.outcome().filter(|(state, files)| state.is_terminal() && !files.is_empty())
    });
    assert_eq!(state, RunStatus::Cancelled);
    let page = &files["index.html"];
    assert!(page.contains("daily tables") && !page.contains("</html>"), "{} bytes: {page}", page.len());
    // What was drawn stays: the page is shown, and its words are there.
    window.page_shows("daily tables").await;
    let state = window.invoke("list_projects", json!({})).await.unwrap();
    assert_eq!(state[0]["state"], Value::from("cancelled"));
}

#[tokio::test]
async fn every_page_of_a_run_is_seen() {
    let room = Room::new();
    room.project("Two", &[("index.html", "<h1>The first</h1>"), ("page-2.html", "<h1>The second</h1>")]);
    let window = Window::open(&room).await;
    window.open_project("Two").await;
    window.page_shows("The first").await;
    window.press("index.html 1 of 2").await;
    window.click_on("[role=menuitemradio]:last-child").await;
    window.page_shows("The second").await;
}
