//! Tasks: one end for each, whatever calls for one, and results under the paths that were known from the start.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use facsimile_agent::{ProjectFiles, ProjectId, ProjectPath, RunId, TaskId, VariantIndex};
use facsimile_store::{
    HistoryStore, NewAsset, NewRun, NewTask, NewTurn, RunTurn, Task, TaskEnd, TaskFailure, TaskPrice,
    TaskProgress, TaskState, TurnKind,
};
use facsimile_studio::tasks::{DuplicateWork, Pool, TaskDesk, TaskHand, TaskOrder, TaskRefused, TaskWork};
use facsimile_studio::{Exporter, Studio};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use facsimile_studio::preview::{PreviewFiles, Shown};

const PRICE: TaskPrice = TaskPrice { reserve_usd: 0.5, cap_usd: 1.0 };

fn begun(store: &HistoryStore) -> (ProjectId, RunId) {
    let project = store.projects().create("Lamps").unwrap();
    let turn = NewTurn { kind: TurnKind::Create, instruction: String::new(), parent_version: None };
    let run =
        NewRun { project, turn: RunTurn::New(turn), request: Value::Null, engines: vec!["offline".into()] };
    (project, store.runs().begin(run).unwrap().run)
}

/// Does what the inputs say.
#[derive(Default)]
struct AsTold {
    started: Arc<AtomicUsize>,
    /// Whether a work that was stopped could say so.
    said: Arc<Notify>,
}

impl TaskWork for AsTold {
    fn kind(&self) -> &'static str {
        "as_told"
    }

    fn pool(&self, _task: &Task) -> Pool {
        Pool::Slow
    }

    fn work(&self, task: Task, hand: TaskHand) -> BoxFuture<'static, TaskEnd> {
        let before = self.started.fetch_add(1, Ordering::SeqCst);
        let said = Arc::clone(&self.said);
        async move {
            match task.inputs.as_str() {
                Some("make at the second try") if before == 0 => TaskEnd::Cancelled,
                Some("make" | "make at the second try") => {
                    let picture = NewAsset::new(b"picture".to_vec(), "image/png", "png");
                    hand.keep(0, "lamp", picture).unwrap();
                    TaskEnd::Succeeded { result: json!("made"), assets: Vec::new(), cost_usd: Some(0.25) }
                }
                Some("one at a time") => {
                    let place = task.results.iter().position(|result| result.asset.is_none()).unwrap();
                    let picture = NewAsset::new(vec![place as u8; 9], "image/png", "png");
                    hand.keep(place, "lamp", picture).unwrap();
                    match place {
                        0 => TaskEnd::Cancelled,
                        _ => TaskEnd::Succeeded {
                            result: json!("made"),
                            assets: Vec::new(),
                            cost_usd: Some(0.25),
                        },
                    }
                }
                Some("panic") => panic!("as told"),
                Some("last words") => {
                    hand.cancel().cancelled().await;
                    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
                    said.notify_one();
                    TaskEnd::Succeeded { result: Value::Null, assets: Vec::new(), cost_usd: None }
                }
                Some("dawdle") => {
                    for done in 0..5 {
                        tokio::time::sleep(std::time::Duration::from_secs(100)).await;
                        hand.progress(TaskProgress { done, total: 5, ..TaskProgress::default() }).unwrap();
                    }
                    TaskEnd::Succeeded { result: Value::Null, assets: Vec::new(), cost_usd: Some(0.0) }
                }
                _ => std::future::pending().await,
            }
        }
        .boxed()
    }
}

struct Desk {
    desk: TaskDesk,
    store: HistoryStore,
    project: ProjectId,
    run: RunId,
    told: UnboundedReceiver<Task>,
    started: Arc<AtomicUsize>,
    said: Arc<Notify>,
}

impl Desk {
    fn new() -> Self {
        let store = HistoryStore::in_memory().unwrap();
        let (project, run) = begun(&store);
        let (sender, told) = unbounded_channel();
        let listener = Arc::new(move |task: &Task| {
            // The test may have heard enough.
            let _ = sender.send(task.clone());
        });
        let work = AsTold::default();
        let (started, said) = (Arc::clone(&work.started), Arc::clone(&work.said));
        let desk = TaskDesk::new(store.clone(), Handle::current(), vec![Arc::new(work)], listener).unwrap();
        Self { desk, store, project, run, told, started, said }
    }

