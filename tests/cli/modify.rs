//! Pages that are changed on the command line: a provider on loopback, files and folders from disk.

use facsimile_testkit::replay::{KEY, ReplayServer, Served, ServedTurn, Spoken};
use serde_json::json;
use tokio::runtime::Runtime;

use crate::pictures::{drawn, png};
use crate::support::{Content, Ended, Room, event_lines, files, folded, texts};

const PAGE: &str = "<!doctype html><html lang=\"en\"><title>Shop</title><link rel=\"stylesheet\" href=\"css/site.css\">\
    <img src=\"img/logo.png\" alt=\"\"><p>Pots</p></html>\n";
const SHEET: &str = "p { color: #999 }\n";

fn says(text: &str) -> Served {
    ServedTurn::new().saying(text).into()
}

fn reads() -> Served {
    ServedTurn::new().calling("r1", "read_file", json!({ "path": "index.html" })).into()
}

fn darkens(path: &str) -> [Served; 2] {
    let edit = json!({ "path": path, "old_text": "#999", "new_text": "#111" });
    [ServedTurn::new().calling("c1", "edit_file", edit).into(), says("It is darker.")]
}

/// A provider that takes a request for this and then plays these answers.
fn playing(runtime: &Runtime, category: &str, answers: impl IntoIterator<Item = Served>) -> ReplayServer {
    let route = says(&json!({ "category": category }).to_string()).aside();
    let answers = [route].into_iter().chain(answers);
    runtime.block_on(ReplayServer::playing(Spoken::OpenAiChat, answers)).unwrap()
}

/// Runs `modify` with a model at this server.
fn modify(room: &Room, server: &ReplayServer, arguments: &[&str]) -> Ended {
    let model = ["--engine", "chat:m", "--base-url", server.address(), "--out", "out"];
    let line = [&["modify"], arguments, &model[..]].concat();
    Ended::of(&room.program(&line).env("FACSIMILE_ENDPOINT_KEY", KEY).output().unwrap())
}

#[test]
fn a_folder_with_its_pictures_is_changed_and_then_the_project_it_became() {
    let runtime = Runtime::new().unwrap();
    let room = Room::new();
    room.file("site/index.html", PAGE);
    room.file("site/css/site.css", SHEET);
    room.file("site/img/logo.png", png(drawn()));
    let server = playing(&runtime, "code_change", darkens("css/site.css"));

    let ended =
        modify(&room, &server, &["site", "--text", "Make it darker", "--json", "--events", "events.jsonl"]);

    let result = ended.json();
    assert_eq!((ended.code, result["state"].as_str()), (Some(0), Some("succeeded")), "{ended:?}");
    let written = files(room.tree("out"));
    let logo = written.iter().find(|(name, _)| name.starts_with("assets/")).unwrap();
    let names: Vec<_> = written.keys().map(String::as_str).collect();
    assert_eq!(names, [logo.0, "css/site.css", "index.html"]);
    assert_eq!(logo.1.0, png(drawn()));
    assert_eq!(written["index.html"].text(), PAGE.replace("img/logo.png", logo.0));
    assert_eq!(written["css/site.css"].text(), SHEET.replace("#999", "#111"));
    let events = std::fs::read_to_string(room.path("events.jsonl")).unwrap();
    assert_eq!(folded(&event_lines(&events), 0), texts(&written), "the events tell of every file");

    let server = playing(&runtime, "read_only", [reads(), says("It has one paragraph.")]);
    let project = result["project"].as_str().unwrap();
    let ended = modify(&room, &server, &[project, "--text", "How many paragraphs?", "--json"]);

    let variant = &ended.json()["variants"][0];
    assert_eq!((ended.code, variant["state"].as_str()), (Some(1), Some("no_output")), "{ended:?}");
    assert_eq!((&variant["message"], &variant["out"]), (&json!("It has one paragraph."), &json!(null)));
    let asked = server.asked()[1].body["messages"][1]["content"].to_string();
    assert!(asked.contains("#111") && !asked.contains("#999"), "the changed page is open: {asked}");
}

#[test]
fn a_page_keeps_its_name_and_comes_with_what_it_names() {
    let runtime = Runtime::new().unwrap();
    let room = Room::new();
    let page = PAGE.replace("<img src=\"img/logo.png\" alt=\"\">", "");
    room.file("about.html", &page);
    room.file("css/site.css", SHEET);
    room.file("other.html", "<p>Another page");
    let server = playing(&runtime, "code_change", darkens("css/site.css"));

    let ended = modify(&room, &server, &["about.html", "--text", "Make it darker"]);

    assert_eq!(ended.code, Some(0), "{ended:?}");
    let dark = SHEET.replace("#999", "#111");
    let expected = [("about.html", page.as_str()), ("css/site.css", &dark)];
    let expected = expected.map(|(name, text)| (name.to_owned(), Content::from(text)));
    assert_eq!(files(room.tree("out")), expected.into_iter().collect());
}

#[test]
fn what_cannot_be_changed_is_refused_and_leaves_nothing() {
    let room = Room::new();
    room.file("page.html", PAGE);
    room.file("words.txt", "no page");
    room.file("notes/words.txt", "no page");
    let refuse = |arguments: &[&str]| {
        let ended = room.run(&[&["modify"], arguments, &["--out", "out"]].concat());
        let (code, message) = ended.refusal();
        (code, message.to_owned())
    };
    let offline = "facsimile: Changing a page by words needs a model; the inspector and Improve work offline";
    for engine in [&[][..], &["--engine", "offline"]] {
        let line = [&["page.html", "--text", "Make it darker"], engine].concat();
        assert_eq!(refuse(&line), (4, offline.to_owned()));
    }
    let wrong = [
        (&["page.html"][..], 2, "--text"),
        (&["words.txt", "--text", "x"], 3, "words.txt holds no page"),
        (&["notes", "--text", "x"], 3, "notes holds no page"),
        (&["gone.html", "--text", "x"], 3, "gone.html cannot be read"),
        (&["019bd9a0-0000-7000-8000-000000000000", "--text", "x"], 1, "019bd9a0"),
    ];
    for (line, code, words) in wrong {
        let (found, message) = refuse(line);
        assert!(found == code && message.contains(words), "{line:?}: {found} {message}");
    }
    assert!(!room.path("out").exists());
    assert_eq!(room.projects(), []);
}

#[test]
fn offline_a_new_picture_is_traced_in_the_place_of_the_page() {
    let room = Room::new();
    room.file("page.html", PAGE);
    room.file("new.png", png(drawn()));

    let line = ["modify", "page.html", "--image", "new.png", "--engine", "offline", "--out", "out", "--json"];
    let ended = room.run(&line);

    let result = ended.json();
    assert_eq!((ended.code, &result["state"]), (Some(0), &json!("succeeded")), "{ended:?}");
    let names: Vec<_> = files(room.tree("out")).into_keys().filter(|name| !name.contains('/')).collect();
    assert_eq!(names, ["index.html", "styles.css"]);
}
