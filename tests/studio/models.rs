//! Runs with models: a provider on loopback, the studio's own keys, prompts and records.

use std::sync::Arc;

use facsimile_agent::{ErrorKind, PromptVersion, RunStatus, Secret, VariantIndex};
use facsimile_store::{HistoryStore, KeyId, KeyStore, MemoryKeys};
use facsimile_studio::{
    GivenAddress, KeyState, Keys, LifecycleEvent, Provider, RunEventBody, RunReport, RunRequest,
    SavedEndpoint, Studio, StudioError, Which,
};
use facsimile_testkit::replay::{KEY, ReplayServer, Served, ServedTurn, Spoken};
use serde_json::{Value, json};
use tokio::runtime::Handle;

use crate::support::{drawn, ends, folded, png, rest, taken};

use RunStatus::{Cancelled, Failed, NoOutput, Succeeded};

const PAGE: &str = "<!doctype html><html lang=\"en\"><title>Shop</title><p>Grüße 🌍</p></html>";

/// A studio whose environment holds the key of addresses that are given for a call.
pub fn studio() -> Studio {
    let environment = |name: &str| (name == "FACSIMILE_ENDPOINT_KEY").then(|| KEY.to_owned());
    with_keys(Keys::over(Arc::new(MemoryKeys::default()), Arc::new(environment)))
}

fn with_keys(keys: Keys) -> Studio {
    Studio::with_keys(HistoryStore::in_memory().unwrap(), Handle::current(), keys).unwrap()
}

pub fn writes(page: &str) -> [Served; 2] {
    let call =
        ServedTurn::new().calling("c1", "create_file", json!({ "path": "index.html", "content": page }));
    [call.into(), ServedTurn::new().saying("The shop is there.").into()]
}

fn provider_of(dialect: Spoken) -> Provider {
    match dialect {
        Spoken::OpenAiResponses => Provider::OpenAi,
        Spoken::Anthropic => Provider::Anthropic,
        Spoken::Gemini => Provider::Gemini,
        Spoken::OpenAiChat => Provider::Chat,
    }
}

pub fn asking(engines: &[(Provider, &ReplayServer)]) -> RunRequest {
    RunRequest {
        text: "A shop, please".into(),
        engines: engines.iter().map(|(provider, _)| format!("{}:model-1", provider.as_str())).collect(),
        addresses: engines
            .iter()
            .map(|(provider, server)| GivenAddress {
                provider: Some(*provider),
                url: server.address().into(),
            })
            .collect(),
        ..RunRequest::default()
    }
}

pub async fn ended(studio: &Studio, request: RunRequest) -> Arc<RunReport> {
    let started = studio.start_run(request).unwrap();
    studio.ended(started.run).await.unwrap()
}

#[tokio::test]
async fn a_model_of_every_dialect_writes_a_page_that_is_kept() {
    for dialect in Spoken::ALL {
        let server = ReplayServer::playing(dialect, writes(PAGE)).await.unwrap();
        let studio = studio();

        let started = studio.start_run(asking(&[(provider_of(dialect), &server)])).unwrap();
        let (_, mut feed) = studio.attach(started.run).unwrap();
        rest(&mut feed).await;
        let report = studio.ended(started.run).await.unwrap();

        let variant = &report.variants[0];
        assert_eq!(
            (report.state, variant.message.as_str()),
            (Succeeded, "The shop is there."),
            "{dialect:?}"
        );
        assert_eq!(server.complaints(), Vec::<String>::new(), "{dialect:?}");
        let (snapshot, _) = studio.attach(started.run).unwrap();
        let (_, kept) = studio.files_of(started.run, VariantIndex(0)).unwrap();
        assert_eq!(folded(&snapshot.events, VariantIndex(0)), kept, "{dialect:?}");
        assert_eq!(kept.iter().map(|(_, text)| text).collect::<Vec<_>>(), [PAGE], "{dialect:?}");
    }
}

#[tokio::test]
async fn a_screenshot_goes_to_the_model_with_its_measures_and_its_pictures_cut_out() {
    let server = ReplayServer::playing(Spoken::OpenAiChat, writes(PAGE)).await.unwrap();
    let studio = studio();
    let input = taken(&studio, "shop.png", drawn());
    let request = RunRequest { input_ids: vec![input], ..asking(&[(Provider::Chat, &server)]) };

    let report = ended(&studio, request).await;

    assert_eq!((report.state, server.complaints()), (Succeeded, Vec::new()));
    let body = server.asked()[0].body.clone();
    let user = body["messages"].as_array().unwrap().iter().find(|m| m["role"] == "user").unwrap();
    let parts = user["content"].as_array().unwrap();
    let pictures = parts.iter().filter(|part| part["type"] == "image_url").count();
    let words: String = parts.iter().filter_map(|part| part["text"].as_str()).collect();
    assert_eq!(pictures, 1, "{user}");
    for expected in ["shop.png", "160", "assets/", "A shop, please"] {
        assert!(words.contains(expected), "{expected}: {words}");
    }
}

