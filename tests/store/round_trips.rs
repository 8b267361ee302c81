//! What goes in comes out, on disk and in memory.

use facsimile_agent::{ErrorKind, Failure, ProjectPath, RunStatus, VariantIndex};
use facsimile_store::{
    EndedVariant, NewAsset, NewInput, NewRun, NewTurn, NewVersion, Round, RunMark, RunTurn, StoreError,
    StoredEvent, TurnKind, TurnResult, VariantEnd, VersionKind,
};
use serde_json::{Value, json};

use crate::support::{begin, both_places, events, file};

const FIRST: VariantIndex = VariantIndex(0);

#[test]
fn a_finished_variant_carries_its_counts_its_error_and_a_version_with_its_files() {
    for (store, _folder) in both_places() {
        let project = store.projects().create("Shop").unwrap();
        let begun = begin(&store, project, 2);
        let files = vec![file("css/site.css", "a{}"), file("index.html", "<h1>\0é</h1>")];
        let error = Failure::new(ErrorKind::RateLimit, "too many requests").with_next_step("wait a minute");
        let end = VariantEnd {
            error: Some(error.clone()),
            rounds: 3,
            tokens: json!({"output": 12}),
            cost_usd: Some(0.25),
            elapsed_ms: 4_000,
            label: "Option 1".to_owned(),
            files: files.clone(),
            ..VariantEnd::in_state(RunStatus::StoppedAtLimit)
        };

        let ended = store.runs().finish_variant(begun.run, FIRST, end).unwrap();

        let version = ended.version.unwrap();
        let variant = store.runs().get(begun.run).unwrap().variants.remove(0);
        assert_eq!(
            (variant.state, variant.error, variant.rounds, variant.tokens, variant.cost_usd, variant.version),
            (RunStatus::StoppedAtLimit, Some(error), 3, json!({"output": 12}), Some(0.25), Some(version))
        );
        assert_eq!(store.versions().files(version).unwrap(), files);
        let kept = store.versions().latest(project).unwrap().unwrap();
        assert_eq!(
            (kept.id, kept.made_by, kept.label.as_str(), kept.kind),
            (version, Some((begun.run, FIRST)), "Option 1", VersionKind::Result)
        );
    }
}

#[test]
fn a_terminal_state_never_changes() {
    for (store, _folder) in both_places() {
        let project = store.projects().create("Shop").unwrap();
        let run = begin(&store, project, 1).run;
        let end = VariantEnd {
            files: vec![file("index.html", "one")],
            ..VariantEnd::in_state(RunStatus::Succeeded)
        };
        let first = store.runs().finish_variant(run, FIRST, end).unwrap();

        let late_end =
            VariantEnd { files: vec![file("index.html", "two")], ..VariantEnd::in_state(RunStatus::Failed) };
        let late = store.runs().finish_variant(run, FIRST, late_end).unwrap();
        let answers = [
            store.runs().set_variant_state(run, FIRST, RunStatus::Running).unwrap(),
            store.runs().finish(run, RunStatus::Succeeded).unwrap(),
            store.runs().finish(run, RunStatus::Cancelled).unwrap(),
            store.runs().set_state(run, RunStatus::Running).unwrap(),
        ];

        assert_eq!(late, EndedVariant { recorded: false, version: first.version });
        assert_eq!(answers, [false, true, false, false]);
        let run = store.runs().get(run).unwrap();
        assert_eq!((run.state, run.variants[0].state), (RunStatus::Succeeded, RunStatus::Succeeded));
        assert_eq!(store.versions().of_project(project).unwrap().len(), 1);
    }
}

#[test]
fn a_run_that_cannot_be_recorded_leaves_no_turn_and_no_variants() {
    for (store, _folder) in both_places() {
        let project = store.projects().create("Shop").unwrap();
        let other = store.projects().create("Other").unwrap();
        let foreign = store
            .versions()
            .add(NewVersion {
                project: other,
                parent: None,
                made_by: None,
                label: String::new(),
                kind: VersionKind::Result,
                files: vec![],
            })
            .unwrap();
        let turn =
            NewTurn { kind: TurnKind::Modify, instruction: "more".to_owned(), parent_version: Some(foreign) };

        // One variant too many for its column is only noticed after turn, run and 256 variants went in.
        let too_many = NewRun {
            project,
            turn: RunTurn::New(NewTurn { parent_version: None, ..turn.clone() }),
            request: Value::Null,
            engines: vec!["engine".to_owned(); 300],
        };
        let foreign_parent = NewRun {
            project,
            turn: RunTurn::New(turn),
            request: Value::Null,
            engines: vec!["engine".to_owned()],
        };
        let refused = [store.runs().begin(too_many).is_err(), store.runs().begin(foreign_parent).is_err()];

        assert_eq!(refused, [true, true]);
        assert_eq!(store.turns().of_project(project).unwrap(), []);
        assert_eq!(store.runs().of_project(project).unwrap(), []);
    }
}

