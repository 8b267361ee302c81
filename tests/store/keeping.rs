//! Tasks, the ledger, conversations, scores, values and pins: what is written comes back, and final is final.

use facsimile_agent::{AssetId, ProjectId, RunId, RunStatus, TaskId, VariantIndex};
use facsimile_store::{
    BegunTask, HistoryStore, MessageImage, MessageRole, NewAsset, NewMessage, NewTask, NewVersion, Reserved,
    Spent, StoreError, StoredCall, TaskEnd, TaskFailure, TaskPrice, TaskProgress, TaskResult, TaskState,
    VariantEnd, VersionKind,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{begin, both_places, file};

const FIRST: VariantIndex = VariantIndex(0);

fn picture(store: &HistoryStore, project: ProjectId, bytes: &[u8]) -> AssetId {
    store.assets().put_for(project, "", NewAsset::new(bytes.to_vec(), "image/png", "png")).unwrap().id
}

fn new_task(project: ProjectId, run: Option<RunId>, price: Option<TaskPrice>) -> NewTask {
    let id = TaskId::fresh();
    NewTask {
        id,
        project,
        made_by: run.map(|run| (run, FIRST)),
        kind: "generate_images".to_owned(),
        title: "Two pictures".to_owned(),
        stages: vec!["sent".to_owned(), "made".to_owned()],
        total: 2,
        inputs: json!({"prompts": ["a", "b"]}),
        paths: (0..2).map(|n| format!("assets/task-{id}-{n}.png")).collect(),
        price,
    }
}

fn failed() -> TaskFailure {
    TaskFailure { kind: "stalled".to_owned(), message: "Nothing came.".to_owned(), next_step: None }
}

fn sums(reserved: u64, settled: u64, released: u64, open: u64) -> Spent {
    Spent { reserved_nanos: reserved, settled_nanos: settled, released_nanos: released, open_nanos: open }
}

#[test]
fn a_task_comes_back_with_everything_and_its_first_end_is_final() {
    for (store, _folder) in both_places() {
        let project = store.projects().create("Shop").unwrap();
        let run = begin(&store, project, 1).run;
        let asset = picture(&store, project, b"made");
        let new = new_task(project, Some(run), Some(TaskPrice { reserve_usd: 0.5, cap_usd: 1.0 }));
        let id = new.id;

        let begun = [store.tasks().begin(new.clone()).unwrap(), store.tasks().begin(new.clone()).unwrap()];
        let held = store.ledger().of_run(run).unwrap();
        let started = [store.tasks().start(project, id).unwrap(), store.tasks().start(project, id).unwrap()];
        let progress =
            TaskProgress { stage: "made".into(), done: 1, total: 2, notice: Some("one is late".into()) };
        store.tasks().progress(project, id, progress.clone()).unwrap();
        let end = TaskEnd::Succeeded {
            result: json!({"states": ["ok", "refused"]}),
            assets: vec![(0, asset.clone())],
            cost_usd: Some(0.2),
        };
        let ended = [end.clone(), end, TaskEnd::Cancelled, TaskEnd::Failed(failed())]
            .map(|end| store.tasks().end(project, id, end).unwrap());
        let late = (
            store.tasks().start(project, id).unwrap(),
            store.tasks().progress(project, id, TaskProgress::default()).unwrap(),
            store.tasks().keep_result(project, id, 1, &asset).unwrap(),
        );

        assert_eq!((begun, started), ([BegunTask::Queued, BegunTask::Known], [true, false]));
        assert_eq!((ended, late), ([true, false, false, false], (false, false, false)));
        assert_eq!(held, sums(500_000_000, 0, 0, 500_000_000));
        assert_eq!(store.ledger().of_run(run).unwrap(), sums(500_000_000, 200_000_000, 300_000_000, 0));
        let task = store.tasks().get(project, id).unwrap();
        let results: Vec<_> = [Some(asset.clone()), None]
            .into_iter()
            .zip(&new.paths)
            .map(|(asset, path)| TaskResult { path: path.clone(), asset })
            .collect();
        assert_eq!(
            (task.state, task.progress, task.results, task.result, task.inputs, task.error),
            (
                TaskState::Succeeded,
                progress,
                results,
                json!({"states": ["ok", "refused"]}),
                new.inputs.clone(),
                None
            )
        );
        assert_eq!(store.tasks().at_path(project, &new.paths[0]).unwrap(), Some((id, Some(asset))));
        assert_eq!(store.tasks().of_project(project).unwrap().len(), 1);
    }
}

#[test]
fn a_task_of_another_project_is_unknown() {
    for (store, _folder) in both_places() {
        let (own, foreign) = (store.projects().create("A").unwrap(), store.projects().create("B").unwrap());
        let new = new_task(own, None, None);
        store.tasks().begin(new.clone()).unwrap();

        let refusals = [
            store.tasks().get(foreign, new.id).err(),
            store.tasks().start(foreign, new.id).err(),
            store.tasks().end(foreign, new.id, TaskEnd::Cancelled).err(),
        ];

        for refusal in refusals {
            assert!(matches!(refusal, Some(StoreError::NotFound { what: "task", .. })), "{refusal:?}");
        }
        assert_eq!(store.tasks().at_path(foreign, &new.paths[0]).unwrap(), None);
        assert_eq!(store.tasks().get(own, new.id).unwrap().state, TaskState::Queued);
    }
}

#[test]
fn a_task_that_the_cap_does_not_allow_leaves_no_record() {
    for (store, _folder) in both_places() {
        let project = store.projects().create("Shop").unwrap();
        let run = begin(&store, project, 1).run;
        let price = Some(TaskPrice { reserve_usd: 0.6, cap_usd: 1.0 });

        let begun = [0, 1].map(|_| store.tasks().begin(new_task(project, Some(run), price)).unwrap());

        assert_eq!(begun, [BegunTask::Queued, BegunTask::CapReached]);
        assert_eq!(store.tasks().of_project(project).unwrap().len(), 1);
        assert_eq!(store.ledger().of_project(project).unwrap(), sums(600_000_000, 0, 0, 600_000_000));
    }
}

/// S-51 in part: what a dead program left is failed, and its money given back.
#[test]
fn open_tasks_and_reservations_of_a_dead_program_are_closed_at_the_next_start() {
    let (store, _folder) = both_places().into_iter().next_back().unwrap();
    let project = store.projects().create("Shop").unwrap();
    let run = begin(&store, project, 1).run;
    let price = Some(TaskPrice { reserve_usd: 0.25, cap_usd: 0.0 });
    let (open, done) = (new_task(project, Some(run), price), new_task(project, Some(run), None));
    store.tasks().begin(open.clone()).unwrap();
    store.tasks().begin(done.clone()).unwrap();
    store.tasks().end(project, done.id, TaskEnd::Cancelled).unwrap();
    store.ledger().reserve(run, "round-1", 0.5, 0.0).unwrap();

    store.recover_interrupted().unwrap();

    let states: Vec<_> = store
        .tasks()
        .of_project(project)
        .unwrap()
        .into_iter()
        .map(|task| (task.state, task.error.map(|error| error.kind), task.ended_at_ms.is_some()))
        .collect();
    let interrupted = (TaskState::Failed, Some("interrupted".to_owned()), true);
    assert_eq!(states, [interrupted, (TaskState::Cancelled, None, true)]);
    assert_eq!(store.ledger().of_run(run).unwrap(), sums(750_000_000, 0, 750_000_000, 0));
}

#[test]
fn a_conversation_comes_back_as_it_was_and_versions_know_how_much_of_it_they_saw() {
    for (store, _folder) in both_places() {
        let project = store.projects().create("Shop").unwrap();
        let run = begin(&store, project, 1);
        let asset = picture(&store, project, b"shown");
        let image = |call| MessageImage { call, asset: asset.clone(), label: "image 1".to_owned() };
        let said = |role, body: Value| NewMessage {
            round: 1,
            role,
            dialect: "anthropic".to_owned(),
            body,
            calls: Vec::new(),
            images: Vec::new(),
        };
        let call = |call_id: &str, ok| StoredCall {
            call_id: call_id.to_owned(),
            name: "create_file".to_owned(),
            arguments: json!({"path": "index.html"}),
            ok,
            result: json!("done"),
        };
        let messages = [
            NewMessage { images: vec![image(None)], ..said(MessageRole::User, json!({"text": "build it"})) },
            NewMessage {
                calls: vec![call("a", true), call("b", false)],
                images: vec![image(Some(1))],
                ..said(MessageRole::Vendor, json!({"z": 1, "a": [1.5, null]}))
            },
            said(MessageRole::User, json!({"text": "go on"})),
        ];
        let nths: Vec<_> = messages[..2]
            .iter()
            .map(|message| store.messages().append(run.run, FIRST, message.clone()).unwrap())
            .collect();
        let page = format!("<img src=\"{}\">", asset.page_path("png"));
        let end = VariantEnd {
            files: vec![file("index.html", &page)],
            ..VariantEnd::in_state(RunStatus::Succeeded)
        };
        let version = store.runs().finish_variant(run.run, FIRST, end).unwrap().version.unwrap();
        store.messages().append(run.run, FIRST, messages[2].clone()).unwrap();

        let pins = store.versions().pins(version).unwrap();

        assert_eq!((nths, pins.messages, pins.assets), (vec![1, 2], 2, vec![asset]));
        assert_eq!((pins.turn, pins.conversation), (Some(run.turn), Some((run.run, FIRST))));
        let kept = store.messages().of_variant(run.run, FIRST).unwrap();
        assert_eq!(kept.iter().map(|kept| kept.nth).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(kept.into_iter().map(|kept| kept.message).collect::<Vec<_>>(), messages);
        let seen = store.messages().first_of_variant(run.run, FIRST, pins.messages).unwrap();
        assert_eq!(seen.into_iter().map(|seen| seen.message).collect::<Vec<_>>(), messages[..2]);
    }
}

/// S-39: what a version names stays as long as the version, whoever else lets go of it.
#[test]
fn an_asset_that_a_version_names_stays_until_no_version_names_it() {
    let (store, _folder) = both_places().into_iter().next().unwrap();
    let (one, two) = (store.projects().create("One").unwrap(), store.projects().create("Two").unwrap());
    let asset = picture(&store, one, b"shared");
    store.assets().link(two, &asset, "").unwrap();
    let page = file("index.html", &format!("<img src='{}'>", asset.page_path("png")));
    let version = |project| NewVersion {
        project,
        parent: None,
        made_by: None,
        label: String::new(),
        kind: VersionKind::Result,
        files: vec![page.clone(), file("b.css", "url(assets/0123456789abcdef.png) assets/é")],
    };
    let (first, second) =
        (store.versions().add(version(one)).unwrap(), store.versions().add(version(one)).unwrap());
    let foreign = store.projects().create("Three").unwrap();
    let unpinned = store.versions().add(version(foreign)).unwrap();

    store.versions().remove(first).unwrap();
    store.projects().delete(two).unwrap();
    let pinned = store.versions().pins(second).unwrap().assets;

    assert_eq!((pinned, store.assets().read(&asset).unwrap()), (vec![asset], b"shared".to_vec()));
    assert_eq!(store.versions().pins(unpinned).unwrap().assets, []);
}

#[test]
fn scores_and_values_of_projects_are_kept_and_go_with_their_project() {
    for (store, _folder) in both_places() {
        let project = store.projects().create("Shop").unwrap();
        let version = store
            .versions()
            .add_open(NewVersion {
                project,
                parent: None,
                made_by: None,
                label: String::new(),
                kind: VersionKind::Result,
                files: vec![file("index.html", "a")],
            })
            .unwrap();
        store.scores().set(version, 71.5, json!({"text": 0.9})).unwrap();
        store.scores().set(version, f64::NAN, json!({})).unwrap();
        store.scores().set(version, 104.0, json!({"text": 0.8})).unwrap();
        store.project_values().set(project, "stack", &"html_css").unwrap();
        store.project_values().set(project, "hosts", &["fonts.example"]).unwrap();
        store.project_values().unset(project, "hosts").unwrap();

        let score = store.scores().get(version).unwrap().map(|score| (score.score, score.parts));
        let values = store.project_values().of_project(project).unwrap();

        assert_eq!(score, Some((100.0, json!({"text": 0.8}))));
        assert_eq!(values.into_iter().collect::<Vec<_>>(), [("stack".to_owned(), json!("html_css"))]);
        assert_eq!(store.project_values().get::<u8>(project, "stack").unwrap(), None);
        store.projects().delete(project).unwrap();
        assert_eq!(store.scores().get(version).unwrap(), None);
        let refused = store.project_values().set(project, "stack", &"vue");
        assert!(matches!(refused, Err(StoreError::NotFound { what: "project", .. })), "{refused:?}");
    }
}

/// A fact of the ledger, by the numbers of its run and key.
#[derive(Debug, Clone)]
enum Fact {
    Reserve(u8, u8, u32),
    Settle(u8, u8, u32),
    Release(u8, u8),
}

fn fact() -> impl Strategy<Value = Fact> {
    let amount = 0..1_500_000_u32;
    prop_oneof![
        (0..2_u8, 0..5_u8, amount.clone()).prop_map(|(run, key, n)| Fact::Reserve(run, key, n)),
        (0..2_u8, 0..5_u8, amount).prop_map(|(run, key, n)| Fact::Settle(run, key, n)),
        (0..2_u8, 0..5_u8).prop_map(|(run, key)| Fact::Release(run, key)),
    ]
}

const CAP_MICROS: u64 = 3_000_000;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// S-60: the sums are even after every fact, saying it again changes nothing, and no interleaving of two runs
    /// reserves past a cap.
    #[test]
    fn whatever_is_reserved_settled_and_released_the_ledger_is_even_and_replay_changes_nothing(
        facts in proptest::collection::vec(fact(), 1..40),
    ) {
        let store = HistoryStore::in_memory().unwrap();
        let project = store.projects().create("Shop").unwrap();
        let runs = [begin(&store, project, 1).run, begin(&store, project, 1).run];
        let usd = |micros: u32| f64::from(micros) / 1e6;
        let say = |fact: &Fact| match *fact {
            Fact::Reserve(run, key, n) => {
                let run = runs[usize::from(run)];
                let before = store.ledger().of_run(run).unwrap();
                let said = store.ledger().reserve(run, &key.to_string(), usd(n), 3.0).unwrap();
                let after = store.ledger().of_run(run).unwrap();
                let grown = after.reserved_nanos - before.reserved_nanos;
                assert_eq!(after.settled_nanos, before.settled_nanos);
                assert!(grown == 0 || after.settled_nanos + after.open_nanos <= CAP_MICROS * 1000);
                assert!(grown == 0 || said == Reserved::Held);
            }
            Fact::Settle(run, key, n) => {
                store.ledger().settle(runs[usize::from(run)], &key.to_string(), usd(n)).map(drop).unwrap();
            }
            Fact::Release(run, key) => {
                store.ledger().release(runs[usize::from(run)], &key.to_string()).map(drop).unwrap();
            }
        };
        for fact in &facts {
            say(fact);
            let once = runs.map(|run| store.ledger().of_run(run).unwrap());
            say(fact);
            let twice = runs.map(|run| store.ledger().of_run(run).unwrap());
            prop_assert_eq!(once, twice);
            for sums in twice {
                prop_assert_eq!(sums.reserved_nanos, sums.settled_nanos + sums.released_nanos + sums.open_nanos);
            }
            let total = store.ledger().of_project(project).unwrap();
            prop_assert_eq!(total.settled_nanos, twice[0].settled_nanos + twice[1].settled_nanos);
        }
    }

    /// S-22: repeated and late ends of a task change nothing; the first one decides, the ledger with it.
    #[test]
    fn in_any_order_of_ends_the_first_decides_and_pays_once(
        ends in proptest::collection::vec(0..3_usize, 1..5), starts in any::<bool>(),
    ) {
        let store = HistoryStore::in_memory().unwrap();
        let project = store.projects().create("Shop").unwrap();
        let run = begin(&store, project, 1).run;
        let new = new_task(project, Some(run), Some(TaskPrice { reserve_usd: 0.5, cap_usd: 1.0 }));
        store.tasks().begin(new.clone()).unwrap();
        if starts {
            store.tasks().start(project, new.id).unwrap();
        }
        let end = |which| match which {
            0 => TaskEnd::Succeeded { result: Value::Null, assets: Vec::new(), cost_usd: Some(0.75) },
            1 => TaskEnd::Failed(failed()),
            _ => TaskEnd::Cancelled,
        };

        let told: Vec<_> =
            ends.iter().map(|which| store.tasks().end(project, new.id, end(*which)).unwrap()).collect();

        let mut expected = vec![false; ends.len()];
        expected[0] = true;
        let spent = match ends[0] {
            0 => sums(750_000_000, 750_000_000, 0, 0),
            _ => sums(500_000_000, 0, 500_000_000, 0),
        };
        prop_assert_eq!(told, expected);
        prop_assert_eq!(store.tasks().get(project, new.id).unwrap().state, end(ends[0]).state());
        prop_assert_eq!(store.ledger().of_run(run).unwrap(), spent);
    }
}

#[test]
fn sql_itself_refuses_to_change_what_is_final() {
    let folder = tempfile::TempDir::new().unwrap();
    let store = HistoryStore::open(folder.path()).unwrap();
    let project = store.projects().create("Shop").unwrap();
    let run = begin(&store, project, 1).run;
    let new = new_task(project, Some(run), Some(TaskPrice { reserve_usd: 0.5, cap_usd: 1.0 }));
    store.tasks().begin(new.clone()).unwrap();
    store.tasks().end(project, new.id, TaskEnd::Cancelled).unwrap();
    let database = rusqlite::Connection::open(folder.path().join("facsimile.db")).unwrap();

    let refused = ["UPDATE tasks SET state = 'running'", "UPDATE ledger SET settled_nanos = 1"]
        .map(|sql| database.execute(sql, ()).unwrap_err().to_string());

    assert_eq!(refused, ["a terminal state of a task is final", "a closed entry of the ledger is final"]);
}
