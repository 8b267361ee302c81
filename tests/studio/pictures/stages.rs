//! Where a task is on its way, as it is told and kept.

use facsimile_store::{Task, TaskState};
use facsimile_studio::tasks::TaskWatch;
use facsimile_studio::{LifecycleEvent, RunEventBody, Studio};
use facsimile_testkit::replay::Spoken;
use tokio::runtime::Handle;

use super::services::{Replicate, services};
use super::{TURBO, begin, calls, keys, memory, one_pot, studio};

/// What is told of a task until its end.
async fn told_until_the_end(watch: &mut TaskWatch) -> Vec<Task> {
    let mut told: Vec<Task> = Vec::new();
    while !told.last().is_some_and(|task| task.state.is_terminal()) {
        told.push(watch.recv().await.unwrap());
    }
    told
}

/// The stages of a task as they were told, each once.
fn stages_of(told: &[Task]) -> Vec<&str> {
    let mut stages: Vec<&str> = told.iter().map(|task| task.progress.stage.as_str()).collect();
    stages.dedup();
    stages
}

#[tokio::test]
async fn a_task_goes_through_its_stages_one_by_one_and_its_card_names_them() {
    let replicate = Replicate::ending(&[]).await.held();
    let studio = studio(&memory(), replicate.services(), TURBO);
    let mut watch = studio.watch_tasks();
    let (started, _server) = begin(&studio, Spoken::Anthropic, calls(&[one_pot()])).await;
    let mut told = vec![watch.recv().await.unwrap()];
    while told.last().is_some_and(|task| task.progress.stage != "Being made") {
        told.push(watch.recv().await.unwrap());
    }
    let [first, made] = [&told[0], &told[told.len() - 1]].map(|task| studio.task_view(task.clone()).unwrap());
    replicate.let_go();
    told.extend(told_until_the_end(&mut watch).await);
    studio.ended(started.run).await.unwrap();

    let stages = ["Waiting", "Sending", "Being made", "Downloading", "Placing"];
    assert_eq!(
        (first.state, first.stage.as_str(), &first.stages[..]),
        ("queued", stages[0], &stages.map(str::to_owned)[..])
    );
    assert_eq!((made.state, made.done, made.total), ("running", 0, 1));
    assert_eq!(stages_of(&told), stages);
    let (snapshot, _) = studio.attach(started.run).unwrap();
    let last = snapshot.events.iter().rev().find_map(|event| match &event.body {
        RunEventBody::Lifecycle(LifecycleEvent::TaskState { stage, state, done, .. }) => {
            Some((&**stage, &**state, *done))
        }
        _ => None,
    });
    assert_eq!(last, Some(("Placing", "succeeded", 1)), "the record of the run tells of them too");
}

#[tokio::test]
async fn work_of_this_computer_has_stages_too_even_where_a_service_had_begun_it() {
    let replicate = Replicate::ending(&["failed"]).await;
    let store = memory();
    let with_key = studio(&store, replicate.services(), TURBO);
    let (started, _server) = begin(&with_key, Spoken::Gemini, calls(&[one_pot()])).await;
    with_key.ended(started.run).await.unwrap();
    let failed = with_key.task_views(started.project).unwrap().remove(0);
    let without = Studio::with_services(store, Handle::current(), keys(false), services()).unwrap();
    let mut watch = without.watch_tasks();
    without.retry_task(started.project, failed.id).unwrap();
    let told = told_until_the_end(&mut watch).await;
    let again = &told[told.len() - 1];

    let here = ["Waiting", "Being made", "Placing"];
    assert_eq!((again.state, &again.stages[..]), (TaskState::Succeeded, &here.map(str::to_owned)[..]));
    assert_eq!((stages_of(&told), failed.stages.len()), (here.to_vec(), 5));
}
