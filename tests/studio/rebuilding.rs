//! A conversation that is taken up again says what it would have said if it had gone on.

use facsimile_agent::{
    ExecutedToolCall, ImageBytes, NativeTurn, OutputBudget, ProviderSession, PublicUrl, RunId, StreamEvent,
    ToolChoice, ToolExecutionResult, ToolImage, UserMessage, VariantIndex, tool::Capabilities, tools,
};
use facsimile_providers::{ConnectSpec, Connector, Endpoint, Family, ModelFacts, Past, Secret};
use facsimile_store::{HistoryStore, NewRun, NewTurn, RunTurn, TurnKind, TurnResult};
use facsimile_studio::{RunRequest, Studio, conversations};
use facsimile_testkit::replay::{KEY, ReplayServer, ServedTurn, Spoken};
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::runtime::Handle;

use crate::support::{drawn, request, taken};

const DIALECTS: [(Spoken, Family); 4] = [
    (Spoken::OpenAiResponses, Family::OpenAiResponses),
    (Spoken::Anthropic, Family::Anthropic),
    (Spoken::Gemini, Family::Gemini),
    (Spoken::OpenAiChat, Family::OpenAiChat),
];
const SYSTEM: &str = "You build pages.";
const FIRST: VariantIndex = VariantIndex(0);

fn spec(family: Family, address: &str, system: &str) -> ConnectSpec {
    let registry = tools::registry().unwrap();
    ConnectSpec {
        endpoint: Endpoint::custom(family, address).unwrap(),
        key: Secret::new(KEY),
        model: ModelFacts::unlisted(family, "model-1"),
        effort: None,
        system: system.to_owned(),
        tools: registry.specs(&Capabilities::default()),
        continuation_tools: registry.continuation_specs(&Capabilities::default()),
        cache_key: "project-0".to_owned(),
    }
}

fn studio_with_run() -> (Studio, RunId) {
    let store = HistoryStore::in_memory().unwrap();
    let project = store.projects().create("Shop").unwrap();
    let turn = NewTurn { kind: TurnKind::Create, instruction: "A shop".into(), parent_version: None };
    let run =
        NewRun { project, turn: RunTurn::New(turn), request: Value::Null, engines: vec!["model".into()] };
    let run = store.runs().begin(run).unwrap().run;
    (Studio::over(store, Handle::current()).unwrap(), run)
}

/// Asks for the next reply; gives its native form and its calls, answered.
async fn reply(session: &mut dyn ProviderSession) -> (NativeTurn, Vec<ExecutedToolCall>) {
    let mut turn = session.stream_turn(ToolChoice::Auto, OutputBudget::Usual);
    let mut ended = None;
    while let Some(item) = turn.next().await {
        if let StreamEvent::TurnEnded(turn) = item.unwrap() {
            ended = Some(turn);
        }
    }
    let turn = ended.unwrap();
    let executed = turn.tool_calls.into_iter().map(|call| {
        let result = answer_to(&call.name);
        ExecutedToolCall { call, result }
    });
    (turn.native, executed.collect())
}

/// Sends the next request; the server never said what it is told it has said, and refuses it.
async fn send(session: &mut dyn ProviderSession) {
    let refused = session.stream_turn(ToolChoice::Auto, OutputBudget::Usual).next().await;
    assert!(refused.is_some());
}

/// A result with everything a result may hold.
fn answer_to(tool: &str) -> ToolExecutionResult {
    if tool == "edit_file" {
        let result = json!({ "error": "old_text was not found", "closest": [12, "<p class=\"a\">"] });
        return ToolExecutionResult { ok: false, ..ToolExecutionResult::done(result, Value::Null) };
    }
    let bytes = ToolImage::Bytes { mime: "image/png", data: drawn().into(), label: "screenshot 1".into() };
    let url = PublicUrl::parse("https://pictures.example/a.png").unwrap();
    let result = json!({ "z": 1, "score": 0.1 + 0.2, "close": 87.253_333_333_333_34, "a": [-0.0, 1e-7] });
    ToolExecutionResult::done(result, json!({ "for": "the window" }))
        .showing(bytes)
        .showing(ToolImage::Url { url, label: "picture 2".into() })
}

fn picture() -> ImageBytes {
    ImageBytes { mime: "image/png", bytes: drawn().into(), label: "image 1".into() }
}

