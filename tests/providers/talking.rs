//! Whole runs over HTTP: engine, tools, session and a provider that checks what it is sent.

use facsimile_agent::{ErrorKind, RunStatus, TokenUsage};
use facsimile_testkit::fold_code;
use facsimile_testkit::replay::{ReplayServer, Served, ServedTurn, Spoken};
use serde_json::json;

use crate::support::{family_of, run};

const PAGE: &str = "<!doctype html>\n<p class=\"a\">\\d Café 🚀 “quoted” 日本語</p>\n";

fn create(id: &str) -> ServedTurn {
    ServedTurn::new().calling(id, "create_file", json!({ "path": "index.html", "content": PAGE }))
}

async fn playing(dialect: Spoken, answers: Vec<Served>) -> ReplayServer {
    ReplayServer::playing(dialect, answers).await.unwrap()
}

fn assert_contented(server: &ReplayServer) {
    assert_eq!(server.complaints(), Vec::<String>::new());
}

#[tokio::test]
async fn text_and_thinking_are_streamed() {
    for dialect in Spoken::ALL {
        let turn =
            ServedTurn::new().thinking("A plan for 🚀.").saying("I need a picture of the page. Ça va?");
        let server = playing(dialect, vec![turn.into()]).await;
        let run = run(dialect, &server).await;
        assert_contented(&server);
        assert_eq!(
            (run.outcome.status, run.thought().as_str(), run.said().as_str()),
            (RunStatus::NoOutput, "A plan for 🚀.", "I need a picture of the page. Ça va?"),
            "{dialect:?}"
        );
        let usage = TokenUsage { input: 100, output: 10, ..TokenUsage::default() };
        assert_eq!((run.outcome.usage, run.outcome.cost_usd), (usage, Some(0.0)), "{dialect:?}");
    }
}

#[tokio::test]
async fn a_page_is_written_and_its_result_goes_back() {
    for dialect in Spoken::ALL {
        for size in [1, 17, 4096] {
            let first = create("c1").thinking("Plan.").saying("Writing.");
            let answers =
                vec![Served::from(first).in_chunks_of(size), ServedTurn::new().saying("Done.").into()];
            let server = playing(dialect, answers).await;
            let run = run(dialect, &server).await;
            assert_contented(&server);
            assert_eq!((run.outcome.status, run.outcome.rounds), (RunStatus::Succeeded, 2), "{dialect:?}");
            assert_eq!(run.file("index.html"), Some(PAGE), "{dialect:?}");
            let shown = fold_code(&run.recording.events);
            assert_eq!(shown.get("index.html").map(String::as_str), Some(PAGE), "{dialect:?}");
        }
    }
}

#[tokio::test]
async fn two_calls_in_a_round_and_further_rounds_keep_the_history_whole() {
    for dialect in Spoken::ALL {
        let answers = vec![
            create("c1")
                .thinking("Two files.")
                .calling("c2", "create_file", json!({ "path": "app.css", "content": "p{}" }))
                .into(),
            ServedTurn::new().saying("Looking.").calling("c3", "list_files", json!({})).into(),
            ServedTurn::new()
                .thinking("One edit.")
                .calling(
                    "c4",
                    "edit_file",
                    json!({ "path": "app.css", "old_text": "p{}", "new_text": "p{margin:0}" }),
                )
                .calling("c5", "read_file", json!({ "path": "missing.css" }))
                .into(),
            ServedTurn::new().saying("Done.").into(),
        ];
        let server = playing(dialect, answers).await;
        let run = run(dialect, &server).await;
        assert_contented(&server);
        assert_eq!((run.outcome.status, run.outcome.rounds), (RunStatus::Succeeded, 4), "{dialect:?}");
        assert_eq!((run.file("app.css"), server.left()), (Some("p{margin:0}"), 0), "{dialect:?}");
    }
}

#[tokio::test]
async fn geminis_calls_without_ids_are_answered_without_ids() {
    let first = ServedTurn::new().calling("", "create_file", json!({ "content": PAGE })).calling(
        "",
        "list_files",
        json!({}),
    );
    let server = playing(Spoken::Gemini, vec![first.into(), ServedTurn::new().saying("Done.").into()]).await;
    let run = run(Spoken::Gemini, &server).await;
    assert_contented(&server);
    assert_eq!((run.outcome.status, run.file("index.html")), (RunStatus::Succeeded, Some(PAGE)));
}

