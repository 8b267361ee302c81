//! What tools tell the model.

use facsimile_agent::tool::{Capabilities, DuplicateTool};
use facsimile_agent::{
    RunStatus, Tool, ToolArguments, ToolCall, ToolContext, ToolExecutionResult, ToolFailure, ToolRegistry,
    VariantIndex, tools,
};
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
        json!(["create_file", "edit_file", "read_file", "list_files"])
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

#[test]
fn two_tools_of_one_name_are_refused_at_start() {
    let twice = ToolRegistry::new().with(Panics).and_then(|registry| registry.with(Panics));
    assert_eq!(twice.err(), Some(DuplicateTool("panics")));
}

#[test]
fn read_only_turns_are_offered_no_tool_that_writes() {
    let registry = tools::registry().unwrap();
    let read_only = Capabilities { is_read_only: true, ..Capabilities::default() };
    let names: Vec<_> = registry.specs(&read_only).into_iter().map(|spec| spec.name).collect();
    assert_eq!(names, ["read_file", "list_files"]);
}

#[test]
fn schemas_are_plain_objects_that_name_and_explain_every_argument() {
    for spec in tools::registry().unwrap().specs(&Capabilities::default()) {
        assert_eq!(spec.parameters["type"], "object", "{}", spec.name);
        let text = spec.parameters.to_string();
        assert!(!text.contains("$ref") && !text.contains("\"null\""), "{text}");
        for (name, property) in spec.parameters["properties"].as_object().unwrap() {
            assert!(property["description"].is_string(), "{}.{name}", spec.name);
        }
    }
}
