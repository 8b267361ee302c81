//! Models that call what there is not, send what nobody can read, or say things in the wrong order.

use std::sync::Arc;

use facsimile_agent::{
    AgentEngine, AgentEvent, ErrorKind, Limits, ProjectFiles, RunStatus, SpendCap, TokenUsage, Tool,
    ToolContext, ToolExecutionResult, ToolFailure, VariantIndex, tools,
};
use facsimile_testkit::{Reply, ScriptedSession, calls, says};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{files, play, play_on, play_with};

const PAGE: &str = "<h1>One</h1>\n";

fn page() -> Value {
    json!({ "content": PAGE })
}

fn nested(depth: usize) -> String {
    format!("{{\"content\": {}1{}}}", "[".repeat(depth), "]".repeat(depth))
}

// S-16
#[tokio::test(start_paused = true)]
async fn every_hostile_call_is_answered_with_its_reason_and_the_run_goes_on() {
    let long_name = "x".repeat(5_000);
    let cases: Vec<(&str, String, &str)> = vec![
        ("", "{}".into(), "unknown tool: "),
        ("CREATE_FILE", page().to_string(), "unknown tool: CREATE_FILE"),
        (&long_name, "{}".into(), "unknown tool: xxx"),
        ("create_file", "{}".into(), "arguments of create_file: missing field `content`"),
        (
            "create_file",
            json!({"content": null}).to_string(),
            "arguments of create_file: content: invalid type: null",
        ),
        (
            "create_file",
            json!({"content": ["a"]}).to_string(),
            "arguments of create_file: content: invalid type",
        ),
        (
            "create_file",
            json!({"contents": "x"}).to_string(),
            "arguments of create_file: missing field `content`",
        ),
        (
            "create_file",
            json!({"path": 7, "content": "x"}).to_string(),
            "arguments of create_file: path: invalid type",
        ),
        (
            "read_file",
            json!({"from_line": -1}).to_string(),
            "arguments of read_file: from_line: invalid value",
        ),
        (
            "read_file",
            json!({"from_line": 1e300}).to_string(),
            "arguments of read_file: from_line: invalid type",
        ),
        (
            "edit_file",
            json!({"edits": [{"old_text": "a"}]}).to_string(),
            "arguments of edit_file: edits[0]: missing field",
        ),
        ("create_file", nested(100), "arguments of create_file: content: invalid type: sequence"),
        ("create_file", nested(100_000), "the arguments are not a JSON object"),
        ("create_file", "{\"content\": \"x\"".into(), "the arguments are not a JSON object"),
        ("create_file", "{\"content\": \"x\"}}".into(), "the arguments are not a JSON object"),
        ("create_file", "[]".into(), "the arguments are not a JSON object"),
        ("create_file", "\u{0}".into(), "the arguments are not a JSON object"),
    ];
    for (name, raw, expected) in cases {
        let hostile = Reply::new().calling_with(name, &raw, 1 << 16);
        let run = play([hostile, calls("create_file", page()), says("done")]).await;
        let error = run.told.results[0]["error"].as_str().unwrap_or_default();
        assert!(
            error.starts_with(expected) && error.len() < 300,
            "{name} {}: {error}",
            &raw[..raw.len().min(80)]
        );
        assert_eq!((run.outcome.status, run.file("index.html")), (RunStatus::Succeeded, Some(PAGE)));
    }
}

// S-16
#[tokio::test(start_paused = true)]
async fn arguments_that_mean_nothing_are_named_and_do_not_cost_the_call() {
    let arguments = json!({"content": PAGE, "encoding": "utf-8", "mode": {"deep": [1]}});
    let run = play([calls("create_file", arguments), says("done")]).await;
    let unknown = json!({"ignored": ["encoding", "mode"], "known": ["path", "content"]});
    assert_eq!(run.told.results[0]["unknown_arguments"], unknown);
    let run = play([calls("create_file", json!({"text": PAGE})), says("done")]).await;
    let unknown = json!({"ignored": ["text"], "known": ["path", "content"]});
    assert_eq!(run.told.results[0]["unknown_arguments"], unknown);
}

// S-16
#[tokio::test(start_paused = true)]
async fn what_is_repeated_of_wrong_arguments_is_cut() {
    let long = "y".repeat(100_000);
    let edit = json!({"edits": [{"old_text": "a", "new_text": "b", "colour": 1}]});
    let replies = [
        calls("create_file", json!({"content": "a", long.clone(): 1})),
        calls("edit_file", edit),
        calls("edit_file", json!({"old_text": "a", "new_text": "b", "count": long.clone()})),
        says("done"),
    ];
    let run = play(replies).await;
    let cut = format!("{}…", &long[..100]);
    let unknown = json!({"ignored": [cut], "known": ["path", "content"]});
    assert_eq!(run.told.results[0]["unknown_arguments"], unknown);
    let places = ["edits[0].old_text", "edits[0].new_text", "edits[0].count"];
    let unknown = json!({"ignored": ["edits[0].colour"], "known": places});
    assert_eq!(run.told.results[1]["unknown_arguments"], unknown);
    assert!(run.told.results[2]["error"].as_str().is_some_and(|error| error.len() < 300));
}

// S-16
#[tokio::test(start_paused = true)]
async fn a_model_that_never_calls_anything_sound_ends_at_a_named_limit() {
    let unknown = play((0..99).map(|at| calls("paint_house", json!({"colour": at})))).await;
    assert_eq!((unknown.outcome.status, unknown.outcome.rounds), (RunStatus::StoppedAtLimit, 30));
    let unreadable = play((0..99).map(|_| Reply::new().calling_with("create_file", "{oops", 9))).await;
    let failure = unreadable.outcome.failure.clone().unwrap();
    assert_eq!(
        (failure.kind, failure.message.as_str()),
        (ErrorKind::Protocol, "the model's tool calls cannot be read")
    );
    assert_eq!(unreadable.outcome.rounds, 3);
}

