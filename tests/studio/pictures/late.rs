//! Pictures that are done when their option has ended long ago.

use std::time::Duration;

use facsimile_agent::{ProjectPath, RunId, RunStatus, VariantIndex};
use facsimile_providers::media::PictureVendor;
use facsimile_store::{Spent, Task, TaskState};
use facsimile_studio::preview::{PreviewFiles, Shown};
use facsimile_studio::tasks::{OptionCost, TaskView};
use facsimile_studio::{
    GivenAddress, LifecycleEvent, Provider, RunEventBody, RunRequest, StartedRun, Studio,
};
use facsimile_testkit::replay::{Asked, ReplayServer, Served, ServedTurn, Spoken};
use serde_json::json;
use tempfile::TempDir;

use super::services::{made, openai_held, services};
use super::{memory, one_pot, shown, studio, told};
use crate::support::{drawn, taken};

/// A model that orders a picture, is told under which path it will be, and writes a page with it.
async fn model() -> ReplayServer {
    let (order, arguments) = one_pot();
    let write = |asked: &Asked| {
        let page = format!("<!doctype html><title>Pot</title><img src=\"{}\">", path_told(asked));
        ServedTurn::new().calling("w", "create_file", json!({ "path": "index.html", "content": page }))
    };
    let answers = [
        Served::from(ServedTurn::new().calling("p", order, arguments)),
        Served::replying(write),
        ServedTurn::new().saying("Done.").into(),
    ];
    ReplayServer::playing(Spoken::Anthropic, answers).await.unwrap()
}

/// The path in the last result of a request.
fn path_told(asked: &Asked) -> String {
    let told = asked.body["messages"].to_string();
    let (_, rest) = told.rsplit_once("assets/task-").unwrap();
    format!("assets/task-{}.png", rest.split_once(".png").unwrap().0)
}

/// What a page and its export have at the path of a picture.
fn in_page_and_export(studio: &Studio, run: RunId, task: &Task) -> [Vec<u8>; 3] {
    let folder = TempDir::new().unwrap();
    studio.export(run, VariantIndex(0), folder.path()).unwrap();
    let path = &task.results[0].path;
    let exported = std::fs::read(folder.path().join(path)).unwrap();
    let version = studio.store().runs().get(run).unwrap().variants[0].version.unwrap();
    let in_version = studio.bytes(Shown::Version(version), &ProjectPath::parse(path).unwrap()).unwrap();
    [shown(studio, run, task), in_version, exported]
}

/// Held in all, spent, given back and still held, in cents.
fn cents(studio: &Studio, run: RunId) -> [u64; 4] {
    let Spent { reserved_nanos, settled_nanos, released_nanos, open_nanos } =
        studio.store().ledger().of_run(run).unwrap();
    [reserved_nanos, settled_nanos, released_nanos, open_nanos].map(|nanos| nanos / 10_000_000)
}

/// What a card says of the state, the cost and the picture.
fn card(studio: &Studio, started: StartedRun) -> (&'static str, Option<f64>, Option<OptionCost>, bool) {
    let TaskView { state, cost_usd, option_cost, results, .. } =
        studio.task_views(started.project).unwrap().remove(0);
    (state, cost_usd, option_cost, results[0].thumbnail.is_some())
}

fn tells_of_open_tasks(studio: &Studio, run: RunId) -> bool {
    let (snapshot, _) = studio.attach(run).unwrap();
    snapshot.events.iter().any(|event| {
        matches!(&event.body, RunEventBody::Lifecycle(LifecycleEvent::Notice { code, .. }) if code == "tasks_left_open")
    })
}

// S-60
#[tokio::test]
async fn a_picture_that_comes_after_the_end_of_its_option_settles_once_and_takes_its_place_in_page_and_export()
 {
    // The model is done, or may take no more rounds.
    for (max_rounds, end) in [(None, RunStatus::Succeeded), (Some(2), RunStatus::StoppedAtLimit)] {
        let (vendor, gate) = openai_held().await;
        let services = services().at(PictureVendor::OpenAi, vendor.uri()).waited_for(Duration::ZERO);
        let studio = studio(&memory(), services, "gpt-image-2");
        let mut watch = studio.watch_tasks();
        let server = model().await;
        let request = RunRequest {
            input_ids: vec![taken(&studio, "pots.png", drawn())],
            engines: vec!["anthropic:model-1".to_owned()],
            addresses: vec![GivenAddress {
                provider: Some(Provider::Anthropic),
                url: server.address().into(),
            }],
            max_rounds,
            ..RunRequest::default()
        };
        let started = studio.start_run(request).unwrap();
        let run = started.run;
        let report = studio.ended(run).await.unwrap();

        assert_eq!((report.state, server.complaints()), (end, Vec::new()));
        let open = told(&mut watch, TaskState::Running).await;
        let last = studio.attach(run).unwrap().0.seq;
        let placeholders = in_page_and_export(&studio, run, &open);
        assert!(placeholders.iter().all(|bytes| bytes.starts_with(b"\x89PNG") && *bytes != made()));
        let before = (cents(&studio, run), card(&studio, started), tells_of_open_tasks(&studio, run));
        let nothing_yet = Some(OptionCost { usd: Some(0.0) });
        assert_eq!(before, ([20, 0, 0, 20], ("running", Some(0.2), nothing_yet, false), true));

        gate.let_go();
        told(&mut watch, TaskState::Succeeded).await;
        // Another end comes too late, and there is nothing to try again.
        studio.cancel_task(started.project, open.id).unwrap();
        assert!(studio.retry_task(started.project, open.id).is_err());

        assert_eq!(in_page_and_export(&studio, run, &open), [made(), made(), made()]);
        let paid = Some(OptionCost { usd: Some(0.03) });
        let after = (cents(&studio, run), card(&studio, started), studio.attach(run).unwrap().0.seq);
        assert_eq!(after, ([20, 3, 17, 0], ("succeeded", Some(0.03), paid, true), last));
        let history = studio.history_view(started.project).unwrap();
        let made_by: Vec<_> = history.versions.into_iter().filter_map(|version| version.made_by).collect();
        assert_eq!(made_by.iter().map(|maker| maker.cost_usd).collect::<Vec<_>>(), [Some(0.03)]);
        let later: Vec<_> = std::iter::from_fn(|| watch.try_recv().ok()).map(|task| task.state).collect();
        assert_eq!(later, Vec::new(), "its end is told once");
    }
}