/// A refusal for the time being, with a hint that is short enough for a test.
fn busy(dialect: Spoken, status: u16) -> Served {
    let body = match (dialect, status) {
        (Spoken::Anthropic, 429) => {
            r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}"#
        }
        (Spoken::Anthropic, _) => r#"{"type":"error","error":{"type":"overloaded_error","message":"busy"}}"#,
        (Spoken::Gemini, 429) => r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"slow"}}"#,
        (Spoken::Gemini, _) => r#"{"error":{"code":503,"status":"UNAVAILABLE","message":"busy"}}"#,
        (_, 429) => r#"{"error":{"message":"slow","type":"requests","code":"rate_limit_exceeded"}}"#,
        _ => r#"{"error":{"message":"busy","type":"server_error","code":"server_is_overloaded"}}"#,
    };
    let hint = if status == 429 { ("retry-after", "0.02") } else { ("retry-after-ms", "20") };
    Served::status(status, body).header(hint.0, hint.1)
}

#[tokio::test]
async fn a_rate_limit_and_an_overload_are_waited_for() {
    for dialect in Spoken::ALL {
        let answers = vec![
            busy(dialect, 429),
            busy(dialect, 529),
            create("c1").into(),
            busy(dialect, 503),
            ServedTurn::new().saying("Done.").into(),
        ];
        let server = playing(dialect, answers).await;
        let run = run(dialect, &server).await;
        assert_contented(&server);
        let waits = [ErrorKind::RateLimit, ErrorKind::Overloaded, ErrorKind::Overloaded];
        assert_eq!(
            (run.outcome.status, run.waits().as_slice()),
            (RunStatus::Succeeded, waits.as_slice()),
            "{dialect:?}"
        );
    }
}

#[tokio::test]
async fn a_connection_that_breaks_is_made_anew_while_no_tool_ran() {
    // All at once: each waits for the engine's own pause.
    let runs = Spoken::ALL.map(|dialect| async move {
        let broken = Served::from(create("c1").saying("Writing.")).dropping_after(4);
        let answers = vec![broken, create("c1").into(), ServedTurn::new().saying("Done.").into()];
        let server = playing(dialect, answers).await;
        let run = run(dialect, &server).await;
        assert_contented(&server);
        assert_eq!(
            (run.outcome.status, run.file("index.html")),
            (RunStatus::Succeeded, Some(PAGE)),
            "{dialect:?}"
        );
        assert_eq!(run.waits(), [ErrorKind::StreamEndedEarly], "{dialect:?}");
    });
    futures::future::join_all(runs).await;
}

#[tokio::test]
async fn a_clean_end_without_the_end_marker_is_no_success() {
    for dialect in Spoken::ALL {
        let cut: &[u8] = match dialect {
            Spoken::OpenAiResponses => {
                b"data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"Hi\"}\n\n"
            }
            Spoken::Anthropic => b"data: {\"type\":\"message_start\",\"message\":{}}\n\n",
            Spoken::Gemini => b"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hi\"}]}}]}\n\n",
            Spoken::OpenAiChat => b"data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n",
        };
        let server = playing(dialect, vec![Served::stream(cut)]).await;
        let failure = first_failure(dialect, &server).await;
        assert_eq!(
            (failure.failure.kind, failure.retryable),
            (ErrorKind::StreamEndedEarly, true),
            "{dialect:?}"
        );
    }
}

/// The error of one turn.
async fn first_failure(dialect: Spoken, server: &ReplayServer) -> facsimile_agent::SessionError {
    use facsimile_agent::{OutputBudget, ToolChoice};
    use futures::StreamExt;
    let connector = facsimile_providers::Connector::new();
    let mut session = crate::support::session(&connector, crate::support::spec(dialect, server.address()));
    let mut turn = session.stream_turn(ToolChoice::Auto, OutputBudget::Usual);
    while let Some(item) = turn.next().await {
        if let Err(error) = item {
            return error;
        }
    }
    panic!("the turn did not fail")
}

