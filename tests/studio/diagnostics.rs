//! S-48: what a bundle of diagnostics holds, and what only with a tick.

use std::collections::BTreeMap;
use std::fs;

use facsimile_agent::RunStatus;
use facsimile_store::HistoryStore;
use facsimile_studio::{
    Diagnostics, DiagnosticsChoice, GivenAddress, Keys, Provider, RunRequest, SavedEndpoint, Studio, logging,
};
use facsimile_testkit::replay::{ReplayServer, Served, Spoken};
use tempfile::TempDir;
use tokio::runtime::Handle;

use crate::support::{drawn, taken};

const PROMPT: &str = "Paint the lilac unicorn";
const FOLDER: &str = "embargoed client";
/// Words of the person that are in no bundle, with or without a tick.
const PRIVATE: [&str; 4] = ["moonshot.png", "half a thought", "Tower of servers", "models.secret.test"];

fn words(bundle: &Diagnostics) -> String {
    bundle.files().into_iter().map(|file| file.name + "\n" + &file.text.unwrap_or_default()).collect()
}

fn names(bundle: &Diagnostics) -> Vec<String> {
    bundle.files().into_iter().map(|file| file.name).collect()
}

#[tokio::test]
async fn s_48_a_bundle_holds_no_prompt_no_picture_and_no_path_without_its_tick() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join(FOLDER);
    logging::begin(&data);
    let store = HistoryStore::open(&data).unwrap();
    store.settings().set("window", &"of no use").unwrap();
    let studio = Studio::with_keys(store, Handle::current(), Keys::in_memory()).unwrap();
    studio.save_draft("half a thought").unwrap();
    let endpoint = |address: &str| SavedEndpoint {
        id: String::new(),
        name: "Tower of servers".into(),
        provider: "chat".into(),
        address: address.into(),
        azure: None,
    };
    studio.save_endpoint(endpoint("http://models.secret.test/v1")).unwrap();
    studio.choose_engines(&[format!("chat:/home/{FOLDER}/lilac.gguf")]).unwrap();
    studio.start_view().unwrap();
    let server = ReplayServer::playing(Spoken::OpenAiChat, vec![Served::status(404, "{}"); 8]).await.unwrap();
    let request = RunRequest {
        input_ids: vec![taken(&studio, "moonshot.png", drawn())],
        text: PROMPT.into(),
        engines: vec![format!("chat:/home/{FOLDER}/lilac.gguf")],
        addresses: vec![GivenAddress { provider: Some(Provider::Chat), url: server.address().into() }],
        ..RunRequest::default()
    };
    let started = studio.start_run(request).unwrap();
    assert_eq!(studio.ended(started.run).await.unwrap().state, RunStatus::Failed);
    tracing::warn!(target: "facsimile_store", error = %format!("/home/{FOLDER}/a b.png cannot be read"), "lost");

    let gathered = |choice| studio.diagnostics(choice, &BTreeMap::new()).unwrap();
    let plain = gathered(DiagnosticsChoice::default());
    let with_paths = gathered(DiagnosticsChoice { paths: true, ..DiagnosticsChoice::default() });
    let with_prompts = gathered(DiagnosticsChoice { prompts: true, ..DiagnosticsChoice::default() });
    let with_pictures = gathered(DiagnosticsChoice { pictures: true, ..DiagnosticsChoice::default() });

    let usual = ["about.txt", "program.json", "settings.json", "history.json", "endings.json", "log.txt"];
    assert_eq!(names(&plain), usual);
    let told = words(&plain);
    // It is of use all the same.
    for fact in [
        "a setting is not of its type key=window",
        "lost error=[place]",
        "\"state\": \"failed\"",
        "\"runs\": 1",
    ] {
        assert!(told.contains(fact), "{fact}: {told}");
    }
    for bundle in [&plain, &with_pictures] {
        let told = words(bundle);
        assert!(!told.contains(PROMPT) && !told.contains("unicorn") && !told.contains(FOLDER), "{told}");
    }
    for bundle in [&plain, &with_paths, &with_prompts, &with_pictures] {
        let told = words(bundle);
        assert_eq!(
            PRIVATE.iter().filter(|word| told.contains(**word)).collect::<Vec<_>>(),
            Vec::<&&str>::new()
        );
    }
    assert!(words(&with_paths).contains(FOLDER) && !words(&with_paths).contains(PROMPT));
    assert!(words(&with_prompts).contains(PROMPT) && !words(&with_prompts).contains(FOLDER));
    assert_eq!(names(&with_pictures)[6..], ["pictures/1.png"]);
    let zip = folder.path().join("plain.zip");
    plain.write(&zip).unwrap();
    assert!(!fs::read(&zip).unwrap().windows(8).any(|window| window == b"\x89PNG\r\n\x1a\n"));
}