#[test]
fn the_list_shows_the_last_changed_project_first_with_its_runs() {
    for (store, _folder) in both_places() {
        let older = store.projects().create("Older").unwrap();
        let newer = store.projects().create("Newer").unwrap();
        let (first, second) = (begin(&store, older, 1).run, begin(&store, older, 1).run);
        store.runs().finish(first, RunStatus::Failed).unwrap();

        let list = store.projects().list().unwrap();

        let marks = vec![
            RunMark { id: first, state: RunStatus::Failed },
            RunMark { id: second, state: RunStatus::Queued },
        ];
        let shown: Vec<_> =
            list.iter().map(|entry| (entry.project.id, entry.runs.clone(), entry.latest_state())).collect();
        let mut expected = vec![(older, marks, Some(RunStatus::Queued)), (newer, vec![], None)];
        // Both may have changed within one millisecond; then the younger one is first.
        if list[0].project.updated_at_ms == list[1].project.updated_at_ms {
            expected.reverse();
        }
        assert_eq!(shown, expected);
    }
}

#[test]
fn a_turn_keeps_its_result_and_is_forgotten_by_the_model_when_memory_is_cleared() {
    for (store, _folder) in both_places() {
        let project = store.projects().create("Shop").unwrap();
        let first = begin(&store, project, 1).turn;
        let result = TurnResult {
            assistant_text: "Done.".to_owned(),
            touched_files: vec![ProjectPath::index()],
            intent_category: Some("code_change".to_owned()),
            awaiting_reply: true,
            diff: "-a\n+b".to_owned(),
        };
        store.turns().finish(first, result.clone()).unwrap();
        let remembered_before = store.turns().remembered(project).unwrap().len();
        store.projects().clear_memory(project).unwrap();
        let second = begin(&store, project, 1).turn;

        let remembered: Vec<_> =
            store.turns().remembered(project).unwrap().iter().map(|turn| turn.id).collect();

        assert_eq!(store.turns().get(first).unwrap().result, result);
        assert_eq!((remembered_before, remembered), (1, vec![second]));
    }
}

#[test]
fn inputs_wait_for_a_project_and_are_copied_into_a_second_one() {
    for (store, _folder) in both_places() {
        let asset =
            store.assets().put(NewAsset::new(b"png".to_vec(), "image/png", "png").sized_px(8, 4)).unwrap();
        let new = |name: &str| NewInput {
            name: name.to_owned(),
            asset: asset.id.clone(),
            mime: "image/png".to_owned(),
            width_px: 8,
            height_px: 4,
            bytes: 3,
        };
        let (a, b) = (store.inputs().add(new("a")).unwrap(), store.inputs().add(new("b")).unwrap());
        let waiting = store.inputs().get(a).unwrap().project;
        let project = store.projects().create("One").unwrap();
        let other = store.projects().create("Two").unwrap();

        let attached = store.inputs().attach(&[b, a], project).unwrap();
        let again = store.inputs().attach(&[a], project).unwrap();
        let copied = store.inputs().attach(&[b], other).unwrap();

        assert_eq!((waiting, attached, again), (None, vec![b, a], vec![a]));
        let order: Vec<_> =
            store.inputs().of_project(project).unwrap().into_iter().map(|i| (i.name, i.position)).collect();
        assert_eq!(order, [("b".to_owned(), 0), ("a".to_owned(), 1)]);
        let copy = store.inputs().get(copied[0]).unwrap();
        assert_eq!((copy.id == b, copy.project, copy.name.as_str()), (false, Some(other), "b"));
    }
}

#[test]
fn rounds_are_kept_in_order_and_once() {
    for (store, _folder) in both_places() {
        let project = store.projects().create("Shop").unwrap();
        let run = begin(&store, project, 1).run;
        let round = |n: u32, retries: u32| Round {
            round: n,
            usage: json!({"input": n}),
            cost_usd: None,
            elapsed_ms: 10,
            retries,
            prompt_version: "7".to_owned(),
        };
        for (n, retries) in [(2, 0), (1, 0), (1, 3)] {
            store.rounds().add(run, FIRST, round(n, retries)).unwrap();
        }

        assert_eq!(store.rounds().of_variant(run, FIRST).unwrap(), [round(1, 3), round(2, 0)]);
    }
}

