//! A window that is reloaded while a page is written.

use facsimile_agent::RunStatus;
use serde_json::json;

use crate::room::Room;
use crate::window::Opening;

#[tokio::test]
async fn a_window_reloaded_in_mid_run_goes_on_without_loss_or_doubling() {
    let room = Room::new();
    let pictures = [
        room.picture("tide", "first.png"),
        room.picture("shop", "second.png"),
        room.picture("dashboard", "third.png"),
    ];
    let window = Opening::bare(&room).with_files(&pictures).open(&room).await;
    window.sees("footer", "3 of 10 pictures").await;
    let script = r#"
        const { transformCallback, invoke } = window.__TAURI_INTERNALS__;
        const handler = transformCallback(({ payload }) => {
            if (payload.base > 1500) location.reload();
        });
        window.isOld = true;
        invoke('plugin:event|listen', { event: 'setCode', target: { kind: 'Any' }, handler }).then(() => done('listens'));
    "#;
    assert_eq!(window.later(script, vec![]).await, Ok(json!("listens")));
    window.press("Make the page").await;
    // The new document opens the run that is still at work by itself.
    window
        .until("the reloaded window", "window.isOld === undefined && document.querySelector('.talk')")
        .await;
    let was_over = window.value("document.querySelector('footer').textContent.includes('Done')").await;
    window.sees("footer", "Done").await;
    assert_eq!(was_over, json!(false), "the run had ended before the window was back");
    let (state, files) =
        window.desk.until("the end of the run", || room.outcome().filter(|(state, _)| state.is_terminal()));
    assert_eq!(state, RunStatus::Succeeded);
    window.press("Code").await;
    window.sees(".files", "page-3.html").await;
    assert_eq!(window.files().await, files.keys().cloned().collect::<Vec<_>>());
    for (path, stored) in &files {
        window.press(path).await;
        window.sees(".code .bar b", path).await;
        window.press("Copy file").await;
        window.desk.until(&format!("{path} as it is stored"), || {
            (window.desk.copied_text() == *stored).then_some(())
        });
    }
}
