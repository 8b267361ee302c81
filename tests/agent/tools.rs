//! What tools tell the model.

use facsimile_agent::ports::VisibleMedia;
use facsimile_agent::{
    AgentEvent, RunStatus, Tool, ToolArguments, ToolCall, ToolContext, ToolExecutionResult, ToolFailure,
    ToolRegistry, VariantIndex,
};
use facsimile_testkit::rooms::upload;
use facsimile_testkit::{Reply, calls, says};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{files, play, play_on};

const PAGE: &str = "<!doctype html>\n<h1>One</h1>\n<h2>One</h2>\n";

async fn answer(name: &str, arguments: Value) -> Value {
    let before = files([("index.html", PAGE), ("css/site.css", "h1 { color: red }\n")]);
    let run = play_on(before, [calls(name, arguments), says("ok")], &CancellationToken::new()).await;
    run.told.results[0].clone()
}

#[tokio::test(start_paused = true)]
async fn unknown_tool_is_reported_to_the_model() {
    let run = play([calls("paint_house", json!({})), says("sorry")]).await;
    assert_eq!(run.told.results[0]["error"], "unknown tool: paint_house");
    assert_eq!(
        run.told.results[0]["detail"]["tools"],
        json!(["create_file", "edit_file", "read_file", "list_files", "search_files", "think"])
    );
    assert_eq!(run.outcome.status, RunStatus::NoOutput);
}

#[tokio::test(start_paused = true)]
async fn arguments_that_are_not_json_come_back_with_the_place() {
    let raw = r#"{"path": "index.html", "content": oops}"#;
    let run = play([Reply::new().calling_with("create_file", raw, 5), says("again")]).await;
    assert_eq!(
        run.told.results[0],
        json!({"error": "the arguments are not a JSON object", "INVALID_JSON": raw, "position": raw.find("oops").unwrap()})
    );
}

#[tokio::test(start_paused = true)]
async fn wrong_types_name_the_field() {
    let result = answer("create_file", json!({"content": 7})).await;
    assert!(result["error"].as_str().unwrap().contains("expected a string"), "{result}");
}

#[tokio::test(start_paused = true)]
async fn the_same_call_twice_in_a_reply_runs_once() {
    let edit = json!({"old_text": "<h1>One</h1>", "new_text": "<h1>One</h1><h1>One</h1>", "count": 1});
    let reply = Reply::new().calling("edit_file", edit.clone(), 9).calling("edit_file", edit, 9);
    let run = play_on(files([("index.html", PAGE)]), [reply, says("ok")], &CancellationToken::new()).await;
    assert_eq!(run.file("index.html").unwrap().matches("<h1>").count(), 2);
    assert_eq!(
        run.told.results[1],
        json!({"notice": "the same call was made as call 1 of this reply; it ran once"})
    );
}

