//! Stopping a run closes its stream, and what was built stays; so does a stream that went silent.

use std::time::Duration;

use facsimile_agent::{AgentEvent, ErrorKind, OutputBudget, RunStatus, StreamEvent, ToolChoice};
use facsimile_providers::Connector;
use facsimile_testkit::replay::{ReplayServer, Served, ServedTurn, Spoken};
use futures::StreamExt;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{run_into, session, spec};

#[tokio::test]
async fn cancelling_closes_the_stream_and_sends_nothing_more() {
    for dialect in Spoken::ALL {
        let page = "x".repeat(4000);
        let turn =
            ServedTurn::new().saying("Writing now.").calling("c1", "create_file", json!({ "content": page }));
        // The server says no more after this until it sees what the client does.
        let held = Served::from(turn).holding_after(30);
        let mut server = ReplayServer::playing(dialect, [held, ServedTurn::new().into()]).await.unwrap();
        let mut session = session(&Connector::new(), spec(dialect, server.address()));
        let cancel = CancellationToken::new();
        let at_first_word = cancel.clone();
        let mut sink = move |event: AgentEvent| {
            if matches!(event, AgentEvent::SetCode { .. } | AgentEvent::Assistant { .. }) {
                at_first_word.cancel();
            }
        };
        let (outcome, _) = run_into(session.as_mut(), &cancel, &mut sink).await;
        assert_eq!(outcome.status, RunStatus::Cancelled, "{dialect:?}");
        assert!(server.saw_close().await, "{dialect:?}");
        assert_eq!((server.asked().len(), server.left()), (1, 1), "{dialect:?}");
    }
}

#[tokio::test]
async fn what_was_typed_before_a_cancel_stays() {
    for dialect in [Spoken::OpenAiResponses, Spoken::Anthropic, Spoken::OpenAiChat] {
        let page = format!("<!doctype html>{}", "<p>text</p>".repeat(400));
        let turn = ServedTurn::new().calling("c1", "create_file", json!({ "content": page }));
        let held = Served::from(turn).holding_after(120);
        let mut server = ReplayServer::playing(dialect, [held]).await.unwrap();
        let mut session = session(&Connector::new(), spec(dialect, server.address()));
        let cancel = CancellationToken::new();
        let after_some_text = cancel.clone();
        let mut sink = move |event: AgentEvent| {
            if matches!(event, AgentEvent::SetCode { base, .. } if base > 0) {
                after_some_text.cancel();
            }
        };
        let (outcome, files) = run_into(session.as_mut(), &cancel, &mut sink).await;
        let kept = files.iter().map(|(_, text)| text.to_owned()).collect::<String>();
        assert_eq!(outcome.status, RunStatus::Cancelled, "{dialect:?}");
        assert!(page.starts_with(&kept) && kept.len() > 40, "{dialect:?}: {kept:?}");
        assert!(server.saw_close().await, "{dialect:?}");
    }
}

#[tokio::test]
async fn a_silent_stream_is_given_up_and_closed() {
    for dialect in Spoken::ALL {
        let turn = ServedTurn::new().saying("Writing a long text now, and then nothing more.");
        let held = Served::from(turn).holding_after(5);
        let mut server = ReplayServer::playing(dialect, [held]).await.unwrap();
        let connector = Connector::giving_up_after(Duration::from_millis(100));
        let mut session = session(&connector, spec(dialect, server.address()));
        let error = {
            let mut turn = session.stream_turn(ToolChoice::Auto, OutputBudget::Usual);
            loop {
                match turn.next().await {
                    Some(Err(error)) => break error,
                    Some(Ok(_)) => {}
                    None => panic!("the turn did not fail"),
                }
            }
        };
        assert_eq!((error.kind(), error.retryable), (ErrorKind::Stalled, true), "{dialect:?}");
        assert!(server.saw_close().await, "{dialect:?}");
    }
}

#[tokio::test]
async fn keep_alives_reach_whoever_watches_as_signs_of_life() {
    let keep_alives = ": one\n\n: two\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    let answer = Served::stream(keep_alives).in_chunks_of(7);
    let server = ReplayServer::playing(Spoken::OpenAiChat, [answer]).await.unwrap();
    let mut session = session(&Connector::new(), spec(Spoken::OpenAiChat, server.address()));
    let mut turn = session.stream_turn(ToolChoice::Auto, OutputBudget::Usual);
    let first = turn.next().await.unwrap().unwrap();
    assert_eq!(first, StreamEvent::Alive);
}
