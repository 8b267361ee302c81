//! Runs: how they end, what they keep, how they are stopped.

use facsimile_agent::{InputId, ProjectId, RunId, RunStatus, VariantIndex};
use facsimile_store::VersionKind;
use facsimile_studio::{RunReport, RunRequest, Studio, Which};

use crate::support::{drawn, ends, folded, request, shop, studio, taken, thought};

use RunStatus::{Cancelled, StoppedAtLimit, Succeeded};

/// What a run ended with, told in four ways that must agree: the report, the store, the events, the files.
async fn ended(studio: &Studio, run: RunId, state: RunStatus, variants: &[RunStatus]) -> RunReport {
    let report = studio.ended(run).await.unwrap().as_ref().clone();
    let kept = studio.store().runs().get(run).unwrap();
    let (snapshot, _) = studio.attach(run).unwrap();
    let reported: Vec<_> = report.variants.iter().map(|variant| variant.state).collect();
    let stored: Vec<_> = kept.variants.iter().map(|variant| variant.state).collect();
    assert_eq!((report.state, kept.state), (state, state));
    assert_eq!((reported.as_slice(), stored.as_slice()), (variants, variants));
    let mut told = ends(&snapshot.events);
    assert_eq!(told.pop(), Some((None, state)), "the run's own end comes last");
    told.sort_by_key(|(variant, _)| *variant);
    assert_eq!(told, (0..).map(Some).zip(variants.iter().copied()).collect::<Vec<_>>());
    for (variant, stored) in report.variants.iter().zip(&kept.variants) {
        assert_eq!(folded(&snapshot.events, variant.index), variant.files);
        assert_eq!((variant.version, variant.version.is_some()), (stored.version, !variant.files.is_empty()));
        if let Some(version) = variant.version {
            assert_eq!(studio.files_of(run, variant.index).unwrap(), (report.project, variant.files.clone()));
            assert_eq!(studio.store().versions().get(version).unwrap().kind, VersionKind::Result);
        }
    }
    report
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_ends_once_with_the_files_it_has_shown() {
    let studio = studio();
    let input = taken(&studio, "page.png", drawn());
    let started = studio.start_run(request(&[input], 1)).unwrap();

    let report = ended(&studio, started.run, Succeeded, &[Succeeded]).await;

    let variant = &report.variants[0];
    let paths: Vec<_> = variant.files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["index.html", "styles.css"]);
    assert_eq!(
        (report.project, variant.engine.as_str(), variant.cost_usd),
        (started.project, "offline", Some(0.0))
    );
    assert_eq!(variant.message, "Traced page.png: 0 lines of text, 2 boxes, 1 picture.");
    assert_eq!(variant.failure, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn four_variants_end_each_on_its_own_and_alike() {
    let studio = studio();
    let input = taken(&studio, "page.png", drawn());
    let run = studio.start_run(request(&[input], 4)).unwrap().run;

    let report = ended(&studio, run, Succeeded, &[Succeeded; 4]).await;

    assert!(report.variants.iter().all(|variant| variant.files == report.variants[0].files));
    let indices: Vec<_> = report.variants.iter().map(|variant| variant.index.0).collect();
    assert_eq!(indices, [0, 1, 2, 3]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_run_goes_on_with_the_project_it_names() {
    let studio = studio();
    let input = taken(&studio, "page.png", drawn());
    let first = studio.start_run(request(&[input], 1)).unwrap();
    studio.ended(first.run).await.unwrap();
    let again = taken(&studio, "again.png", drawn());

    let second =
        studio.start_run(RunRequest { project_id: Some(first.project), ..request(&[again], 1) }).unwrap();

    ended(&studio, second.run, Succeeded, &[Succeeded]).await;
    let runs: Vec<_> = studio.runs_of(first.project).unwrap().iter().map(|run| run.id).collect();
    assert_eq!((second.project, runs), (first.project, vec![first.run, second.run]));
    assert_eq!(studio.projects().unwrap().len(), 1);
}

// Of one thread, so that nothing has begun when the stop is asked for.
#[tokio::test]
async fn stopping_one_variant_leaves_the_others_at_work() {
    let studio = studio();
    let input = taken(&studio, "page.png", drawn());
    let run = studio.start_run(request(&[input], 3)).unwrap().run;

    studio.cancel(run, Which::Only(VariantIndex(1)));

    let report = ended(&studio, run, Succeeded, &[Succeeded, Cancelled, Succeeded]).await;
    assert!(report.variants[1].files.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_a_run_stops_all_its_variants_in_the_midst_of_looking() {
    let studio = studio();
    let input = taken(&studio, "shop.png", shop());
    let run = studio.start_run(request(&[input], 2)).unwrap().run;
    thought(&studio, run, "Looking for text").await;

    studio.cancel(run, Which::All);

    let report = ended(&studio, run, Cancelled, &[Cancelled, Cancelled]).await;
    assert!(report.variants.iter().all(|variant| variant.files.is_empty()));
    let refused = studio.files_of(run, VariantIndex(0)).unwrap_err().to_string();
    assert_eq!(refused, "option 1 of this run has no files to export");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_stopped_at_its_second_page_keeps_the_first() {
    let studio = studio();
    let inputs = [taken(&studio, "page.png", drawn()), taken(&studio, "shop.png", shop())];
    let run = studio.start_run(request(&inputs, 1)).unwrap().run;
    thought(&studio, run, "Looking at shop.png").await;

    studio.cancel(run, Which::All);

    let report = ended(&studio, run, Cancelled, &[Cancelled]).await;
    let paths: Vec<_> = report.variants[0].files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["index.html"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_what_has_ended_or_never_was_changes_nothing() {
    let studio = studio();
    let input = taken(&studio, "page.png", drawn());
    let run = studio.start_run(request(&[input], 1)).unwrap().run;
    studio.ended(run).await.unwrap();
    let (before, _) = studio.attach(run).unwrap();

    studio.cancel(run, Which::All);
    studio.cancel(run, Which::Only(VariantIndex(7)));
    studio.cancel(RunId::fresh(), Which::All);

    ended(&studio, run, Succeeded, &[Succeeded]).await;
    assert_eq!(studio.attach(run).unwrap().0.events, before.events);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_of_rounds_keeps_the_files_so_far() {
    let studio = studio();
    let input = taken(&studio, "page.png", drawn());
    let run = studio.start_run(RunRequest { max_rounds: Some(1), ..request(&[input], 1) }).unwrap().run;

    let report = ended(&studio, run, StoppedAtLimit, &[StoppedAtLimit]).await;

    assert_eq!(report.variants[0].files.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_of_time_ends_a_run_that_takes_longer() {
    let studio = studio();
    let input = taken(&studio, "shop.png", shop());
    let run = studio.start_run(RunRequest { timeout_ms: Some(1), ..request(&[input], 1) }).unwrap().run;

    ended(&studio, run, StoppedAtLimit, &[StoppedAtLimit]).await;
}

#[tokio::test]
async fn a_request_that_is_refused_leaves_no_project() {
    let studio = studio();
    let input = taken(&studio, "page.png", drawn());
    let usual = request(&[input], 1);
    let refused = [
        request(&[], 1),
        RunRequest { text: "a shop".into(), ..request(&[], 1) },
        RunRequest { engines: vec!["offline".into(), "openai:x".into()], ..usual.clone() },
        RunRequest { engines: vec!["magic".into()], ..usual.clone() },
        RunRequest { stack: Some("bootstrap".into()), ..usual.clone() },
        RunRequest { max_rounds: Some(0), ..usual.clone() },
        RunRequest { project_id: Some(ProjectId::fresh()), ..usual.clone() },
        request(&[input, InputId::fresh()], 1),
        request(&[input; 11], 1),
        request(&[input], 5),
    ];
    for request in refused {
        assert!(studio.start_run(request.clone()).is_err(), "{request:?}");
    }
    assert_eq!(studio.projects().unwrap(), []);
    assert_eq!(studio.store().inputs().get(input).unwrap().project, None);
}
