//! What happens when a request fails.

use facsimile_agent::{AgentEvent, EngineNote, ErrorKind, Failure, RunStatus, SessionError};
use facsimile_testkit::{Reply, calls, fold_code};
use serde_json::json;

use crate::support::{files, play};

const PAGE: &str = "<!doctype html><html><body><h1>Hello there, this is a page</h1></body></html>";

fn overloaded() -> SessionError {
    SessionError::retryable(Failure::new(ErrorKind::Overloaded, "the provider is overloaded"))
}

fn good() -> Reply {
    calls("create_file", json!({"content": PAGE}))
}

#[tokio::test(start_paused = true)]
async fn a_request_that_showed_nothing_is_tried_again() {
    let failing = || Reply::new().failing(overloaded());
    let run = play([failing(), failing(), failing(), failing(), good()]).await;
    assert_eq!((run.outcome.status, run.file("index.html")), (RunStatus::Succeeded, Some(PAGE)));
    let waits = run.recording.notes.iter().filter(|note| matches!(note, EngineNote::Waiting { .. })).count();
    assert_eq!(waits, 4);
}

#[tokio::test(start_paused = true)]
async fn five_failures_in_a_row_end_the_variant_with_the_reason() {
    let run = play((0..5).map(|_| Reply::new().failing(overloaded()))).await;
    assert_eq!((run.outcome.status, run.outcome.failure), (RunStatus::Failed, Some(overloaded().failure)));
}

#[tokio::test(start_paused = true)]
async fn a_replaced_attempt_names_what_it_showed_and_the_new_one_starts_from_nothing() {
    let raw = json!({"content": format!("{PAGE} first try")}).to_string();
    let broken =
        Reply::new().saying("Let me").calling_with("create_file", &raw[..60], 11).failing(overloaded());
    let run = play([broken, good()]).await;
    let replaced = run.recording.notes.iter().find_map(|note| match note {
        EngineNote::AttemptReplaced { replaces } => Some(replaces.clone()),
        _ => None,
    });
    let ids: Vec<_> = run
        .recording
        .events
        .iter()
        .filter_map(|event| match event {
            AgentEvent::SetCode { event_id, base, .. } => Some((event_id.clone(), *base)),
            _ => None,
        })
        .collect();
    let replaced = replaced.expect("the note");
    let first_of_new = ids.iter().find(|(id, _)| !replaced.contains(id)).expect("a second try");
    assert!(replaced.contains(&ids[0].0) && replaced.len() == 2);
    assert_eq!(first_of_new.1, 0);
    assert_eq!(fold_code(&run.recording.events)["index.html"], PAGE);
}

#[tokio::test(start_paused = true)]
async fn a_stream_without_its_end_is_a_failure_whatever_arrived_and_the_draft_stays() {
    let raw = json!({"content": PAGE}).to_string();
    let broken = || Reply::new().calling_with("create_file", &raw, 11).breaking_off();
    let run = play([broken(), broken()]).await;
    assert_eq!(
        (run.outcome.status, run.outcome.failure.map(|failure| failure.kind)),
        (RunStatus::Failed, Some(ErrorKind::StreamEndedEarly))
    );
    assert_eq!(run.files, files([("index.html", PAGE)]));
}

#[tokio::test(start_paused = true)]
async fn a_silent_stream_has_stalled_after_two_minutes() {
    let run = play((0..5).map(|_| Reply::new().hanging())).await;
    // The retry window of three minutes leaves room for one more attempt.
    assert_eq!(
        (run.outcome.failure.map(|failure| failure.kind), run.told.requests.len()),
        (Some(ErrorKind::Stalled), 2)
    );
}

#[tokio::test(start_paused = true)]
async fn a_final_error_is_not_tried_again() {
    let denied = SessionError::fatal(Failure::new(ErrorKind::BadKey, "no such key"));
    let run = play([Reply::new().failing(denied), good()]).await;
    assert_eq!((run.outcome.status, run.told.requests.len()), (RunStatus::Failed, 1));
}
