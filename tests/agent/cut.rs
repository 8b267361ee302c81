//! Replies that the output limit cut.

use facsimile_agent::{
    Continuation, EngineNote, ErrorKind, Failure, Limits, OutputBudget, RunStatus, SessionError, StopReason,
    ToolChoice,
};
use facsimile_testkit::{Reply, ScriptedSession, calls, says};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{Run, files, play, play_session};

fn page() -> String {
    let lines: String = (0..60).map(|line| format!("<p>Line {line} of the page</p>\n")).collect();
    format!("<!doctype html>\n<html><body>\n{lines}</body></html>\n")
}

/// A reply that is cut after so many characters of its content.
fn cut_after(name: &str, content: &str, chars: usize) -> Reply {
    let raw = json!({"path": "index.html", "content": &content[..chars]}).to_string();
    Reply::new().calling_with(name, raw.strip_suffix("\"}").unwrap(), 9).stopping(StopReason::Truncated)
}

fn rest(content: &str) -> Reply {
    calls("append_file", json!({"path": "index.html", "content": content}))
}

async fn doubling(replies: impl IntoIterator<Item = Reply>) -> Run {
    let session = ScriptedSession::new(replies).doubling();
    play_session(files([]), session, Limits::of_create(), &CancellationToken::new()).await
}

