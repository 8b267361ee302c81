//! Pictures that a model orders: whole runs over a provider and image services on loopback.

mod boxes;
mod late;
mod money;
mod services;
mod stages;

use std::sync::Arc;

use facsimile_agent::{ProjectId, ProjectPath, RunId, RunStatus, VariantIndex};
use facsimile_store::{HistoryStore, MemoryKeys, Task, TaskState};
use facsimile_studio::preview::{PreviewFiles, Shown};
use facsimile_studio::tasks::TaskWatch;
use facsimile_studio::{
    GivenAddress, Keys, LifecycleEvent, Provider, RunEventBody, RunRequest, Services, StartedRun, Studio,
};
use facsimile_testkit::Planted;
use facsimile_testkit::replay::{KEY, ReplayServer, Served, ServedTurn, Spoken};
use facsimile_vision::Raster;
use facsimile_vision::placeholder::is_placeholder;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::{Builder, Handle};

use crate::support::{drawn, ends, rest, taken};
use services::{Replicate, TOKEN, made, saying_the_key, services};

const TURBO: &str = "prunaai/z-image-turbo";
const PAGE: &str = "<!doctype html><title>Pots</title><p>Pots</p>";

fn keys(has_images: bool) -> Keys {
    let environment = move |name: &str| match name {
        "FACSIMILE_ENDPOINT_KEY" => Some(KEY.to_owned()),
        "REPLICATE_API_TOKEN" | "OPENAI_API_KEY" if has_images => Some(TOKEN.to_owned()),
        _ => None,
    };
    Keys::over(Arc::new(MemoryKeys::default()), Arc::new(environment))
}

/// A studio that makes pictures with this model.
fn studio(store: &HistoryStore, services: Services, model: &str) -> Studio {
    let studio = Studio::with_services(store.clone(), Handle::current(), keys(true), services).unwrap();
    studio.save_image_settings(true, model).unwrap();
    studio
}

fn memory() -> HistoryStore {
    HistoryStore::in_memory().unwrap()
}

/// Rounds in which these calls are made, then a page is written, then the model is done.
fn calls(calls: &[(&str, Value)]) -> [Served; 3] {
    let turn = calls.iter().enumerate().fold(ServedTurn::new(), |turn, (at, (name, arguments))| {
        turn.calling(&format!("c{at}"), name, arguments.clone())
    });
    let page = json!({ "path": "index.html", "content": PAGE });
    let write = ServedTurn::new().calling("w", "create_file", page);
    [turn.into(), write.into(), ServedTurn::new().saying("Done.").into()]
}

async fn begin(
    studio: &Studio,
    dialect: Spoken,
    answers: impl IntoIterator<Item = Served>,
) -> (StartedRun, ReplayServer) {
    begin_with(studio, dialect, ("pots.png", drawn()), answers).await
}

/// The same with another screenshot, by its name.
async fn begin_with(
    studio: &Studio,
    dialect: Spoken,
    (name, picture): (&str, Vec<u8>),
    answers: impl IntoIterator<Item = Served>,
) -> (StartedRun, ReplayServer) {
    let server = ReplayServer::playing(dialect, answers).await.unwrap();
    let provider = match dialect {
        Spoken::OpenAiResponses => Provider::OpenAi,
        Spoken::Anthropic => Provider::Anthropic,
        Spoken::Gemini => Provider::Gemini,
        Spoken::OpenAiChat => Provider::Chat,
    };
    let request = RunRequest {
        input_ids: vec![taken(studio, name, picture)],
        engines: vec![format!("{}:model-1", provider.as_str())],
        addresses: vec![GivenAddress { provider: Some(provider), url: server.address().into() }],
        max_cost_usd: Some(0.3),
        ..RunRequest::default()
    };
    (studio.start_run(request).unwrap(), server)
}

fn two_pots() -> (&'static str, Value) {
    let pot = |prompt: &str| json!({ "prompt": prompt, "width": 640, "height": 480 });
    ("generate_images", json!({ "prompts": [pot("a pot"), pot("a jug")] }))
}

fn one_pot() -> (&'static str, Value) {
    ("generate_images", json!({ "prompts": [{ "prompt": "a pot", "width": 640, "height": 480 }] }))
}

/// The tasks of a project: kind, state and how many of the results are there.
fn tasks(studio: &Studio, project: ProjectId) -> Vec<(String, TaskState, usize)> {
    let tasks = studio.store().tasks().of_project(project).unwrap();
    let there = |task: &Task| task.results.iter().filter(|result| result.asset.is_some()).count();
    tasks.iter().map(|task| (task.kind.clone(), task.state, there(task))).collect()
}

async fn told(watch: &mut TaskWatch, state: TaskState) -> Task {
    loop {
        let task = watch.recv().await.unwrap();
        if task.state == state {
            return task;
        }
    }
}

