//! What a page in its frame can reach: nothing.

use std::collections::BTreeSet;

use serde_json::json;

use crate::room::Room;
use crate::window::Window;

/// Every context that must have come to life, so that the test has tried from there. Frames within the frame
/// are refused as a whole.
const CONTEXTS: [&str; 6] =
    ["event handler", "javascript link", "page", "rewritten page", "svg script", "worker"];

#[tokio::test]
async fn s_01_s_02_s_03_s_05_nothing_of_the_program_is_within_reach_of_a_page() {
    let room = Room::new();
    let other = room.project("Untouched", &[("index.html", "<h1>Untouched</h1>")]);
    let page = include_str!("pages/reach.html").replace("@PROJECT@", &other.to_string());
    room.project("Hostile", &[("index.html", &page)]);
    let window = Window::open(&room).await;
    let report = window.report_of("Hostile").await;
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

/// No command that the page called has run.
async fn nothing_was_done(window: &Window) {
    let view = window.invoke("start_view", json!({})).await.unwrap();
    let mut names: Vec<_> =
        view["recent"].as_array().unwrap().iter().map(|card| card["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!((&view["draft"], names), (&json!(""), vec!["Hostile", "Untouched"]));
}
