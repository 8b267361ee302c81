//! S-52: a layer under the database at which every n-th write, sync or open fails. Whatever fails, the caller gets a
//! named error, what was kept before is whole, and the same call succeeds once the fault is gone.

mod vfs;

use facsimile_agent::RunStatus;
use facsimile_store::{
    HistoryStore, NewAsset, NewRun, NewVersion, RunTurn, StoreError, VariantEnd, VersionKind,
};
use serde_json::json;
use tempfile::TempDir;

use crate::faults::vfs::{Fault, Operation};
use crate::support::{create_turn, events, file};

/// What one person does in a while, each step by itself; the first that fails ends it with its place.
fn steps(store: &HistoryStore, done: &mut usize) -> Result<(), StoreError> {
    let (mut step, before) = (0, *done);
    let mut is_due = || {
        step += 1;
        step > before
    };
    let named = |name: &str| -> Result<_, StoreError> {
        let found = store.projects().list()?.into_iter().find(|entry| entry.project.name == name);
        Ok(found.map(|entry| (entry.project.id, entry.runs.first().map(|run| run.id))))
    };
    if is_due() {
        if named("Shop")?.is_none() {
            store.projects().create("Shop")?;
        }
        *done = 1;
    }
    let (project, run) = named("Shop")?.unwrap();
    if is_due() {
        if run.is_none() {
            let turn = RunTurn::New(create_turn("build it"));
            let engines = vec!["offline".to_owned()];
            store.runs().begin(NewRun { project, turn, request: json!({}), engines })?;
        }
        *done = 2;
    }
    let run = named("Shop")?.unwrap().1.unwrap();
    if is_due() {
        if store.events().last_seq(run)? == 0 {
            store.events().append(run, events(1, 300))?;
        }
        store.flush()?;
        *done = 3;
    }
    if is_due() {
        store.assets().put_for(project, "", NewAsset::new(vec![7; 30_000], "image/png", "png"))?;
        *done = 4;
    }
    if is_due() {
        let files = vec![file("index.html", &"<p>words".repeat(2_000))];
        let (label, kind) = (String::new(), VersionKind::Result);
        store.versions().add_open(NewVersion { project, parent: None, made_by: None, label, kind, files })?;
        *done = 5;
    }
    if is_due() {
        let end = VariantEnd {
            files: vec![file("index.html", "<p>done")],
            ..VariantEnd::in_state(RunStatus::Succeeded)
        };
        store.runs().finish_variant(run, facsimile_agent::VariantIndex(0), end)?;
        *done = 6;
    }
    if is_due() {
        store.runs().finish(run, RunStatus::Succeeded)?;
        *done = 7;
    }
    Ok(())
}

fn is_named(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::DiskFull { .. }
            | StoreError::Io { .. }
            | StoreError::ReadOnly { .. }
            | StoreError::Database { .. }
    )
}

#[test]
fn every_nth_failing_operation_is_a_named_error_and_retrying_succeeds() {
    vfs::register();
    let kinds = [Fault::NoSpace, Fault::Io, Fault::Permission, Fault::Interrupted];
    let mut failures = 0;
    for operation in [Operation::Write, Operation::Sync, Operation::Open] {
        for fault in kinds {
            for nth in [1, 2, 3, 5, 8, 13, 21] {
                let case = format!("{operation:?} {nth} {fault:?}");
                let folder = TempDir::new().unwrap();
                // The folder's own schema is made in peace, except where opening is what fails.
                if operation != Operation::Open {
                    drop(HistoryStore::open(folder.path()).unwrap());
                }
                let faults = vfs::failing(folder.path(), operation, fault, nth);
                let mut done = 0;
                let mut store = None;
                for attempt in 0.. {
                    assert!(attempt < 40, "{case}: never done");
                    if attempt == 20 {
                        faults.clear();
                    }
                    let result = match &store {
                        Some(store) => steps(store, &mut done),
                        None => HistoryStore::open(folder.path()).map(|opened| store = Some(opened)),
                    };
                    match result {
                        Ok(()) if store.is_some() && done == 7 => break,
                        Ok(()) => {}
                        Err(error) => {
                            assert!(is_named(&error), "{case}: {error:?}");
                            failures += 1;
                        }
                    }
                }
                faults.clear();
                drop(store);

                let store = HistoryStore::open(folder.path()).unwrap();
                let entry = store.projects().list().unwrap().remove(0);
                let project = entry.project.id;
                let texts: Vec<_> = store
                    .versions()
                    .of_project(project)
                    .unwrap()
                    .iter()
                    .map(|version| store.versions().files(version.id).unwrap().remove(0).1.len())
                    .collect();
                let asset = store.assets().of_project(project).unwrap().remove(0).asset.id;
                assert_eq!(store.damage().unwrap(), Vec::<String>::new(), "{case}");
                assert_eq!(entry.latest_state(), Some(RunStatus::Succeeded), "{case}");
                assert_eq!(store.events().last_seq(entry.runs[0].id).unwrap(), 300, "{case}");
                assert_eq!(texts, [16_000, 7], "{case}");
                assert_eq!(store.assets().read(&asset).unwrap().len(), 30_000, "{case}");
            }
        }
    }
    assert!(failures > 60, "only {failures} operations failed");
}