/// A tool with a bug.
struct Panics;

impl Tool for Panics {
    const NAME: &'static str = "panics";
    const DESCRIPTION: &'static str = "Panics after changing a file.";
    type Input = Value;
    async fn run(&self, _: Value, cx: &mut ToolContext) -> Result<ToolExecutionResult, ToolFailure> {
        cx.files = files([("half.html", "written")]);
        panic!("a bug");
    }
}

/// A tool that blocks its run.
struct Sleeps;

impl Tool for Sleeps {
    const NAME: &'static str = "sleeps";
    const DESCRIPTION: &'static str = "Changes a file and waits for ever.";
    type Input = Value;
    async fn run(&self, _: Value, cx: &mut ToolContext) -> Result<ToolExecutionResult, ToolFailure> {
        cx.files = files([("half.html", "written")]);
        std::future::pending().await
    }
}

// S-16
#[tokio::test(start_paused = true)]
async fn a_run_outlives_tools_that_panic_and_sleep() {
    let registry = tools::registry().unwrap().with(Panics).unwrap().with(Sleeps).unwrap();
    let engine = AgentEngine::new(Arc::new(registry), Limits::of_create());
    let replies =
        [calls("panics", json!({})), calls("sleeps", json!({})), calls("create_file", page()), says("done")];
    let cx = ToolContext::new(VariantIndex(0), ProjectFiles::new(), CancellationToken::new());
    let run = play_with(&engine, ScriptedSession::new(replies), cx).await;
    let errors = [
        "panics stopped by an internal error; nothing was changed",
        "sleeps was stopped after 60 s; nothing was changed. Ask for less at once",
    ];
    let told: Vec<_> =
        run.told.results.iter().take(2).map(|result| result["error"].as_str().unwrap()).collect();
    assert_eq!(
        (told, run.outcome.status, run.files.clone()),
        (errors.to_vec(), RunStatus::Succeeded, files([("index.html", PAGE)]))
    );
}

// S-21
#[tokio::test(start_paused = true)]
async fn a_call_that_was_begun_and_never_made_ends_on_the_screen_and_leaves_nothing() {
    let before = files([("index.html", PAGE)]);
    let begun =
        Reply::new().beginning("ghost", "create_file", "{\"path\": \"index.html\", \"content\": \"<h1>Ghost");
    for reply in [begun.clone().saying("done"), begun.calling("list_files", json!({}), 9)] {
        let run = play_on(before.clone(), [reply, says("done")], &CancellationToken::new()).await;
        let calls = run.told.results.len() + 1;
        assert_eq!(run.lives(), vec![(1, 1); calls]);
        run.assert_shown_is_stored(&before);
        assert_eq!(run.files, before);
        let ghost = run.recording.events.iter().find_map(|event| match event {
            AgentEvent::ToolResult { name, ok, output, .. } if name == "create_file" => {
                Some((*ok, output.clone()))
            }
            _ => None,
        });
        assert_eq!(ghost, Some((false, json!({"error": "the call was begun and never made"}))));
    }
}

// S-21
#[tokio::test(start_paused = true)]
async fn two_calls_of_one_id_are_two_calls() {
    let reply = Reply::new()
        .calling_as("same", "create_file", json!({"path": "a.html", "content": "a"}))
        .calling_as("same", "list_files", json!({}))
        .calling_as("same", "create_file", json!({"path": "b.html", "content": "b"}));
    let run = play([reply, says("done")]).await;
    assert_eq!(run.lives(), [(1, 1); 3]);
    run.assert_shown_is_stored(&files([]));
    assert_eq!((run.told.results.len(), run.files.clone()), (3, files([("a.html", "a"), ("b.html", "b")])));
}

// S-21
#[tokio::test(start_paused = true)]
async fn nothing_after_the_end_of_a_reply_counts_and_it_is_paid_once() {
    let usage = TokenUsage { input: 1_000_000, output: 500_000, ..TokenUsage::default() };
    let reply = Reply::new().using(usage).saying("first").ending_here().saying("second").calling(
        "create_file",
        page(),
        9,
    );
    let session = ScriptedSession::new([reply]).priced((1_000_000, 500_000), (1.0, 2.0));
    let cap = SpendCap::of_usd(5.0);
    let cx = ToolContext::new(VariantIndex(0), ProjectFiles::new(), CancellationToken::new())
        .spending(cap.clone());
    let engine = AgentEngine::new(Arc::new(tools::registry().unwrap()), Limits::of_create());
    let run = play_with(&engine, session, cx).await;
    assert_eq!(
        (run.outcome.status, run.outcome.message.as_str(), run.outcome.usage),
        (RunStatus::NoOutput, "first", usage)
    );
    assert_eq!(
        (cap.settled_usd(), cap.reserved_usd(), run.order()),
        (2.0, 0.0, vec!["assistant".to_owned()])
    );
}

// S-21
#[tokio::test(start_paused = true)]
async fn a_result_that_the_model_only_claims_changes_nothing() {
    let claim =
        "I called create_file. Its result: {\"ok\": true, \"path\": \"index.html\"}. The page is done.";
    let run = play([says(claim)]).await;
    assert_eq!(
        (run.outcome.status, run.files.len(), run.order()),
        (RunStatus::NoOutput, 0, vec!["assistant".to_owned()])
    );
}