#[tokio::test]
async fn the_next_request_of_a_rebuilt_conversation_is_the_live_one_byte_by_byte() {
    for (spoken, family) in DIALECTS {
        let calls = ServedTurn::new()
            .thinking("A shop has shelves.")
            .saying("I look first.")
            .calling("c1", "read_file", json!({ "path": "index.html", "zoom": 1.25 }))
            .calling("c2", "edit_file", json!({ "old_text": "a", "new_text": "ü\u{1F3E0}" }));
        let words = || ServedTurn::new().saying("Done, I think.");
        let turns = [calls.into(), words().into(), words().into(), words().into()];
        let server = ReplayServer::playing(spoken, turns).await.unwrap();
        let connector = Connector::new();
        let (studio, run) = studio_with_run();
        let store = studio.store().clone();
        let live = connector.connect(spec(family, server.address(), SYSTEM)).unwrap();
        let mut live = conversations::kept_with(&store, (run, FIRST), live, family, SYSTEM).unwrap();
        let kept = || store.messages().of_variant(run, FIRST).unwrap().len() as u64;
        let mut places = Vec::new();
        live.append_user(UserMessage { images: vec![picture()], text: "A shop, please".into() }).unwrap();
        places.push(kept());
        let (turn, results) = reply(live.as_mut()).await;
        let then = UserMessage { images: vec![picture()], text: "Mind the budget.".into() };
        live.append_tool_results(turn, results, Some(then)).unwrap();
        places.push(kept());
        let (turn, _) = reply(live.as_mut()).await;
        live.append_tool_results(turn, vec![], Some(UserMessage::text("The page has errors."))).unwrap();
        places.push(kept());
        let (turn, _) = reply(live.as_mut()).await;
        live.append_tool_results(turn, vec![], None).unwrap();
        live.append_user(UserMessage::text("Go on from here.")).unwrap();
        places.push(kept());
        reply(live.as_mut()).await;

        for (at, messages) in places.into_iter().enumerate() {
            let stored = studio.conversation_in(run, FIRST, messages).unwrap();
            let answer = ServedTurn::new().saying("Yes.");
            let again = ReplayServer::playing(spoken, [answer.into()]).await.unwrap();
            let spec = spec(family, again.address(), &stored.system.unwrap());
            let mut rebuilt = connector.resume(spec, stored.past).unwrap();
            send(rebuilt.as_mut()).await;
            let (asked, meant) = (&again.asked()[0].bytes, &server.asked()[at].bytes);
            assert_eq!(
                String::from_utf8_lossy(asked),
                String::from_utf8_lossy(meant),
                "{family:?}, request {at}"
            );
        }
        assert_eq!(server.complaints(), Vec::<String>::new());
    }
}

/// What of a rebuilt conversation is said aloud, whoever says it.
async fn asked_of(spoken: Spoken, family: Family, past: Vec<Past>) -> String {
    let answer = ServedTurn::new().saying("Yes.");
    let server = ReplayServer::playing(spoken, [answer.into()]).await.unwrap();
    let mut session = Connector::new().resume(spec(family, server.address(), SYSTEM), past).unwrap();
    send(session.as_mut()).await;
    server.asked()[0].body.to_string()
}

#[tokio::test]
async fn a_reply_whose_calls_were_not_kept_or_that_another_vendor_gave_is_told_in_its_words() {
    for (spoken, family) in DIALECTS {
        let turn = ServedTurn::new().saying("I look first.").calling("c1", "read_file", json!({}));
        let server = ReplayServer::playing(spoken, [turn.into()]).await.unwrap();
        let mut live = Connector::new().connect(spec(family, server.address(), SYSTEM)).unwrap();
        live.append_user(UserMessage::text("A shop")).unwrap();
        let (turn, results) = reply(live.as_mut()).await;
        let reply = |results| Past::Reply { family, turn: turn.clone(), results, then: None };
        let user = |text| Past::User(UserMessage::text(text));
        let past = |results| vec![user("A shop"), reply(results), user("Go on")];

        let without_results = asked_of(spoken, family, past(vec![])).await;
        assert!(without_results.contains("I look first."), "{family:?}: {without_results}");
        assert!(!without_results.contains("\"c1\""), "{family:?}: no call without its result");
        for (other_spoken, other) in DIALECTS.into_iter().filter(|(_, other)| *other != family) {
            let elsewhere = asked_of(other_spoken, other, past(results.clone())).await;
            assert!(elsewhere.contains("I look first."), "{family:?} at {other:?}: {elsewhere}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retried_turn_is_told_once_and_one_without_messages_in_its_words() {
    let studio = Studio::over(HistoryStore::in_memory().unwrap(), Handle::current()).unwrap();
    let input = taken(&studio, "page.png", drawn());
    let first = studio.start_run(RunRequest { text: "A shop".into(), ..request(&[input], 1) }).unwrap();
    let project = first.project;
    studio.ended(first.run).await.unwrap();
    let ask = RunRequest { project_id: Some(project), text: "In red".into(), ..request(&[input], 1) };
    let second = studio.start_run(ask.clone()).unwrap();
    studio.ended(second.run).await.unwrap();
    let retry = studio.start_run(RunRequest { retry_of: Some(second.run), ..ask }).unwrap();
    let version = studio.ended(retry.run).await.unwrap().variants[0].version.unwrap();
    let store = studio.store();
    let turn = store.runs().get(retry.run).unwrap().turn;
    let result = TurnResult { assistant_text: "It is red.".into(), ..TurnResult::default() };
    store.turns().finish(turn, result).unwrap();
    let stored = studio.conversation_behind(project, version).unwrap();

    let told: Vec<_> = stored
        .past
        .iter()
        .map(|step| match step {
            Past::User(message) => format!("user: {}", message.text),
            Past::Words(words) => format!("model: {words}"),
            Past::Reply { .. } => "model: in its own form".to_owned(),
        })
        .collect();
    let traced = "model: Traced page.png: 0 lines of text, 2 boxes, 1 picture.";
    assert_eq!(told, ["user: A shop", traced, "user: In red", "model: It is red."]);
    assert_eq!(stored.system, None);
}
