//! A disk without room: the refusal is named, and what was refused is saved once there is room again.

use std::fs;
use std::process::Command;

use facsimile_store::{HistoryStore, NewAsset, StoreError};
use tempfile::TempDir;

use crate::child::{Orders, order, orders, said, say};
use crate::support::{begin, events};

const BALLAST_BYTES: usize = 512 * 1024;

/// A small disk of the child's own.
const SMALL_DISK: &str = r#"mount -t tmpfs -o size=2m none "$0" && exec "$@""#;
/// A limit that the child can lift again: files end at 1 MiB, and writing further is an error, not a signal.
const SHORT_FILES: &str = r#"trap '' XFSZ; ulimit -S -f 2048 && exec "$@""#;

fn play(orders: &Orders) {
    let ballast = orders.folder.join("ballast");
    fs::write(&ballast, vec![1; BALLAST_BYTES]).unwrap();
    let data = orders.folder.join("data");
    let store = HistoryStore::open(&data).unwrap();
    let project = store.projects().create("Shop").unwrap();
    let run = begin(&store, project, 1).run;
    store.events().append(run, events(1, 10)).unwrap();
    store.flush().unwrap();
    let mut last = 10;
    let refused = loop {
        last += 1;
        assert!(last < 1_000, "nothing was ever refused");
        store.events().append(run, vec![(last, "e".repeat(8 * 1024))]).unwrap();
        if let Err(error) = store.flush() {
            break error;
        }
    };
    let asset = store.assets().put(NewAsset::new(vec![7; 4 * 1024 * 1024], "image/png", "png"));
    for error in [Some(refused), asset.err(), store.projects().rename(project, &"n".repeat(80_000)).err()] {
        match error {
            Some(StoreError::DiskFull { .. }) => say("full"),
            other => say(&format!("{other:?}")),
        }
    }
    match orders.part.as_str() {
        "small disk" => fs::remove_file(ballast).unwrap(),
        _ => {
            let own = std::process::id().to_string();
            let lifted =
                Command::new("prlimit").args(["--fsize=unlimited:", "--pid", &own]).status().unwrap();
            assert!(lifted.success());
        }
    }
    store.flush().unwrap();
    store.assets().put_for(project, "small", NewAsset::new(vec![7; 4 * 1024], "image/png", "png")).unwrap();
    drop(store);
    let store = HistoryStore::open(&data).unwrap();
    let saved = store.events().since(run, 0).unwrap();
    let gapless = saved.iter().map(|event| event.seq).eq(1..=last);
    let swept = store.assets().sweep_orphans().unwrap();
    let asset = store.assets().read(&store.assets().of_project(project).unwrap()[0].asset.id).unwrap();
    let name = store.projects().get(project).unwrap().name;
    say(&format!("{gapless} {} {name} {:?} {:?}", asset.len(), store.damage().unwrap(), swept));
}

/// What a child said that ran in a shell's surroundings; `None` if they could not be made.
fn played(shell: &[&str], script: &str, test: &str, part: &str) -> Option<Vec<String>> {
    let folder = TempDir::new().unwrap();
    let mut command = Command::new(shell[0]);
    command.args(&shell[1..]).args(["-c", script]).arg(folder.path()).arg(std::env::current_exe().unwrap());
    let output = order(&mut command, test, folder.path(), part).output().ok()?;
    let has_started = !output.stdout.is_empty();
    assert!(output.status.success() || !has_started, "{}", String::from_utf8_lossy(&output.stdout));
    has_started.then(|| said(&output.stdout))
}

fn refused_then_saved() -> Option<Vec<String>> {
    let lines = ["full", "full", "full", "true 4096 Shop [] Swept { rows: 0, files: 0 }"];
    Some(lines.map(str::to_owned).to_vec())
}

#[test]
fn a_file_size_limit_is_named_and_refused_events_are_saved_when_it_is_lifted() {
    let this_test = "full_disk::a_file_size_limit_is_named_and_refused_events_are_saved_when_it_is_lifted";
    if let Some(orders) = orders() {
        return play(&orders);
    }

    let lines = played(&["sh"], SHORT_FILES, this_test, "short files");

    assert_eq!(lines, refused_then_saved());
}

#[test]
fn a_full_disk_is_named_and_refused_events_are_saved_when_there_is_room() {
    let this_test = "full_disk::a_full_disk_is_named_and_refused_events_are_saved_when_there_is_room";
    if let Some(orders) = orders() {
        return play(&orders);
    }

    // Making a disk takes rights, of root or of a user's own namespace. Without either the limit stands in.
    let lines = [["unshare", "-m", "sh"], ["unshare", "-rm", "sh"]]
        .into_iter()
        .find_map(|shell| played(&shell, SMALL_DISK, this_test, "small disk"))
        .or_else(|| played(&["sh"], SHORT_FILES, this_test, "short files"));

    assert_eq!(lines, refused_then_saved());
}