#[tokio::test]
async fn the_likely_cost_grows_with_options_and_pictures_and_is_unknown_where_a_price_is() {
    let studio = studio();
    let pictures = [("a.png", 900), ("b.png", 4_000)]
        .map(|(name, height)| taken(&studio, name, png(&image::RgbImage::new(1280, height))));
    let likely = |engines: &[&str], inputs: usize| {
        let engines = engines.iter().map(ToString::to_string).collect();
        let input_ids = pictures[..inputs].to_vec();
        let request = RunRequest { engines, input_ids, text: "A page.".to_owned(), ..RunRequest::default() };
        studio.likely_cost(&request).unwrap()
    };
    let opus = "anthropic:claude-opus-5-5";
    let one = likely(&[opus], 1).unwrap();
    let (two, tall) = (likely(&[opus, opus], 1).unwrap(), likely(&[opus], 2).unwrap());
    assert!(0.0 < one.low_usd && one.low_usd < one.high_usd, "{one:?}");
    assert!(tall.low_usd > one.low_usd && tall.high_usd > one.high_usd, "{tall:?}");
    assert_eq!((two.low_usd, two.high_usd), (2.0 * one.low_usd, 2.0 * one.high_usd));
    assert_eq!(likely(&["anthropic:claude-next"], 1), None);
    assert_eq!(likely(&["offline"], 1).map(|free| free.high_usd), Some(0.0));
}

#[tokio::test]
async fn rounds_tell_of_which_prompt_they_were_made() {
    let server = ReplayServer::playing(Spoken::Anthropic, writes(PAGE)).await.unwrap();
    let studio = studio();

    let report = ended(&studio, asking(&[(Provider::Anthropic, &server)])).await;

    let rounds = studio.store().rounds().of_variant(report.run, VariantIndex(0)).unwrap();
    let versions: Vec<_> = rounds.iter().map(|round| round.prompt_version.as_str()).collect();
    assert_eq!(versions, [PromptVersion::current().as_str(); 2]);
}

