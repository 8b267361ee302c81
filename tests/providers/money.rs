//! What a request will cost, and what a reply did.

use facsimile_agent::{
    Continuation, OutputBudget, ProviderSession, RunStatus, SpendCap, StreamEvent, ToolChoice, ToolContext,
    UsdPerMillion, UserMessage, VariantIndex,
};
use facsimile_providers::{Catalog, Connector, Endpoint, Family, ModelFacts, Secret};
use facsimile_testkit::Recording;
use facsimile_testkit::replay::{ReplayServer, Served, ServedTurn, Spoken};
use futures::StreamExt;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{engine, session, spec};

/// A conversation with a model of the table at its vendor. Nothing is sent.
fn at_vendor(family: Family, model: &str) -> Box<dyn ProviderSession> {
    let mut spec = spec(Spoken::OpenAiResponses, "127.0.0.1:1");
    spec.endpoint = Endpoint::vendor(family).unwrap();
    spec.model = Catalog::built_in().unwrap().model(family, model);
    spec.key = Secret::new("sk-test");
    Connector::new().connect(spec).unwrap()
}

#[test]
fn an_estimate_grows_with_what_is_said_and_has_the_tables_price() {
    let mut session = at_vendor(Family::Anthropic, "claude-opus-5-5");
    let before = session.estimate(OutputBudget::Usual);
    assert_eq!(before.price, Some(UsdPerMillion { input: 4.0, output: 20.0 }));
    assert_eq!(
        (before.max_output_tokens, session.estimate(OutputBudget::Doubled).max_output_tokens),
        (50_000, 100_000)
    );
    let image = facsimile_agent::ImageBytes {
        mime: "image/png",
        bytes: vec![0; 30_000].into(),
        label: "image 1".to_owned(),
    };
    session.append_user(UserMessage { images: vec![image], text: "x".repeat(3_000) }).unwrap();
    let after = session.estimate(OutputBudget::Usual);
    assert_eq!(after.input_tokens - before.input_tokens, 1_000 + 1_600);
}

#[test]
fn output_can_be_doubled_only_where_the_model_has_more() {
    let can = |family, model| at_vendor(family, model).can_double_output();
    assert!(can(Family::Anthropic, "claude-opus-5-5") && can(Family::Gemini, "gemini-4-argon"));
    let mut small = spec(Spoken::OpenAiChat, "127.0.0.1:1");
    small.model = ModelFacts { max_output_tokens: Some(8_192), ..small.model };
    assert!(!Connector::new().connect(small).unwrap().can_double_output());
}

/// A model of known price, wherever it is asked: the relay's own price is taken for the vendor's.
async fn reply_of(dialect: Spoken, answer: Served) -> (Box<dyn ProviderSession>, ReplayServer) {
    let server = ReplayServer::playing(dialect, [answer]).await.unwrap();
    let session = session(&Connector::new(), spec(dialect, server.address()));
    (session, server)
}

#[tokio::test]
async fn the_next_estimate_builds_on_what_the_vendor_counted() {
    for dialect in Spoken::ALL {
        let (mut session, _server) = reply_of(dialect, ServedTurn::new().saying("Hello").into()).await;
        let guessed = session.estimate(OutputBudget::Usual).input_tokens;
        let mut turn = session.stream_turn(ToolChoice::Auto, OutputBudget::Usual);
        while turn.next().await.is_some() {}
        drop(turn);
        // The replayed vendor counts 100 tokens of input.
        let counted = session.estimate(OutputBudget::Usual).input_tokens;
        assert!(guessed > 100 && counted == 100, "{dialect:?}: {guessed} {counted}");
        session.append_user(UserMessage::text("x".repeat(300))).unwrap();
        assert_eq!(session.estimate(OutputBudget::Usual).input_tokens, 200, "{dialect:?}");
    }
}

