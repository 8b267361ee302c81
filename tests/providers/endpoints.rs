//! Endpoints that users give, and what they refuse.

use facsimile_agent::{ErrorKind, OutputBudget, RunStatus, SessionError, ToolChoice};
use facsimile_providers::{Connector, Effort, Endpoint, Family, Flavour, Secret};
use facsimile_testkit::replay::{ReplayServer, Served, ServedTurn, Spoken};
use futures::StreamExt;
use serde_json::{Value, json};

use crate::support::{run_session, session, spec};

fn refusing(words: &str, param: Option<&str>) -> Served {
    let error = json!({ "message": words, "type": "invalid_request_error", "param": param, "code": "unsupported_parameter" });
    Served::status(400, &json!({ "error": error }).to_string())
}

fn done() -> Served {
    ServedTurn::new().saying("Done.").into()
}

/// The keys of each body that was sent.
fn has(server: &ReplayServer, key: &str) -> Vec<bool> {
    server.asked().iter().map(|asked| asked.body.get(key).is_some()).collect()
}

#[tokio::test]
async fn a_refused_field_is_dropped_once_and_remembered_for_the_endpoint() {
    let answers = [
        refusing("Unrecognized request argument supplied: stream_options", None),
        refusing("Unsupported parameter", Some("reasoning_effort")),
        done(),
        done(),
    ];
    let server = ReplayServer::playing(Spoken::OpenAiChat, answers).await.unwrap();
    let connector = Connector::new();
    let mut spec = spec(Spoken::OpenAiChat, server.address());
    spec.effort = Some(Effort::High);
    let first = run_session(session(&connector, spec.clone()).as_mut()).await;
    assert_eq!(first.outcome.status, RunStatus::NoOutput);
    assert_eq!(has(&server, "stream_options"), [true, false, false]);
    assert_eq!(has(&server, "reasoning_effort"), [true, true, false]);
    // The echo of another conversation is not owed here.
    let mut other = session(&connector, spec);
    let mut turn = other.stream_turn(ToolChoice::Auto, OutputBudget::Usual);
    let _ = turn.next().await;
    assert_eq!(has(&server, "stream_options").last(), Some(&false));
    assert_eq!(has(&server, "reasoning_effort").last(), Some(&false));
}

#[tokio::test]
async fn fields_of_every_dialect_can_be_dropped() {
    let cases = [
        (Spoken::OpenAiResponses, "parallel_tool_calls", "parallel_tool_calls"),
        (Spoken::OpenAiResponses, "reasoning.summary", "reasoning"),
        (Spoken::OpenAiResponses, "prompt_cache_key", "prompt_cache_key"),
        (Spoken::Anthropic, "cache_control", "cache_control"),
        (Spoken::Anthropic, "thinking", "thinking"),
    ];
    for (dialect, words, key) in cases {
        let refusal = json!({ "error": { "type": "invalid_request_error", "message": format!("{words}: Extra inputs are not permitted") } });
        let answers = [Served::status(400, &refusal.to_string()), done()];
        let server = ReplayServer::playing(dialect, answers).await.unwrap();
        let run = run_session(session(&Connector::new(), spec(dialect, server.address())).as_mut()).await;
        assert_eq!(
            (run.outcome.status, has(&server, key)),
            (RunStatus::NoOutput, vec![true, false]),
            "{words}"
        );
    }
}

#[tokio::test]
async fn the_output_limit_is_sent_under_the_name_the_model_wants() {
    let answers = [
        refusing(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            Some("max_tokens"),
        ),
        done(),
    ];
    let server = ReplayServer::playing(Spoken::OpenAiChat, answers).await.unwrap();
    let mut session = session(&Connector::new(), spec(Spoken::OpenAiChat, server.address()));
    let mut turn = session.stream_turn(ToolChoice::Auto, OutputBudget::Doubled);
    while turn.next().await.is_some() {}
    assert_eq!(has(&server, "max_tokens"), [true, false]);
    assert_eq!(has(&server, "max_completion_tokens"), [false, true]);
}

async fn failure(session: &mut dyn facsimile_agent::ProviderSession) -> SessionError {
    let mut turn = session.stream_turn(ToolChoice::Auto, OutputBudget::Usual);
    loop {
        match turn.next().await {
            Some(Err(error)) => return error,
            Some(Ok(_)) => {}
            None => panic!("the turn did not fail"),
        }
    }
}

#[tokio::test]
async fn a_field_that_was_not_sent_is_not_retried() {
    let server =
        ReplayServer::playing(Spoken::OpenAiChat, [refusing("tool_choice is wrong", None)]).await.unwrap();
    let mut session = session(&Connector::new(), spec(Spoken::OpenAiChat, server.address()));
    let error = failure(session.as_mut()).await;
    assert_eq!((error.kind(), server.asked().len()), (ErrorKind::BadRequest, 1));
}

#[tokio::test]
async fn five_spellings_of_an_address_reach_the_same_place() {
    let server = ReplayServer::playing(Spoken::OpenAiChat, []).await.unwrap();
    let host = server.address().trim_start_matches("http://").to_owned();
    let spellings = [
        host.clone(),
        format!("http://{host}"),
        format!("http://{host}/v1"),
        format!("http://{host}/v1/"),
        format!("http://{host}/v1/chat/completions"),
    ];
    for spelling in &spellings {
        failure(session(&Connector::new(), spec(Spoken::OpenAiChat, spelling)).as_mut()).await;
    }
    let paths: Vec<String> = server.asked().into_iter().map(|asked| asked.path).collect();
    assert_eq!(paths, ["/v1/chat/completions"; 5]);
}