    fn order(&self, what: &str) -> TaskOrder {
        TaskOrder {
            project: self.project,
            made_by: Some((self.run, VariantIndex(0))),
            kind: "as_told",
            title: "A lamp".to_owned(),
            stages: vec!["making".to_owned()],
            results: 1,
            inputs: json!(what),
            price: Some(PRICE),
        }
    }

    async fn end_of(&mut self, id: TaskId) -> Task {
        loop {
            let task = self.told.recv().await.unwrap();
            if task.id == id && task.state.is_terminal() {
                return task;
            }
        }
    }

    /// Settled, released and open, in thousandths of a dollar.
    fn account(&self) -> [u64; 3] {
        let spent = self.store.ledger().of_run(self.run).unwrap();
        [spent.settled_nanos, spent.released_nanos, spent.open_nanos].map(|nanos| nanos / 1_000_000)
    }
}

#[tokio::test]
async fn two_works_of_one_kind_are_refused_at_start() {
    let works: Vec<Arc<dyn TaskWork>> = vec![Arc::new(AsTold::default()), Arc::new(AsTold::default())];
    let store = HistoryStore::in_memory().unwrap();
    let refused = TaskDesk::new(store, Handle::current(), works, Arc::new(|_: &Task| {})).err();
    assert_eq!(refused, Some(DuplicateWork("as_told")));
}

#[tokio::test]
async fn a_task_is_recorded_before_its_work_and_told_of_until_its_end() {
    let mut desk = Desk::new();
    let task = desk.desk.begin(desk.order("make")).unwrap();
    let path = format!("assets/task-{}-1.png", task.id);
    let recorded = desk.store.tasks().get(desk.project, task.id).unwrap();
    assert_eq!((recorded.state, recorded.results[0].path.as_str()), (TaskState::Queued, path.as_str()));
    assert_eq!(desk.account(), [0, 0, 500]);
    let mut states = Vec::new();
    while states.last() != Some(&TaskState::Succeeded) {
        states.push(desk.told.recv().await.unwrap().state);
    }
    use TaskState::{Queued, Running, Succeeded};
    assert_eq!(states, [Queued, Running, Running, Succeeded]);
    assert_eq!(desk.account(), [250, 250, 0]);
}

#[tokio::test(start_paused = true)]
async fn what_panics_or_shows_no_progress_fails_and_what_only_takes_long_does_not() {
    let mut ends = Vec::new();
    for what in ["panic", "forever", "dawdle"] {
        let mut desk = Desk::new();
        let id = desk.desk.begin(desk.order(what)).unwrap().id;
        let end = desk.end_of(id).await;
        ends.push((end.state, end.error.map(|error| error.kind), desk.account()));
    }
    let failed = |kind: &str| (TaskState::Failed, Some(kind.to_owned()), [0, 500, 0]);
    assert_eq!(ends, [failed("unknown"), failed("stalled"), (TaskState::Succeeded, None, [0, 500, 0])]);
}

#[tokio::test(start_paused = true)]
async fn a_work_that_is_stopped_or_stalls_can_tell_its_service_and_its_end_stands() {
    let mut ends = Vec::new();
    for is_stopped in [true, false] {
        let mut desk = Desk::new();
        let id = desk.desk.begin(desk.order("last words")).unwrap().id;
        while desk.told.recv().await.unwrap().state != TaskState::Running {}
        if is_stopped {
            desk.desk.cancel(desk.project, id).unwrap();
        }
        let end = desk.end_of(id).await.state;
        let minute = std::time::Duration::from_secs(60);
        let was_said = tokio::time::timeout(minute, desk.said.notified()).await.is_ok();
        let stands = desk.store.tasks().get(desk.project, id).unwrap().state == end;
        ends.push((end, was_said, stands, desk.account()));
    }
    let given_back = [0, 500, 0];
    let expected = [TaskState::Cancelled, TaskState::Failed].map(|end| (end, true, true, given_back));
    assert_eq!(ends, expected);
}

