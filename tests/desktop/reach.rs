//! What a page in its frame can reach: nothing.

use std::collections::BTreeSet;

use serde_json::json;

use crate::room::Room;
use crate::window::{Opening, Place, Window};

/// Every context that must have come to life, so that the test has tried from there. Frames within the frame
/// are refused as a whole.
pub const CONTEXTS: [&str; 6] =
    ["event handler", "javascript link", "page", "rewritten page", "svg script", "worker"];

#[tokio::test]
async fn s_01_s_02_s_03_s_05_nothing_of_the_program_is_within_reach_of_a_page() {
    nothing_is_within_reach(Place::MainWindow).await;
}

pub async fn nothing_is_within_reach(place: Place) {
    let room = Room::new();
    let other = room.project("Untouched", &[("index.html", "<h1>Untouched</h1>")]);
    let page = include_str!("pages/reach.html").replace("@PROJECT@", &other.to_string());
    room.project("Hostile", &[("index.html", &page)]);
    let window = Window::open(&room).await;
    let report = window.report_in(place, "Hostile").await;
    let report = report.as_object().unwrap();

    let lived: BTreeSet<_> =
        report.iter().filter(|(_, tried)| tried["end"].is_string()).map(|(name, _)| name.as_str()).collect();
    let open: Vec<_> = report
        .iter()
        .flat_map(|(context, tried)| {
            tried.as_object().unwrap().iter().map(move |(name, outcome)| (context, name, outcome))
        })
        .filter(|(_, _, outcome)| !outcome.as_str().unwrap().starts_with("shut"))
        .collect();
    assert_eq!(open, []);
    assert!(CONTEXTS.iter().all(|context| lived.contains(context)), "only these were alive: {lived:?}");
    assert!(report["page"].as_object().unwrap().len() > 60, "too little was tried");
    nothing_was_done(&window).await;
}

#[tokio::test]
async fn s_01_messages_to_the_program_are_refused_and_counted_in_the_log() {
    calls_are_refused_and_counted(Place::MainWindow).await;
}

/// Each window counts what its page sends.
pub async fn calls_are_refused_and_counted(place: Place) {
    let page = "<!doctype html><title>Calls</title><h1>Calls</h1><pre id=report></pre><script>\
        const message = { cmd: 'save_draft', callback: 1, error: 2, payload: { text: 'HOSTILE' }, options: {} };\
        const guesses = [undefined, '', 'guess', 'null', '__TAURI_INVOKE_KEY__'];\
        for (const key of guesses) window.webkit.messageHandlers.ipc.postMessage(JSON.stringify({ ...message, __TAURI_INVOKE_KEY__: key }));\
        window.webkit.messageHandlers.ipc.postMessage('no json');\
        const place = document.getElementById('report');\
        place.textContent = JSON.stringify(guesses.length + 1); place.dataset.done = ''</script>";
    let room = Room::new();
    room.project("Hostile", &[("index.html", page)]);
    let window = Opening::bare(&room).logged(&room, "program.log").open(&room).await;
    let posted = window.report_in(place, "Hostile").await;
    let log = room.path("program.log");
    let windows = if place == Place::OwnWindow { 2 } else { 1 };
    let told = window.desk.until("the count in the log", || {
        let text = std::fs::read_to_string(&log).unwrap();
        (text.matches("refused").count() >= windows).then_some(text)
    });
    window.to_main().await;
    let draft = window.invoke("start_view", json!({})).await.unwrap()["draft"].clone();
    assert_eq!((posted, draft), (json!(6), json!("")));
    assert_eq!(told.matches("(6 since the start)").count(), windows, "{told}");
    let written = || {
        let files = std::fs::read_dir(room.data().join("logs")).unwrap();
        files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect::<String>()
    };
    window.desk.until("the same in the program's own log", || {
        written().contains("messages that a page sent to the program were refused").then_some(())
    });
}

/// The page of another project, of a stranger's host: nothing of it is answered.
#[tokio::test]
async fn s_09_an_address_of_another_host_is_not_answered() {
    let page = "<!doctype html><title>Asks</title><h1>Asks</h1><pre id=report></pre><script>(async () => {\
        const path = location.pathname;\
        const hosts = ['localhost', 'localhost:80', 'elsewhere', 'localhost.example', 'user@localhost', ''];\
        const seen = host => new Promise(resolve => { const script = document.createElement('script');\
          script.onload = () => resolve('answered'); script.onerror = () => resolve('refused');\
          script.src = `preview://${host}${path.replace('index.html', 'known.js')}`; document.head.append(script); });\
        const report = {}; for (const host of hosts) report[host] = await seen(host);\
        const place = document.getElementById('report');\
        place.textContent = JSON.stringify(report); place.dataset.done = ''; })()</script>";
    let room = Room::new();
    room.project("Hostile", &[("index.html", page), ("known.js", "0")]);
    let window = Window::open(&room).await;
    let report = window.report_of("Hostile").await;
    let shut = "refused";
    assert_eq!(
        report,
        json!({"localhost": "answered", "localhost:80": shut, "elsewhere": shut, "localhost.example": shut,
            "user@localhost": shut, "": shut})
    );
}

/// No command that the page called has run.
async fn nothing_was_done(window: &Window) {
    window.to_main().await;
    let view = window.invoke("start_view", json!({})).await.unwrap();
    let mut names: Vec<_> =
        view["recent"].as_array().unwrap().iter().map(|card| card["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!((&view["draft"], names), (&json!(""), vec!["Hostile", "Untouched"]));
}