/// The bytes that a page finds at the path of a task's first result.
fn shown(studio: &Studio, run: RunId, task: &Task) -> Vec<u8> {
    let path = ProjectPath::parse(&task.results[0].path).unwrap();
    studio.bytes(Shown::Variant(run, VariantIndex(0)), &path).unwrap()
}

// S-21
#[tokio::test]
async fn every_picture_tool_works_in_a_run_of_every_dialect_and_a_call_made_twice_runs_once() {
    for dialect in Spoken::ALL {
        let replicate = Replicate::ending(&[]).await;
        let studio = studio(&memory(), replicate.services(), TURBO);
        let asset = json!({ "description": "noise", "image": 1, "box": [160, 650, 505, 910] });
        let (started, server) = begin(
            &studio,
            dialect,
            calls(&[
                two_pots(),
                two_pots(),
                ("save_assets", json!({ "images": [1] })),
                ("extract_assets", json!({ "assets": [asset] })),
                ("remove_background", json!({ "images": [1] })),
                ("edit_image", json!({ "images": [1], "prompt": "warmer" })),
            ]),
        )
        .await;
        let report = studio.ended(started.run).await.unwrap();

        assert_eq!((report.state, server.complaints()), (RunStatus::Succeeded, Vec::new()), "{dialect:?}");
        let done = |kind: &str, count| (kind.to_owned(), TaskState::Succeeded, count);
        assert_eq!(
            tasks(&studio, started.project),
            [done("generate_images", 2), done("remove_background", 1), done("edit_image", 1)],
            "{dialect:?}"
        );
        let mut asked = replicate.asked().await;
        asked.sort();
        assert_eq!(asked, ["a029df", "prunaai/p-image-edit", TURBO, TURBO], "{dialect:?}");
        let results: Vec<_> = results_of(&studio, started.run);
        assert_eq!(results.iter().map(|(_, ok)| *ok).collect::<Vec<_>>(), [true; 7], "{results:?}");
        let kept = studio.store().assets().of_project(started.project).unwrap();
        assert!(kept.iter().any(|kept| kept.asset.path_in_page.ends_with(".png")));
        assert_eq!(studio.store().ledger().of_run(started.run).unwrap().open_nanos, 0);
    }
}

/// The tools that answered, in their order.
fn results_of(studio: &Studio, run: RunId) -> Vec<(String, bool)> {
    let (snapshot, _) = studio.attach(run).unwrap();
    let result = |body: &RunEventBody| match body {
        RunEventBody::Agent(facsimile_agent::AgentEvent::ToolResult { name, ok, .. }) => {
            Some((name.clone(), *ok))
        }
        _ => None,
    };
    snapshot.events.iter().filter_map(|event| result(&event.body)).collect()
}

#[tokio::test]
async fn a_service_makes_no_more_than_four_pictures_at_once_for_all_tasks_together() {
    let replicate = Replicate::ending(&[]).await;
    let studio = studio(&memory(), replicate.services(), TURBO);
    let pot = |number: u32| json!({ "prompt": format!("pot {number}"), "width": 640, "height": 480 });
    let pots = ("generate_images", json!({ "prompts": (0..9).map(pot).collect::<Vec<_>>() }));
    let (started, _server) = begin(&studio, Spoken::Gemini, calls(&[pots])).await;
    studio.ended(started.run).await.unwrap();

    let nine = ("generate_images".to_owned(), TaskState::Succeeded, 9);
    assert_eq!(tasks(&studio, started.project), [nine]);
    assert_eq!((replicate.asked().await.len(), replicate.most_at_once() <= 4), (9, true));
}

#[tokio::test]
async fn a_page_shows_a_placeholder_until_the_picture_is_there_and_the_run_tells_of_the_task() {
    let replicate = Replicate::ending(&[]).await.throttled().await.held();
    let studio = studio(&memory(), replicate.services(), TURBO);
    let mut watch = studio.watch_tasks();
    let (started, _server) = begin(&studio, Spoken::Anthropic, calls(&[one_pot()])).await;
    let (_, mut feed) = studio.attach(started.run).unwrap();

    let running = told(&mut watch, TaskState::Running).await;
    let before = shown(&studio, started.run, &running);
    replicate.let_go();
    let events = rest(&mut feed).await;

    let after = shown(&studio, started.run, &running);
    assert_eq!((before == made(), before.starts_with(b"\x89PNG"), after == made()), (false, true, true));
    let states: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.body {
            RunEventBody::Lifecycle(LifecycleEvent::TaskState { state, done, .. }) => Some((&**state, *done)),
            _ => None,
        })
        .collect();
    assert_eq!((states.last(), ends(&events).len()), (Some(&("succeeded", 1)), 2), "{states:?}");
    assert_eq!(replicate.asked().await, [TURBO, TURBO]);
}

