//! Models on the command line: a provider on loopback, keys in a keychain of the test's own.

use std::process::{Command, Stdio};

use facsimile_testkit::replay::{KEY, ReplayServer, Served, ServedTurn, Spoken};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::pictures::{drawn, png};
use crate::support::{Content, Ended, Room, event_lines, files, folded};

const PAGE: &str = "<!doctype html><html lang=\"en\"><title>Shop</title><p>Grüße 🌍</p></html>";

fn writes(page: &str) -> [Served; 2] {
    let call =
        ServedTurn::new().calling("c1", "create_file", json!({ "path": "index.html", "content": page }));
    [call.into(), ServedTurn::new().saying("The shop is there.").into()]
}

/// A provider that plays these answers for as long as the runtime lives.
fn playing(runtime: &Runtime, dialect: Spoken, answers: impl IntoIterator<Item = Served>) -> ReplayServer {
    runtime.block_on(ReplayServer::playing(dialect, answers)).unwrap()
}

fn with_key(room: &Room, arguments: &[&str]) -> Ended {
    Ended::of(&room.program(arguments).env("FACSIMILE_ENDPOINT_KEY", KEY).output().unwrap())
}

#[test]
fn every_dialect_writes_a_page_from_a_screenshot() {
    let runtime = Runtime::new().unwrap();
    let engines = ["openai:m", "anthropic:m", "gemini:m", "chat:m"];
    let dialects = [Spoken::OpenAiResponses, Spoken::Anthropic, Spoken::Gemini, Spoken::OpenAiChat];
    for (engine, dialect) in engines.into_iter().zip(dialects) {
        let server = playing(&runtime, dialect, writes(PAGE));
        let room = Room::new();
        room.file("page.png", png(drawn()));
        let address = server.address();
        let line =
            ["create", "page.png", "--out", "out", "--json", "--engine", engine, "--base-url", address];

        let ended = with_key(&room, &[&line[..], &["--events", "events.jsonl"]].concat());

        assert_eq!((ended.code, server.complaints()), (Some(0), vec![]), "{engine}: {}", ended.err);
        let out = files(room.tree("out"));
        assert_eq!(out, [("index.html".to_owned(), Content::from(PAGE))].into(), "{engine}");
        let events = std::fs::read_to_string(room.path("events.jsonl")).unwrap();
        assert_eq!(folded(&event_lines(&events), 0), out, "{engine}");
        assert_eq!(ended.json()["variants"][0]["engine"], engine);
    }
}

#[test]
fn options_of_a_model_and_the_tracer_land_in_folders_of_their_own() {
    let runtime = Runtime::new().unwrap();
    let server = playing(&runtime, Spoken::OpenAiChat, writes(PAGE));
    let room = Room::new();
    room.file("page.png", png(drawn()));
    let address = format!("chat={}", server.address());
    let engines =
        ["--engine", "chat:m", "--engine", "offline", "--base-url", &address, "--stack", "html-tailwind"];

    let ended = with_key(&room, &[&["create", "page.png", "--out", "out", "--json"], &engines[..]].concat());

    let states: Vec<_> = ended.json()["variants"]
        .as_array()
        .unwrap()
        .iter()
        .map(|variant| (variant["engine"].clone(), variant["state"].clone()))
        .collect();
    let expected = ["chat:m", "offline"].map(|engine| (json!(engine), json!("succeeded")));
    assert_eq!((ended.code, states), (Some(0), expected.to_vec()), "{}", ended.err);
    assert_eq!(room.tree("out/1")["index.html"], Content::from(PAGE));
    assert!(room.tree("out/2").contains_key("styles.css"));
}

#[test]
fn words_alone_make_a_page_with_a_model() {
    let runtime = Runtime::new().unwrap();
    let server = playing(&runtime, Spoken::Anthropic, writes(PAGE));
    let room = Room::new();
    let line = ["create", "--text", "A shop", "--out", "out", "--engine", "anthropic:m", "--base-url"];

    let ended = with_key(&room, &[&line[..], &[server.address()]].concat());

    assert_eq!((ended.code, room.tree("out").len()), (Some(0), 1), "{}", ended.err);
}

#[test]
fn a_refused_key_fails_the_run_with_the_servers_words_and_the_next_step() {
    let runtime = Runtime::new().unwrap();
    let body = json!({ "error": { "message": "Incorrect API key", "code": "invalid_api_key" } }).to_string();
    let server = playing(&runtime, Spoken::OpenAiResponses, [Served::status(401, &body)]);
    let room = Room::new();
    let line = ["create", "--text", "A shop", "--out", "out", "--json", "--engine", "openai:m", "--base-url"];

    let ended = with_key(&room, &[&line[..], &[server.address()]].concat());

    let error = ended.json()["variants"][0]["error"].clone();
    assert_eq!((ended.code, &error["kind"]), (Some(1), &json!("bad_key")));
    assert!(error["message"].as_str().unwrap().contains("Incorrect API key"), "{error}");
    assert!(error["nextStep"].is_string() && !room.path("out").exists(), "{error}");
}

