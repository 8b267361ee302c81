//! Folders and files that this user may not write.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use facsimile_store::{HistoryStore, StoreError};
use tempfile::TempDir;

use crate::child::{order, orders, said, say};

const THIS_TEST: &str = "permissions::a_place_that_cannot_be_written_is_named_and_kept_as_it_is";
const NOBODY: u32 = 65_534;

fn allow(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Opens the store in a child that permissions hold for: root is not held by any.
fn opened_by_a_plain_user(room: &Path, data: &Path) -> Vec<String> {
    let program = room.join("child");
    if !program.exists() {
        // Not by us: a file that this process writes while another thread forks cannot be run.
        let copied = Command::new("cp").arg(std::env::current_exe().unwrap()).arg(&program).status().unwrap();
        assert!(copied.success());
        allow(&program, 0o755);
    }
    let mut command = Command::new(&program);
    order(&mut command, THIS_TEST, data, "open");
    if fs::metadata(room).unwrap().uid() == 0 {
        command.uid(NOBODY).gid(NOBODY);
    }
    said(&command.current_dir(room).output().unwrap().stdout)
}

#[test]
fn a_place_that_cannot_be_written_is_named_and_kept_as_it_is() {
    if let Some(orders) = orders() {
        match HistoryStore::open(&orders.folder) {
            Err(StoreError::ReadOnly { path, .. }) => say(&format!("read-only {}", path.display())),
            other => say(&format!("{other:?}")),
        }
        return;
    }
    let room = TempDir::new().unwrap();
    allow(room.path(), 0o755);
    let data = room.path().join("data");
    let store = HistoryStore::open(&data).unwrap();
    store.projects().create("Shop").unwrap();
    drop(store);
    let database = data.join("facsimile.db");
    let folders = ["assets", "backups", "live", "logs"].map(|name| data.join(name));

    allow(&data, 0o555);
    folders.iter().for_each(|folder| allow(folder, 0o555));
    let whole_folder = opened_by_a_plain_user(room.path(), &data);
    allow(&data, 0o777);
    folders.iter().for_each(|folder| allow(folder, 0o777));
    allow(&database, 0o444);
    let one_file = opened_by_a_plain_user(room.path(), &data);
    allow(&database, 0o600);
    let closed = room.path().join("closed");
    fs::create_dir(&closed).unwrap();
    allow(&closed, 0o555);
    let no_folder = opened_by_a_plain_user(room.path(), &closed.join("data"));

    let read_only = |path: &Path| vec![format!("read-only {}", path.display())];
    assert_eq!(
        (whole_folder, one_file, no_folder),
        (read_only(&database), read_only(&database), read_only(&closed.join("data").join("assets")))
    );
    let kept = HistoryStore::open(&data).unwrap();
    assert_eq!((kept.projects().list().unwrap().len(), kept.damage().unwrap()), (1, vec![]));
}