#[tokio::test]
async fn every_refusal_is_told_with_its_kind_and_without_the_key() {
    use facsimile_testkit::replay::KEY;
    let cases = [
        (
            Spoken::OpenAiResponses,
            401,
            json!({"error": {"message": format!("Incorrect API key provided: {KEY}"), "code": "invalid_api_key"}}),
            ErrorKind::BadKey,
        ),
        (
            Spoken::OpenAiResponses,
            404,
            json!({"error": {"message": "The model does not exist", "code": "model_not_found"}}),
            ErrorKind::NoModel,
        ),
        (
            Spoken::OpenAiResponses,
            429,
            json!({"error": {"message": "quota", "code": "insufficient_quota"}}),
            ErrorKind::NoCredit,
        ),
        (
            Spoken::Anthropic,
            401,
            json!({"error": {"type": "authentication_error", "message": format!("invalid x-api-key {KEY}")}}),
            ErrorKind::BadKey,
        ),
        (
            Spoken::Anthropic,
            404,
            json!({"error": {"type": "not_found_error", "message": "model: x"}}),
            ErrorKind::NoModel,
        ),
        (
            Spoken::Anthropic,
            402,
            json!({"error": {"type": "billing_error", "message": "pay"}}),
            ErrorKind::NoCredit,
        ),
        (
            Spoken::Gemini,
            400,
            json!({"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": format!("bad {KEY}"), "details": [{"reason": "API_KEY_INVALID"}]}}),
            ErrorKind::BadKey,
        ),
        (
            Spoken::Gemini,
            404,
            json!({"error": {"code": 404, "status": "NOT_FOUND", "message": "models/x"}}),
            ErrorKind::NoModel,
        ),
        (Spoken::OpenAiChat, 401, json!({"error": {"message": &KEY[4..20], "code": 401}}), ErrorKind::BadKey),
        (Spoken::OpenAiChat, 402, json!({"error": {"message": "credits", "code": 402}}), ErrorKind::NoCredit),
    ];
    for (dialect, status, body, kind) in cases {
        let answer = Served::status(status, &body.to_string()).header("x-request-id", "req_42");
        let server = playing(dialect, vec![answer]).await;
        let failure = first_failure(dialect, &server).await;
        let told = format!("{failure:?}");
        assert_eq!((failure.failure.kind, failure.retryable), (kind, false), "{dialect:?} {status}");
        assert!(failure.failure.message.contains("req_42") && failure.failure.next_step.is_some(), "{told}");
        assert!(
            !KEY.as_bytes().windows(8).any(|part| told.contains(std::str::from_utf8(part).unwrap())),
            "{told}"
        );
    }
}

