//! S-44, S-45: a key that can be recognised goes through everything the studio does, and is nowhere afterwards.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use base64::Engine;
use facsimile_agent::{RunStatus, VariantIndex};
use facsimile_store::{HistoryStore, MemoryKeys};
use facsimile_studio::{
    DiagnosticsChoice, GivenAddress, Keys, Provider, RunRequest, SavedEndpoint, StartedRun, Studio, logging,
};
use facsimile_testkit::Planted;
use facsimile_testkit::replay::{KEY, ReplayServer, Served, ServedTurn, Spoken};
use serde_json::json;
use tempfile::TempDir;
use tokio::runtime::Handle;

use crate::support::{drawn, taken};

const PAGE: &str = "<!doctype html><html lang=\"en\"><title>Shop</title><p>Grüße</p></html>";

/// Everything a server could say with the key in it.
fn echoes() -> Vec<(u16, String)> {
    let half = &KEY[KEY.len() / 2..];
    let encoded = base64::engine::general_purpose::STANDARD.encode(format!("Bearer {KEY}"));
    let hexadecimal: String = KEY.bytes().map(|byte| format!("{byte:02x}")).collect();
    let percent: String = KEY.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let error =
        |words: &str| json!({ "error": { "message": words, "code": words, "type": words } }).to_string();
    vec![
        (401, error(&format!("Incorrect API key provided: {KEY}. You can find yours elsewhere."))),
        (403, error(&format!("the key that ends in {half} may not do this"))),
        (400, error(&format!("header was {encoded}"))),
        (400, error(&format!("header was {hexadecimal} or {percent}"))),
        (502, format!("<html><body>upstream said: authorization: Bearer {KEY}</body></html>")),
    ]
}

fn provider_of(dialect: Spoken) -> Provider {
    match dialect {
        Spoken::OpenAiResponses => Provider::OpenAi,
        Spoken::Anthropic => Provider::Anthropic,
        Spoken::Gemini => Provider::Gemini,
        Spoken::OpenAiChat => Provider::Chat,
    }
}

async fn run(studio: &Studio, dialect: Spoken, server: &ReplayServer) -> (StartedRun, RunStatus) {
    let provider = provider_of(dialect);
    let request = RunRequest {
        input_ids: vec![taken(studio, "shop.png", drawn())],
        text: "A shop, please".into(),
        engines: vec![format!("{}:model-1", provider.as_str())],
        addresses: vec![GivenAddress { provider: Some(provider), url: server.address().into() }],
        ..RunRequest::default()
    };
    let started = studio.start_run(request).unwrap();
    (started, studio.ended(started.run).await.unwrap().state)
}

/// A page is written, with calls that fail on the way; then every echo ends a run.
async fn every_run(studio: &Studio, dialect: Spoken) -> StartedRun {
    let call = |name: &str, arguments| Served::from(ServedTurn::new().calling("c1", name, arguments));
    let answers = [
        call("paint_house", json!({ "colour": "red" })),
        call("edit_file", json!({ "path": 7 })),
        call("create_file", json!({ "path": "index.html", "content": PAGE })),
        ServedTurn::new().saying("The shop is there.").into(),
    ];
    let server = ReplayServer::playing(dialect, answers).await.unwrap();
    let (good, state) = run(studio, dialect, &server).await;
    assert_eq!((state, server.complaints()), (RunStatus::Succeeded, vec![]), "{dialect:?}");
    for (status, body) in echoes() {
        // Some are tried again, with the same answer.
        let answers = vec![Served::status(status, &body).header("retry-after-ms", "1"); 8];
        let server = ReplayServer::playing(dialect, answers).await.unwrap();
        let (_, state) = run(studio, dialect, &server).await;
        assert_eq!(state, RunStatus::Failed, "{dialect:?} {body}");
    }
    good
}