#[tokio::test]
async fn a_task_that_is_stopped_twice_gives_its_money_back_once() {
    let mut desk = Desk::new();
    let task = desk.desk.begin(desk.order("forever")).unwrap();
    desk.desk.cancel(desk.project, task.id).unwrap();
    desk.desk.cancel(desk.project, task.id).unwrap();
    assert_eq!((desk.end_of(task.id).await.state, desk.account()), (TaskState::Cancelled, [0, 500, 0]));
}

#[tokio::test]
async fn what_is_tried_again_puts_its_result_under_the_first_path_and_what_went_well_is_not_tried_again() {
    let mut desk = Desk::new();
    let task = desk.desk.begin(desk.order("make at the second try")).unwrap();
    assert_eq!(desk.end_of(task.id).await.state, TaskState::Cancelled);
    let again = desk.desk.retry(desk.project, task.id, Some(PRICE)).unwrap();
    assert_eq!(desk.end_of(again.id).await.state, TaskState::Succeeded);
    let found = desk.store.tasks().at_path(desk.project, &task.results[0].path).unwrap().unwrap();
    assert!(found.0 == again.id && found.1.is_some(), "{found:?}");
    assert_eq!(desk.account(), [250, 750, 0]);
    let refused = desk.desk.retry(desk.project, again.id, None);
    assert!(matches!(refused, Err(TaskRefused::NothingToRetry)));
}

#[tokio::test]
async fn a_second_try_keeps_what_the_first_one_made_and_there_is_no_third_one_beside_it() {
    let mut desk = Desk::new();
    let order = TaskOrder { results: 2, ..desk.order("one at a time") };
    let first = desk.desk.begin(order).unwrap().id;
    let first = desk.end_of(first).await;
    let second = desk.desk.retry(desk.project, first.id, Some(PRICE)).unwrap();
    let beside = desk.desk.retry(desk.project, first.id, Some(PRICE));
    let end = desk.end_of(second.id).await;
    let after = desk.desk.retry(desk.project, first.id, Some(PRICE));
    assert!(matches!([beside, after], [Err(TaskRefused::NothingToRetry), Err(TaskRefused::NothingToRetry)]));
    let there = |task: &Task| task.results.iter().map(|result| result.asset.is_some()).collect::<Vec<_>>();
    assert_eq!((there(&first), there(&end)), (vec![true, false], vec![true, true]));
    assert_eq!((end.state, &end.results[0]), (TaskState::Succeeded, &first.results[0]));
}