#[tokio::test]
async fn what_failed_or_was_stopped_elsewhere_is_told_and_made_at_the_second_try_under_the_same_path() {
    for (end, state) in [("failed", TaskState::Failed), ("canceled", TaskState::Cancelled)] {
        let first: &'static [&'static str] = if end == "failed" { &["failed"] } else { &["canceled"] };
        let replicate = Replicate::ending(first).await;
        let studio = studio(&memory(), replicate.services(), TURBO);
        let (started, _server) = begin(&studio, Spoken::OpenAiChat, calls(&[one_pot()])).await;
        let report = studio.ended(started.run).await.unwrap();
        let failed = studio.task_views(started.project).unwrap().remove(0);
        let last = studio.attach(started.run).unwrap().0.seq;
        let mut watch = studio.watch_tasks();
        studio.retry_task(started.project, failed.id).unwrap();
        told(&mut watch, TaskState::Succeeded).await;

        assert_eq!((report.state, results_of(&studio, started.run)[0].1), (RunStatus::Succeeded, false));
        let cards = studio.task_views(started.project).unwrap();
        let states: Vec<_> = cards.iter().map(|card| card.state).collect();
        assert_eq!(states, [state.as_str(), "succeeded"]);
        assert_eq!((&cards[1].place, &cards[1].results[0].path), (&failed.place, &failed.results[0].path));
        assert_eq!(studio.attach(started.run).unwrap().0.seq, last, "nothing follows the end of a run");
        assert!(studio.retry_task(started.project, cards[1].id).is_err());
    }
}

#[tokio::test]
async fn who_stops_a_run_stops_its_tasks_here_and_at_the_service() {
    let replicate = Replicate::ending(&[]).await.held();
    let studio = studio(&memory(), replicate.services(), TURBO);
    let mut watch = studio.watch_tasks();
    let (started, _server) = begin(&studio, Spoken::Gemini, calls(&[one_pot()])).await;
    told(&mut watch, TaskState::Running).await;
    replicate.looked_at().await;
    studio.cancel(started.run, facsimile_studio::Which::All);
    told(&mut watch, TaskState::Cancelled).await;
    replicate.stopped().await;

    assert_eq!(studio.ended(started.run).await.unwrap().state, RunStatus::Cancelled);
    assert_eq!(tasks(&studio, started.project), [("generate_images".to_owned(), TaskState::Cancelled, 0)]);
}

#[test]
fn a_task_that_outlives_its_run_is_stopped_with_its_project() {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (replicate, studio, started, mut watch) = runtime.block_on(async {
        let replicate = Replicate::ending(&["failed"]).await;
        let studio = studio(&memory(), replicate.services(), TURBO);
        let (started, _server) = begin(&studio, Spoken::Anthropic, calls(&[one_pot()])).await;
        studio.ended(started.run).await.unwrap();
        let failed = studio.task_views(started.project).unwrap().remove(0);
        let (replicate, mut watch) = (replicate.held(), studio.watch_tasks());
        studio.retry_task(started.project, failed.id).unwrap();
        told(&mut watch, TaskState::Running).await;
        (replicate, studio, started, watch)
    });
    studio.delete_project(started.project).unwrap();
    runtime.block_on(told(&mut watch, TaskState::Cancelled));

    assert!(studio.task_views(started.project).is_err());
    drop(replicate);
}

#[test]
fn what_a_restart_interrupts_is_tried_again_with_one_click() {
    let store = memory();
    let first = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (replicate, started) = first.block_on(async {
        let replicate = Replicate::ending(&[]).await.held();
        let studio = studio(&store, replicate.services(), TURBO);
        let mut watch = studio.watch_tasks();
        let (started, _server) = begin(&studio, Spoken::Anthropic, calls(&[one_pot()])).await;
        told(&mut watch, TaskState::Running).await;
        (replicate, started)
    });
    drop(replicate);
    first.shutdown_timeout(std::time::Duration::from_secs(30));
    Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        let replicate = Replicate::ending(&[]).await;
        let studio = studio(&store, replicate.services(), TURBO);
        let cut = studio.task_views(started.project).unwrap().remove(0);
        let mut watch = studio.watch_tasks();
        studio.retry_task(started.project, cut.id).unwrap();
        let made_at_last = told(&mut watch, TaskState::Succeeded).await;

        assert_eq!((cut.state, cut.error.unwrap().code.as_str()), ("failed", "interrupted"));
        assert_eq!(made_at_last.results[0].path, cut.results[0].path);
        assert_eq!(shown(&studio, started.run, &made_at_last), made());
        assert_eq!(studio.store().ledger().of_project(started.project).unwrap().open_nanos, 0);
    });
}

