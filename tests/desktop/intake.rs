//! How files come in: on the command line, by a second start, by a drop, from the clipboard.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use serde_json::json;

use crate::catcher::Catcher;
use crate::desk::{Desk, Started};
use crate::room::Room;
use crate::window::{Opening, Window};

/// What lies in the tray of the start screen.
async fn tray(window: &Window) -> serde_json::Value {
    window.value("[...document.querySelectorAll('.tray .item b')].map(name => name.textContent)").await
}

#[tokio::test]
async fn files_on_the_command_line_are_in_the_tray() {
    let room = Room::new();
    let files = [room.picture("tide", "first one.png"), room.picture("shop", "-zweites größer.png")];
    // A name that begins with a dash is a path with its folder.
    let window = Opening::bare(&room).with_files(&files).open(&room).await;
    window.sees("footer", "2 of 10 pictures").await;
    assert_eq!(tray(&window).await, json!(["first one.png", "-zweites größer.png"]));
}

#[tokio::test]
async fn a_file_that_is_no_picture_stays_out_and_says_why() {
    let room = Room::new();
    let notes = room.path("notes.txt");
    fs::write(&notes, "words").unwrap();
    let window =
        Opening::bare(&room).with_files(&[notes, room.picture("tide", "tide.png")]).open(&room).await;
    window.sees("[role=alert]", "notes.txt stays out").await;
    assert_eq!(tray(&window).await, json!(["tide.png"]));
}

#[tokio::test]
async fn s_55_a_second_start_hands_its_files_to_the_first_and_ends() {
    let room = Room::new();
    let picture = room.picture("tide", "tide.png");
    let window = Window::open(&room).await;
    let mut second = window.desk.facsimile();
    // The path is relative to where the second one was started.
    room.picture("shop", "-shop.png");
    second.current_dir(picture.parent().unwrap()).args(["tide.png", "--", "-shop.png"]).stdout(Stdio::null());
    let status = second.status().unwrap();
    window.sees("footer", "2 of 10 pictures").await;
    assert_eq!((status.code(), tray(&window).await), (Some(0), json!(["tide.png", "-shop.png"])));
}

#[tokio::test]
async fn s_55_a_second_start_with_a_projects_file_opens_it_in_the_first() {
    let room = Room::new();
    let project = room.project("Kiln", &[("index.html", "<!doctype html><title>Kiln</title><h1>Kiln</h1>")]);
    let file = room.path("kiln.facsimile");
    let window = Window::open(&room).await;
    let mut export = window.desk.facsimile();
    export.args(["projects", "export", &project.to_string()]).arg(&file).stderr(Stdio::null());
    assert!(export.status().unwrap().success());

    let status = window.desk.facsimile().arg(&file).stdout(Stdio::null()).status().unwrap();

    // The start screen names the project too; only an open one has views.
    window.until("the project in the first window", "document.querySelector('.top-bar .views')").await;
    let kept = room.kept().unwrap().projects().list().unwrap().len();
    assert_eq!((status.code(), kept), (Some(0), 2));
}

#[tokio::test]
async fn a_file_dropped_from_another_program_is_taken_in() {
    let room = Room::new();
    let picture = room.picture("tide", "dropped.png");
    let window = Opening::managed(&room).open(&room).await;
    let desk = &window.desk;
    let source = drag_source(desk, &picture);
    let target = desk.window_titled("Facsimile");
    let from = desk.window_titled("Drag source");
    desk.xdotool(&["windowmove", &target, "0", "60"]);
    desk.xdotool(&["windowmove", &from, "10", "10"]);
    desk.activate(&from);
    desk.xdotool(&["mousemove", "--window", &from, "50", "40", "mousedown", "1"]);
    // A drag begins with a few small motions, and the target answers while the pointer goes on.
    for step in 0..12 {
        let (x, y) = (60 + step * 50, 60 + step * 35);
        desk.xdotool(&["mousemove", &x.to_string(), &y.to_string()]);
    }
    let started = Instant::now();
    while window.value("document.querySelector('.over')?.textContent.includes('1 file')").await != json!(true)
    {
        let shown = window.value("document.querySelector('.over')?.textContent").await;
        assert!(started.elapsed().as_secs() < 60, "the window never saw the drag but {shown}");
        let x = 600 + started.elapsed().as_millis() % 60;
        desk.xdotool(&["mousemove", &x.to_string(), "480"]);
    }
    desk.xdotool(&["mouseup", "1"]);
    window.sees("footer", "1 of 10 pictures").await;
    assert_eq!(tray(&window).await, json!(["dropped.png"]));
    window.until("the end of the drag", "!document.querySelector('.over')").await;
    drop(source);
}

fn drag_source(desk: &Desk, file: &Path) -> Started {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/desktop/drag_source.py");
    // The system's own interpreter has the bindings.
    let mut source = desk.command("/usr/bin/python3");
    source.arg(script).arg(file).stdout(Stdio::null()).stderr(Stdio::null());
    Started::new(source)
}

#[tokio::test]
async fn s_43_a_picture_on_the_clipboard_is_taken_in() {
    let room = Room::new();
    let picture = room.picture("tide", "tide.png");
    let window = Opening::managed(&room).open(&room).await;
    let _clipboard = window.desk.clipboard("image/png", &picture);
    window.press("Paste").await;
    window.sees("footer", "1 of 10 pictures").await;
    assert_eq!(tray(&window).await, json!(["Pasted picture.png"]));
}

#[tokio::test]
async fn s_43_a_clipboard_without_a_picture_says_so_and_fetches_nothing() {
    let room = Room::new();
    let catcher = Catcher::new();
    let html = room.path("clip.html");
    fs::write(&html, format!("<img src='{}/clip.png'>", catcher.address())).unwrap();
    let list = room.path("clip.list");
    fs::write(&list, format!("file://{}\r\n", room.picture("tide", "tide.png").display())).unwrap();
    let window = Opening::managed(&room).open(&room).await;
    for (mime, file) in [("text/html", &html), ("text/uri-list", &list), ("text/plain", &list)] {
        let _clipboard = window.desk.clipboard(mime, file);
        window.press("Paste").await;
        window.sees(".stack", "There is no picture on the clipboard").await;
        window.press("Dismiss").await;
        window
            .until(
                "the end of the message",
                "!document.querySelector('.stack').textContent.includes('clipboard')",
            )
            .await;
        assert_eq!(tray(&window).await, json!([]), "{mime}");
    }
    assert_eq!(catcher.caught(), Vec::<String>::new());
}
