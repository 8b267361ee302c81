//! Nothing outside the project and the chosen folders changes, whatever a model names or somebody has planted.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use facsimile_agent::RunStatus;
use facsimile_store::{HistoryStore, MemoryKeys, NewAsset};
use facsimile_studio::export::ExportError;
use facsimile_studio::{Exporter, GivenAddress, Keys, Provider, RunRequest, Studio};
use facsimile_testkit::replay::{KEY, ReplayServer, Served, ServedTurn, Spoken};
use serde_json::json;
use tempfile::TempDir;
use tokio::runtime::Handle;

use crate::support::{drawn, taken};

/// Everything below a folder but the data of the program, with what it holds; links are not followed.
fn tree(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(inner) = open.pop() {
        for entry in fs::read_dir(&inner).unwrap().map(Result::unwrap) {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            if name == "data" {
                continue;
            }
            let holds = match () {
                () if kind.is_dir() => "a folder".to_owned(),
                () if kind.is_symlink() => format!("a link to {}", fs::read_link(&path).unwrap().display()),
                () => fs::read_to_string(&path).unwrap(),
            };
            found.insert(name, holds);
            if kind.is_dir() {
                open.push(path);
            }
        }
    }
    found
}

/// A home with a secret, a folder of work, and one to export into.
fn home() -> TempDir {
    let home = TempDir::new().unwrap();
    let at = |name: &str| home.path().join(name);
    for folder in ["work", "page", "page/deep"] {
        fs::create_dir(at(folder)).unwrap();
    }
    fs::write(at("secret.txt"), "a secret").unwrap();
    fs::write(at("work/index.html"), "my work").unwrap();
    home
}

/// A run in this home whose model writes to every one of these names, and then its page.
async fn run(home: &Path, names: &[String]) -> (Studio, facsimile_studio::StartedRun) {
    let store = HistoryStore::open(&home.join("data")).unwrap();
    let environment = |name: &str| (name == "FACSIMILE_ENDPOINT_KEY").then(|| KEY.to_owned());
    let keys = Keys::over(Arc::new(MemoryKeys::default()), Arc::new(environment));
    let studio = Studio::with_keys(store, Handle::current(), keys).unwrap();
    let hostile = names.iter().enumerate().fold(ServedTurn::new(), |turn, (at, name)| {
        turn.calling(
            &format!("c{at}"),
            "create_file",
            json!({ "path": name, "content": "<p>taken over</p>" }),
        )
    });
    let page = json!({ "content": "<title>Shop</title>" });
    let page = ServedTurn::new().calling("w", "create_file", page);
    let css = json!({ "path": "deep/site.css", "content": "p {}" });
    let answers = [
        Served::from(hostile),
        page.calling("x", "create_file", css).into(),
        ServedTurn::new().saying("Done.").into(),
    ];
    let server = ReplayServer::playing(Spoken::OpenAiChat, answers).await.unwrap();
    let request = RunRequest {
        input_ids: vec![taken(&studio, "shop.png", drawn())],
        engines: vec!["chat:model-1".to_owned()],
        addresses: vec![GivenAddress { provider: Some(Provider::Chat), url: server.address().into() }],
        ..RunRequest::default()
    };
    let started = studio.start_run(request).unwrap();
    assert_eq!(studio.ended(started.run).await.unwrap().state, RunStatus::Succeeded);
    (studio, started)
}

// S-17
#[tokio::test]
async fn names_of_a_model_and_links_in_the_way_leave_everything_outside_as_it_was() {
    let home = home();
    let at = |name: &str| home.path().join(name);
    let absolute = at("secret.txt").display().to_string();
    let names = [
        "../secret.txt",
        "../work/index.html",
        "..\\..\\secret.txt",
        "~/secret.txt",
        "work/../../secret.txt",
    ];
    let names: Vec<String> = names
        .into_iter()
        .map(str::to_owned)
        .chain([absolute.clone(), format!("file://{absolute}")])
        .collect();
    let before = tree(home.path());
    let (studio, started) = run(home.path(), &names).await;
    assert_eq!(tree(home.path()), before);

    let (_, files) = studio.files_of(started.run, facsimile_agent::VariantIndex(0)).unwrap();
    let written: Vec<_> = files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(written, ["deep/site.css", "index.html"]);
    let exporter = Exporter::new(studio.store().clone());
    let plan = exporter.plan(started.project, &files).unwrap();
    for (link, leads_to) in [
        ("page/index.html", "../secret.txt"),
        ("page/deep", "../work"),
        ("page/deep/site.css", "../../secret.txt"),
    ] {
        let page = at("page");
        fs::remove_dir_all(&page).unwrap();
        fs::create_dir_all(at(link).parent().unwrap()).unwrap();
        symlink(leads_to, at(link)).unwrap();
        let planted = tree(home.path());
        let refused = exporter.write(&plan, &page);
        assert!(matches!(refused, Err(ExportError::InTheWay { .. })), "{link}: {refused:?}");
        assert_eq!(tree(home.path()), planted, "{link}");
    }
}

// S-17
#[tokio::test]
async fn links_among_the_assets_are_not_written_through() {
    let home = home();
    let store = HistoryStore::open(&home.path().join("data")).unwrap();
    let project = store.projects().create("Shop").unwrap();
    let picture = || NewAsset::new(b"a picture".to_vec(), "image/png", "png");
    let hash = HistoryStore::in_memory().unwrap().assets().put(picture()).unwrap().id;
    let hash = hash.as_str();
    let put = || store.assets().put_for(project, "picture", picture());
    let shelf = home.path().join("data/assets").join(&hash[..2]);
    let before = tree(home.path());

    symlink(home.path().join("work"), &shelf).unwrap();
    let refused = put().map(drop);
    assert!(refused.is_err(), "a folder that leads elsewhere holds no assets");
    fs::remove_file(&shelf).unwrap();

    fs::create_dir(&shelf).unwrap();
    symlink(home.path().join("secret.txt"), shelf.join(hash)).unwrap();
    let kept = put().unwrap();
    let file = fs::symlink_metadata(shelf.join(hash)).unwrap();
    assert_eq!((store.assets().read(&kept.id).unwrap(), file.is_file()), (b"a picture".to_vec(), true));
    assert_eq!(tree(home.path()), before);
}