#[tokio::test]
async fn options_of_two_models_end_each_on_its_own() {
    let good = ReplayServer::playing(Spoken::Anthropic, writes(PAGE)).await.unwrap();
    let refused =
        Served::status(401, r#"{"error":{"message":"Incorrect API key","code":"invalid_api_key"}}"#);
    let bad = ReplayServer::playing(Spoken::OpenAiResponses, [refused]).await.unwrap();
    let studio = studio();

    let report = ended(&studio, asking(&[(Provider::Anthropic, &good), (Provider::OpenAi, &bad)])).await;

    let states: Vec<_> = report.variants.iter().map(|variant| variant.state).collect();
    assert_eq!((report.state, states), (Succeeded, vec![Succeeded, Failed]));
    let failure = report.variants[1].failure.clone().unwrap();
    assert_eq!(failure.kind, ErrorKind::BadKey);
    assert!(failure.message.contains("Incorrect API key") && failure.next_step.is_some(), "{failure:?}");
}

#[tokio::test]
async fn one_option_is_stopped_and_the_other_goes_on() {
    let call = ServedTurn::new().calling("c1", "create_file", json!({ "content": PAGE.repeat(20) }));
    let held = Served::from(call).holding_after(12);
    let mut slow = ReplayServer::playing(Spoken::OpenAiChat, [held]).await.unwrap();
    let good = ReplayServer::playing(Spoken::Gemini, writes(PAGE)).await.unwrap();
    let studio = studio();
    let started = studio.start_run(asking(&[(Provider::Chat, &slow), (Provider::Gemini, &good)])).unwrap();
    let (snapshot, mut feed) = studio.attach(started.run).unwrap();
    let mut seen = snapshot.events;
    while !ends(&seen).contains(&(Some(1), Succeeded)) {
        seen.push(feed.recv().await.unwrap());
    }

    studio.cancel(started.run, Which::Only(VariantIndex(0)));

    let report = studio.ended(started.run).await.unwrap();
    let states: Vec<_> = report.variants.iter().map(|variant| variant.state).collect();
    assert_eq!((states, slow.saw_close().await), (vec![Cancelled, Succeeded], true));
}

// S-64
#[tokio::test]
async fn while_a_request_is_open_no_end_is_told_and_the_end_comes_after_its_close() {
    let call = ServedTurn::new().calling("c1", "create_file", json!({ "content": PAGE.repeat(20) }));
    let held = Served::from(call).holding_after(12);
    let mut server = ReplayServer::playing(Spoken::OpenAiChat, [held]).await.unwrap();
    let studio = studio();
    let started = studio.start_run(asking(&[(Provider::Chat, &server)])).unwrap();
    let (snapshot, mut feed) = studio.attach(started.run).unwrap();
    let mut seen = snapshot.events;
    while folded(&seen, VariantIndex(0)).is_empty() {
        seen.push(feed.recv().await.unwrap());
    }
    let (open, _) = studio.attach(started.run).unwrap();
    let last = open.events.iter().rev().find_map(|event| match &event.body {
        RunEventBody::Lifecycle(LifecycleEvent::RunState { state, .. }) => Some(*state),
        _ => None,
    });
    assert_eq!((last, ends(&open.events)), (Some(RunStatus::Running), vec![]));

    studio.cancel(started.run, Which::All);

    studio.ended(started.run).await.unwrap();
    seen.extend(rest(&mut feed).await);
    assert_eq!(ends(&seen), [(Some(0), Cancelled), (None, Cancelled)]);
    assert!(server.saw_close().await);
}

#[tokio::test]
async fn a_refusal_is_a_message_and_never_the_page() {
    let turn = ServedTurn::new().saying("I cannot copy this page.");
    let server = ReplayServer::playing(Spoken::OpenAiResponses, [turn.into()]).await.unwrap();
    let studio = studio();

    let report = ended(&studio, asking(&[(Provider::OpenAi, &server)])).await;

    let variant = &report.variants[0];
    let facts = (variant.state, variant.message.as_str(), variant.files.is_empty());
    assert_eq!(facts, (NoOutput, "I cannot copy this page.", true));
}

#[tokio::test]
async fn the_price_of_a_foreign_host_is_unknown_and_this_machine_is_free() {
    let server = ReplayServer::playing(Spoken::OpenAiResponses, writes(PAGE)).await.unwrap();
    let studio = studio();

    let report = ended(&studio, asking(&[(Provider::OpenAi, &server)])).await;

    assert_eq!(report.variants[0].cost_usd, Some(0.0));
}

#[tokio::test]
async fn a_model_without_a_key_is_refused_before_anything_is_begun() {
    let studio = with_keys(Keys::in_memory());
    let request = |engine: &str| RunRequest {
        text: "A shop".into(),
        engines: vec![engine.into()],
        ..RunRequest::default()
    };

    let refusals = ["openai:gpt-6.2-sol", "chat:llama3:8b", "chat/0190:llama3"]
        .map(|engine| studio.start_run(request(engine)).unwrap_err());

    assert!(matches!(&refusals, [StudioError::Engine(_), StudioError::Engine(_), StudioError::Endpoint(_)]));
    let words = ["OPENAI_API_KEY", "--base-url", "settings"];
    for (refusal, word) in refusals.iter().zip(words) {
        assert!(refusal.to_string().contains(word), "{refusal}");
    }
    assert_eq!(studio.projects().unwrap(), []);
}

#[tokio::test]
async fn a_vendors_key_stays_away_from_another_host() {
    let server = ReplayServer::playing(Spoken::OpenAiResponses, [Served::status(401, "{}")]).await.unwrap();
    let keys = MemoryKeys::default();
    keys.set(&KeyId::OpenAi, &Secret::new("sk-vendor-secret").unwrap()).unwrap();
    let environment = |name: &str| (name == "OPENAI_API_KEY").then(|| "sk-vendor-secret".to_owned());
    let studio = with_keys(Keys::over(Arc::new(keys), Arc::new(environment)));

    ended(&studio, asking(&[(Provider::OpenAi, &server)])).await;

    let asked = format!("{:?}", server.asked());
    assert!(!asked.contains("sk-vendor-secret"), "{asked}");
}

#[tokio::test]
async fn a_saved_endpoint_answers_with_its_own_key_and_loses_it_with_its_address() {
    let server = ReplayServer::playing(Spoken::OpenAiChat, writes(PAGE)).await.unwrap();
    let studio = with_keys(Keys::in_memory());
    let saved = |id: &str, address: &str| SavedEndpoint {
        id: id.into(),
        name: "  My   box ".into(),
        provider: "chat".into(),
        address: address.into(),
        azure: None,
    };
    let endpoint = studio.save_endpoint(saved("", server.address())).unwrap();
    let whose = format!("endpoint:{}", endpoint.id);
    assert_eq!(studio.set_key(&whose, format!(" {KEY}\n")).unwrap().state, KeyState::UntilExit);
    let request = RunRequest {
        text: "A shop".into(),
        engines: vec![format!("chat/{}:llama3:8b", endpoint.id)],
        ..RunRequest::default()
    };

    let report = ended(&studio, request).await;

    assert_eq!((report.state, server.complaints(), endpoint.name.as_str()), (Succeeded, vec![], "My box"));
    assert_eq!(server.asked()[0].body["model"], "llama3:8b");
    studio.save_endpoint(saved(&endpoint.id, "https://elsewhere.test/v1")).unwrap();
    let states: Vec<_> = studio.key_statuses().unwrap().iter().map(|key| key.state).collect();
    assert_eq!(states, [KeyState::Absent; 5]);
}

#[tokio::test]
async fn a_key_makes_its_vendor_the_first_choice_and_never_comes_out_again() {
    let studio = with_keys(Keys::in_memory());
    let offered = |studio: &Studio| -> Vec<String> {
        studio.start_view().unwrap().engines.into_iter().map(|engine| engine.id).collect()
    };
    assert_eq!(offered(&studio), ["offline"]);

    studio.set_key("gemini", "AIza-very-secret".into()).unwrap();
    studio.choose_engines(&["gemini:gemini-3.8-flash".into(), "openai:gpt-5.5".into()]).unwrap();

    assert_eq!(offered(&studio), ["gemini:gemini-4-argon", "gemini:gemini-3.8-flash", "offline"]);
    let shown = serde_json::to_string(&studio.model_settings().unwrap()).unwrap();
    assert!(shown.contains("gemini") && !shown.contains("AIza-very-secret"));
    studio.remove_key("gemini").unwrap();
    assert_eq!(offered(&studio), ["offline"]);
}

#[tokio::test]
async fn an_endpoint_is_tested_and_lists_its_models() {
    let list = json!({ "object": "list", "data": [{ "id": "llama3:8b" }, { "id": "qwen3" }] }).to_string();
    let answers = [Served::status(200, &list), Served::status(200, &list), Served::status(401, "{}")];
    let server = ReplayServer::playing(Spoken::OpenAiChat, answers).await.unwrap();
    let studio = studio();
    let address = Some(server.address());

    let tested = studio.test_provider("chat", address, None).await.unwrap();
    let models = studio.models_of("chat", address).await.unwrap();
    let refused = studio.test_provider("chat", address, None).await.unwrap();

    let engines: Vec<_> = models.iter().map(|model| model.engine.as_str()).collect();
    assert_eq!((tested.ok, engines), (true, vec!["chat:llama3:8b", "chat:qwen3"]));
    assert!(tested.message.contains("2 models") && !refused.ok, "{tested:?} {refused:?}");
}

#[tokio::test]
async fn nothing_that_is_kept_of_a_run_holds_the_key() {
    let echo = json!({ "error": { "message": format!("Incorrect API key provided: {KEY}") } }).to_string();
    let server = ReplayServer::playing(Spoken::OpenAiResponses, [Served::status(401, &echo)]).await.unwrap();
    let studio = studio();

    let report = ended(&studio, asking(&[(Provider::OpenAi, &server)])).await;

    let (snapshot, _) = studio.attach(report.run).unwrap();
    let events: Vec<Value> =
        snapshot.events.iter().map(|event| serde_json::to_value(event.as_ref()).unwrap()).collect();
    let run = studio.store().runs().get(report.run).unwrap();
    let kept = format!("{events:?} {run:?} {report:?}");
    assert!(kept.contains("Incorrect API key") && !kept.contains(KEY), "{kept}");
}

#[tokio::test]
async fn prices_of_ones_own_go_before_the_programs_and_a_broken_table_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let store = HistoryStore::open(folder.path()).unwrap();
    let studio = Studio::with_keys(store, Handle::current(), Keys::in_memory()).unwrap();
    let price = |studio: &Studio| {
        let settings = studio.model_settings().unwrap();
        let model = settings.models.into_iter().find(|model| model.id == "gpt-5.5").unwrap();
        (settings.prices_of, model.input_price, model.output_price)
    };
    let built_in = price(&studio);
    let own = r#"{"date":"2027-01","models":[{"id":"gpt-5.5","family":"openai-responses",
        "price":{"input":1.0,"output":2.0}}]}"#;

    std::fs::write(folder.path().join("models.json"), own).unwrap();

    assert_eq!(price(&studio), ("2027-01".to_owned(), Some(1.0), Some(2.0)));
    assert_ne!(price(&studio), built_in);
    std::fs::write(folder.path().join("models.json"), "{").unwrap();
    let refused = studio.model_settings().unwrap_err().to_string();
    assert!(refused.contains("models.json") && refused.contains("correct it or remove it"), "{refused}");
}
