//! Compatible servers that are only nearly compatible, over HTTP: the page has to come out all the same, and
//! the next request has to hold the call and its result.

use facsimile_agent::{ErrorKind, RunStatus};
use facsimile_testkit::replay::{ReplayServer, Served, Spoken};
use serde_json::{Value, json};

use crate::support::{Run, run};

const PAGE: &str = "<!doctype html><p>é🚀</p>";

fn arguments() -> Value {
    json!({ "path": "index.html", "content": PAGE })
}

/// A stream of these deltas.
fn stream(deltas: &[Value], rest: &str) -> Served {
    let chunk =
        |delta: &Value| format!("data: {}\n\n", json!({ "choices": [{ "index": 0, "delta": delta }] }));
    let body: String = deltas.iter().map(chunk).collect();
    Served::stream(body + rest)
}

const STOP: &str =
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

/// Plays a first answer and then a goodbye. Gives the run, and the messages of the second request.
async fn after(first: Served) -> (Run, Vec<Value>) {
    let goodbye = "data: {\"choices\":[{\"delta\":{\"content\":\"Done.\"},\"finish_reason\":\"stop\"}]}\n\n";
    let server = ReplayServer::playing(Spoken::OpenAiChat, [first, Served::stream(goodbye)]).await.unwrap();
    let run = run(Spoken::OpenAiChat, &server).await;
    let second = server.asked().get(1).map(|asked| asked.body["messages"].as_array().unwrap().clone());
    (run, second.unwrap_or_default())
}

/// The ids of the calls and of their results in a request.
fn ids(messages: &[Value]) -> (Vec<Value>, Vec<Value>) {
    let calls = messages.iter().filter_map(|message| message["tool_calls"].as_array()).flatten();
    let results = messages.iter().filter(|message| message["role"] == "tool");
    (
        calls.map(|call| call["id"].clone()).collect(),
        results.map(|result| result["tool_call_id"].clone()).collect(),
    )
}

#[tokio::test]
async fn the_page_comes_out_of_every_way_to_send_a_call() {
    let text = arguments().to_string();
    let (head, tail) = text.split_at(20);
    let call = |call: Value| json!({ "tool_calls": [call] });
    let named = |arguments: Value| json!({ "name": "create_file", "arguments": arguments });
    let cases: Vec<(&str, Served)> = vec![
        (
            "no index",
            stream(
                &[
                    call(json!({"id": "a", "function": named(head.into())})),
                    call(json!({"function": {"arguments": tail}})),
                ],
                STOP,
            ),
        ),
        ("no id", stream(&[call(json!({"index": 0, "function": named(text.as_str().into())}))], STOP)),
        (
            "empty id",
            stream(
                &[
                    call(json!({"index": 0, "id": "", "function": named(head.into())})),
                    call(json!({"index": 0, "id": "", "function": {"arguments": tail}})),
                ],
                STOP,
            ),
        ),
        (
            "wandering index",
            stream(
                &[
                    call(json!({"index": 0, "id": "a", "function": named(head.into())})),
                    call(json!({"index": 3, "function": {"arguments": tail}})),
                ],
                STOP,
            ),
        ),
        (
            "index from one",
            stream(&[call(json!({"index": 1, "id": "a", "function": named(text.as_str().into())}))], STOP),
        ),
        (
            "arguments as an object",
            stream(&[call(json!({"index": 0, "id": "a", "function": named(arguments())}))], STOP),
        ),
        (
            "null arguments first",
            stream(
                &[
                    call(json!({"index": 0, "id": "a", "function": named(Value::Null)})),
                    call(json!({"index": 0, "function": {"arguments": text}})),
                ],
                STOP,
            ),
        ),
        (
            "the old function_call",
            stream(
                &[
                    json!({"function_call": named(head.into())}),
                    json!({"function_call": {"arguments": tail}}),
                ],
                STOP,
            ),
        ),
        (
            "no finish reason",
            stream(
                &[call(json!({"index": 0, "id": "a", "function": named(text.as_str().into())}))],
                "data: [DONE]\n\n",
            ),
        ),
        (
            "no [DONE]",
            stream(
                &[call(json!({"index": 0, "id": "a", "function": named(text.as_str().into())}))],
                STOP.strip_suffix("data: [DONE]\n\n").unwrap(),
            ),
        ),
        (
            "empty choices first",
            Served::stream(format!(
                "data: {{\"choices\":[],\"prompt_filter_results\":[]}}\n\ndata: {}\n\n{STOP}",
                json!({"choices": [{"delta": call(json!({"index": 0, "id": "a", "function": named(text.as_str().into())}))}]})
            )),
        ),
        (
            "a whole message",
            Served::stream(format!(
                "data: {}\n\n",
                json!({"choices": [{"message": call(json!({"id": "a", "function": named(text.as_str().into())})), "finish_reason": "tool_calls"}]})
            )),
        ),
        (
            "printed as text",
            stream(
                &[
                    json!({"content": format!("<tool_call>\n{}\n</tool_call>", json!({"name": "create_file", "arguments": arguments()}))}),
                ],
                STOP,
            ),
        ),
        (
            "after thinking in the text",
            stream(
                &[
                    json!({"content": "<think>hm"}),
                    json!({"content": "</think>"}),
                    call(json!({"index": 0, "id": "a", "function": named(text.as_str().into())})),
                ],
                STOP,
            ),
        ),
    ];
    for (name, first) in cases {
        let (run, second) = after(first).await;
        assert_eq!(
            (run.outcome.status, run.files.iter().map(|(_, text)| text).collect::<Vec<_>>()),
            (RunStatus::Succeeded, vec![PAGE]),
            "{name}"
        );
        let (calls, results) = ids(&second);
        assert!(calls.len() == 1 && calls == results && calls[0] != "", "{name}: {calls:?} {results:?}");
    }
}

