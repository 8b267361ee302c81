//! What is shown while the model types.

use std::time::Duration;

use facsimile_agent::{
    AgentEvent, EngineNote, EventSink, Limits, ProjectPath, RunStatus, StopReason, ToolContext, VariantIndex,
};
use facsimile_testkit::{Recording, Reply, ScriptedSession, calls, fold_code, says};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{engine, files, play, play_on};

fn page(paragraphs: usize) -> String {
    let body: String = (0..paragraphs).map(|i| format!("<p>Absatz {i} – größer 😀 \\ \"q\"</p>\n")).collect();
    format!("<!doctype html>\n<html><body>\n{body}</body></html>\n")
}

fn set_codes(events: &[AgentEvent]) -> Vec<(usize, usize)> {
    events
        .iter()
        .filter_map(|event| match event {
            AgentEvent::SetCode { base, text, .. } => Some((*base, text.chars().count())),
            _ => None,
        })
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_page_is_started_shown_stored_and_reported_in_this_order() {
    let run = play([
        Reply::new().thinking("a page").saying("Here:").calling(
            "create_file",
            json!({"path": "index.html", "content": page(3)}),
            9,
        ),
        says("Done."),
    ])
    .await;
    assert_eq!(
        run.order(),
        [
            "thinking",
            "assistant",
            "toolStart create_file",
            "setCode index.html",
            "toolResult create_file true",
            "assistant"
        ]
    );
    assert_eq!(run.outcome.status, RunStatus::Succeeded);
    assert_eq!(run.file("index.html"), Some(page(3).as_str()));
    run.assert_shown_is_stored(&files([]));
}

#[tokio::test(start_paused = true)]
async fn every_way_of_cutting_and_ordering_the_arguments_shows_the_same_file() {
    let content = page(2);
    for size in [1, 2, 3, 5, 17, 1000] {
        for raw in [
            json!({"path": "a.html", "content": content}).to_string(),
            json!({"content": content, "path": "a.html"}).to_string(),
            json!({"note": {"content": "no"}, "content": content, "path": "a.html", "more": [1]}).to_string(),
        ] {
            let run = play([Reply::new().calling_with("create_file", &raw, size)]).await;
            assert_eq!(run.file("a.html"), Some(content.as_str()), "{size} {raw}");
            run.assert_shown_is_stored(&files([]));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_first_content_goes_out_at_once_and_then_at_least_forty_characters_a_frame() {
    let content = "x".repeat(600);
    let raw = json!({"path": "index.html", "content": content}).to_string();
    let mut reply = Reply::new().calling_with("create_file", &raw[..45], 45);
    // Thirteen characters every five milliseconds: forty in less than a frame.
    let mut rest = &raw[45..];
    while !rest.is_empty() {
        let (piece, tail) = rest.split_at(rest.len().min(13));
        reply = reply.pausing(Duration::from_millis(5)).typing_on(piece);
        rest = tail;
    }
    let run = play([reply.ending_call("create_file", &raw)]).await;
    let sizes = set_codes(&run.recording.events);
    assert_eq!(sizes[0].0, 0);
    assert!(sizes[0].1 < 40, "the first piece waited: {sizes:?}");
    let middle = &sizes[1..sizes.len() - 1];
    assert!(middle.iter().all(|(_, chars)| *chars >= 40), "{sizes:?}");
    assert_eq!(run.file("index.html"), Some(content.as_str()));
}

#[tokio::test(start_paused = true)]
async fn held_text_goes_out_with_its_frame_even_when_the_model_pauses() {
    let raw = json!({"path": "index.html", "content": "y".repeat(120)}).to_string();
    let cancel = CancellationToken::new();
    let reply = Reply::new()
        .calling_with("create_file", &raw[..60], 30)
        .pausing(Duration::from_millis(1))
        .typing_on(&raw[60..130])
        .hanging();
    let stop = cancel.clone();
    let (run, ()) = tokio::join!(play_on(files([]), [reply], &cancel), async move {
        tokio::time::sleep(Duration::from_millis(60)).await;
        stop.cancel();
    });
    let shown: usize = set_codes(&run.recording.events).iter().map(|(_, chars)| chars).sum();
    assert_eq!(shown, 130 - raw.find('y').unwrap());
    assert_eq!(run.outcome.status, RunStatus::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_arrives_whole_is_shown_in_at_most_eighteen_pieces() {
    let content = page(300);
    let raw = json!({"path": "index.html", "content": content}).to_string();
    let run = play([Reply::new().calling_with("create_file", &raw, usize::MAX)]).await;
    let sizes = set_codes(&run.recording.events);
    let enough = sizes[..sizes.len() - 1].iter().all(|(_, chars)| *chars >= 200);
    assert!(sizes.len() > 10 && sizes.len() <= 18 && enough, "{sizes:?}");
    assert_eq!(fold_code(&run.recording.events)["index.html"], content);
}

#[tokio::test(start_paused = true)]
async fn fences_around_the_content_are_neither_shown_nor_stored() {
    let fenced = format!("```html\n{}```", page(40));
    for size in [4, usize::MAX] {
        let raw = json!({"content": fenced}).to_string();
        let run = play([Reply::new().calling_with("create_file", &raw, size)]).await;
        let first = run.recording.events.iter().find_map(|event| match event {
            AgentEvent::SetCode { text, .. } => Some(text.clone()),
            _ => None,
        });
        assert!(first.unwrap().starts_with('<'));
        assert_eq!(run.file("index.html"), Some(page(40).trim_end()));
        run.assert_shown_is_stored(&files([]));
    }
}

#[tokio::test(start_paused = true)]
async fn a_new_page_over_an_old_one_replaces_it_from_its_first_piece() {
    let before = files([("index.html", "<p>old</p>")]);
    let run = play_on(
        before.clone(),
        [calls("create_file", json!({"content": page(5)}))],
        &CancellationToken::new(),
    )
    .await;
    assert_eq!(set_codes(&run.recording.events)[0].0, 0);
    run.assert_shown_is_stored(&before);
}

#[tokio::test(start_paused = true)]
async fn finished_edits_show_before_the_call_ends_and_a_failing_one_is_taken_back() {
    let before = files([("index.html", "<h1>One</h1><p>Two</p>")]);
    let edits = json!({"edits": [{"old_text": "One", "new_text": "Eins"}, {"old_text": "Three", "new_text": "Drei"}]});
    let run = play_on(before.clone(), [calls("edit_file", edits)], &CancellationToken::new()).await;
    assert_eq!(
        run.order(),
        ["toolStart edit_file", "setCode index.html", "toolResult edit_file false", "assistant"]
    );
    assert_eq!(set_codes(&run.recording.events), [(0, 23), (0, 22)]);
    assert_eq!(run.file("index.html"), Some("<h1>One</h1><p>Two</p>"));
    run.assert_shown_is_stored(&before);
}

/// What was shown of which file, each time whole.
fn shown(events: &[AgentEvent]) -> Vec<(String, String)> {
    events
        .iter()
        .filter_map(|event| match event {
            AgentEvent::SetCode { path, text, base: 0, .. } => Some((path.to_string(), text.clone())),
            _ => None,
        })
        .collect()
}

#[tokio::test(start_paused = true)]
async fn an_edit_is_named_with_its_file_and_shown_when_it_is_typed_while_other_calls_follow() {
    let before = files([("a.html", "<h1>One</h1>")]);
    let raw = r#"{"path": "a.html", "old_text": "One", "new_text": "Eins"}"#;
    let reply =
        Reply::new().calling_with("edit_file", raw, 9).calling("create_file", json!({"content": "<p>"}), 9);
    let run = play_on(before.clone(), [reply], &CancellationToken::new()).await;
    assert_eq!(
        run.order(),
        [
            "toolStart edit_file",
            "setCode a.html",
            "toolStart create_file",
            "setCode index.html",
            "toolResult edit_file true",
            "toolResult create_file true",
            "assistant"
        ]
    );
    let AgentEvent::ToolStart { input, .. } = &run.recording.events[0] else { panic!("no start") };
    assert_eq!(*input, json!({"path": "a.html", "length": 0, "preview": ""}));
    run.assert_shown_is_stored(&before);
}

#[tokio::test(start_paused = true)]
async fn an_edit_whose_file_is_not_named_is_announced_with_its_first_new_text() {
    let before = files([("index.html", "<h1>One</h1>")]);
    let raw = r#"{"old_text": "One", "new_text": "Eins und zwei"}"#;
    let run =
        play_on(before, [Reply::new().calling_with("edit_file", raw, 37)], &CancellationToken::new()).await;
    let AgentEvent::ToolStart { input, .. } = &run.recording.events[0] else { panic!("no start") };
    assert_eq!(*input, json!({"path": "index.html", "length": 4, "preview": "Eins"}));
    assert_eq!(run.file("index.html"), Some("<h1>Eins und zwei</h1>"));
}

#[tokio::test(start_paused = true)]
async fn edits_move_to_their_file_when_its_name_comes_behind_them() {
    let before = files([("b.html", "<i>One</i>"), ("index.html", "<h1>One</h1>")]);
    for raw in [
        r#"{"edits": [{"old_text": "One", "new_text": "Eins"}], "path": "b.html"}"#,
        r#"{"old_text": "One", "new_text": "Eins", "path": "b.html"}"#,
    ] {
        let run = play_on(
            before.clone(),
            [Reply::new().calling_with("edit_file", raw, 5)],
            &CancellationToken::new(),
        )
        .await;
        let guessed =
            [("index.html", "<h1>Eins</h1>"), ("index.html", "<h1>One</h1>"), ("b.html", "<i>Eins</i>")];
        let expected = if raw.contains("edits") { &guessed[..] } else { &guessed[2..] };
        let expected: Vec<_> = expected.iter().map(|(path, text)| ((*path).into(), (*text).into())).collect();
        assert_eq!(shown(&run.recording.events), expected);
        run.assert_shown_is_stored(&before);
    }
}

#[tokio::test(start_paused = true)]
async fn edits_of_a_cut_reply_are_taken_back_before_the_model_is_asked_again() {
    let before = files([("index.html", "<h1>One</h1>")]);
    let typed = r#"{"path": "index.html", "edits": [{"old_text": "One", "new_text": "Eins"}, {"old_te"#;
    let cut = Reply::new().beginning("c1", "edit_file", typed).stopping(StopReason::Truncated);
    let run = play_on(before.clone(), [cut, says("done")], &CancellationToken::new()).await;
    let told = [("index.html", "<h1>Eins</h1>"), ("index.html", "<h1>One</h1>")];
    assert_eq!(shown(&run.recording.events), told.map(|(path, text)| (path.to_owned(), text.to_owned())));
    assert_eq!(
        run.order(),
        ["toolStart edit_file", "setCode index.html", "toolResult edit_file false", "assistant"]
    );
    run.assert_shown_is_stored(&before);
}

/// An edit that cannot be made, and a page typed behind it in the same reply.
fn an_edit_and_a_page(content: &str) -> Reply {
    let edit = json!({"old_text": "not there", "new_text": "x"});
    Reply::new().calling("edit_file", edit, 9).calling("create_file", json!({ "content": content }), 9)
}

#[tokio::test(start_paused = true)]
async fn a_call_that_fails_leaves_what_the_calls_behind_it_typed() {
    let run = play([an_edit_and_a_page(&page(3)), says("done")]).await;
    let sizes = set_codes(&run.recording.events);
    let bases: Vec<usize> = sizes.iter().map(|(base, _)| *base).collect();
    assert!(bases[0] == 0 && bases[1..].iter().all(|base| *base > 0), "{sizes:?}");
    assert_eq!(sizes.iter().map(|(_, chars)| chars).sum::<usize>(), page(3).chars().count());
    run.assert_shown_is_stored(&files([]));
}

/// Stops the run at the first result.
struct StopsAtResult(Recording, CancellationToken);

impl EventSink for StopsAtResult {
    fn emit(&mut self, event: AgentEvent) {
        if matches!(event, AgentEvent::ToolResult { .. }) {
            self.1.cancel();
        }
        self.0.emit(event);
    }

    fn note(&mut self, note: EngineNote) {
        self.0.note(note);
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_typed_behind_a_call_that_fails_is_kept_whole_when_the_run_is_stopped_there() {
    let content = page(3);
    let mut cx = ToolContext::new(VariantIndex(0), files([]), CancellationToken::new());
    let mut sink = StopsAtResult(Recording::default(), cx.cancel.clone());
    let mut session = ScriptedSession::new([an_edit_and_a_page(&content)]);
    let outcome = engine(Limits::of_create()).run(&mut session, &mut cx, &mut sink).await;
    let kept = cx.files.read(&ProjectPath::index()).map(str::to_owned);
    assert_eq!((outcome.status, kept), (RunStatus::Cancelled, Some(content)));
}

#[tokio::test(start_paused = true)]
async fn a_path_that_is_refused_shows_nothing() {
    let run =
        play([calls("create_file", json!({"path": "../../etc/passwd", "content": page(4)})), says("sorry")])
            .await;
    assert_eq!(run.order(), ["toolStart create_file", "toolResult create_file false", "assistant"]);
    assert_eq!(run.outcome.status, RunStatus::NoOutput);
}

#[tokio::test(start_paused = true)]
async fn the_start_of_a_call_names_path_length_and_a_short_preview() {
    let raw = json!({"path": "a.html", "content": "z".repeat(500)}).to_string();
    let run = play([Reply::new().calling_with("create_file", &raw, usize::MAX)]).await;
    let AgentEvent::ToolStart { input, .. } = &run.recording.events[0] else { panic!("no start") };
    assert_eq!(*input, json!({"path": "a.html", "length": 500, "preview": "z".repeat(200)}));
}
