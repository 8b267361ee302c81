//! Whole runs against a mock, written by others, that breaks streams on purpose and grades its client.
//!
//! It has to be installed first, from `tests/providers/chaos`:
//! `python3 -m venv .venv && .venv/bin/pip install -r requirements.txt`; then
//! `cargo test -p facsimile-providers --features second-opinion --test chaos`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a suite stops at what it did not expect

#[path = "../support.rs"]
#[allow(dead_code)] // the other suites use the rest
mod support;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use facsimile_agent::ErrorKind;
use facsimile_providers::Connector;
use facsimile_testkit::replay::Spoken;
use serde_json::{Value, json};

use support::{Run, run_session, session, spec};

/// The mock, stopped when it is dropped.
struct Mock {
    process: Child,
    address: String,
    client: reqwest::Client,
}

impl Mock {
    /// A mock that answers so, each behaviour once.
    async fn behaving(behaviours: Value) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/providers/chaos");
        let command = folder.join(".venv/bin/llmock");
        assert!(command.exists(), "install the mock first, as the head of this file says");
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        // A plain client, so that only the runs' own requests are graded.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().tls_certs_only([]).build().unwrap();
        // Chunks come slowly enough for the mock to see that its client stopped reading.
        let process = Command::new(command)
            .args(["serve", "--port", &port.to_string(), "--log-level", "error"])
            .args(["--stream-chunk-delay-ms", "30"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mock = Self { process, address: format!("http://127.0.0.1:{port}"), client };
        while mock.verdict().await.is_none() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let scenario = format!("{}/_llmock/scenario", mock.address);
        let body = json!({ "behaviors": behaviours }).to_string();
        let answer = mock.client.post(scenario).body(body).send().await.unwrap();
        assert!(answer.status().is_success(), "the scenario was refused: {:?}", answer.text().await);
        mock
    }

    /// The grades; `None` while it does not answer yet.
    async fn verdict(&self) -> Option<Value> {
        let answer = self.client.get(format!("{}/_llmock/verdict", self.address)).send().await.ok()?;
        serde_json::from_str(&answer.text().await.ok()?).ok()
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn address(dialect: Spoken, mock: &Mock) -> String {
    let prefix = match dialect {
        Spoken::Anthropic => "/anthropic",
        Spoken::Gemini => "/gemini/v1beta",
        Spoken::OpenAiResponses | Spoken::OpenAiChat => "/v1",
    };
    format!("{}{prefix}", mock.address)
}

/// Runs against a mock that behaves so, and sees to its grades. Gives the run.
async fn graded(dialect: Spoken, fault: Value) -> Run {
    let page = json!({ "path": "index.html", "content": "<!doctype html><p>é🚀</p>" });
    let call =
        json!({ "type": "reply", "tool_calls": [{ "name": "create_file", "arguments": page }], "times": 2 });
    let mut behaviours = vec![call];
    behaviours.extend(fault.as_array().cloned().unwrap_or_else(|| vec![fault.clone()]));
    let mock = Mock::behaving(behaviours.into()).await;
    let connector = Connector::giving_up_after(Duration::from_secs(2));
    let mut session = session(&connector, spec(dialect, &address(dialect, &mock)));
    let run = run_session(session.as_mut()).await;
    let verdict = mock.verdict().await.unwrap();
    assert_eq!(verdict["findings"], json!([]), "{dialect:?} {fault}: {verdict}");
    assert!(verdict["faults_injected"].as_u64() > Some(0), "{dialect:?} {fault}: {verdict}");
    assert_eq!(run.outcome.failure, None, "{dialect:?} {fault}");
    assert_eq!(run.file("index.html"), Some("<!doctype html><p>é🚀</p>"), "{dialect:?} {fault}");
    run
}

async fn overcome(dialects: &[Spoken], fault: Value, kinds: &[ErrorKind]) {
    let runs = dialects.iter().map(|dialect| {
        let mut fault = fault.clone();
        // The mock sends a call of this dialect in one chunk: there is no second one to break.
        if *dialect == Spoken::Gemini && fault.get("after_chunks").is_some() {
            fault["after_chunks"] = 0.into();
        }
        graded(*dialect, fault)
    });
    for (run, dialect) in futures::future::join_all(runs).await.into_iter().zip(dialects) {
        let waits = run.waits();
        assert!(!waits.is_empty() && waits.iter().all(|kind| kinds.contains(kind)), "{dialect:?}: {waits:?}");
    }
}

fn stream_fault(kind: &str) -> Value {
    json!({ "type": "stream_fault", "kind": kind, "after_chunks": 2 })
}

#[tokio::test]
async fn a_clean_truncation_is_noticed() {
    overcome(&Spoken::ALL, stream_fault("truncate"), &[ErrorKind::StreamEndedEarly]).await;
}

#[tokio::test]
async fn a_dropped_connection_is_made_anew() {
    overcome(&Spoken::ALL, stream_fault("disconnect"), &[ErrorKind::StreamEndedEarly]).await;
}

#[tokio::test]
async fn a_broken_chunk_is_noticed() {
    // A reply in one chunk is over before the mock can see that its client stopped reading.
    let dialects = [Spoken::OpenAiResponses, Spoken::Anthropic, Spoken::OpenAiChat];
    overcome(&dialects, stream_fault("malformed"), &[ErrorKind::Protocol]).await;
}

#[tokio::test]
async fn a_stall_is_given_up() {
    overcome(&Spoken::ALL, stream_fault("stall"), &[ErrorKind::Stalled]).await;
}

#[tokio::test]
async fn a_rate_limit_is_waited_for() {
    let limited =
        json!([{ "type": "fail", "status": 429, "retry_after": 1 }, { "type": "fail", "status": 503 }]);
    overcome(&Spoken::ALL, limited, &[ErrorKind::RateLimit, ErrorKind::Overloaded]).await;
}
