//! S-44, S-45: a key that can be recognised goes through the commands, and is in nothing that they write or say.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use facsimile_testkit::Planted;
use facsimile_testkit::replay::{KEY, ReplayServer, Served, ServedTurn, Spoken};
use serde_json::json;
use tokio::runtime::Runtime;

use crate::pictures::{drawn, png};
use crate::support::{Ended, Room};

/// Runs the program with the key in its environment and on its standard input.
fn with_key(room: &Room, arguments: &[&str], pasted: &str) -> Ended {
    let mut program = room.program(arguments);
    for variable in ["FACSIMILE_ENDPOINT_KEY", "REPLICATE_API_TOKEN"] {
        program.env(variable, KEY);
    }
    program.env("TMPDIR", room.path("tmp"));
    let mut child =
        program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that reads nothing has closed it.
    let _ = child.stdin.take().unwrap().write_all(pasted.as_bytes());
    Ended::of(&child.wait_with_output().unwrap())
}

#[test]
fn s_44_a_planted_key_is_in_nothing_that_the_commands_write_or_say() {
    let runtime = Runtime::new().unwrap();
    let playing =
        |dialect, answers: Vec<Served>| runtime.block_on(ReplayServer::playing(dialect, answers)).unwrap();
    let room = Room::new();
    fs::create_dir(room.path("tmp")).unwrap();
    room.file("page.png", png(drawn()));
    let half = &KEY[..KEY.len() / 2];
    let echo = json!({ "error": { "message": format!("no: {KEY}, {half}…"), "code": KEY } }).to_string();
    let mut said = Vec::new();
    let engines = ["openai:m", "anthropic:m", "gemini:m", "chat:m"];
    let dialects = [Spoken::OpenAiResponses, Spoken::Anthropic, Spoken::Gemini, Spoken::OpenAiChat];
    for (number, (engine, dialect)) in engines.into_iter().zip(dialects).enumerate() {
        let call = ServedTurn::new().calling(
            "c1",
            "create_file",
            json!({ "path": "index.html", "content": "<p>Hi" }),
        );
        let good = playing(dialect, vec![call.into(), ServedTurn::new().saying("Done.").into()]);
        let bad = playing(dialect, vec![Served::status(401, &echo); 4]);
        for (server, code) in [(&good, 0), (&bad, 1)] {
            let (out, events) = (format!("out-{number}-{code}"), format!("events-{number}-{code}.jsonl"));
            let line = ["create", "page.png", "--out", &out, "--json", "--engine", engine];
            let more = ["--base-url", server.address(), "--events", &events];
            let ended = with_key(&room, &[&line[..], &more].concat(), "");
            assert_eq!(ended.code, Some(code), "{engine}: {}", ended.err);
            said.push(ended.out + &ended.err);
        }
    }
    let refusing = playing(Spoken::OpenAiChat, vec![Served::status(403, &echo); 4]);
    let project = room.run(&["projects", "list", "--json"]).json()["projects"][0]["id"].clone();
    let lines: [(&[&str], String); 7] = [
        (&["models", "chat", "--base-url", refusing.address()], String::new()),
        (&["keys", "set", "openai"], format!("{KEY}\n")),
        (&["keys", "set", "openai"], format!("{KEY} {KEY}")),
        (&["keys", "set", "openai"], format!("{KEY}\n{KEY}")),
        (&["keys", "list", "--json"], String::new()),
        (&["keys", "remove", "openai"], String::new()),
        (&["projects", "export", project.as_str().unwrap(), "kept.facsimile"], String::new()),
    ];
    for (line, pasted) in lines {
        let ended = with_key(&room, line, &pasted);
        said.push(ended.out + &ended.err);
    }

    let planted = Planted::of(KEY);
    assert_eq!(planted.below(&room.path("")), Vec::<String>::new());
    let telling: Vec<_> =
        said.iter().filter(|said| !planted.spellings_in(said.as_bytes()).is_empty()).collect();
    assert_eq!(telling, Vec::<&String>::new());
    let log = fs::read_to_string(room.data().join("logs/facsimile.log")).unwrap();
    assert!(log.contains("the program begins") && room.path("kept.facsimile").exists(), "{log}");
}
