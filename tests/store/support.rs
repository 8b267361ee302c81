//! What several tests need.

use facsimile_agent::{ProjectId, ProjectPath};
use facsimile_store::{BegunRun, HistoryStore, NewRun, NewTurn, RunTurn, TurnKind};
use serde_json::json;
use tempfile::TempDir;

/// A store in a folder of its own, and one in memory: what holds for one must hold for the other.
pub fn both_places() -> [(HistoryStore, Option<TempDir>); 2] {
    let folder = TempDir::new().unwrap();
    let on_disk = HistoryStore::open(folder.path()).unwrap();
    [(on_disk, Some(folder)), (HistoryStore::in_memory().unwrap(), None)]
}

pub fn create_turn(instruction: &str) -> NewTurn {
    NewTurn { kind: TurnKind::Create, instruction: instruction.to_owned(), parent_version: None }
}

/// A run of so many variants for a first turn.
pub fn begin(store: &HistoryStore, project: ProjectId, variants: usize) -> BegunRun {
    store
        .runs()
        .begin(NewRun {
            project,
            turn: RunTurn::New(create_turn("build it")),
            request: json!({"text": "build it"}),
            engines: (1..=variants).map(|n| format!("engine-{n}")).collect(),
        })
        .unwrap()
}

pub fn file(path: &str, text: &str) -> (ProjectPath, String) {
    (ProjectPath::parse(path).unwrap(), text.to_owned())
}

/// Events `from..=to` of a run.
pub fn events(from: u64, to: u64) -> Vec<(u64, String)> {
    (from..=to).map(|seq| (seq, format!("{{\"seq\":{seq}}}"))).collect()
}