#[tokio::test]
async fn a_good_status_with_no_stream_in_it_is_an_error_that_says_so() {
    let html = "<!doctype html><html><title>Sign in</title></html>";
    let cases = [
        (
            Served::status(200, html).header("content-type", "text/html; charset=utf-8"),
            ErrorKind::Protocol,
            "web page: Sign in",
        ),
        (Served::stream(html), ErrorKind::Protocol, "web page: Sign in"),
        (
            Served::status(200, r#"{"error":{"message":"no such model","code":"model_not_found"}}"#),
            ErrorKind::NoModel,
            "no such model",
        ),
        (
            Served::stream(r#"{"error":{"message":"no such model","code":"model_not_found"}}"#),
            ErrorKind::NoModel,
            "no such model",
        ),
        (Served::status(200, r#"{"id":"x","choices":[]}"#), ErrorKind::Protocol, "JSON instead of a stream"),
        (Served::stream("x").header("content-encoding", "gzip"), ErrorKind::Protocol, "packed as gzip"),
        (Served::stream("data: not json\n\n"), ErrorKind::Protocol, "not JSON"),
        (Served::stream(""), ErrorKind::StreamEndedEarly, "before its end"),
        (
            Served::status(302, "").header("location", "https://elsewhere.test/v1"),
            ErrorKind::Network,
            "redirects to elsewhere.test",
        ),
    ];
    for (answer, kind, words) in cases {
        let server = playing(Spoken::OpenAiChat, vec![answer]).await;
        let failure = first_failure(Spoken::OpenAiChat, &server).await;
        assert_eq!(failure.failure.kind, kind, "{failure}");
        assert!(failure.failure.message.contains(words), "{failure}");
        assert_eq!(server.asked().len(), 1, "nothing was sent to another place");
    }
}

#[tokio::test]
async fn nobody_listening_is_told_as_such() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    for dialect in Spoken::ALL {
        use futures::StreamExt;
        let connector = facsimile_providers::Connector::new();
        let mut session = crate::support::session(&connector, crate::support::spec(dialect, &address));
        let mut turn =
            session.stream_turn(facsimile_agent::ToolChoice::Auto, facsimile_agent::OutputBudget::Usual);
        let failure = turn.next().await.unwrap().unwrap_err();
        assert_eq!((failure.failure.kind, failure.retryable), (ErrorKind::Network, true));
        assert!(failure.failure.message.contains(&address), "{failure}");
    }
}

#[tokio::test]
async fn a_vendor_is_not_asked_without_a_key() {
    for dialect in [Spoken::OpenAiResponses, Spoken::Anthropic, Spoken::Gemini] {
        let family = family_of(dialect);
        let mut spec = crate::support::spec(dialect, "127.0.0.1:1");
        spec.endpoint = facsimile_providers::Endpoint::vendor(family).unwrap();
        spec.key = None;
        let refused = facsimile_providers::Connector::new().connect(spec).err().unwrap();
        assert_eq!(refused.failure.kind, ErrorKind::BadKey);
    }
}

#[tokio::test]
async fn a_stream_that_never_ends_is_cut_at_the_caps() {
    let mib = 1024 * 1024;
    let one_line = Served::stream(vec![b'x'; 17 * mib]);
    let comments = Served::stream(b": and so on and so on\n".repeat(65 * mib / 22));
    for (answer, words) in [(one_line, "larger than 16 MiB"), (comments, "larger than 64 MiB")] {
        let server = playing(Spoken::OpenAiChat, vec![answer.in_chunks_of(mib)]).await;
        let failure = first_failure(Spoken::OpenAiChat, &server).await;
        assert_eq!((failure.failure.kind, failure.retryable), (ErrorKind::Protocol, false));
        assert!(failure.failure.message.contains(words), "{failure}");
    }
}

/// How much a request lets the model write.
fn output_limit(dialect: Spoken, body: &serde_json::Value) -> Option<u64> {
    let limit = match dialect {
        Spoken::OpenAiResponses => "/max_output_tokens",
        Spoken::Gemini => "/generationConfig/maxOutputTokens",
        Spoken::Anthropic | Spoken::OpenAiChat => "/max_tokens",
    };
    body.pointer(limit).and_then(serde_json::Value::as_u64)
}

#[tokio::test]
async fn a_cut_page_is_asked_for_with_twice_the_room_and_then_for_its_rest() {
    for dialect in Spoken::ALL {
        let lines: String = (0..40).map(|line| format!("<p>Absatz {line} – größer</p>\n")).collect();
        let page = format!("<!doctype html>\n{lines}</html>\n");
        let call = |name: &str, content: &str| {
            let arguments = json!({ "path": "index.html", "content": content });
            ServedTurn::new().calling("c1", name, arguments)
        };
        let cut = || call("create_file", &page).cut_after(600);
        // Gemini's calls come whole or not at all: there is no draft to go on from.
        let rest = match dialect {
            Spoken::Gemini => call("create_file", &page),
            _ => call("append_file", &page[page.find("<p>Absatz 9 ").unwrap()..]),
        };
        let answers = vec![cut().into(), cut().into(), rest.into(), ServedTurn::new().saying("Done.").into()];
        let server = playing(dialect, answers).await;
        let run = run(dialect, &server).await;
        // The server would complain if a cut reply came back.
        assert_contented(&server);
        assert_eq!((run.outcome.status, run.file("index.html")), (RunStatus::Succeeded, Some(page.as_str())));
        assert_eq!(fold_code(&run.recording.events)["index.html"], page, "{dialect:?}");
        let asked = server.asked();
        let limits: Vec<_> = asked.iter().map(|asked| output_limit(dialect, &asked.body)).collect();
        let usual = if dialect == Spoken::OpenAiChat { None } else { Some(50_000) };
        assert_eq!(limits, [usual, Some(100_000), usual, usual], "{dialect:?}");
        let asks_for_rest = |at: usize| asked[at].body.to_string().contains("cut at its output limit");
        assert_eq!([0, 1, 2, 3].map(asks_for_rest), [false, false, true, true], "{dialect:?}");
    }
}
