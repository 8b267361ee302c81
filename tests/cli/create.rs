//! `facsimile create`: what is written and what is told.

use serde_json::{Value, json};

use crate::pictures::{drawn, illustrated, png, tide};
use crate::support::{Room, files};

/// The result of a run without what differs from run to run, which is checked to be there.
fn lasting(mut result: Value) -> Value {
    let fields = result.as_object_mut().unwrap();
    for id in ["run", "project"] {
        assert_eq!(fields.remove(id).unwrap().as_str().unwrap().len(), 36, "{id}");
    }
    for variant in fields["variants"].as_array_mut().unwrap() {
        assert!(variant.as_object_mut().unwrap().remove("elapsedMs").unwrap().is_u64());
    }
    result
}

#[test]
fn a_screenshot_becomes_a_page_with_its_text_its_styles_and_its_picture() {
    let room = Room::new();
    room.file("tide.png", tide());

    let ended = room.run(&["create", "tide.png", "--out", "page", "--json"]);

    let page = files(room.tree("page"));
    let names: Vec<_> = page.keys().collect();
    let (assets, texts): (Vec<_>, Vec<_>) = page.iter().partition(|(name, _)| name.starts_with("assets/"));
    assert_eq!(texts.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["index.html", "styles.css"]);
    let told = json!({
        "state": "succeeded",
        "variants": [{
            "index": 0,
            "engine": "offline",
            "state": "succeeded",
            "out": "page",
            "files": names,
            "tokens": {"input": 0, "cachedRead": 0, "cachedWrite": 0, "output": 0, "reasoning": 0},
            "costUsd": 0.0,
        }],
    });
    assert_eq!((ended.code, lasting(ended.json())), (Some(0), told), "{}", ended.err);
    let html = page["index.html"].text();
    for words in ["<!doctype html>", "<h1 ", ">Gull Haven quay<", "href=\"styles.css\""] {
        assert!(html.contains(words), "{words} is not in {html}");
    }
    assert!(page["styles.css"].text().contains(".heading"));
    assert!(!assets.is_empty());
    for (name, picture) in assets {
        assert!(html.contains(name.as_str()) || page["styles.css"].text().contains(name.as_str()), "{name}");
        image::load_from_memory(&picture.0).unwrap();
    }
}

#[test]
fn two_runs_of_one_screenshot_write_the_same_files() {
    let room = Room::new();
    room.file("tide.png", tide());

    for out in ["first", "second"] {
        assert_eq!(room.run(&["create", "tide.png", "--out", out]).code, Some(0));
    }

    assert_eq!(room.tree("first"), room.tree("second"));
}

#[test]
fn engines_write_a_folder_each_and_the_same_layout_the_same_files() {
    let room = Room::new();
    room.file("page.png", png(illustrated()));

    let engines = ["offline", "offline:flow", "offline:exact"].map(|engine| ["--engine", engine]).concat();
    let ended = room.run(&[&["create", "page.png", "--out", "out", "--json"], &engines[..]].concat());

    let result = ended.json();
    let places: Vec<_> =
        result["variants"].as_array().unwrap().iter().map(|v| (&v["index"], &v["out"])).collect();
    let wanted = [(0, "out/1"), (1, "out/2"), (2, "out/3")].map(|(index, out)| (json!(index), json!(out)));
    assert_eq!(places, wanted.each_ref().map(|(index, out)| (index, out)));
    assert_eq!(room.tree("out/1"), room.tree("out/2"));
    let is_exact = |out| files(room.tree(out))["styles.css"].text().contains("{ left: ");
    assert_eq!(["out/1", "out/3"].map(is_exact), [false, true]);
    assert_eq!(room.tree("out/1").keys().filter(|name| name.ends_with(".html")).count(), 1);
    assert_eq!(room.tree("out").keys().filter(|name| name.matches('/').count() < 1).count(), 0);
}

#[test]
fn several_screenshots_become_several_pages_of_one_project() {
    let room = Room::new();
    room.file("first.png", png(drawn()));
    room.file("second.png", png(illustrated()));

    let ended = room.run(&["create", "first.png", "second.png", "--out", "page"]);

    let page = files(room.tree("page"));
    let mut names: Vec<_> = page.keys().map(String::as_str).collect();
    names.retain(|name| !name.starts_with("assets/"));
    assert_eq!((ended.code, names), (Some(0), vec!["index.html", "page-2.css", "page-2.html", "styles.css"]));
    assert_ne!(page["index.html"], page["page-2.html"]);
    assert_eq!(room.projects(), [("first".to_owned(), vec!["succeeded".to_owned()])]);
}

#[test]
fn people_are_told_what_was_seen_and_where_the_page_is() {
    let room = Room::new();
    room.file("page.png", png(drawn()));

    let ended = room.run(&["create", "page.png", "--out", "page"]);

    assert_eq!((ended.code, ended.out.as_str()), (Some(0), ""));
    let lines: Vec<_> = ended.err.lines().collect();
    let [first, .., last] = lines.as_slice() else { panic!("{lines:?}") };
    assert_eq!(*first, "[1] Looking at page.png, 160 × 120 pixels.");
    assert!(last.starts_with("succeeded in ") && last.ends_with(" s: 2 files in page"), "{last}");
}

#[test]
fn words_beside_a_picture_are_kept_and_said_to_be_kept_only() {
    let room = Room::new();
    room.file("page.png", png(drawn()));

    let ended = room.run(&["create", "page.png", "--text", "make it blue", "--out", "page"]);

    assert_eq!(ended.code, Some(0));
    assert!(ended.err.contains("the words are kept with the project only"), "{}", ended.err);
}

#[test]
fn an_option_wins_over_the_environment_for_the_data_folder() {
    let room = Room::new();
    room.file("page.png", png(drawn()));

    let ended = room.run(&["create", "page.png", "--out", "page", "--data-dir", "elsewhere"]);

    assert_eq!((ended.code, room.data().exists()), (Some(0), false));
    assert!(room.path("elsewhere/facsimile.db").is_file());
    assert!(!room.path("home").exists());
}
