//! How long the store takes where a person waits for it: opening a long history, saving what streams in, starting
//! beside many projects.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a bench that cannot run has nothing to say
#![allow(missing_docs)]

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use facsimile_agent::{ProjectId, ProjectPath};
use facsimile_store::{HistoryStore, NewRun, NewTurn, NewVersion, RunTurn, TurnKind, VersionKind};
use serde_json::{Value, json};
use tempfile::TempDir;

const VERSIONS: usize = 200;
const EVENTS: u64 = 10_000;
const PROJECTS: usize = 500;
const BATCHES: u64 = 301;
/// What a frame of streamed text makes, gathered for a tenth of a second.
const EVENTS_PER_BATCH: u64 = 12;
const TRIES: usize = 7;

fn main() {
    open_a_long_project();
    append_batches();
    start_beside_many_projects();
}

fn print(name: &str, value: f64, unit: &str, bar: f64) {
    let line = json!({ "name": name, "value": value, "unit": unit, "yardstick": bar, "ratio": value / bar });
    println!("{line}");
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

fn timed(work: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    work();
    begun.elapsed().as_secs_f64()
}

fn begin(store: &HistoryStore, project: ProjectId) -> facsimile_agent::RunId {
    let turn = NewTurn { kind: TurnKind::Create, instruction: "build it".into(), parent_version: None };
    let engines = vec!["offline".to_owned()];
    store.runs().begin(NewRun { project, turn: RunTurn::New(turn), request: json!({}), engines }).unwrap().run
}

fn event(seq: u64) -> (u64, String) {
    let text = "<p class=\"line\">some words of a page</p>";
    (
        seq,
        json!({"type": "setCode", "seq": seq, "path": "index.html", "base": seq * 40, "text": text})
            .to_string(),
    )
}

fn open_a_long_project() {
    let folder = TempDir::new().unwrap();
    let store = HistoryStore::open(folder.path()).unwrap();
    let project = store.projects().create("Long").unwrap();
    let run = begin(&store, project);
    store.events().append(run, (1..=EVENTS).map(event).collect()).unwrap();
    let page = "<p class=\"line\">some words of a page</p>\n".repeat(1_500);
    for n in 0..VERSIONS {
        let files = vec![(ProjectPath::parse("index.html").unwrap(), format!("{page}{n}"))];
        let (label, kind) = (String::new(), VersionKind::Result);
        let version = store.versions().add_open(NewVersion {
            project,
            parent: None,
            made_by: None,
            label,
            kind,
            files,
        });
        store.scores().set(version.unwrap(), 90.0, json!({})).unwrap();
    }
    drop(store);
    let seconds = (0..TRIES).map(|_| timed(|| open_project(folder.path(), project)));
    print("store/open_project/200versions/10000events", median(seconds.collect()), "s", 1.0);
}

/// All that a window asks of a project it opens.
fn open_project(folder: &Path, project: ProjectId) {
    let store = HistoryStore::open_or_salvage(folder).unwrap();
    store.recover_interrupted().unwrap();
    black_box(store.inputs().of_project(project).unwrap());
    black_box(store.turns().of_project(project).unwrap());
    black_box(store.versions().with_pins(project).unwrap());
    black_box(store.scores().of_project(project).unwrap());
    black_box(store.tasks().of_project(project).unwrap());
    let open = store.steps().standing(project).unwrap().version.unwrap();
    black_box(store.versions().files(open).unwrap());
    for run in store.runs().of_project(project).unwrap() {
        for event in store.events().since(run.id, 0).unwrap() {
            black_box(serde_json::from_str::<Value>(&event.json).unwrap());
        }
    }
}

fn append_batches() {
    let folder = TempDir::new().unwrap();
    let store = HistoryStore::open(folder.path()).unwrap();
    let project = store.projects().create("Streamed").unwrap();
    let run = begin(&store, project);
    let batch =
        |n: u64| (n * EVENTS_PER_BATCH + 1..=(n + 1) * EVENTS_PER_BATCH).map(event).collect::<Vec<_>>();
    let seconds = (0..BATCHES).map(|n| {
        let events = batch(n);
        timed(|| {
            store.events().append(run, events).unwrap();
            store.flush().unwrap();
        })
    });
    print("store/append_batch", median(seconds.collect()) * 1e3, "ms", 2.0);
}

fn start_beside_many_projects() {
    let started = |folder: &Path| {
        let store = HistoryStore::open_or_salvage(folder).unwrap();
        store.recover_interrupted().unwrap();
        black_box(store.projects().list().unwrap());
    };
    let (empty, full) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    drop(HistoryStore::open(empty.path()).unwrap());
    let store = HistoryStore::open(full.path()).unwrap();
    for n in 0..PROJECTS {
        let project = store.projects().create(&format!("Project {n}")).unwrap();
        let run = begin(&store, project);
        store.events().append(run, (1..=20).map(event).collect()).unwrap();
        let files = vec![(ProjectPath::parse("index.html").unwrap(), format!("<p>{n}").repeat(400))];
        let (label, kind) = (String::new(), VersionKind::Result);
        store
            .versions()
            .add_open(NewVersion { project, parent: None, made_by: None, label, kind, files })
            .unwrap();
        store.runs().finish(run, facsimile_agent::RunStatus::Succeeded).unwrap();
    }
    drop(store);
    let of = |folder: &Path| median((0..TRIES).map(|_| timed(|| started(folder))).collect());
    print("store/start/500projects/added", (of(full.path()) - of(empty.path())) * 1e3, "ms", 100.0);
}