#[test]
fn settings_of_another_type_read_as_unset_and_are_kept() {
    for (store, _folder) in both_places() {
        store.settings().set("max_rounds", &json!({"later": "form"})).unwrap();
        store.settings().set("theme", &"dark").unwrap();
        store.settings().set("theme", &"light").unwrap();

        let read = (
            store.settings().get::<u32>("max_rounds").unwrap(),
            store.settings().get::<Value>("max_rounds").unwrap(),
            store.settings().get::<String>("theme").unwrap(),
            store.settings().get::<String>("missing").unwrap(),
        );

        assert_eq!(read, (None, Some(json!({"later": "form"})), Some("light".to_owned()), None));
    }
}

#[test]
fn events_come_back_in_order_from_any_point() {
    for (store, _folder) in both_places() {
        let project = store.projects().create("Shop").unwrap();
        let run = begin(&store, project, 1).run;
        store.events().append(run, events(1, 700)).unwrap();
        store.events().append(run, events(701, 1_000)).unwrap();
        store.flush().unwrap();

        let tail = store.events().since(run, 998).unwrap();

        let expected: Vec<_> =
            events(999, 1_000).into_iter().map(|(seq, json)| StoredEvent { seq, json }).collect();
        assert_eq!((tail, store.events().last_seq(run).unwrap()), (expected, 1_000));
        assert_eq!(store.events().since(run, 0).unwrap().len(), 1_000);
    }
}

#[test]
fn events_out_of_order_are_refused_once_and_leave_no_gap() {
    for (store, _folder) in both_places() {
        let project = store.projects().create("Shop").unwrap();
        let (run, sound) = (begin(&store, project, 1).run, begin(&store, project, 1).run);
        store.events().append(run, events(1, 2)).unwrap();
        store.events().append(run, events(4, 5)).unwrap();
        store.events().append(sound, events(1, 1)).unwrap();

        let other_run_finishes = store.runs().finish(sound, RunStatus::Succeeded).unwrap();
        let finished = store.runs().finish(run, RunStatus::Failed);
        let heard_once = store.flush();

        assert!(other_run_finishes);
        assert!(
            matches!(finished, Err(StoreError::EventOrder { run: refused, expected: 3, got: 4 }) if refused == run),
            "{finished:?}"
        );
        heard_once.unwrap();
        assert_eq!(
            (store.events().last_seq(run).unwrap(), store.runs().get(run).unwrap().state),
            (2, RunStatus::Failed)
        );
    }
}

#[test]
fn events_of_an_unknown_run_surface_at_the_next_flush() {
    for (store, _folder) in both_places() {
        store.events().append(facsimile_agent::RunId::fresh(), events(1, 1)).unwrap();

        let flushed = store.flush();

        assert!(matches!(flushed, Err(StoreError::NotFound { what: "run", .. })), "{flushed:?}");
    }
}

#[test]
fn unfinished_runs_become_interrupted_and_say_where_their_events_end() {
    let (store, _folder) = both_places().into_iter().next_back().unwrap();
    let project = store.projects().create("Shop").unwrap();
    let done = begin(&store, project, 1).run;
    store.runs().finish(done, RunStatus::Succeeded).unwrap();
    let cut = begin(&store, project, 2);
    store.runs().set_variant_state(cut.run, VariantIndex(1), RunStatus::Running).unwrap();
    store.runs().finish_variant(cut.run, FIRST, VariantEnd::in_state(RunStatus::NoOutput)).unwrap();
    store.events().append(cut.run, events(1, 3)).unwrap();

    let recovered = store.recover_interrupted().unwrap();
    let draft = store
        .versions()
        .add_draft(project, None, (cut.run, VariantIndex(1)), vec![file("index.html", "half")])
        .unwrap();

    let facts: Vec<_> =
        recovered.iter().map(|r| (r.run, r.project, r.state, r.last_seq, r.interrupted.clone())).collect();
    assert_eq!(facts, [(cut.run, project, RunStatus::Interrupted, 3, vec![VariantIndex(1)])]);
    let states: Vec<_> =
        store.runs().get(cut.run).unwrap().variants.into_iter().map(|v| (v.state, v.version)).collect();
    assert_eq!(states, [(RunStatus::NoOutput, None), (RunStatus::Interrupted, Some(draft))]);
    assert_eq!(store.recover_interrupted().unwrap(), []);
}
