//! Whoever attaches, and whenever, sees the same events.

use std::sync::Arc;

use facsimile_agent::VariantIndex;
use facsimile_studio::{RunEvent, RunRequest, Studio, Typing};
use tokio::runtime::Handle;

use crate::support::{drawn, folded, request, rest, studio, taken};

fn stored(studio: &Studio, run: facsimile_agent::RunId) -> Vec<Arc<RunEvent>> {
    let rows = studio.store().events().since(run, 0).unwrap();
    rows.iter().map(|row| Arc::new(serde_json::from_str(&row.json).unwrap())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_stored_is_what_was_seen_live() {
    let studio = studio();
    let input = taken(&studio, "page.png", drawn());
    let run = studio.start_run(request(&[input], 2)).unwrap().run;

    let (snapshot, mut feed) = studio.attach(run).unwrap();
    let live = [snapshot.events, rest(&mut feed).await].concat();
    studio.ended(run).await.unwrap();

    assert_eq!(live, stored(&studio, run));
    let numbers: Vec<_> = live.iter().map(|event| event.seq).collect();
    assert_eq!(numbers, (1..=live.len() as u64).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn attaching_in_the_middle_misses_nothing_and_repeats_nothing() {
    let studio = studio();
    let input = taken(&studio, "page.png", drawn());
    let run = studio.start_run(request(&[input], 1)).unwrap().run;
    let (first, mut first_feed) = studio.attach(run).unwrap();
    let mut seen = first.events;
    let mut attached = Vec::new();
    while let Some(event) = first_feed.recv().await {
        seen.push(event);
        attached.push(studio.attach(run).unwrap());
    }

    assert!(!attached.is_empty());
    for (snapshot, mut feed) in attached {
        assert_eq!(snapshot.seq, snapshot.events.len() as u64);
        assert_eq!([snapshot.events, rest(&mut feed).await].concat(), seen);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn attaching_after_the_end_gives_everything_and_nothing_follows() {
    let studio = studio();
    let input = taken(&studio, "page.png", drawn());
    let started = studio.start_run(request(&[input], 1)).unwrap();
    studio.ended(started.run).await.unwrap();

    let (snapshot, mut feed) = studio.attach(started.run).unwrap();

    assert_eq!((rest(&mut feed).await, snapshot.project), (vec![], started.project));
    assert_eq!(snapshot.events, stored(&studio, started.run));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_of_an_earlier_start_is_replayed_from_what_is_kept() {
    let first = studio();
    let input = taken(&first, "page.png", drawn());
    let run = first.start_run(request(&[input], 1)).unwrap().run;
    first.ended(run).await.unwrap();
    let (live, _) = first.attach(run).unwrap();

    let second = Studio::over(first.store().clone(), Handle::current()).unwrap();
    let (replayed, mut feed) = second.attach(run).unwrap();

    assert_eq!((replayed.seq, replayed.events), (live.seq, live.events));
    assert_eq!(rest(&mut feed).await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watched_page_grows_to_the_same_files() {
    let studio = studio();
    let input = taken(&studio, "page.png", drawn());
    let mut files = Vec::new();
    for typing in [Typing::AtOnce, Typing::Watchable] {
        let run = studio.start_run(RunRequest { typing, ..request(&[input], 1) }).unwrap().run;
        let report = studio.ended(run).await.unwrap();
        let (snapshot, _) = studio.attach(run).unwrap();
        assert_eq!(folded(&snapshot.events, VariantIndex(0)), report.variants[0].files);
        files.push(report.variants[0].files.clone());
    }

    assert_eq!(files[0], files[1]);
}

#[tokio::test]
async fn a_run_that_never_was_cannot_be_attached_to_or_waited_for() {
    let studio = studio();
    let unknown = facsimile_agent::RunId::fresh();

    let attached = studio.attach(unknown).map(|_| ()).unwrap_err().to_string();
    let ended = studio.ended(unknown).await.unwrap_err().to_string();

    assert_eq!(attached, format!("there is no run {unknown}; it may have been deleted"));
    assert_eq!(ended, format!("there is no run {unknown}; list the projects to see which there are"));
}
