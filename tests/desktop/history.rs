//! The way through the versions, walked in the window.

use serde_json::{Value, json};

use crate::room::Room;
use crate::window::Window;

async fn versions(window: &Window, project: &Value) -> usize {
    let history = window.invoke("history", json!({ "projectId": project })).await.unwrap();
    history["versions"].as_array().unwrap().len()
}

/// S-56: restoring adds a version, once.
#[tokio::test]
async fn an_undone_step_stays_undone_after_a_restart_and_a_version_is_restored_once() {
    let room = Room::new();
    let project = room.project("Kiln", &[("index.html", "<h1>The first page</h1>")]);
    room.edit(project, &[("index.html", "<h1>The second page</h1>")]);
    let project = json!(project);
    let window = Window::open(&room).await;
    window.open_project("Kiln").await;
    window.page_shows("The second page").await;
    window.press("Undo").await;
    window.page_shows("The first page").await;
    window.sees("[role=status]", "Undone: Version 2. Page is open.").await;
    window
        .until(
            "nothing to undo",
            "document.querySelector('[aria-label=Undo]').matches('[aria-disabled=true]')",
        )
        .await;
    window.kill().await;

    let window = Window::open(&room).await;
    window.open_project("Kiln").await;
    window.page_shows("The first page").await;
    window.press("Redo").await;
    window.page_shows("The second page").await;
    window.press("Code").await;
    window.sees(".cm-content", "The second page").await;
    window.press("History").await;
    for _ in 0..2 {
        window.click_on("[role=treeitem]:first-child").await;
        window.sees("aside h2", "Page").await;
        window.press("Restore").await;
        window.sees("[role=treeitem][aria-current=true][aria-selected=true]", "Page").await;
        window.until("the third version", "document.querySelectorAll('[role=treeitem]').length === 3").await;
    }
    window.press("Compare").await;
    window.sees(".lines .added", "The first page").await;
    window.sees(".lines .removed", "The second page").await;
    window.press("Preview").await;
    window.page_shows("The first page").await;
    assert_eq!(versions(&window, &project).await, 3);
}
