//! Readers that go away: `facsimile … | head`.

use std::process::{Child, Stdio};

use crate::pictures::{drawn, png};
use crate::support::Room;

/// A started program whose outputs nobody reads any more.
fn unread(room: &Room, arguments: &[&str]) -> Child {
    let mut command = room.program(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    drop(child.stderr.take());
    child
}

fn room_with_a_picture() -> Room {
    let room = Room::new();
    room.file("page.png", png(drawn()));
    room
}

/// The exit status and the words of a program whose result nobody reads; they go to a file.
fn words_of(room: &Room, arguments: &[&str]) -> (Option<i32>, String) {
    let log = room.path("err.log");
    let mut command = room.program(arguments);
    command.stdout(Stdio::piped()).stderr(std::fs::File::create(&log).unwrap());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let code = child.wait().unwrap().code();
    (code, std::fs::read_to_string(log).unwrap())
}

#[test]
fn a_result_that_nobody_reads_ends_the_program_quietly() {
    let room = room_with_a_picture();
    let lines: [&[&str]; 3] = [
        &["create", "page.png", "--out", "page", "--json"],
        &["trace", "page.png"],
        &["projects", "list", "--json"],
    ];
    for line in lines {
        let (code, words) = words_of(&room, line);
        assert!(!words.contains("panicked") && !words.contains("facsimile:"), "{line:?}: {words}");
        assert_eq!(code, Some(1), "{line:?}");
    }
    assert!(room.path("page/index.html").is_file());
}

#[test]
fn progress_that_nobody_reads_does_not_disturb_the_run() {
    let room = room_with_a_picture();

    let codes = [
        unread(&room, &["create", "page.png", "--out", "page"]).wait().unwrap().code(),
        unread(&room, &["trace", "page.png", "--out", "traced"]).wait().unwrap().code(),
        unread(&room, &["create", "nowhere.png", "--out", "none"]).wait().unwrap().code(),
        unread(&room, &["modify"]).wait().unwrap().code(),
    ];

    assert_eq!(codes, [Some(0), Some(0), Some(3), Some(2)]);
    assert_eq!(room.tree("page"), room.tree("traced"));
}

#[test]
fn events_that_nobody_reads_stop_the_run_and_leave_it_ended() {
    let room = room_with_a_picture();

    let (code, words) = words_of(&room, &["create", "page.png", "--out", "page", "--events", "-"]);

    assert!(!words.contains("panicked"), "{words}");
    assert!(words.contains("the events could not be written"), "{words}");
    assert_eq!((code, room.path("page").exists()), (Some(1), false));
    let projects = room.projects();
    let [(_, states)] = projects.as_slice() else { panic!("{projects:?}") };
    // A short run may be done before the first event is missed.
    assert!(["cancelled", "succeeded"].contains(&states[0].as_str()), "{states:?}");
}