#[tokio::test(start_paused = true)]
async fn the_same_arguments_in_another_order_are_the_same_call() {
    let first = r#"{"old_text":"<h1>One</h1>","new_text":"<h1>One</h1><h1>One</h1>","count":1}"#;
    let again = r#"{"count":1,"new_text":"<h1>One</h1><h1>One</h1>","old_text":"<h1>One</h1>"}"#;
    let reply = Reply::new().calling_with("edit_file", first, 9).calling_with("edit_file", again, 9);
    let run = play_on(files([("index.html", PAGE)]), [reply, says("ok")], &CancellationToken::new()).await;
    assert_eq!(run.file("index.html").unwrap().matches("<h1>").count(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_failed_does_not_succeed_by_being_made_twice() {
    let gone = json!({"path": "gone.html"});
    let reply = Reply::new().calling("read_file", gone.clone(), 9).calling("read_file", gone, 9);
    let run = play([reply, says("ok")]).await;
    let results = run.order().into_iter().filter(|label| label.starts_with("toolResult"));
    assert_eq!(results.collect::<Vec<_>>(), ["toolResult read_file false"; 2]);
}

#[tokio::test(start_paused = true)]
async fn every_call_gets_one_result_and_the_turn_goes_back_unchanged() {
    let reply = Reply::new()
        .calling("create_file", json!({"path": "a.html", "content": PAGE}), 9)
        .calling("nonsense", json!({}), 9)
        .calling("list_files", json!({}), 9);
    let run = play([reply, says("ok")]).await;
    assert_eq!((run.told.results.len(), run.told.turns), (3, vec![json!({"turn": 1})]));
}

#[tokio::test(start_paused = true)]
async fn an_edit_reports_its_diff_and_first_changed_line() {
    let result = answer("edit_file", json!({"old_text": "<h2>One", "new_text": "<h2>Two"})).await;
    assert_eq!((&result["firstChangedLine"], &result["addedLines"]), (&json!(3), &json!(1)));
    assert!(result["diff"].as_str().unwrap().contains("-<h2>One</h2>\n+<h2>Two</h2>"));
}

#[tokio::test(start_paused = true)]
async fn an_ambiguous_edit_names_the_lines_and_changes_nothing() {
    let result = answer("edit_file", json!({"old_text": "One", "new_text": "Two"})).await;
    assert_eq!(
        result["error"],
        "old_text appears 2 times, in lines 2, 3; add surrounding lines to make it unique, or give count. index.html is unchanged"
    );
}

#[tokio::test(start_paused = true)]
async fn empty_content_is_refused() {
    let result = answer("create_file", json!({"content": "```html\n```"})).await;
    assert_eq!(result["error"], "the content of index.html is empty; give the whole file");
}

#[tokio::test(start_paused = true)]
async fn reading_gives_the_lines_asked_for_and_a_missing_file_lists_the_others() {
    assert_eq!(
        answer("read_file", json!({"from_line": 2, "to_line": 2})).await,
        json!({"path": "index.html", "lines": 3, "content": "<h1>One</h1>\n"})
    );
    let missing = answer("read_file", json!({"path": "gone.html"})).await;
    assert_eq!(missing["detail"]["files"], json!(["css/site.css", "index.html"]));
    let beyond = answer("read_file", json!({"from_line": 9})).await;
    assert_eq!(beyond["error"], "lines 9 to 3 of index.html are none; the file has 3 lines");
}

#[tokio::test(start_paused = true)]
async fn listing_can_be_held_to_a_folder() {
    assert_eq!(
        answer("list_files", json!({"dir": "css/"})).await,
        json!({"count": 1, "files": [{"path": "css/site.css", "bytes": 18, "lines": 1}]})
    );
}

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

#[tokio::test]
async fn a_panicking_tool_is_a_result_and_its_half_work_is_undone() {
    let registry = ToolRegistry::new().with(Panics).unwrap();
    let mut cx = ToolContext::new(VariantIndex(0), files([("a.html", "x")]), CancellationToken::new());
    let call = ToolCall { id: "1".into(), name: "panics".into(), arguments: ToolArguments::parse("{}") };
    let result = registry.run(&call, &mut cx).await;
    assert_eq!((result.ok, cx.files), (false, files([("a.html", "x")])));
}

struct NeverEnds;

impl Tool for NeverEnds {
    const NAME: &'static str = "never_ends";
    const DESCRIPTION: &'static str = "Changes a file, numbers a picture and waits for ever.";
    const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(7);
    type Input = Value;
    async fn run(&self, _: Value, cx: &mut ToolContext) -> Result<ToolExecutionResult, ToolFailure> {
        cx.files = files([("half.html", "written")]);
        cx.media.add(upload("cut.png", 2));
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_never_ends_is_stopped_told_and_undone() {
    let registry = ToolRegistry::new().with(NeverEnds).unwrap();
    let mut cx = ToolContext::new(VariantIndex(0), files([("a.html", "x")]), CancellationToken::new());
    let call = ToolCall { id: "1".into(), name: "never_ends".into(), arguments: ToolArguments::parse("{}") };
    let result = registry.run(&call, &mut cx).await;
    assert_eq!(
        (result.ok, result.result, cx.files, cx.media),
        (
            false,
            json!({"error": "never_ends was stopped after 7 s; nothing was changed. Ask for less at once"}),
            files([("a.html", "x")]),
            VisibleMedia::default()
        )
    );
}

#[tokio::test(start_paused = true)]
async fn json_that_is_no_object_is_malformed_as_well() {
    for raw in ["[1]", "\"text\"", "null", "7"] {
        let run = play([Reply::new().calling_with("create_file", raw, 5), says("again")]).await;
        assert_eq!(
            run.told.results[0],
            json!({"error": "the arguments are not a JSON object", "INVALID_JSON": raw, "position": 0})
        );
    }
}

#[tokio::test(start_paused = true)]
async fn ten_megabytes_of_arguments_and_nesting_without_end_are_errors_the_model_can_read() {
    let large = json!({"content": "x".repeat(10 * 1024 * 1024)}).to_string();
    let run = play([Reply::new().calling_with("create_file", &large, 1 << 20), says("sorry")]).await;
    assert!(run.told.results[0]["error"].as_str().unwrap().contains("a file may hold 4 MiB"));
    let deep = format!("{{\"content\": {}", "[".repeat(100_000));
    let run = play([Reply::new().calling_with("create_file", &deep, 1 << 20), says("sorry")]).await;
    assert_eq!(run.told.results[0]["error"], "the arguments are not a JSON object");
    let long = format!("{{\"content\": \"{}\", oops}}", "é".repeat(5 * 1024 * 1024));
    let run = play([Reply::new().calling_with("create_file", &long, 1 << 20), says("sorry")]).await;
    let told = &run.told.results[0];
    let (position, size) = (long.find("oops").unwrap(), long.len());
    let from = long.floor_char_boundary(position - 32 * 1024);
    assert_eq!(
        (&told["position"], &told["INVALID_JSON"], &told["cut"]),
        (&json!(position), &json!(long[from..]), &json!(format!("bytes {from} to {size} of {size}")))
    );
}

#[tokio::test(start_paused = true)]
async fn a_thousand_calls_in_a_reply_are_answered_one_by_one() {
    let reply = (0..1_000).fold(Reply::new(), |reply, at| {
        reply.calling("read_file", json!({"path": format!("{at}.html")}), usize::MAX)
    });
    let run = play([reply, says("ok")]).await;
    assert_eq!((run.told.results.len(), run.outcome.status), (1_000, RunStatus::NoOutput));
}

#[tokio::test(start_paused = true)]
async fn searching_gives_path_line_and_text() {
    assert_eq!(
        answer("search_files", json!({"pattern": "one"})).await,
        json!({"count": 2, "matches": [
            {"path": "index.html", "line": 2, "text": "<h1>One</h1>"},
            {"path": "index.html", "line": 3, "text": "<h2>One</h2>"},
        ]})
    );
    assert_eq!(
        answer("search_files", json!({"pattern": "h[12] \\{", "regex": true, "dir": "css"})).await,
        json!({"count": 1, "matches": [{"path": "css/site.css", "line": 1, "text": "h1 { color: red }"}]})
    );
    let wrong = answer("search_files", json!({"pattern": "(", "regex": true})).await;
    assert!(wrong["error"].as_str().unwrap().contains("the pattern cannot be used"), "{wrong}");
}

#[tokio::test(start_paused = true)]
async fn a_pattern_may_go_on_over_the_ends_of_lines() {
    let before = files([("a.txt", "one\r\ntwo\r\none two\r\n"), ("b.txt", "one\ntwo one\ntwo")]);
    let search = |arguments| {
        let replies = [calls("search_files", arguments), says("ok")];
        let before = before.clone();
        async move { play_on(before, replies, &CancellationToken::new()).await.told.results[0].clone() }
    };
    let matches = json!({"count": 3, "matches": [
        {"path": "a.txt", "line": 1, "text": "one"},
        {"path": "b.txt", "line": 1, "text": "one"},
        {"path": "b.txt", "line": 2, "text": "two one"},
    ]});
    assert_eq!(search(json!({"pattern": "one\ntwo"})).await, matches);
    assert_eq!(search(json!({"pattern": "ONE\r\nTWO"})).await, matches);
    assert_eq!(search(json!({"pattern": "one\\s+two$", "regex": true})).await["count"], 3);
    let lines = |result: Value| {
        result["matches"].as_array().unwrap().iter().map(|m| m["line"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(lines(search(json!({"pattern": "^two$", "regex": true})).await), [2, 3]);
    assert_eq!(search(json!({"pattern": "x*", "regex": true})).await["count"], 6);
}

#[tokio::test(start_paused = true)]
async fn counts_that_do_not_fit_are_told_with_the_lines_or_with_what_is_allowed() {
    let edit = |count: Value| json!({"old_text": "One", "new_text": "Two", "count": count});
    let told = [
        answer("edit_file", edit(json!(3))).await,
        answer("edit_file", edit(json!(0))).await,
        answer("edit_file", edit(json!(-2))).await,
        answer("edit_file", json!({"old_text": "One"})).await,
        answer("edit_file", json!({"edits": []})).await,
        answer(
            "edit_file",
            json!({"old_text": "One", "new_text": "x", "edits": [{"old_text": "a", "new_text": "b"}]}),
        )
        .await,
        answer("edit_file", json!({"path": "gone.html", "old_text": "One", "new_text": "Two"})).await,
        answer("edit_file", json!({"old_text": "<h1 id='a'>One</h1>", "new_text": "Two"})).await,
    ]
    .map(|result| result["error"].clone());
    let either = "give either old_text and new_text, or a list of edits";
    assert_eq!(
        told,
        [
            "old_text was to be replaced 3 times but appears 2 times, in lines 2, 3. index.html is unchanged",
            "nothing to do: old_text is empty, equals new_text, or count is 0. index.html is unchanged",
            "count is -1 for all matches, or a positive number",
            either,
            either,
            either,
            "there is no file gone.html to edit",
            "index.html is unchanged: old_text was not found; the closest text is lines 2 to 2, exactly:\n<h1>One</h1>",
        ]
    );
    let both = answer("edit_file", edit(json!(2))).await;
    assert_eq!((&both["firstChangedLine"], &both["addedLines"]), (&json!(2), &json!(2)));
}

#[tokio::test(start_paused = true)]
async fn many_matches_and_long_lines_are_cut_and_counted() {
    let line = format!("{}needle{}\n", "é".repeat(500), "x".repeat(500));
    let before = files([("a.txt", &line.repeat(150))]);
    let replies = [calls("search_files", json!({"pattern": "needle"})), says("ok")];
    let run = play_on(before, replies, &CancellationToken::new()).await;
    let result = &run.told.results[0];
    let text = result["matches"][0]["text"].as_str().unwrap();
    assert_eq!((&result["count"], result["matches"].as_array().unwrap().len()), (&json!(150), 100));
    assert!(text.contains("needle") && text.chars().count() == 202, "{text}");
    assert_eq!(result["cut"], "100 of 150; narrow the pattern or name a folder");
}

#[tokio::test(start_paused = true)]
async fn a_thought_is_shown_as_thinking_and_changes_nothing() {
    let run = play([calls("think", json!({"thought": "two columns, then a footer"})), says("ok")]).await;
    let thought: String = run
        .recording
        .events
        .iter()
        .filter_map(|event| match event {
            AgentEvent::Thinking { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!((thought.as_str(), run.files.len()), ("two columns, then a footer", 0));
    assert_eq!(run.order().last().map(String::as_str), Some("assistant"));
    assert_eq!(run.told.results[0], json!({"noted": true}));
}

#[tokio::test(start_paused = true)]
async fn long_files_and_long_lines_are_cut_and_say_how_much_there_is() {
    let (many, long) = ("é\n".repeat(50_000), "é".repeat(60_000));
    let before = files([("long.txt", &long), ("many.txt", &many)]);
    let reply = Reply::new().calling("read_file", json!({"path": "many.txt"}), 9).calling(
        "read_file",
        json!({"path": "long.txt"}),
        9,
    );
    let run = play_on(before, [reply, says("ok")], &CancellationToken::new()).await;
    let told = |at: usize| {
        (run.told.results[at]["content"].as_str().unwrap().len(), run.told.results[at]["cut"].clone())
    };
    assert_eq!(told(0), (99_999, json!("lines 1 to 33333 of 50000; read on from line 33334")));
    assert_eq!(told(1), (100_000, json!("100000 of 120000 bytes of line 1; it is too long to show")));
}
