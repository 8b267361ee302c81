//! What the store says when it cannot: each refusal is named, and nothing kept before is lost.

use std::fs;
use std::path::Path;
use std::time::Duration;

use facsimile_agent::{RunId, RunStatus};
use facsimile_store::{HistoryStore, StoreError};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::support::{begin, events};

const AT_ONCE: Duration = Duration::from_millis(20);

fn database(folder: &Path) -> std::path::PathBuf {
    folder.join("facsimile.db")
}

fn store_with_run(folder: &Path) -> (HistoryStore, RunId) {
    let store = HistoryStore::open_with_patience(folder, AT_ONCE).unwrap();
    let project = store.projects().create("Shop").unwrap();
    let run = begin(&store, project, 1).run;
    (store, run)
}

#[test]
fn a_database_that_another_program_holds_is_named_and_events_wait_for_it() {
    let folder = TempDir::new().unwrap();
    let (store, run) = store_with_run(folder.path());
    let other = Connection::open(database(folder.path())).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();

    store.events().append(run, events(1, 20)).unwrap();
    let flushed = store.flush();
    let renamed = store.settings().set("theme", &"dark");
    let finished = store.runs().finish(run, RunStatus::Succeeded);
    let read = store.runs().get(run).map(|run| run.state);
    other.execute_batch("COMMIT").unwrap();
    store.flush().unwrap();

    for refusal in [flushed.err(), renamed.err(), finished.err()] {
        assert!(
            matches!(&refusal, Some(StoreError::Locked { path, .. }) if *path == database(folder.path())),
            "{refusal:?}"
        );
    }
    assert_eq!(read.unwrap(), RunStatus::Queued);
    assert_eq!(store.events().since(run, 0).unwrap().len(), 20);
}

#[test]
fn a_database_that_is_held_whole_cannot_be_opened_and_says_so() {
    let folder = TempDir::new().unwrap();
    drop(store_with_run(folder.path()));
    let other = Connection::open(database(folder.path())).unwrap();
    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT").unwrap();

    let opened = HistoryStore::open_with_patience(folder.path(), AT_ONCE);

    assert!(matches!(opened, Err(StoreError::Locked { .. })), "{opened:?}");
}

/// S-53: refused for writing, still there for reading.
#[test]
fn a_newer_schema_is_refused_for_writing_and_opens_for_reading() {
    let folder = TempDir::new().unwrap();
    drop(store_with_run(folder.path()));
    Connection::open(database(folder.path())).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let before = fs::read(database(folder.path())).unwrap();

    let opened = HistoryStore::open(folder.path());
    let after = fs::read(database(folder.path())).unwrap();
    let reading = HistoryStore::open_for_reading(folder.path()).unwrap();

    assert!(matches!(opened, Err(StoreError::NewerSchema { found: 99, .. })), "{opened:?}");
    assert!(before == after);
    assert_eq!(reading.projects().list().unwrap()[0].project.name, "Shop");
    let written = reading.projects().create("Other");
    assert!(matches!(written, Err(StoreError::OpenedForReading { .. })), "{written:?}");
}

#[test]
fn a_file_that_is_no_database_is_named_and_left_untouched() {
    let noise = |length: usize| (0..length).map(|n| (n * n * 31 + n * 7 + 3) as u8).collect::<Vec<_>>();
    for bytes in [noise(5), noise(100), noise(70_000), b"SQLite format 3\0".to_vec()] {
        let folder = TempDir::new().unwrap();
        fs::write(database(folder.path()), &bytes).unwrap();

        let opened = HistoryStore::open(folder.path());
        let reading = HistoryStore::open_for_reading(folder.path());

        assert!(
            matches!(&opened, Err(StoreError::Damaged { path, .. }) if *path == database(folder.path())),
            "{opened:?}"
        );
        assert!(reading.is_err());
        assert!(fs::read(database(folder.path())).unwrap() == bytes);
    }
}

#[test]
fn the_database_of_another_program_is_named_and_left_untouched() {
    let folder = TempDir::new().unwrap();
    Connection::open(database(folder.path())).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();

    let opened = HistoryStore::open(folder.path());

    assert!(matches!(opened, Err(StoreError::Damaged { .. })), "{opened:?}");
    let tables = "SELECT group_concat(name) FROM sqlite_schema";
    let left: String =
        Connection::open(database(folder.path())).unwrap().query_row(tables, (), |row| row.get(0)).unwrap();
    assert_eq!(left, "theirs");
}

/// S-54 in part: whatever is broken, the answer is a value or the named error, never a crash or nonsense.
#[test]
fn broken_pages_and_cut_files_give_the_named_error_or_sound_values() {
    let sound = TempDir::new().unwrap();
    let (store, run) = store_with_run(sound.path());
    store.events().append(run, (1..=400).map(|seq| (seq, "e".repeat(300))).collect()).unwrap();
    drop(store);
    let bytes = fs::read(database(sound.path())).unwrap();
    let mut named = 0;
    for case in 0..80_usize {
        let folder = TempDir::new().unwrap();
        let mut broken = bytes.clone();
        if case < 40 {
            let page = 4096 * (case * 7 % (bytes.len() / 4096));
            // The first bytes of the file say what it is; that they are checked is another test.
            broken[page.max(100)..page + 4096].iter_mut().for_each(|byte| *byte ^= 0x5A);
        } else {
            broken.truncate(bytes.len() * (case - 39) / 42);
        }
        fs::write(database(folder.path()), &broken).unwrap();

        let answers = HistoryStore::open(folder.path()).and_then(|store| {
            let names: Vec<_> =
                store.projects().list()?.into_iter().map(|entry| entry.project.name).collect();
            let events = store.events().since(run, 0)?;
            store.runs().get(run)?;
            store.settings().set("theme", &"dark")?;
            Ok((names, events.iter().all(|event| event.json == "e".repeat(300))))
        });

        match answers {
            Ok(values) => assert_eq!(values, (vec!["Shop".to_owned()], true), "case {case}"),
            Err(StoreError::Damaged { .. } | StoreError::NotFound { .. }) => named += 1,
            Err(other) => panic!("case {case}: {other:?}"),
        }
    }
    assert!(named > 40, "only {named} of 80 broken files were noticed");
}

#[test]
fn an_asset_whose_file_is_gone_or_cut_is_named() {
    let folder = TempDir::new().unwrap();
    let store = HistoryStore::open(folder.path()).unwrap();
    let asset =
        store.assets().put(facsimile_store::NewAsset::new(b"bytes".to_vec(), "image/png", "png")).unwrap();
    let path = folder.path().join("assets").join(&asset.id.as_str()[..2]).join(asset.id.as_str());

    fs::write(&path, "byte").unwrap();
    let cut = store.assets().read(&asset.id);
    fs::remove_file(&path).unwrap();
    let gone = store.assets().read(&asset.id);

    for refusal in [cut.err(), gone.err()] {
        assert!(
            matches!(&refusal, Some(StoreError::Damaged { path: named, .. }) if *named == path),
            "{refusal:?}"
        );
    }
}
