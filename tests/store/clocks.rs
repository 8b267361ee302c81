//! S-55: the clock goes back a year. Order is by insertion, ends are by state: no time decides anything but ages.

use std::fs;

use facsimile_agent::RunStatus;
use facsimile_store::{HistoryStore, NewAsset, NewVersion, Swept, VersionKind};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::support::{begin, events, file};

const YEAR_MS: i64 = 365 * 24 * 60 * 60 * 1000;

#[test]
fn a_clock_that_goes_back_a_year_changes_no_order_and_loses_nothing() {
    let folder = TempDir::new().unwrap();
    let store = HistoryStore::open(folder.path()).unwrap();
    let project = store.projects().create("Shop").unwrap();
    let version = |store: &HistoryStore, text: &str| {
        let files = vec![file("index.html", text)];
        let (label, kind) = (String::new(), VersionKind::Result);
        store
            .versions()
            .add_open(NewVersion { project, parent: None, made_by: None, label, kind, files })
            .unwrap()
    };
    let before = version(&store, "before");
    let run = begin(&store, project, 1).run;
    store.events().append(run, events(1, 3)).unwrap();
    let in_flight = store.assets().put(NewAsset::new(vec![1], "image/png", "png")).unwrap();
    drop(store);
    // All that was written so far was written by a clock a year ahead.
    let database = Connection::open(folder.path().join("facsimile.db")).unwrap();
    let ahead = [
        "UPDATE projects SET created_at_ms = created_at_ms + ?1, updated_at_ms = updated_at_ms + ?1",
        "UPDATE versions SET created_at_ms = created_at_ms + ?1",
        "UPDATE runs SET started_at_ms = started_at_ms + ?1",
        "UPDATE assets SET created_at_ms = created_at_ms + ?1, put_at_ms = put_at_ms + ?1",
    ];
    for sql in ahead {
        database.execute(sql, [YEAR_MS]).unwrap();
    }
    drop(database);

    let store = HistoryStore::open(folder.path()).unwrap();
    let recovered: Vec<_> =
        store.recover_interrupted().unwrap().iter().map(|found| (found.run, found.state)).collect();
    let after = version(&store, "after");
    store.events().append(run, events(4, 5)).unwrap();
    store.flush().unwrap();

    assert_eq!(recovered, [(run, RunStatus::Interrupted)]);
    let order: Vec<_> = store.versions().of_project(project).unwrap().iter().map(|v| v.id).collect();
    assert_eq!((order, store.versions().latest(project).unwrap().unwrap().id), (vec![before, after], after));
    assert_eq!(store.steps().undo(project).unwrap().version, Some(before));
    assert_eq!(store.events().last_seq(run).unwrap(), 5);
    assert_eq!(store.assets().sweep_orphans().unwrap(), Swept::default());
    assert_eq!(store.assets().read(&in_flight.id).unwrap(), [1]);
    assert_eq!(store.damage().unwrap(), Vec::<String>::new());
    assert!(fs::exists(folder.path().join("facsimile.db")).unwrap());
}
