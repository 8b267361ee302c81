//! What a model and the program said to each other is kept in the vendor's own form.

use facsimile_agent::{RunStatus, VariantIndex};
use facsimile_store::{HistoryStore, MemoryKeys, MessageRole};
use facsimile_studio::{GivenAddress, Keys, Provider, RunRequest, Studio};
use facsimile_testkit::replay::{KEY, ReplayServer, ServedTurn, Spoken};
use serde_json::json;
use std::sync::Arc;
use tokio::runtime::Handle;

use crate::support::{drawn, taken};

const PAGE: &str = "<!doctype html><title>Shop</title><p>Hi</p>";

#[tokio::test]
async fn every_message_is_kept_in_order_as_it_was_sent_and_as_it_came() {
    let dialects = [
        (Spoken::OpenAiResponses, Provider::OpenAi, "openai-responses"),
        (Spoken::Anthropic, Provider::Anthropic, "anthropic-messages"),
        (Spoken::Gemini, Provider::Gemini, "gemini"),
        (Spoken::OpenAiChat, Provider::Chat, "openai-chat"),
    ];
    for (spoken, provider, dialect) in dialects {
        let call =
            ServedTurn::new().calling("c1", "create_file", json!({ "path": "index.html", "content": PAGE }));
        let turns = [call.into(), ServedTurn::new().saying("The shop is there.").into()];
        let server = ReplayServer::playing(spoken, turns).await.unwrap();
        let environment = |name: &str| (name == "FACSIMILE_ENDPOINT_KEY").then(|| KEY.to_owned());
        let keys = Keys::over(Arc::new(MemoryKeys::default()), Arc::new(environment));
        let store = HistoryStore::in_memory().unwrap();
        let studio = Studio::with_keys(store.clone(), Handle::current(), keys).unwrap();
        let request = RunRequest {
            text: "A shop, please".into(),
            input_ids: vec![taken(&studio, "shop.png", drawn())],
            engines: vec![format!("{}:model-1", provider.as_str())],
            addresses: vec![GivenAddress { provider: Some(provider), url: server.address().into() }],
            ..RunRequest::default()
        };

        let started = studio.start_run(request).unwrap();
        let report = studio.ended(started.run).await.unwrap();

        assert_eq!(report.state, RunStatus::Succeeded, "{dialect}");
        let kept = store.messages().of_variant(started.run, VariantIndex(0)).unwrap();
        let outline: Vec<_> = kept
            .iter()
            .map(|message| {
                let said = &message.message;
                (said.round, said.role, said.dialect.as_str(), said.images.len(), said.calls.len())
            })
            .collect();
        let expected = [
            (0, MessageRole::System, "", 0, 0),
            (0, MessageRole::User, "", 1, 0),
            (1, MessageRole::Vendor, dialect, 0, 1),
            (2, MessageRole::Vendor, dialect, 0, 0),
        ];
        assert_eq!(outline, expected, "{dialect}");
        let call = &kept[2].message.calls[0];
        assert_eq!(
            (call.name.as_str(), call.ok, &call.arguments["content"]),
            ("create_file", true, &json!(PAGE)),
            "{dialect}"
        );
        // The vendor's turn went back as it is kept.
        let vendor = &kept[2].message.body;
        let returned = server.asked()[1].body.to_string();
        let pieces = vendor.as_array().cloned().unwrap_or_else(|| vec![vendor.clone()]);
        for piece in pieces {
            assert!(returned.contains(&piece.to_string()), "{dialect}: {piece} is not in {returned}");
        }
    }
}