async fn every_question(studio: &Studio) -> Vec<String> {
    let mut told = Vec::new();
    let list = json!({ "object": "list", "data": [{ "id": "llama3:8b" }] }).to_string();
    for (status, body) in [(200, list)].into_iter().chain(echoes()) {
        let server =
            ReplayServer::playing(Spoken::OpenAiChat, vec![Served::status(status, &body); 12]).await.unwrap();
        let endpoint = SavedEndpoint {
            id: String::new(),
            name: "Box".into(),
            provider: "chat".into(),
            address: server.address().into(),
            azure: None,
        };
        let whose = format!("endpoint:{}", studio.save_endpoint(endpoint).unwrap().id);
        for pasted in
            [format!("{KEY} {KEY}"), format!("{KEY}\n{KEY}"), format!("{KEY}\0"), format!(" {KEY}\n")]
        {
            told.push(format!("{:?}", studio.set_key(&whose, pasted)));
        }
        told.push(format!("{:?}", studio.test_provider(&whose, None, None).await));
        told.push(format!("{:?}", studio.test_provider(&whose, None, Some("model-1")).await));
        told.push(format!("{:?}", studio.models_of(&whose, None).await.map_err(|error| error.to_string())));
        told.push(format!("{:?}", studio.model_settings().unwrap()));
        told.push(format!("{:?}", studio.remove_key(&whose)));
    }
    told
}

/// What is packed is looked at too.
fn unpacked(archive: &Path, folder: &Path) {
    zip::ZipArchive::new(fs::File::open(archive).unwrap()).unwrap().extract(folder).unwrap();
}

#[tokio::test]
async fn s_44_a_planted_key_is_in_nothing_that_was_written_or_told() {
    let folder = TempDir::new().unwrap();
    let place = |name: &str| folder.path().join(name);
    logging::begin(&place("data"));
    let environment = |name: &str| (name == "FACSIMILE_ENDPOINT_KEY").then(|| KEY.to_owned());
    let keys = Keys::over(Arc::new(MemoryKeys::default()), Arc::new(environment));
    let store = HistoryStore::open(&place("data")).unwrap();
    let studio = Studio::with_keys(store, Handle::current(), keys).unwrap();

    let mut told = every_question(&studio).await;
    for dialect in Spoken::ALL {
        let good = every_run(&studio, dialect).await;
        let out = place(&format!("out-{dialect:?}"));
        fs::create_dir(&out).unwrap();
        studio.export(good.run, VariantIndex(0), &out).unwrap();
        let archive = place(&format!("{dialect:?}.facsimile"));
        studio.export_project(good.project, &archive).unwrap();
        unpacked(&archive, &place(&format!("project-{dialect:?}")));
        let imported = studio.import_project(&archive).unwrap();
        let copy = studio.duplicate_project(good.project, "Copy").unwrap();
        studio.rename_project(copy, "Another").unwrap();
        let deleting = studio.clone();
        tokio::task::spawn_blocking(move || deleting.delete_project(imported)).await.unwrap().unwrap();
        told.push(format!("{:?} {:?}", studio.history(good.project), studio.project_view(good.project)));
    }
    // A part that breaks with the key in its hands.
    let broken = std::thread::spawn(|| panic!("{KEY}")).join();
    let choice = DiagnosticsChoice { pictures: true, prompts: true, paths: true };
    let diagnostics = studio.diagnostics(choice, &[("key".to_owned(), KEY.to_owned())].into()).unwrap();
    diagnostics.write(&place("found.zip")).unwrap();
    unpacked(&place("found.zip"), &place("found"));
    studio.store().flush().unwrap();
    told.push(format!("{diagnostics:?} {:?}", studio.start_view().unwrap()));

    let planted = Planted::of(KEY);
    assert_eq!(planted.below(folder.path()), Vec::<String>::new());
    let telling: Vec<_> =
        told.iter().filter(|told| !planted.spellings_in(told.as_bytes()).is_empty()).collect();
    assert_eq!(telling, Vec::<&String>::new());
    // The look itself is known to look: the log holds the panic, the bundle a picture and the words.
    let log = fs::read_to_string(place("data/logs/facsimile.log")).unwrap();
    let prompts = fs::read_to_string(place("found/prompts.json")).unwrap();
    assert!(log.contains("a panic") && log.contains("planted.rs"), "{log}");
    assert!(broken.is_err() && prompts.contains("A shop, please") && place("found/pictures/1.png").exists());
}