#[tokio::test]
async fn thinking_is_shown_whatever_it_is_called() {
    for delta in [
        json!({"reasoning": "Plan."}),
        json!({"reasoning_content": "Plan."}),
        json!({"content": "<think>Plan.</think>"}),
    ] {
        let (run, _) = after(stream(&[delta.clone(), json!({"content": "Hello."})], STOP)).await;
        assert_eq!((run.thought().as_str(), run.said().as_str()), ("Plan.", "Hello."), "{delta}");
    }
}

#[tokio::test]
async fn usage_may_come_in_a_chunk_of_its_own_or_on_the_last() {
    let usage =
        json!({"prompt_tokens": 30, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 50}});
    let own = format!(
        "{}data: {}\n\ndata: [DONE]\n\n",
        STOP.strip_suffix("data: [DONE]\n\n").unwrap(),
        json!({"choices": [], "usage": usage})
    );
    let last =
        format!("data: {}\n\n", json!({"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": usage}));
    for rest in [own, last] {
        let (run, _) = after(stream(&[json!({"content": "Hello."})], &rest)).await;
        // More cached than sent: counts that contradict each other never go below zero.
        assert_eq!(
            (run.outcome.usage.input, run.outcome.usage.cached_read, run.outcome.usage.output),
            (0, 50, 4)
        );
    }
}

#[tokio::test]
async fn a_server_that_answers_without_thinking_of_tools_still_gives_its_page() {
    let (run, _) =
        after(stream(&[json!({"content": format!("Here:\n```html\n{PAGE}</html>\n```")})], STOP)).await;
    assert_eq!(run.outcome.status, RunStatus::Succeeded);
}

#[tokio::test]
async fn a_call_that_was_cut_does_not_run() {
    let cut = json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "list_files", "arguments": "{}"}}]});
    let length = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n";
    let (run, _) = after(stream(&[cut], length)).await;
    let results = run
        .recording
        .events
        .iter()
        .filter(|event| matches!(event, facsimile_agent::AgentEvent::ToolResult { .. }));
    assert_eq!(results.count(), 0);
}

#[tokio::test]
async fn an_error_in_the_stream_has_its_kind() {
    let cases = [
        (r#"{"error":{"code":401,"message":"no"}}"#, ErrorKind::BadKey),
        (r#"{"error":{"code":"context_length_exceeded","message":"long"}}"#, ErrorKind::TooLong),
        (r#"{"error":"CUDA out of memory"}"#, ErrorKind::Unknown),
        (r#"{"object":"error","message":"boom","code":400}"#, ErrorKind::BadRequest),
    ];
    for (error, kind) in cases {
        let (run, _) = after(stream(&[json!({"content": "Hi"})], &format!("data: {error}\n\n"))).await;
        assert_eq!(run.outcome.failure.map(|failure| failure.kind), Some(kind), "{error}");
    }
}