#[test]
fn the_models_of_an_endpoint_are_listed() {
    let runtime = Runtime::new().unwrap();
    let list = json!({ "object": "list", "data": [{ "id": "llama3:8b" }, { "id": "qwen3" }] }).to_string();
    let server =
        playing(&runtime, Spoken::OpenAiChat, [Served::status(200, &list), Served::status(200, &list)]);
    let room = Room::new();
    let line = ["models", "chat", "--base-url", server.address()];

    let (human, json) = (with_key(&room, &line), with_key(&room, &[&line[..], &["--json"]].concat()));

    assert_eq!((human.code, human.out.as_str()), (Some(0), "llama3:8b\nqwen3\n"), "{}", human.err);
    let ids: Vec<_> = json.json()["models"].as_array().unwrap().iter().map(|m| m["id"].clone()).collect();
    assert_eq!(ids, ["llama3:8b", "qwen3"]);
}

#[test]
fn s_63_a_price_that_nobody_knows_is_warned_of_and_never_shown_as_nothing() {
    let room = Room::new();
    // Nothing answers there; the warning comes before anything is sent.
    let address = ["--base-url", "http://models.invalid", "--timeout", "1", "--json"];
    let engines = ["create", "--text", "A shop", "--out", "out", "--engine", "chat:m", "--engine", "chat:m"];

    let ended = room.run(&[&engines[..], &address].concat());

    let warnings = ended.err.lines().filter(|line| line.contains("the price of chat:m is not known")).count();
    assert_eq!((warnings, &ended.json()["variants"][0]["costUsd"]), (1, &Value::Null), "{}", ended.err);
}

#[test]
fn an_endpoint_that_does_not_answer_is_named() {
    let room = Room::new();

    let ended = room.run(&["models", "chat", "--base-url", "http://127.0.0.1:9"]);

    let (code, words) = ended.refusal();
    assert!(code == 1 && words.contains("127.0.0.1:9"), "{code} {words}");
}

#[test]
fn without_a_keychain_a_key_is_refused_with_the_other_way() {
    let room = Room::new();
    let mut program = room.program(&["keys", "set", "openai"]);
    let mut child =
        program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), b"sk-very-secret\n").unwrap();

    let ended = Ended::of(&child.wait_with_output().unwrap());

    let (code, words) = ended.refusal();
    assert!(code == 4 && words.contains("environment variable"), "{code} {words}");
    assert!(!ended.err.contains("sk-very-secret"));
}

#[test]
fn a_key_goes_into_the_keychain_and_only_its_place_comes_out() {
    let room = Room::new();
    // One session for all calls: a keychain ends with its bus.
    let script = r#"
        printf 'test\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null
        printf 'sk-very-secret\n' | "$0" keys set openai --json
        "$0" keys list --json
        OPENAI_API_KEY=sk-of-the-shell GEMINI_API_KEY=sk-of-the-shell "$0" keys list
        "$0" keys remove openai --json"#;
    std::fs::create_dir_all(room.path("home/data")).unwrap();
    let mut command = Command::new("dbus-run-session");
    command.args(["--", "bash", "-c", script, env!("CARGO_BIN_EXE_facsimile")]);
    room.surround(&mut command)
        .env_remove("DBUS_SESSION_BUS_ADDRESS")
        .env("XDG_DATA_HOME", room.path("home/data"));

    let ended = Ended::of(&command.output().unwrap());

    let lines: Vec<&str> = ended.out.lines().collect();
    let json = |line: &str| -> Value { serde_json::from_str(line).unwrap() };
    let stored = json!({ "provider": "openai", "state": "stored", "where": "the system's keychain" });
    let absent = json!({ "provider": "openai", "state": "absent", "where": "" });
    assert_eq!((json(lines[0]), &json(lines[1])["keys"][0]), (stored.clone(), &stored), "{}", ended.err);
    // What is kept goes before the shell's.
    let listed = [
        "openai  in the system's keychain",
        "anthropic  no key",
        "gemini  in the environment variable GEMINI_API_KEY",
        "replicate  no key",
    ];
    assert_eq!(lines[2..6], listed);
    assert_eq!(json(lines.last().unwrap()), absent);
    assert!(!(ended.out.clone() + &ended.err).contains("sk-"), "{}", ended.out);
}

#[test]
fn keys_of_a_system_without_a_keychain_are_told_with_what_to_install() {
    let room = Room::new();
    let list = |arguments: &[&str]| {
        let mut program = room.program(arguments);
        Ended::of(&program.env("ANTHROPIC_API_KEY", "sk-of-the-shell").output().unwrap())
    };

    let (human, json) = (list(&["keys", "list"]), list(&["keys", "list", "--json"]).json());

    let lines: Vec<&str> = human.out.lines().collect();
    let expected = [
        "openai  no key, no keychain",
        "anthropic  in the environment variable ANTHROPIC_API_KEY",
        "gemini  no key, no keychain",
        "replicate  no key, no keychain",
    ];
    assert_eq!(lines, expected);
    let hints = human.err.lines().filter(|line| line.contains("gnome-keyring or KWallet")).count();
    let states: Vec<_> = json["keys"].as_array().unwrap().iter().map(|key| key["state"].clone()).collect();
    assert_eq!(
        (hints, states),
        (1, ["no_service", "environment", "no_service", "no_service"].map(Value::from).to_vec())
    );
}

#[test]
fn a_key_that_is_more_than_a_key_is_refused_with_its_reason() {
    let room = Room::new();
    let mut program = room.program(&["keys", "set", "openai"]);
    let mut child =
        program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), b"OPENAI_API_KEY sk-very-secret\n").unwrap();

    let ended = Ended::of(&child.wait_with_output().unwrap());

    let (code, words) = ended.refusal();
    assert!(code == 2 && words.contains("holds a blank") && !words.contains("very-secret"), "{code} {words}");
}
