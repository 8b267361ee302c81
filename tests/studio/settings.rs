//! Settings that another version of the program wrote, or nobody: what can be read holds, the rest is the default,
//! and nothing of it is lost by saving.

use facsimile_store::HistoryStore;
use facsimile_studio::view::{Language, Theme, WindowSettings};
use facsimile_studio::{Keys, SavedEndpoint, Studio};
use serde_json::{Value, json};
use tokio::runtime::Handle;

fn over(settings: &[(&str, Value)]) -> Studio {
    let store = HistoryStore::in_memory().unwrap();
    for (key, value) in settings {
        store.settings().set(key, value).unwrap();
    }
    Studio::with_keys(store, Handle::current(), Keys::in_memory()).unwrap()
}

/// Everything that the settings decide, as one value.
fn shown(studio: &Studio) -> Value {
    let start = studio.start_view().unwrap();
    let models = studio.model_settings().unwrap();
    json!({
        "window": start.settings,
        "draft": start.draft,
        "engines": start.engines.iter().map(|engine| engine.id.clone()).collect::<Vec<_>>(),
        "endpoints": models.endpoints.iter().map(|endpoint| endpoint.id.clone()).collect::<Vec<_>>(),
        "cap": models.spend_cap_usd,
        "makesImages": models.images.is_on,
        "imageModel": models.images.model,
    })
}

#[tokio::test]
async fn every_setting_may_be_missing_mistyped_or_of_another_version() {
    let usual = shown(&over(&[]));
    let odd = [
        json!(null),
        json!(true),
        json!(-7.5),
        json!("words"),
        json!([]),
        json!([[1]]),
        json!({}),
        json!({"a": {}}),
    ];
    for key in
        ["window", "draft", "spendCapUsd", "chosenEngines", "keysSet", "endpoints", "of a later version"]
    {
        for value in &odd {
            let studio = over(&[(key, value.clone())]);
            let expected = match (key, value) {
                // The one that is of its type.
                ("draft", Value::String(_)) => Some("draft"),
                ("generateImages", Value::Bool(_)) => Some("makesImages"),
                _ => None,
            };
            let mut wanted = usual.clone();
            if let Some(name) = expected {
                wanted[name] = value.clone();
            }
            assert_eq!(shown(&studio), wanted, "{key}: {value}");
        }
    }
}

#[tokio::test]
async fn what_can_be_read_of_a_setting_holds() {
    let box_1 = json!({"id": "a", "name": "Box", "provider": "chat", "address": "http://localhost:1/v1", "color": "red"});
    let studio = over(&[
        (
            "window",
            json!({"theme": "dark", "language": 7, "panes": {"talk": 344, "code": "wide"}, "density": "low"}),
        ),
        ("endpoints", json!([box_1, 12, {"id": "b", "name": "Later", "provider": "chat"}])),
        ("chosenEngines", json!(["chat/a:llama", 5, "later/x:y"])),
        ("keysSet", json!(["openai", {"later": true}])),
    ]);

    let found = shown(&studio);

    let panes = [("talk".to_owned(), 344.0)].into();
    let window = WindowSettings { theme: Theme::Dark, language: Language::System, panes };
    let expected = json!({
        "window": window,
        "draft": "",
        "engines": ["openai:gpt-6.2-sol", "chat/a:llama", "offline"],
        "endpoints": ["a"],
        "cap": 5.0,
        "makesImages": false,
        "imageModel": shown(&over(&[]))["imageModel"],
    });
    assert_eq!(found, expected);
}

#[tokio::test]
async fn saving_a_setting_keeps_what_this_version_cannot_read() {
    let other = json!({"id": "b", "name": "Later", "provider": "chat"});
    let own = json!({"id": "a", "name": "Box", "provider": "chat", "address": "http://localhost:1/v1", "color": "red"});
    let studio = over(&[
        ("window", json!({"theme": "dark", "density": "low"})),
        ("endpoints", json!([own, 12, other])),
        ("chosenEngines", json!([5, "later/x:y", "gemini:gemini-3.8-flash"])),
        ("keysSet", json!([{"later": true}])),
    ]);
    let endpoint = studio.model_settings().unwrap().endpoints.remove(0);

    studio.save_settings(&WindowSettings { theme: Theme::Light, ..WindowSettings::default() }).unwrap();
    studio.save_endpoint(SavedEndpoint { name: "Big box".into(), ..endpoint }).unwrap();
    studio.choose_engines(&["chat/a:llama".into()]).unwrap();

    let kept = |key: &str| studio.store().settings().get::<Value>(key).unwrap().unwrap();
    assert_eq!(
        kept("window"),
        json!({"theme": "light", "density": "low", "language": "system", "panes": {}})
    );
    let renamed = json!({"id": "a", "name": "Big box", "provider": "chat", "address": "http://localhost:1/v1",
        "azure": null, "color": "red"});
    assert_eq!(kept("endpoints"), json!([renamed, 12, other]));
    // The vendor without a key comes back with its key.
    assert_eq!(kept("chosenEngines"), json!(["chat/a:llama", "later/x:y", "gemini:gemini-3.8-flash", 5]));
    assert_eq!(kept("keysSet"), json!([{"later": true}]));
}
