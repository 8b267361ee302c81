//! The event lines: the wire form of a run.

use serde_json::{Value, json};

use crate::pictures::{drawn, illustrated, png, tide};
use crate::support::{Room, event_lines, folded, texts};

fn of_type<'a>(events: &'a [Value], name: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["type"] == name).collect()
}

fn recorded(room: &Room, arguments: &[&str]) -> Vec<Value> {
    let ended = room.run(&[&["create", "--events", "events.jsonl"], arguments].concat());
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    event_lines(&std::fs::read_to_string(room.path("events.jsonl")).unwrap())
}

#[test]
fn events_are_numbered_from_one_without_a_gap_and_end_with_the_run_s_one_terminal_state() {
    let room = Room::new();
    room.file("tide.png", tide());

    let events = recorded(&room, &["tide.png", "--out", "page"]);

    let run = room.run(&["projects", "list", "--json"]).json()["projects"][0]["runs"][0]["id"].clone();
    assert!(events.iter().all(|event| event["runId"] == run));
    let numbers: Vec<_> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>());
    let states = of_type(&events, "runState");
    let ends: Vec<_> = states.iter().filter(|event| event["state"] != "running").collect();
    let told: Vec<_> =
        ends.iter().map(|event| (event["variantIndex"].clone(), event["state"].clone())).collect();
    assert_eq!(told, [(json!(0), json!("succeeded")), (Value::Null, json!("succeeded"))]);
    assert_eq!(**ends[1], events[events.len() - 1]);
    assert!(events[events.len() - 1].get("variantIndex").is_none());
}

#[test]
fn folded_events_equal_the_written_files_byte_for_byte() {
    let room = Room::new();
    room.file("tide.png", tide());

    let events = recorded(&room, &["tide.png", "--out", "page"]);

    let page = room.tree("page");
    assert_eq!(folded(&events, 0), texts(&page));
    assert_eq!(texts(&page).keys().collect::<Vec<_>>(), ["index.html", "styles.css"]);
}

#[test]
fn events_of_two_variants_fold_apart() {
    let room = Room::new();
    room.file("page.png", png(illustrated()));

    let events = recorded(&room, &["page.png", "--out", "out", "--engine", "offline", "--engine", "offline"]);

    assert_eq!(folded(&events, 0), texts(&room.tree("out/1")));
    assert_eq!(folded(&events, 1), texts(&room.tree("out/2")));
    let numbers: Vec<_> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>());
}

#[test]
fn one_call_makes_the_page_after_thinking_aloud_and_one_sentence_closes() {
    let room = Room::new();
    room.file("page.png", png(drawn()));

    let events = recorded(&room, &["page.png", "--out", "page"]);

    let calls = [of_type(&events, "toolStart"), of_type(&events, "toolResult")].concat();
    let [start, result] = calls.as_slice() else { panic!("{calls:?}") };
    assert_eq!((&start["name"], &start["input"]["path"]), (&json!("create_file"), &json!("index.html")));
    assert_eq!((&result["ok"], &result["eventId"]), (&json!(true), &start["eventId"]));
    let mut order: Vec<_> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    order.retain(|name| *name != "runState");
    order.dedup();
    assert_eq!(order, ["thinking", "toolStart", "setCode", "toolResult", "assistant", "setCode"]);
    let said: String =
        of_type(&events, "assistant").iter().map(|event| event["text"].as_str().unwrap()).collect();
    assert_eq!(said, "Traced page.png: 0 lines of text, 2 boxes, 0 pictures.");
}

#[test]
fn a_dash_sends_the_events_to_standard_output_before_the_result() {
    let room = Room::new();
    room.file("page.png", png(drawn()));

    let ended = room.run(&["create", "page.png", "--out", "page", "--events", "-", "--json"]);

    let mut lines = event_lines(&ended.out);
    let result = lines.pop().unwrap();
    assert_eq!((ended.code, &result["state"]), (Some(0), &json!("succeeded")));
    assert_eq!(lines[lines.len() - 1]["type"], "runState");
    assert_eq!(folded(&lines, 0), texts(&room.tree("page")));
}

#[test]
fn an_event_file_makes_its_folders_and_replaces_an_older_one() {
    let room = Room::new();
    room.file("page.png", png(drawn()));
    room.file("logs/of today/run.jsonl", "older lines\n".repeat(5_000));

    let arguments = ["create", "page.png", "--out", "page", "--events"];
    let places = ["logs/of today/run.jsonl", "new/place/run.jsonl"];
    let runs = places.map(|place| room.run(&[&arguments[..], &[place]].concat()).code);

    assert_eq!(runs, [Some(0), Some(0)]);
    for place in places {
        let events = event_lines(&std::fs::read_to_string(room.path(place)).unwrap());
        assert_eq!(folded(&events, 0), texts(&room.tree("page")), "{place}");
    }
}

#[test]
fn an_event_file_that_cannot_be_written_is_named_before_anything_is_begun() {
    let room = Room::new();
    room.file("page.png", png(drawn()));
    room.file("plain", "file");

    let ended = room.run(&["create", "page.png", "--out", "page", "--events", "plain/events.jsonl"]);

    let (code, message) = ended.refusal();
    assert_eq!(code, 1);
    assert!(message.contains("plain/events.jsonl") && message.contains("--events"), "{message}");
    assert_eq!((room.path("page").exists(), room.projects()), (false, vec![]));
}
