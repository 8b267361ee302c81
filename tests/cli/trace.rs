//! `facsimile trace`: what is measured.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::pictures::{drawn, illustrated, png, tide};
use crate::support::{Room, files};

/// The fields of measured pages, which texts and boxes must have under the same names.
const TEXT_FIELDS: [&str; 11] = ["text", "x", "y", "w", "h", "fs", "fw", "it", "ff", "color", "alpha"];
const BOX_FIELDS: [&str; 11] = ["x", "y", "w", "h", "bg", "bw", "bc", "r", "img", "bgi", "sh"];
const PAGE_FIELDS: [&str; 7] = ["width", "height", "texts", "boxes", "palette", "images", "gaps"];

fn missing(wanted: &[&str], value: &Value) -> Vec<String> {
    let found: BTreeSet<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
    wanted.iter().filter(|field| !found.contains(*field)).map(ToString::to_string).collect()
}

#[test]
fn facts_have_the_field_names_of_measured_pages() {
    let room = Room::new();
    room.file("tide.png", tide());

    let ended = room.run(&["trace", "tide.png", "--facts", "facts/tide.json"]);

    assert_eq!((ended.code, ended.out.as_str()), (Some(0), ""), "{}", ended.err);
    let facts: Value = serde_json::from_slice(&std::fs::read(room.path("facts/tide.json")).unwrap()).unwrap();
    assert_eq!(missing(&PAGE_FIELDS, &facts), Vec::<String>::new());
    for (list, fields) in [("texts", &TEXT_FIELDS), ("boxes", &BOX_FIELDS)] {
        let entries = facts[list].as_array().unwrap();
        assert!(!entries.is_empty(), "{list}");
        for entry in entries {
            assert_eq!(missing(fields, entry), Vec::<String>::new(), "{entry}");
        }
    }
    assert_eq!(missing(&["align"], &facts["texts"][0]), Vec::<String>::new());
    assert_eq!(missing(&["color", "hex", "share"], &facts["palette"][0]), Vec::<String>::new());
    assert_eq!(missing(&["x", "y", "w", "h", "kind"], &facts["images"][0]), Vec::<String>::new());
    assert_eq!(missing(&["vertical", "horizontal"], &facts["gaps"]), Vec::<String>::new());
    assert_eq!((&facts["width"], &facts["height"]), (&json!(390), &json!(844)));
    let said: Vec<_> = facts["texts"].as_array().unwrap().iter().map(|text| &text["text"]).collect();
    assert!(said.contains(&&json!("Gull Haven quay")), "{said:?}");
}

#[test]
fn facts_are_printed_when_no_place_is_given() {
    let room = Room::new();
    room.file("page.png", png(drawn()));

    let ended = room.run(&["trace", "page.png"]);

    let facts = ended.json();
    let boxes: Vec<_> =
        facts["boxes"].as_array().unwrap().iter().map(|b| [&b["x"], &b["y"], &b["w"], &b["h"]]).collect();
    let wanted = [[10.0, 10.0, 80.0, 30.0], [20.0, 60.0, 50.0, 40.0]].map(|b| b.map(|side| json!(side)));
    assert_eq!((ended.code, boxes), (Some(0), wanted.iter().map(|b| b.each_ref()).collect()));
    assert_eq!((room.data().exists(), room.path("home").exists()), (false, false), "nothing is kept");
}

#[test]
fn a_traced_page_is_the_same_as_a_created_one() {
    let room = Room::new();
    room.file("page.png", png(illustrated()));

    let traced = room.run(&["trace", "page.png", "--out", "traced", "--json"]);
    let facts = room.run(&["trace", "page.png"]).json();
    room.run(&["create", "page.png", "--out", "created"]);

    let (traced_files, created) = (files(room.tree("traced")), files(room.tree("created")));
    let counted = |list: &str| facts[list].as_array().unwrap().len();
    assert_eq!(traced_files, created);
    assert_eq!(
        traced.json(),
        json!({
            "width": 160, "height": 120, "texts": counted("texts"), "boxes": counted("boxes"),
            "images": counted("images"), "facts": null, "out": "traced", "files": created.keys().collect::<Vec<_>>(),
        })
    );
}

#[test]
fn a_traced_page_replaces_an_older_one() {
    let room = Room::new();
    room.file("old.png", png(drawn()));
    room.file("new.png", png(illustrated()));

    let codes =
        ["old.png", "new.png", "new.png"].map(|name| room.run(&["trace", name, "--out", "page"]).code);
    room.run(&["trace", "new.png", "--out", "fresh"]);

    assert_eq!((codes, room.tree("page")), ([Some(0); 3], room.tree("fresh")));
}

#[test]
fn what_cannot_be_traced_is_refused_like_anywhere() {
    let room = Room::new();
    room.file("letter.png", "Dear reader");

    let ended = room.run(&["trace", "letter.png", "--facts", "facts.json", "--out", "page"]);

    let (code, message) = ended.refusal();
    assert_eq!(code, 3);
    assert!(message.starts_with("facsimile: letter.png: This is not a picture"), "{message}");
    assert_eq!(room.tree("").into_keys().collect::<Vec<_>>(), ["letter.png"]);
}

#[test]
fn facts_that_cannot_be_written_are_named() {
    let room = Room::new();
    room.file("page.png", png(drawn()));
    room.file("plain", "file");

    let ended = room.run(&["trace", "page.png", "--facts", "plain/facts.json"]);

    let (code, message) = ended.refusal();
    assert_eq!(code, 1);
    assert!(message.contains("plain/facts.json") && message.contains("--facts"), "{message}");
}
