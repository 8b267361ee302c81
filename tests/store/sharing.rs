//! Several handles, several openers, and the end of the last handle.

use std::thread;
use std::time::{Duration, Instant};

use facsimile_agent::RunStatus;
use facsimile_store::HistoryStore;
use proptest::prelude::*;
use tempfile::TempDir;

use crate::support::{begin, events};

/// Typically a tenth of a second.
const HANG_GUARD: Duration = Duration::from_secs(30);

#[test]
fn dropping_the_last_handle_saves_what_was_appended() {
    let folder = TempDir::new().unwrap();
    let store = HistoryStore::open(folder.path()).unwrap();
    let project = store.projects().create("Shop").unwrap();
    let run = begin(&store, project, 1).run;
    let second = store.clone();
    store.events().append(run, events(1, 500)).unwrap();
    drop(store);
    second.events().append(run, events(501, 600)).unwrap();
    drop(second);

    let reopened = HistoryStore::open(folder.path()).unwrap();

    assert_eq!(reopened.events().last_seq(run).unwrap(), 600);
    let mut left: Vec<_> = std::fs::read_dir(folder.path().join("live"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left.len(), 1, "the mark of the closed store stays: {left:?}");
}

#[test]
fn events_are_saved_soon_without_being_asked_for() {
    let folder = TempDir::new().unwrap();
    let store = HistoryStore::open(folder.path()).unwrap();
    let project = store.projects().create("Shop").unwrap();
    let run = begin(&store, project, 1).run;
    store.events().append(run, events(1, 5)).unwrap();

    let begun = Instant::now();
    while store.events().last_seq(run).unwrap() < 5 {
        assert!(begun.elapsed() < HANG_GUARD, "the events are never saved");
        thread::yield_now();
    }
}

#[test]
fn handles_on_many_threads_write_without_losing_anything() {
    let folder = TempDir::new().unwrap();
    let store = HistoryStore::open(folder.path()).unwrap();
    let project = store.projects().create("Shop").unwrap();
    let runs: Vec<_> = (0..4).map(|_| begin(&store, project, 1).run).collect();

    thread::scope(|scope| {
        for &run in &runs {
            let store = store.clone();
            scope.spawn(move || {
                for seq in 1..=200 {
                    store.events().append(run, events(seq, seq)).unwrap();
                    if seq % 20 == 0 {
                        store.settings().set(&run.to_string(), &seq).unwrap();
                        assert_eq!(store.events().last_seq(run).unwrap(), seq);
                    }
                }
            });
        }
    });

    store.flush().unwrap();
    let saved: Vec<_> = runs.iter().map(|run| store.events().last_seq(*run).unwrap()).collect();
    assert_eq!(saved, [200; 4]);
}

/// S-55 in part: two programs on one data folder.
#[test]
fn two_openers_share_one_folder_and_the_second_leaves_the_firsts_run_alone() {
    let folder = TempDir::new().unwrap();
    let first = HistoryStore::open(folder.path()).unwrap();
    let project = first.projects().create("Shop").unwrap();
    let run = begin(&first, project, 1).run;
    let second = HistoryStore::open(folder.path()).unwrap();

    let while_first_lives = second.recover_interrupted().unwrap().len();
    second.events().append(run, events(1, 1)).unwrap();
    second.flush().unwrap();
    let seen_by_first = first.events().last_seq(run).unwrap();
    drop(first);
    let recovered: Vec<_> = second.recover_interrupted().unwrap().iter().map(|r| (r.run, r.state)).collect();

    assert_eq!((while_first_lives, seen_by_first), (0, 1));
    assert_eq!(recovered, [(run, RunStatus::Interrupted)]);
}

#[test]
fn openers_that_meet_on_a_fresh_folder_all_get_in() {
    for _ in 0..10 {
        let folder = TempDir::new().unwrap();

        let opened: Vec<_> = thread::scope(|scope| {
            let openers: Vec<_> = (0..6).map(|_| scope.spawn(|| HistoryStore::open(folder.path()))).collect();
            openers.into_iter().map(|opener| opener.join().unwrap()).collect()
        });

        let refusals: Vec<_> = opened.iter().filter_map(|store| store.as_ref().err()).collect();
        assert!(refusals.is_empty(), "{refusals:?}");
        for store in opened.iter().flatten() {
            store.projects().create("Shop").unwrap();
        }
        assert_eq!(opened[0].as_ref().unwrap().projects().list().unwrap().len(), 6);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_is_appended_what_is_kept_is_a_gapless_beginning(
        groups in proptest::collection::vec((1_u64..12, 0_u64..5), 1..20),
    ) {
        let store = HistoryStore::in_memory().unwrap();
        let project = store.projects().create("Shop").unwrap();
        let run = begin(&store, project, 1).run;
        let mut expected = 0;
        let mut refused = false;
        for (from, count) in groups {
            store.events().append(run, events(from, from + count)).unwrap();
            match from == expected + 1 {
                true => expected = from + count,
                false => refused = true,
            }
        }

        let flushed = store.flush();

        prop_assert_eq!(flushed.is_err(), refused);
        let kept: Vec<_> = store.events().since(run, 0).unwrap().into_iter().map(|event| event.seq).collect();
        prop_assert_eq!(kept, (1..=expected).collect::<Vec<_>>());
    }
}