#[tokio::test]
async fn without_a_key_placeholders_and_flat_backgrounds_are_done_on_this_computer() {
    let studio = Studio::with_services(memory(), Handle::current(), keys(false), services()).unwrap();
    studio.save_image_settings(true, TURBO).unwrap();
    let cut = ("remove_background", json!({ "images": [1] }));
    let (started, _server) = begin(&studio, Spoken::OpenAiResponses, calls(&[one_pot(), cut])).await;
    studio.ended(started.run).await.unwrap();

    let kept = studio.store().tasks().of_project(started.project).unwrap();
    let bytes: Vec<_> = kept.iter().map(|task| shown(&studio, started.run, task)).collect();
    let sizes: Vec<_> = bytes.iter().map(|png| Raster::decode(png).unwrap()).collect();
    let sizes: Vec<_> = sizes.iter().map(|raster| (raster.width(), raster.height())).collect();
    assert_eq!((sizes, is_placeholder(&bytes[0])), (vec![(640, 480), (160, 120)], true));
    assert!(kept[0].progress.notice.is_some() && kept[1].progress.notice.is_none());
}

#[tokio::test]
async fn a_key_for_pictures_is_tested_without_making_any() {
    let replicate = Replicate::ending(&[]).await;
    let studio = studio(&memory(), replicate.services(), TURBO);
    let before = studio.test_provider("replicate", None, None).await.unwrap();
    replicate.takes_the_key().await;
    let after = studio.test_provider("replicate", None, None).await.unwrap();

    assert_eq!((before.ok, after.ok, after.message.as_str()), (false, true, "Replicate answers"));
    assert_eq!(replicate.asked().await, Vec::<String>::new());
    assert!(studio.save_image_settings(true, "no-such-model").is_err());
}

// S-45
#[tokio::test]
async fn s_44_the_key_of_an_image_service_is_nowhere_even_where_the_service_says_it() {
    let folder = TempDir::new().unwrap();
    let store = HistoryStore::open(folder.path()).unwrap();
    let mut told = Vec::new();
    for is_refusing in [true, false] {
        let (server, services) = saying_the_key(is_refusing).await;
        let studio = studio(&store, services, TURBO);
        let cut = ("remove_background", json!({ "images": [1] }));
        let (started, _model) = begin(&studio, Spoken::Anthropic, calls(&[one_pot(), cut])).await;
        let report = studio.ended(started.run).await.unwrap();
        told.push(format!("{report:?} {:?}", studio.test_provider("replicate", None, None).await));
        let cards = studio.task_views(started.project).unwrap();
        let states: Vec<_> = cards.iter().map(|card| card.state).collect();
        assert_eq!((states, report.state), (vec!["failed", "failed"], RunStatus::Succeeded));
        assert!(!server.received_requests().await.unwrap().is_empty());
        told.push(format!("{cards:?} {:?}", studio.attach(started.run).unwrap().0.events));
        studio
            .export_project(started.project, &folder.path().join(format!("{is_refusing}.facsimile")))
            .unwrap();
    }
    store.flush().unwrap();

    let planted = Planted::of(TOKEN);
    assert_eq!(planted.below(folder.path()), Vec::<String>::new());
    told.retain(|told| !planted.spellings_in(told.as_bytes()).is_empty());
    assert_eq!(told, Vec::<String>::new());
}

#[tokio::test]
async fn a_picture_to_be_seen_through_is_cut_free_here_or_said_to_have_kept_its_ground() {
    let replicate = Replicate::ending(&[]).await;
    let studio = studio(&memory(), replicate.services(), TURBO);
    let clear = ("generate_images", json!({ "prompts": [{ "prompt": "a pot", "transparent": true }] }));
    let (started, _server) = begin(&studio, Spoken::Anthropic, calls(&[clear])).await;
    studio.ended(started.run).await.unwrap();

    // What the service makes is a photo from edge to edge.
    let card = studio.task_views(started.project).unwrap().remove(0);
    assert_eq!(
        (card.state, card.notice.is_some_and(|words| words.contains("background"))),
        ("succeeded", true)
    );
}

#[tokio::test]
async fn pictures_are_not_made_unless_somebody_switched_it_on() {
    let replicate = Replicate::ending(&[]).await;
    let studio =
        Studio::with_services(memory(), Handle::current(), keys(true), replicate.services()).unwrap();
    let (started, server) = begin(&studio, Spoken::Anthropic, calls(&[one_pot()])).await;
    studio.ended(started.run).await.unwrap();

    let offered = server.asked()[0].body["tools"].as_array().unwrap().clone();
    let offered: Vec<_> = offered.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(!offered.contains(&"generate_images") && !offered.contains(&"edit_image"), "{offered:?}");
    assert!(offered.contains(&"remove_background"), "{offered:?}");
    assert_eq!((tasks(&studio, started.project), replicate.asked().await), (Vec::new(), Vec::new()));
}
