//! The same runs against a mock of all four dialects that nobody here wrote.
//!
//! It has to be installed first: `npm ci --prefix tests/providers/second_opinion`; then
//! `cargo test -p facsimile-providers --features second-opinion --test second_opinion`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a suite stops at what it did not expect

#[path = "../support.rs"]
#[allow(dead_code)] // the other suite uses the rest
mod support;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use facsimile_agent::message::ToolImage;
use facsimile_agent::{
    ErrorKind, ExecutedToolCall, ImageBytes, OutputBudget, ProviderSession, ProviderTurn, RunStatus,
    StreamEvent, ToolChoice, ToolExecutionResult, UserMessage,
};
use facsimile_providers::Connector;
use facsimile_testkit::replay::Spoken;
use futures::StreamExt;
use serde_json::json;

use support::{Run, run_session, spec};

/// The mock, stopped when it is dropped.
struct Mock {
    process: Child,
    address: String,
}

impl Mock {
    fn start() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/providers/second_opinion");
        let command = folder.join("node_modules/@copilotkit/aimock/dist/cli.js");
        assert!(command.exists(), "run `npm ci --prefix tests/providers/second_opinion` first");
        let mut process = Command::new("node")
            .arg(command)
            .args(["--port", "0", "--chunk-size", "7", "--strict", "--fixtures"])
            .arg(folder.join("replies.json"))
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let address = lines
            .by_ref()
            .find_map(|line| {
                line.unwrap().split_once("listening on ").map(|(_, address)| address.trim().to_owned())
            })
            .expect("the mock did not start");
        // Its output is read on, or it would block on a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Self { process, address }
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Has the user say this to a fresh mock.
async fn said(dialect: Spoken, words: &str) -> Run {
    let mock = Mock::start();
    let mut session = Connector::new().connect(spec(dialect, &mock.address)).unwrap();
    let picture =
        ImageBytes { mime: "image/png", bytes: b"\x89PNG".as_slice().into(), label: "image 1".to_owned() };
    session.append_user(UserMessage { images: vec![picture], text: words.to_owned() }).unwrap();
    run_session(session.as_mut()).await
}

#[tokio::test]
async fn text_and_thinking() {
    for dialect in Spoken::ALL {
        let run = said(dialect, "say something").await;
        assert_eq!(
            (run.outcome.failure.clone(), run.thought().as_str(), run.said().as_str()),
            (None, "Thinking hard.", "Hello there, Ça va 🚀?"),
            "{dialect:?}"
        );
    }
}

#[tokio::test]
async fn a_page_and_its_result() {
    for dialect in Spoken::ALL {
        let run = said(dialect, "build a page").await;
        assert_eq!(
            (run.outcome.failure.clone(), run.outcome.status, run.outcome.rounds),
            (None, RunStatus::Succeeded, 2),
            "{dialect:?}"
        );
        assert_eq!(run.file("index.html"), Some("<!doctype html>\n<p>\"é🚀\"</p>\n"), "{dialect:?}");
    }
}

#[tokio::test]
async fn a_picture_in_a_result_is_taken() {
    for dialect in Spoken::ALL {
        let mock = Mock::start();
        let mut session = Connector::new().connect(spec(dialect, &mock.address)).unwrap();
        session.append_user(UserMessage::text("build a page")).unwrap();
        let turn = ended(session.as_mut()).await;
        let call = turn.tool_calls[0].clone();
        let image = ToolImage::Bytes {
            mime: "image/png",
            data: b"\x89PNG".as_slice().into(),
            label: "the page".into(),
        };
        let done = ToolExecutionResult::done(json!({ "written": true }), json!({}));
        let result = ToolExecutionResult { images: vec![image], ..done };
        session.append_tool_results(turn.native, vec![ExecutedToolCall { call, result }], None).unwrap();

        let reply = ended(session.as_mut()).await;

        assert_eq!((reply.text.as_str(), reply.tool_calls.len()), ("Done.", 0), "{dialect:?}");
    }
}

/// The next reply, whole.
async fn ended(session: &mut dyn ProviderSession) -> ProviderTurn {
    let mut stream = session.stream_turn(ToolChoice::Auto, OutputBudget::Usual);
    while let Some(event) = stream.next().await {
        if let StreamEvent::TurnEnded(turn) = event.unwrap() {
            return turn;
        }
    }
    panic!("the reply has no end");
}

#[tokio::test]
async fn two_calls_in_a_round_and_a_third_round() {
    for dialect in Spoken::ALL {
        let run = said(dialect, "build two files").await;
        assert_eq!(
            (run.outcome.failure.clone(), run.outcome.status, run.outcome.rounds),
            (None, RunStatus::Succeeded, 3),
            "{dialect:?}"
        );
        let files = (run.file("index.html"), run.file("app.css"));
        assert_eq!(files, (Some("<p>one</p>"), Some("p{margin:0}")), "{dialect:?}");
    }
}

#[tokio::test]
async fn a_rate_limit_with_a_hint_an_overload_and_a_broken_stream_are_overcome() {
    for dialect in Spoken::ALL {
        let cases = [
            ("be limited", vec![ErrorKind::RateLimit]),
            ("be busy", vec![ErrorKind::Overloaded]),
            // The mock may close before its head went out.
            ("break off", vec![ErrorKind::StreamEndedEarly, ErrorKind::Network]),
        ];
        let runs = cases.each_ref().map(|(words, _)| said(dialect, words));
        for (run, (words, kinds)) in futures::future::join_all(runs).await.into_iter().zip(cases) {
            let waits = run.waits();
            assert_eq!((run.outcome.failure.clone(), waits.len()), (None, 1), "{dialect:?} {words}");
            assert!(kinds.contains(&waits[0]), "{dialect:?} {words}: {waits:?}");
            assert!(run.said().ends_with("Hello again."), "{dialect:?} {words}: {}", run.said());
        }
    }
}

#[tokio::test]
async fn a_bad_key() {
    for dialect in [Spoken::OpenAiResponses, Spoken::Anthropic, Spoken::OpenAiChat] {
        let run = said(dialect, "refuse the key").await;
        assert_eq!(run.outcome.failure.map(|failure| failure.kind), Some(ErrorKind::BadKey), "{dialect:?}");
    }
}
