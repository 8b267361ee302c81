//! S-15: one test for each advisory of the platform that concerns us, named after it.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::catcher::Catcher;
use crate::room::Room;
use crate::window::Window;

/// The locked version of a crate.
fn locked(name: &str) -> Option<String> {
    let lock = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock")).unwrap();
    let (_, rest) = lock.split_once(&format!("\nname = \"{name}\"\nversion = \""))?;
    Some(rest.split('"').next()?.to_owned())
}

/// Leads the window itself to addresses, one after the other, and gives where it stands at the end.
async fn led_to(window: &Window, addresses: &[String]) -> serde_json::Value {
    window.script("window.isSame = true", vec![]).await.unwrap();
    for address in addresses {
        let script = "const [address] = arguments; try { location.href = address } catch {} \
            setTimeout(() => requestAnimationFrame(() => setTimeout(() => done(), 60)), 60)";
        // Where the window is led away the driver loses the answer, and the place below is another.
        let _ = window.later(script, vec![json!(address)]).await;
    }
    window.value("[location.href, window.isSame]").await
}

/// A window that was led to a foreign page gave that page its commands.
#[tokio::test]
async fn cve_2023_31134_the_window_is_not_led_to_a_foreign_page() {
    let room = Room::new();
    let catcher = Catcher::new();
    let window = Window::open(&room).await;
    let addresses = [
        catcher.address(),
        format!("https://127.0.0.1:{}/", catcher.port),
        "http://example.test/".to_owned(),
        "data:text/html,x".to_owned(),
        "file:///etc/passwd".to_owned(),
    ];
    let stands = led_to(&window, &addresses).await;
    assert_eq!((stands, catcher.caught()), (json!(["tauri://localhost", true]), vec![]));
}

/// Frames passed the check of origins and called commands.
#[tokio::test]
async fn cve_2024_35222_a_frame_calls_no_command() {
    let room = Room::new();
    let page = "<!doctype html><title>Calls</title><h1>Calls</h1><pre id=report></pre><script>(async () => {\
        const headers = { 'content-type': 'application/json', 'Tauri-Callback': '1', 'Tauri-Error': '2', 'Tauri-Invoke-Key': 'guess' };\
        const body = JSON.stringify({ text: 'HOSTILE' });\
        const ask = address => fetch(address, { method: 'POST', headers, body }).then(answer => answer.status, () => 'refused');\
        const message = JSON.stringify({ cmd: 'save_draft', callback: 1, error: 2, payload: { text: 'HOSTILE' }, options: {} });\
        window.webkit?.messageHandlers?.ipc?.postMessage(message);\
        const report = [await ask('ipc://localhost/save_draft'), await ask('http://ipc.localhost/save_draft'), typeof window.__TAURI_INTERNALS__];\
        const place = document.getElementById('report');\
        place.textContent = JSON.stringify(report); place.dataset.done = ''; })()</script>";
    room.project("Hostile", &[("index.html", page)]);
    let window = Window::open(&room).await;
    let report = window.report_of("Hostile").await;
    let draft = window.invoke("start_view", json!({})).await.unwrap()["draft"].clone();
    assert_eq!((report, draft), (json!(["refused", "refused", "undefined"]), json!("")));
}

/// Hosts that only begin like ours were taken for ours.
#[tokio::test]
async fn cve_2026_42184_a_host_that_begins_like_ours_is_not_ours() {
    let room = Room::new();
    let catcher = Catcher::new();
    let window = Window::open(&room).await;
    let port = catcher.port;
    let hosts = [
        "preview.example.test",
        "tauri.example.test",
        "preview.localhost.example.test",
        "ipc.example.test",
        "preview.localhost",
        "tauri.localhost",
    ];
    let addresses: Vec<_> =
        hosts.iter().flat_map(|host| [format!("http://{host}:{port}/"), format!("http://{host}/")]).collect();
    let stands = led_to(&window, &addresses).await;
    let version = locked("tauri").unwrap();
    let numbers: Vec<u32> = version.split('.').map(|part| part.parse().unwrap()).collect();
    assert_eq!(
        (stands, catcher.caught(), numbers >= vec![2, 11, 1]),
        (json!(["tauri://localhost", true]), vec![], true)
    );
}

/// The plug-in that lets a page ask the network through the program is not part of it.
#[test]
fn cve_2026_95623_there_is_no_http_plugin() {
    let absent = ["tauri-plugin-http", "tauri-plugin-shell", "tauri-plugin-websocket", "tauri-plugin-upload"];
    assert_eq!(absent.map(locked), [None, None, None, None]);
    assert!(locked("tauri-plugin-dialog").is_some(), "the lock is not read");
}
