//! S-58: much of everything is listed, opened and shown whole.

use facsimile_agent::{ProjectFiles, ProjectId, ProjectPath, RunStatus, VariantIndex};
use facsimile_store::{HistoryStore, NewRun, NewTurn, RunTurn, TurnKind, VariantEnd};
use facsimile_studio::Studio;
use facsimile_studio::preview::PreviewSource;
use serde_json::json;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::runtime::Handle;

const PROJECTS: usize = 500;
const VERSIONS: usize = 2_000;
const EVENTS: u64 = 10_000;
const PAGE_BYTES: usize = 1_000_000;

fn index() -> ProjectPath {
    ProjectPath::parse("index.html").unwrap()
}

/// A run of so many events that ended with a page.
fn add_run(store: &HistoryStore, project: ProjectId, page: &str) {
    let turn = NewTurn { kind: TurnKind::Create, instruction: "A long one".into(), parent_version: None };
    let engines = vec!["offline".to_owned()];
    let run = store
        .runs()
        .begin(NewRun { project, turn: RunTurn::New(turn), request: json!({}), engines })
        .unwrap()
        .run;
    let event = |seq: u64| {
        let body = json!({"runId": run, "variantIndex": 0, "seq": seq, "type": "thinking", "eventId": "t-0-00000001", "text": "so "});
        (seq, body.to_string())
    };
    store.events().append(run, (1..=EVENTS).map(event).collect()).unwrap();
    let files = vec![(index(), page.to_owned())];
    let end = VariantEnd { files, ..VariantEnd::in_state(RunStatus::Succeeded) };
    store.runs().finish_variant(run, VariantIndex(0), end).unwrap();
    store.runs().finish(run, RunStatus::Succeeded).unwrap();
}

#[tokio::test]
async fn ten_thousand_events_two_thousand_versions_and_five_hundred_projects_are_all_there() {
    let folder = TempDir::new().unwrap();
    let studio = Studio::open(folder.path(), Handle::current()).unwrap();
    let store = studio.store();
    for n in 0..PROJECTS {
        store.projects().create(&format!("Project {n}")).unwrap();
    }
    let large = store.projects().create("Large").unwrap();
    let page = format!("<!doctype html><title>Large</title>{}", "<p>word</p>".repeat(PAGE_BYTES / 11));
    add_run(store, large, &page);
    for n in 1..VERSIONS {
        let files: ProjectFiles = [(index(), format!("<p>{n}</p>"))].into_iter().collect();
        studio.keep_edit(large, "", &files).unwrap();
    }
    drop(studio);

    let studio = Studio::open(folder.path(), Handle::current()).unwrap();

    let start = studio.start_view().unwrap();
    assert_eq!((start.recent.len(), start.project_count), (12, PROJECTS + 1));
    assert_eq!(studio.project_cards().unwrap().len(), PROJECTS + 1);
    let view = studio.project_view(large).unwrap();
    let (snapshot, _) = studio.attach(view.runs[0].id).unwrap();
    assert_eq!((snapshot.seq, snapshot.events.len() as u64), (EVENTS, EVENTS));
    let history = studio.history_view(large).unwrap();
    let numbers: Vec<_> = history.versions.iter().map(|version| version.number).collect();
    assert_eq!(numbers, (1..=VERSIONS).collect::<Vec<_>>());
    assert!(history.versions.windows(2).all(|pair| pair[1].parent == Some(pair[0].id)));
    let standing = (history.standing.open, history.standing.undoable as usize);
    assert_eq!(standing, (Some(history.versions[VERSIONS - 1].id), VERSIONS - 1));
    let first = history.versions[0].id;
    studio.step_to(large, first).unwrap();
    assert_eq!(studio.open_version(large).unwrap().unwrap().1.read(&index()), Some(page.as_str()));
    let source = PreviewSource::new(Arc::new(studio.clone()));
    let shown = source.respond(&format!("/version/{first}/index.html"));
    assert_eq!(String::from_utf8_lossy(&shown.bytes).matches(">word</p>").count(), PAGE_BYTES / 11);
    assert_eq!(studio.compare(large, first, history.versions[1].id).unwrap().len(), 1);
}
