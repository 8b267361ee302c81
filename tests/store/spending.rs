//! What variants of runs have cost, by the ledger.

use facsimile_agent::{ProjectId, RunId, TaskId, VariantIndex};
use facsimile_store::{HistoryStore, NewTask, TaskEnd, TaskPrice, request_key};
use serde_json::Value;

use crate::support::begin;

fn picture_task(project: ProjectId, made_by: (RunId, VariantIndex), price: TaskPrice) -> NewTask {
    NewTask {
        id: TaskId::fresh(),
        project,
        made_by: Some(made_by),
        kind: "generate_images".to_owned(),
        title: "A picture".to_owned(),
        stages: Vec::new(),
        total: 1,
        inputs: Value::Null,
        paths: Vec::new(),
        price: Some(price),
    }
}

// S-60
#[test]
fn the_sum_of_a_variant_holds_its_requests_and_all_tries_of_its_tasks_and_nothing_of_others() {
    let folder = tempfile::TempDir::new().unwrap();
    let store = HistoryStore::open(folder.path()).unwrap();
    let project = store.projects().create("Shop").unwrap();
    let [run, other_run] = [begin(&store, project, 2).run, begin(&store, project, 1).run];
    let [first, second] = [VariantIndex(0), VariantIndex(1)];
    let ledger = store.ledger();
    // Notes are not waited for; what is read afterwards has them all the same.
    ledger.note_reserved(run, &request_key(first, 1), 0.5);
    ledger.note_settled(run, &request_key(first, 1), 0.25);
    ledger.note_reserved(run, &request_key(first, 2), 0.5);
    ledger.note_released(run, &request_key(first, 2));
    ledger.note_settled(run, &request_key(first, 11), 0.125);
    ledger.note_settled(run, &request_key(second, 3), 1.0);
    ledger.note_settled(other_run, &request_key(first, 1), 2.0);
    // What was written before requests told whose they are.
    ledger.note_settled(run, "request-7", 4.0);
    let task = |made_by, reserve_usd, cost_usd, ends_well: bool| {
        let new = picture_task(project, made_by, TaskPrice { reserve_usd, cap_usd: 0.0 });
        store.tasks().begin(new.clone()).unwrap();
        let done = TaskEnd::Succeeded { result: Value::Null, assets: Vec::new(), cost_usd };
        let end = if ends_well { done } else { TaskEnd::Cancelled };
        store.tasks().end(project, new.id, end).unwrap();
    };
    task((run, first), 0.5, None, false);
    task((run, first), 0.5, Some(0.5), true);
    task((run, second), 0.0, None, true);
    let read = |store: &HistoryStore| {
        let by_variant = store.ledger().by_variant(project).unwrap();
        let mut spent: Vec<_> = [(run, first), (run, second), (other_run, first)]
            .map(|(run, variant)| {
                let one = store.ledger().of_variant(run, variant).unwrap();
                assert_eq!(by_variant.get(&(run, variant)), Some(&one));
                (one.settled_usd(), one.has_unpriced)
            })
            .to_vec();
        spent.push((by_variant.len() as f64, false));
        spent
    };

    let expected = [(0.875, false), (1.0, true), (2.0, false), (3.0, false)];
    assert_eq!(read(&store), expected);
    drop(store);
    assert_eq!(read(&HistoryStore::open(folder.path()).unwrap()), expected);
}
