//! How a variant ends and what it keeps.

use std::time::Duration;

use facsimile_agent::{ErrorKind, Limits, RunStatus, StopReason, TokenUsage, ToolContext, VariantIndex};
use facsimile_testkit::{Reply, ScriptedSession, calls, says};
use serde_json::json;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::support::{engine, files, play, play_on, play_session};

const PAGE: &str = "<!doctype html><html><body><h1>Hello</h1></body></html>";

#[tokio::test(start_paused = true)]
async fn keeps_partial_file_when_turn_limit_is_hit() {
    let replies = (0..9).map(|i| calls("create_file", json!({"content": format!("{PAGE}<!-- {i} -->")})));
    let limits = Limits { max_rounds: 3, ..Limits::of_create() };
    let run = play_session(files([]), ScriptedSession::new(replies), limits, &CancellationToken::new()).await;
    assert_eq!((run.outcome.status, run.outcome.rounds), (RunStatus::StoppedAtLimit, 3));
    assert_eq!(run.file("index.html"), Some(format!("{PAGE}<!-- 2 -->").as_str()));
}

#[tokio::test(start_paused = true)]
async fn stopping_while_a_page_is_typed_keeps_what_was_typed() {
    let raw = json!({"content": PAGE.repeat(4)}).to_string();
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let reply = Reply::new().calling_with("create_file", &raw[..150], 6).hanging();
    let (run, ()) = tokio::join!(play_on(files([]), [reply], &cancel), async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        stop.cancel();
    });
    assert_eq!(run.outcome.status, RunStatus::Cancelled);
    assert_eq!(run.file("index.html"), Some(&PAGE.repeat(4)[..150 - r#"{"content":""#.len()]));
    run.assert_shown_is_stored(&files([]));
}

#[tokio::test(start_paused = true)]
async fn calls_behind_a_cancelled_one_get_a_result_that_says_so() {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let run = play_on(files([]), [calls("create_file", json!({"content": PAGE}))], &cancel).await;
    assert_eq!((run.outcome.status, run.told.requests.len()), (RunStatus::Cancelled, 0));
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_ends_a_run_with_what_it_has() {
    let reply =
        Reply::new().calling_with("create_file", &json!({"content": PAGE}).to_string()[..40], 5).hanging();
    let limits = Limits { deadline: Some(Instant::now() + Duration::from_secs(5)), ..Limits::of_create() };
    let run = play_session(files([]), ScriptedSession::new([reply]), limits, &CancellationToken::new()).await;
    assert_eq!(run.outcome.status, RunStatus::StoppedAtLimit);
    assert!(run.file("index.html").is_some_and(|text| PAGE.starts_with(text)));
}

#[tokio::test(start_paused = true)]
async fn a_page_in_the_reply_becomes_the_file_when_there_is_none() {
    let run = play([says(&format!("Sure:\n```html\n{PAGE}\n```\n"))]).await;
    assert_eq!((run.outcome.status, run.file("index.html")), (RunStatus::Succeeded, Some(PAGE)));
    run.assert_shown_is_stored(&files([]));
}

#[tokio::test(start_paused = true)]
async fn files_win_over_a_page_in_the_reply() {
    let run = play([calls("create_file", json!({"content": PAGE})), says("<p>other</p>")]).await;
    assert_eq!(run.file("index.html"), Some(PAGE));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_or_a_question_never_becomes_the_page() {
    for (reply, said) in [
        (says("Which colour do you want?"), "Which colour do you want?"),
        (says("<p>I will not.</p>").stopping(StopReason::Refused), "<p>I will not.</p>"),
    ] {
        let run = play([reply]).await;
        assert_eq!((run.outcome.status, run.outcome.message.as_str()), (RunStatus::NoOutput, said));
        assert!(run.files.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_blocked_reply_fails_with_the_reason() {
    let run = play([Reply::new().stopping(StopReason::Blocked)]).await;
    assert_eq!(
        (run.outcome.status, run.outcome.failure.map(|failure| failure.kind)),
        (RunStatus::Failed, Some(ErrorKind::Blocked))
    );
}

#[tokio::test(start_paused = true)]
async fn a_truncated_reply_is_named_and_its_draft_kept() {
    let raw = json!({"content": PAGE}).to_string();
    let reply = Reply::new().calling_with("create_file", &raw[..50], 6).stopping(StopReason::Truncated);
    let run = play([reply]).await;
    assert_eq!(run.outcome.failure.map(|failure| failure.kind), Some(ErrorKind::Truncated));
    assert!(
        run.files.read(&facsimile_agent::ProjectPath::index()).is_some_and(|text| PAGE.starts_with(text))
    );
}

#[tokio::test(start_paused = true)]
async fn tokens_add_up_over_rounds() {
    let usage = TokenUsage { input: 10, cached_read: 1, cached_write: 2, output: 5, reasoning: 3 };
    let run =
        play([calls("create_file", json!({"content": PAGE})).using(usage), says("Done").using(usage)]).await;
    assert_eq!(
        run.outcome.usage,
        TokenUsage { input: 20, cached_read: 2, cached_write: 4, output: 10, reasoning: 6 }
    );
}

#[tokio::test(start_paused = true)]
async fn a_run_may_move_between_threads() {
    let mut session = ScriptedSession::new([says("Hello")]);
    let run = tokio::spawn(async move {
        let mut cx = ToolContext::new(VariantIndex(0), files([]), CancellationToken::new());
        let mut sink = facsimile_testkit::Recording::default();
        engine(Limits::of_create()).run(&mut session, &mut cx, &mut sink).await
    });
    assert_eq!(run.await.unwrap().status, RunStatus::NoOutput);
}

#[tokio::test(start_paused = true)]
async fn counts_beyond_reason_do_not_end_the_program() {
    let usage = TokenUsage { input: u64::MAX, output: u64::MAX, ..TokenUsage::default() };
    let run =
        play([calls("create_file", json!({"content": PAGE})).using(usage), says("Done").using(usage)]).await;
    assert_eq!((run.outcome.status, run.outcome.usage), (RunStatus::Succeeded, usage));
}

struct HalfWay;

impl facsimile_agent::Tool for HalfWay {
    const NAME: &'static str = "half_way";
    const DESCRIPTION: &'static str = "Changes a file and goes on for ever.";
    type Input = serde_json::Value;
    async fn run(
        &self,
        _: serde_json::Value,
        cx: &mut ToolContext,
    ) -> Result<facsimile_agent::ToolExecutionResult, facsimile_agent::ToolFailure> {
        cx.files = files([("half.html", "written")]);
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_is_stopped_in_the_middle_leaves_no_half_work_and_gets_a_result() {
    let registry = facsimile_agent::ToolRegistry::new().with(HalfWay).unwrap();
    let limits = Limits { deadline: Some(Instant::now() + Duration::from_secs(5)), ..Limits::of_create() };
    let engine = facsimile_agent::AgentEngine::new(std::sync::Arc::new(registry), limits);
    let before = files([("index.html", PAGE)]);
    let cx = ToolContext::new(VariantIndex(0), before.clone(), CancellationToken::new());
    let reply = Reply::new().calling("half_way", json!({}), 9).calling("half_way", json!({"again": 1}), 9);
    let run = crate::support::play_with(&engine, ScriptedSession::new([reply]), cx).await;
    let not_run = json!({"error": "not run: the time limit was reached"});
    assert_eq!(
        (run.outcome.status, run.files.clone(), run.told.results.clone()),
        (RunStatus::StoppedAtLimit, before, vec![not_run.clone(), not_run])
    );
}
