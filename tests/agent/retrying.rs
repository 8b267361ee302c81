//! What happens when a request fails.

use facsimile_agent::{AgentEvent, EngineNote, ErrorKind, Failure, RunStatus, SessionError, StopReason};
use facsimile_testkit::{Reply, calls, fold_code, says};
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

#[tokio::test(start_paused = true)]
async fn a_turn_nobody_can_read_is_asked_for_twice_more_and_never_enters_the_history() {
    let unreadable = || Reply::new().saying("Let me").stopping(StopReason::MalformedCall);
    let run = play([unreadable(), unreadable(), good(), says("Done.")]).await;
    assert_eq!((run.outcome.status, run.file("index.html")), (RunStatus::Succeeded, Some(PAGE)));
    assert_eq!(run.told.turns, [json!({"turn": 3})]);
    let run = play([unreadable(), unreadable(), unreadable(), good()]).await;
    assert_eq!(
        (run.outcome.failure.map(|failure| failure.kind), run.told.requests.len()),
        (Some(ErrorKind::Protocol), 3)
    );
}

#[tokio::test(start_paused = true)]
async fn calls_nobody_can_read_go_back_twice_in_a_row_and_then_end_the_variant() {
    let broken = || Reply::new().calling_with("create_file", "{\"content\": oops}", 5);
    let run = play([broken(), broken(), good(), broken(), broken(), broken(), good()]).await;
    assert_eq!(
        (run.outcome.failure.map(|failure| failure.kind), run.told.requests.len()),
        (Some(ErrorKind::Protocol), 6)
    );
    assert_eq!(run.files, files([("index.html", PAGE)]));
}

#[tokio::test(start_paused = true)]
async fn one_call_that_can_be_read_makes_the_round_count() {
    let mixed = || {
        let list = json!({"dir": "css"});
        Reply::new().calling_with("create_file", "{oops", 5).calling("list_files", list, 5)
    };
    let run = play((0..6).map(|_| mixed()).chain([good()])).await;
    assert_eq!(run.outcome.status, RunStatus::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn a_failure_after_a_tool_ran_repeats_the_request_and_not_the_tool() {
    let edit = json!({"old_text": "a", "new_text": "aa", "count": 1});
    let run = crate::support::play_on(
        files([("index.html", "a")]),
        [calls("edit_file", edit), Reply::new().failing(overloaded()), says("Done.")],
        &tokio_util::sync::CancellationToken::new(),
    )
    .await;
    assert_eq!((run.file("index.html"), run.told.results.len()), (Some("aa"), 1));
}

#[tokio::test(start_paused = true)]
async fn signs_of_life_keep_a_slow_model_alive_and_show_nothing() {
    let slow =
        (0..5).fold(Reply::new(), |reply, _| reply.pausing(std::time::Duration::from_secs(100)).living());
    let run = play([slow.saying("Hello")]).await;
    assert_eq!((run.told.requests.len(), run.order()), (1, vec!["assistant".to_owned()]));
}