#[tokio::test]
async fn azure_gets_deployment_version_and_its_own_header() {
    let server = ReplayServer::playing(Spoken::OpenAiChat, []).await.unwrap();
    let mut spec = spec(Spoken::OpenAiChat, server.address());
    spec.endpoint = Endpoint::azure(server.address(), "my-gpt", "2026-01-01").unwrap();
    assert_eq!(spec.endpoint.flavour, Flavour::Azure);
    failure(session(&Connector::new(), spec).as_mut()).await;
    let asked = &server.asked()[0];
    assert_eq!(asked.path, "/openai/deployments/my-gpt/chat/completions?api-version=2026-01-01");
    assert_eq!((asked.header("api-key").is_some(), asked.header("authorization")), (true, None));
}

#[tokio::test]
async fn a_server_without_a_key_gets_no_header_for_one() {
    let server = ReplayServer::playing(Spoken::OpenAiChat, []).await.unwrap();
    let mut spec = spec(Spoken::OpenAiChat, server.address());
    spec.key = None;
    failure(session(&Connector::new(), spec).as_mut()).await;
    assert_eq!(server.asked()[0].header("authorization"), None);
}

#[tokio::test]
async fn a_key_that_is_no_header_is_told_before_anything_is_sent() {
    let mut spec = spec(Spoken::OpenAiChat, "127.0.0.1:1");
    spec.key = Secret::new("sk-line\nbreak");
    let refused = Connector::new().connect(spec).err().unwrap();
    assert_eq!(refused.kind(), ErrorKind::BadKey);
    assert!(!refused.failure.message.contains("sk-line"), "{refused}");
}

#[tokio::test]
async fn one_rate_limit_makes_the_others_wait_for_a_turn_of_their_own() {
    let limited = Served::status(429, r#"{"error":{"message":"slow","code":"rate_limit_exceeded"}}"#)
        .header("retry-after", "60");
    let server = ReplayServer::playing(Spoken::OpenAiChat, [limited]).await.unwrap();
    let connector = Connector::new();
    let wait = async || {
        let mut session = session(&connector, spec(Spoken::OpenAiChat, server.address()));
        failure(session.as_mut()).await
    };
    let waits = [wait().await, wait().await, wait().await];
    let kinds = waits.each_ref().map(|error| (error.kind(), error.retryable));
    assert_eq!((kinds, server.asked().len()), ([(ErrorKind::RateLimit, true); 3], 1));
    let [first, second, third] = waits.map(|error| error.retry_after_ms.unwrap());
    assert!(first == 60_000 && second > 60_000 && third > second + 500, "{first} {second} {third}");
}

#[tokio::test]
async fn variants_stream_and_fail_alone() {
    let page = |n: usize| {
        let content = format!("<!doctype html><p>{n}</p>");
        ServedTurn::new().calling("c", "create_file", json!({ "content": content })).into()
    };
    let connector = Connector::new();
    let mut servers = Vec::new();
    for (n, dialect) in Spoken::ALL.into_iter().enumerate() {
        let answers: Vec<Served> = match n {
            1 => vec![Served::status(401, r#"{"error":{"type":"authentication_error","message":"no"}}"#)],
            n => vec![page(n), done()],
        };
        servers.push((dialect, ReplayServer::playing(dialect, answers).await.unwrap()));
    }
    let runs = servers.iter().map(|(dialect, server)| {
        let mut session = session(&connector, spec(*dialect, server.address()));
        async move { run_session(session.as_mut()).await }
    });
    let runs = futures::future::join_all(runs).await;
    let outcomes: Vec<_> =
        runs.iter().map(|run| (run.outcome.status, run.file("index.html").is_some())).collect();
    let good = (RunStatus::Succeeded, true);
    assert_eq!(outcomes, [good, (RunStatus::Failed, false), good, good]);
    let complaints: Vec<String> = servers.iter().flat_map(|(_, server)| server.complaints()).collect();
    assert_eq!(complaints, Vec::<String>::new());
}

#[tokio::test]
async fn a_wrong_history_gets_the_providers_400() {
    // The checker itself is checked: a reply that comes back changed must not pass.
    let turn = ServedTurn::new().saying("Hi.").calling("c1", "list_files", json!({}));
    let server = ReplayServer::playing(Spoken::OpenAiChat, [turn.into(), done()]).await.unwrap();
    let mut session = session(&Connector::new(), spec(Spoken::OpenAiChat, server.address()));
    let mut native = None;
    {
        let mut turn = session.stream_turn(ToolChoice::Auto, OutputBudget::Usual);
        while let Some(Ok(event)) = turn.next().await {
            if let facsimile_agent::StreamEvent::TurnEnded(turn) = event {
                native = Some(turn.native);
            }
        }
    }
    let mut native = native.unwrap();
    native.0["content"] = Value::from("Hello.");
    session.append_tool_results(native, Vec::new(), None).unwrap();
    let error = failure(session.as_mut()).await;
    assert_eq!((error.kind(), server.complaints().len()), (ErrorKind::BadRequest, 1));
    assert_eq!(Family::OpenAiChat.default_base(), None);
}