#[tokio::test(start_paused = true)]
async fn the_same_history_is_sent_once_with_twice_the_room_where_the_model_allows_it() {
    let page = page();
    let run =
        doubling([cut_after("create_file", &page, 300), calls("create_file", json!({"content": page}))])
            .await;
    let budgets: Vec<_> = run.told.requests.iter().map(|request| request.1).collect();
    assert_eq!(budgets, [OutputBudget::Usual, OutputBudget::Doubled, OutputBudget::Usual]);
    // The cut turn is dropped, and nothing stands in its place.
    assert_eq!((run.told.turns[0].clone(), run.told.messages.len()), (json!({"turn": 2}), 0));
    assert_eq!((run.outcome.status, run.file("index.html")), (RunStatus::Succeeded, Some(page.as_str())));
    let replaced = |note: &&EngineNote| matches!(note, EngineNote::AttemptReplaced { .. });
    assert_eq!(run.recording.notes.iter().filter(replaced).count(), 1);
    run.assert_shown_is_stored(&files([]));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_allows_no_more_than_it_gave_goes_on_from_its_draft() {
    let page = page();
    let refused = SessionError::fatal(Failure::new(ErrorKind::BadRequest, "max_tokens is too large"));
    let run = doubling([
        cut_after("create_file", &page, 300),
        Reply::new().failing(refused),
        rest(&page[300..]),
        says("Done."),
    ])
    .await;
    assert_eq!((run.outcome.status, run.file("index.html")), (RunStatus::Succeeded, Some(page.as_str())));
}

#[tokio::test(start_paused = true)]
async fn the_model_goes_on_behind_the_last_lines_of_its_draft() {
    let page = page();
    let run = play([cut_after("create_file", &page, 1_000), rest(&page[1_000..]), says("Done.")]).await;
    assert_eq!((run.outcome.status, run.file("index.html")), (RunStatus::Succeeded, Some(page.as_str())));
    let asked = &run.told.messages[0].text;
    let tail: Vec<&str> = page[..1_000].lines().rev().take(20).collect();
    assert!(tail.iter().all(|line| asked.contains(line)) && !asked.contains("<!doctype"), "{asked}");
    assert_eq!(run.told.continuations, [Continuation::Begun, Continuation::Over]);
    let choices: Vec<_> = run.told.requests.iter().map(|request| request.0).collect();
    assert_eq!(choices, [ToolChoice::Auto, ToolChoice::Required, ToolChoice::Auto]);
    run.assert_shown_is_stored(&files([]));
}

#[tokio::test(start_paused = true)]
async fn what_is_repeated_of_the_draft_is_neither_shown_nor_stored_twice() {
    let page = page();
    for (cut, back) in [(1_000, 1), (1_000, 5), (1_000, 20), (1_010, 2)] {
        let begins = page[..cut].rmatch_indices('\n').nth(back - 1).unwrap().0 + 1;
        for size in [3, 4_000] {
            let again = json!({"path": "index.html", "content": &page[begins..]});
            let reply = Reply::new().calling("append_file", again, size);
            let run = play([cut_after("create_file", &page, cut), reply]).await;
            assert_eq!(run.file("index.html"), Some(page.as_str()), "{cut} {back} {size}");
            run.assert_shown_is_stored(&files([]));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_rest_is_shown_while_it_is_typed() {
    let page = page();
    let reply = cut_after("append_file", &page[500..], 800).stopping(StopReason::Truncated);
    let run = play([cut_after("create_file", &page, 500), reply, rest(&page[1_300..])]).await;
    assert_eq!((run.outcome.status, run.file("index.html")), (RunStatus::Succeeded, Some(page.as_str())));
    assert_eq!(run.told.messages.len(), 2);
    run.assert_shown_is_stored(&files([]));
}

#[tokio::test(start_paused = true)]
async fn after_three_continuations_a_half_page_is_kept_and_never_called_done() {
    let page = page();
    let cuts = |at: usize| cut_after("append_file", &page[at..], 100);
    let run = play([cut_after("create_file", &page, 500), cuts(500), cuts(600), cuts(700), cuts(800)]).await;
    assert_eq!(
        (run.outcome.status, run.outcome.failure.map(|failure| failure.kind), run.told.requests.len()),
        (RunStatus::Failed, Some(ErrorKind::Truncated), 4)
    );
    assert_eq!(run.files, files([("index.html", &page[..800])]));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_calls_half_a_page_done_is_asked_for_the_rest() {
    let page = page();
    let run =
        play([cut_after("create_file", &page, 500), says("Done!"), rest(&page[500..]), says("Done.")]).await;
    assert_eq!((run.outcome.status, run.file("index.html")), (RunStatus::Succeeded, Some(page.as_str())));
    let stubborn =
        play([cut_after("create_file", &page, 500), says("Done!"), says("Done!"), says("Done!")]).await;
    assert_eq!(stubborn.outcome.failure.map(|failure| failure.kind), Some(ErrorKind::Truncated));
}

#[tokio::test(start_paused = true)]
async fn a_page_that_was_written_into_the_reply_goes_on_as_a_file() {
    let page = page();
    let text = Reply::new().saying(&page[..900]).stopping(StopReason::Truncated);
    let run = play([text, rest(&page[900..]), says("Done.")]).await;
    assert_eq!((run.outcome.status, run.file("index.html")), (RunStatus::Succeeded, Some(page.as_str())));
}

#[tokio::test(start_paused = true)]
async fn a_reply_of_which_nothing_came_is_asked_for_in_smaller_steps() {
    let nothing = || Reply::new().thinking("hm").stopping(StopReason::Truncated);
    let page = page();
    let run = play([nothing(), calls("create_file", json!({"content": page})), says("Done.")]).await;
    assert_eq!((run.outcome.status, run.told.continuations), (RunStatus::Succeeded, vec![]));
    let run = play([nothing(), nothing(), nothing(), nothing()]).await;
    assert_eq!(run.outcome.failure.map(|failure| failure.kind), Some(ErrorKind::Truncated));
}

#[tokio::test(start_paused = true)]
async fn a_file_that_was_whole_in_a_cut_reply_is_kept_and_not_asked_for_again() {
    let page = page();
    let raw = json!({"path": "index.html", "content": &page[..400]}).to_string();
    let reply = Reply::new()
        .calling("create_file", json!({"path": "site.css", "content": "p { margin: 0 }"}), 7)
        .calling_with("create_file", raw.strip_suffix("\"}").unwrap(), 9)
        .stopping(StopReason::Truncated);
    let run = play([reply, rest(&page[400..]), says("Done.")]).await;
    assert_eq!(run.outcome.status, RunStatus::Succeeded);
    assert_eq!(run.files, files([("index.html", &page), ("site.css", "p { margin: 0 }")]));
}

#[tokio::test(start_paused = true)]
async fn append_file_exists_only_while_a_file_is_cut_and_only_for_that_file() {
    let page = page();
    let early = play([calls("create_file", json!({"content": page})), rest("more"), says("Done.")]).await;
    assert_eq!(early.told.results[1]["error"], "append_file is not available now");
    let wrong = calls("append_file", json!({"path": "other.html", "content": "more"}));
    let run = play([cut_after("create_file", &page, 500), wrong, rest(&page[500..]), rest("again")]).await;
    assert_eq!(run.told.results[0]["error"], "there is no file other.html");
    assert_eq!(run.told.results[2]["error"], "append_file is not available now");
    assert_eq!(run.file("index.html"), Some(page.as_str()));
}

#[tokio::test(start_paused = true)]
async fn a_retry_inside_a_continuation_starts_from_the_draft_again() {
    let page = page();
    let lost = SessionError::retryable(Failure::new(ErrorKind::Network, "gone"));
    let broken = cut_after("append_file", &page[500..], 300).failing(lost);
    let run = play([cut_after("create_file", &page, 500), broken, rest(&page[500..]), says("Done.")]).await;
    assert_eq!((run.outcome.status, run.file("index.html")), (RunStatus::Succeeded, Some(page.as_str())));
    run.assert_shown_is_stored(&files([]));
}