#[tokio::test]
async fn only_four_remote_jobs_work_at_once_and_what_waits_can_be_stopped() {
    let mut desk = Desk::new();
    let free = |order: TaskOrder| TaskOrder { price: None, ..order };
    let ids: Vec<_> = (0..7).map(|_| desk.desk.begin(free(desk.order("forever"))).unwrap().id).collect();
    let mut running = 0;
    while running < 4 {
        running += usize::from(desk.told.recv().await.unwrap().state == TaskState::Running);
    }
    for id in ids.iter().rev() {
        desk.desk.cancel(desk.project, *id).unwrap();
        desk.end_of(*id).await;
    }
    assert_eq!(desk.started.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn what_the_cap_does_not_allow_or_nobody_does_is_not_begun() {
    let desk = Desk::new();
    let held: Vec<_> = (0..2).map(|_| desk.desk.begin(desk.order("forever")).unwrap().id).collect();
    assert!(matches!(desk.desk.begin(desk.order("make")), Err(TaskRefused::CapReached)));
    let unknown = TaskOrder { kind: "unknown", ..desk.order("make") };
    assert!(matches!(desk.desk.begin(unknown), Err(TaskRefused::NoSuchKind(_))));
    assert_eq!(desk.store.tasks().of_project(desk.project).unwrap().len(), held.len());
}

// S-21, S-22
#[test]
fn in_every_order_of_three_events_the_first_end_counts_and_money_is_settled_or_released_once() {
    let store = HistoryStore::in_memory().unwrap();
    let succeeded = || TaskEnd::Succeeded { result: json!("made"), assets: Vec::new(), cost_usd: Some(0.25) };
    let stalled =
        || TaskFailure { kind: "stalled".to_owned(), message: "silence".to_owned(), next_step: None };
    let ends = [succeeded(), TaskEnd::Failed(stalled()), TaskEnd::Cancelled];
    // 0 starts, 1 shows progress, 2 to 4 are the ends; with repetitions.
    for code in 0..125_usize {
        let events = [code / 25, code / 5 % 5, code % 5];
        let (project, run) = begun(&store);
        let id = TaskId::fresh();
        let new = NewTask {
            id,
            project,
            made_by: Some((run, VariantIndex(0))),
            kind: "as_told".to_owned(),
            title: String::new(),
            stages: Vec::new(),
            total: 1,
            inputs: Value::Null,
            paths: Vec::new(),
            price: Some(PRICE),
        };
        store.tasks().begin(new).unwrap();
        for event in events {
            let tasks = store.tasks();
            match event {
                0 => tasks.start(project, id).map(drop).unwrap(),
                1 => tasks.progress(project, id, TaskProgress::default()).map(drop).unwrap(),
                end => tasks.end(project, id, ends[end - 2].clone()).map(drop).unwrap(),
            }
        }
        let first_end = events.iter().find(|event| **event >= 2);
        let expected = match first_end {
            Some(end) => ends[end - 2].state(),
            None if events.contains(&0) => TaskState::Running,
            None => TaskState::Queued,
        };
        let account = match expected {
            TaskState::Succeeded => [250, 250, 0],
            TaskState::Failed | TaskState::Cancelled => [0, 500, 0],
            TaskState::Queued | TaskState::Running => [0, 0, 500],
        };
        let spent = store.ledger().of_run(run).unwrap();
        let found = [spent.settled_nanos, spent.released_nanos, spent.open_nanos].map(|n| n / 1_000_000);
        assert_eq!((store.tasks().get(project, id).unwrap().state, found), (expected, account), "{events:?}");
    }
}

#[tokio::test]
async fn pages_and_exports_find_a_placeholder_until_the_result_is_there() {
    let mut desk = Desk::new();
    let studio = Studio::over(desk.store.clone(), Handle::current()).unwrap();
    let waiting = desk.desk.begin(TaskOrder { price: None, ..desk.order("forever") }).unwrap();
    let made = desk.desk.begin(desk.order("make")).unwrap();
    desk.end_of(made.id).await;
    let [waiting_path, made_path] =
        [&waiting, &made].map(|task| ProjectPath::parse(&task.results[0].path).unwrap());
    let shown = |run, path: &ProjectPath| studio.bytes(Shown::Variant(run, VariantIndex(0)), path);
    assert_eq!(shown(desk.run, &made_path).unwrap(), b"picture");
    assert!(shown(desk.run, &waiting_path).unwrap().starts_with(b"\x89PNG"));
    let (_, other_run) = begun(&desk.store);
    assert_eq!(shown(other_run, &made_path), None);

    let page =
        format!("<img src=\"{made_path}\"><img src=\"{waiting_path}\"><img src=\"assets/task-0-1.png\">");
    let files: ProjectFiles = [(ProjectPath::index(), page)].into_iter().collect();
    let plan = Exporter::new(desk.store.clone()).plan(desk.project, &files).unwrap();
    let bytes_at =
        |path: &ProjectPath| plan.files.iter().find(|file| file.path == *path).map(|file| &file.bytes[..]);
    assert_eq!(bytes_at(&made_path), Some(b"picture".as_slice()));
    assert!(bytes_at(&waiting_path).is_some_and(|bytes| bytes.starts_with(b"\x89PNG")));
    let warning = "assets/task-0-1.png is named by the page but no task of the project makes it.";
    assert_eq!(plan.warnings, [warning]);
    desk.desk.cancel(desk.project, waiting.id).unwrap();
}