#[tokio::test]
async fn a_model_on_this_machine_is_free_and_needs_no_money() {
    for dialect in Spoken::ALL {
        let page = json!({ "path": "index.html", "content": "<p>Hi</p>" });
        let turn = ServedTurn::new().calling("c1", "create_file", page);
        let answers = [turn.into(), ServedTurn::new().saying("Done.").into()];
        let server = ReplayServer::playing(dialect, answers).await.unwrap();
        let mut session = session(&Connector::new(), spec(dialect, server.address()));
        let cap = SpendCap::of_usd(0.000_000_001);
        let mut cx = ToolContext::new(VariantIndex(0), Default::default(), CancellationToken::new())
            .spending(cap.clone());
        let outcome = engine().run(session.as_mut(), &mut cx, &mut Recording::default()).await;
        let spent = (outcome.status, outcome.cost_usd, cap.settled_usd());
        assert_eq!(spent, (RunStatus::Succeeded, Some(0.0), 0.0), "{dialect:?}");
    }
}

/// The names of the tools that a request offered.
fn offered(dialect: Spoken, body: &serde_json::Value) -> Vec<String> {
    let tools = match dialect {
        Spoken::Gemini => body.pointer("/tools/0/functionDeclarations"),
        _ => body.get("tools"),
    };
    let name = |tool: &serde_json::Value| {
        let name = tool.pointer("/function/name").or_else(|| tool.get("name"));
        name.and_then(serde_json::Value::as_str).unwrap().to_owned()
    };
    tools.and_then(serde_json::Value::as_array).unwrap().iter().map(name).collect()
}

#[tokio::test]
async fn append_file_is_offered_in_a_continuation_alone_and_at_anthropic_throughout() {
    for dialect in Spoken::ALL {
        let says = || Served::from(ServedTurn::new().saying("Hm."));
        let server = ReplayServer::playing(dialect, [says(), says(), says()]).await.unwrap();
        let mut session = session(&Connector::new(), spec(dialect, server.address()));
        for continuation in [None, Some(Continuation::Begun), Some(Continuation::Over)] {
            continuation.into_iter().for_each(|continuation| session.set_continuation(continuation));
            let mut turn = session.stream_turn(ToolChoice::Auto, OutputBudget::Usual);
            let mut native = None;
            while let Some(event) = turn.next().await {
                if let StreamEvent::TurnEnded(turn) = event.unwrap() {
                    native = Some(turn.native);
                }
            }
            drop(turn);
            let more = Some(UserMessage::text("Go on."));
            session.append_tool_results(native.unwrap(), Vec::new(), more).unwrap();
        }
        let lists: Vec<_> = server.asked().iter().map(|asked| offered(dialect, &asked.body)).collect();
        let has = |list: &Vec<String>| list.iter().any(|name| name == "append_file");
        let expected = if dialect == Spoken::Anthropic { [true; 3] } else { [false, true, false] };
        assert_eq!(lists.iter().map(has).collect::<Vec<_>>(), expected, "{dialect:?}");
        // The other tools stand before it, the same every time.
        assert!(lists.iter().all(|list| list[..6] == lists[0][..6]), "{dialect:?}: {lists:?}");
        assert_eq!(server.complaints(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_stream_that_was_left_in_the_middle_keeps_the_estimate_sound() {
    for dialect in Spoken::ALL {
        let long = json!({ "content": "x".repeat(4_000) });
        let turn = ServedTurn::new().saying("Writing now.").calling("c1", "create_file", long);
        let (mut session, _server) = reply_of(dialect, Served::from(turn).holding_after(30)).await;
        let before = session.estimate(OutputBudget::Usual).input_tokens;
        let mut turn = session.stream_turn(ToolChoice::Auto, OutputBudget::Usual);
        while !matches!(turn.next().await.unwrap().unwrap(), StreamEvent::Text(_)) {}
        drop(turn);
        // Somebody counted the input: the vendor at the start of its reply, or else we.
        let after = session.estimate(OutputBudget::Usual).input_tokens;
        assert!(after == before || after == 100, "{dialect:?}: {before} {after}");
    }
}
