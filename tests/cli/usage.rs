//! What is refused before anything begins, and how.

use crate::pictures::{drawn, png};
use crate::support::Room;

/// Refuses a command line: the exit status, the words of its message, and nothing left behind.
fn assert_refused(room: &Room, arguments: &[&str], code: i32, words: &[&str]) {
    let ended = room.run(arguments);
    let (found, message) = ended.refusal();
    assert_eq!(found, code, "{arguments:?}: {message}");
    assert!(message.starts_with("facsimile: "), "{arguments:?}: {message}");
    for word in words {
        assert!(message.contains(word), "{arguments:?}: {word:?} is not in {message:?}");
    }
    assert!(!room.path("out").exists(), "{arguments:?}");
}

fn room_with_a_picture() -> Room {
    let room = Room::new();
    room.file("page.png", png(drawn()));
    room
}

#[test]
fn later_subcommands_are_refused_with_what_there_is() {
    let room = Room::new();
    let lines: [&[&str]; 2] =
        [&["eval", "folder", "--engine", "offline", "--out", "out"], &["eval", "--", "-x"]];
    for line in lines {
        let named = format!("`{}` is not part of this version", line[0]);
        assert_refused(&room, line, 2, &[&named, "It has create, modify, trace", "`facsimile --help`"]);
    }
    assert!(room.tree("").is_empty());
}

#[test]
fn what_cannot_be_measured_is_refused_by_name() {
    let room = room_with_a_picture();
    room.file("words.txt", b"no picture");
    room.file("page.html", b"<p>Hi");
    assert_refused(&room, &["measure", "words.txt", "page.html"], 3, &["words.txt", "not a picture"]);
    assert_refused(&room, &["measure", "page.png", "gone.html"], 3, &["gone.html", "Check the name"]);
    assert_refused(&room, &["measure", "page.png", "words.txt"], 3, &["words.txt", "no HTML file"]);
    assert_refused(&room, &["measure", "page.png", "page.html"], 1, &["no display", "xvfb-run"]);
}

#[test]
fn later_options_are_refused_with_the_way_out() {
    let room = room_with_a_picture();
    let options: [(&[&str], &[&str]); 7] = [
        (&["--improve"], &["--improve", "leave it out"]),
        (&["--checks", "rendered"], &["no display", "static", "xvfb-run"]),
        (&["--checks", "fidelity"], &["no display", "static", "xvfb-run"]),
        (&["--export", "file"], &["--export", "folder works offline"]),
        (&["--export", "project"], &["--export", "folder works offline"]),
        (&["--export", "zip"], &["--export", "folder works offline"]),
        (&["--max-cost=-1"], &["--max-cost", "0 for no cap"]),
    ];
    for (option, words) in options {
        assert_refused(&room, &[&["create", "page.png", "--out", "out"], option].concat(), 2, words);
    }
    assert!(!room.data().exists());
}

#[test]
fn options_that_change_nothing_offline_are_taken() {
    let room = room_with_a_picture();

    let options = ["--checks", "static", "--export", "folder", "--max-cost", "0", "--stack", "html-css"];
    let ended = room.run(&[&["create", "page.png", "--out", "out", "--strict"], &options[..]].concat());

    assert_eq!(ended.code, Some(0), "{}", ended.err);
}

#[test]
fn engines_that_cannot_be_used_are_refused_with_what_is_missing() {
    let room = room_with_a_picture();
    let refused = |engine: &str, code, words: &[&str]| {
        assert_refused(&room, &["create", "page.png", "--out", "out", "--engine", engine], code, words);
    };
    for (engine, variable) in
        [("openai:x", "OPENAI_API_KEY"), ("anthropic:x", "ANTHROPIC_API_KEY"), ("gemini:x", "GEMINI_API_KEY")]
    {
        refused(engine, 4, &["cannot be used", engine, "facsimile keys set", variable]);
    }
    refused("chat:x", 4, &["cannot be used", "--base-url"]);
    refused("chat/0190:x", 2, &["no endpoint 0190"]);
    for engine in ["magic", "openai", "openai:", "offline:fast", ""] {
        refused(engine, 2, &["is no engine", "use offline"]);
    }
    assert_eq!(room.projects(), []);
}

#[test]
fn one_wrong_engine_among_right_ones_refuses_the_run() {
    let room = room_with_a_picture();
    let engines = ["--engine", "offline", "--engine", "magic"];
    assert_refused(
        &room,
        &[&["create", "page.png", "--out", "out"], &engines[..]].concat(),
        2,
        &["\"magic\" is no engine"],
    );
    assert_eq!(room.projects(), []);
}

#[test]
fn more_options_or_pictures_than_a_run_takes_are_refused_by_their_number() {
    let room = room_with_a_picture();
    let line = ["create", "page.png", "--out", "out"];
    assert_refused(
        &room,
        &[&line[..], &["--engine", "offline"].repeat(5)].concat(),
        2,
        &["5 options", "up to 4"],
    );
    assert_refused(&room, &[&line[..], &["page.png"; 10]].concat(), 2, &["11 pictures", "up to 10"]);
    assert_eq!(room.projects(), []);
}

#[test]
fn stacks_that_offline_does_not_write_are_refused() {
    let room = room_with_a_picture();
    for stack in ["bootstrap", "html-tailwind", "react-tailwind", "vue-tailwind", "ionic-tailwind", "svg"] {
        let words = ["writes html-css", stack, "leave the stack out"];
        assert_refused(&room, &["create", "page.png", "--out", "out", "--stack", stack], 2, &words);
    }
    let words = ["\"cobol\" is no stack", "html-tailwind", "bootstrap"];
    assert_refused(&room, &["create", "page.png", "--out", "out", "--stack", "cobol"], 2, &words);
    assert_eq!(room.projects(), []);
}

#[test]
fn limits_of_nothing_are_refused() {
    let room = room_with_a_picture();
    for limit in ["--max-rounds=0", "--timeout=0"] {
        assert_refused(&room, &["create", "page.png", "--out", "out", limit], 2, &["give at least 1"]);
    }
    assert_eq!(room.projects(), []);
}

#[test]
fn nothing_to_start_from_is_wrong_usage_and_words_alone_need_a_model() {
    let room = Room::new();
    assert_refused(&room, &["create", "--out", "out"], 2, &["give a screenshot"]);
    assert_refused(&room, &["create", "--out", "out", "--text", "  "], 2, &["give a screenshot"]);
    let words = ["words alone needs a model", "add one"];
    assert_refused(&room, &["create", "--out", "out", "--text", "a shop"], 4, &words);
    assert_eq!(room.projects(), []);
}

#[test]
fn a_line_that_cannot_be_read_is_wrong_usage_with_a_hint() {
    let room = room_with_a_picture();
    let lines: [&[&str]; 6] = [
        &["create", "page.png"],
        &["create", "page.png", "--out", ""],
        &["create", "page.png", "--out", "out", "--checks", "all"],
        &["create", "page.png", "--out", "out", "--max-rounds", "many"],
        &["create", "page.png", "--out", "out", "--colour"],
        &["projects", "rename"],
    ];
    for line in lines {
        let ended = room.run(line);
        assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{line:?}");
        assert!(ended.err.starts_with("error: ") && ended.err.contains("--help"), "{line:?}: {}", ended.err);
    }
    assert_eq!(room.tree("").into_keys().collect::<Vec<_>>(), ["page.png"]);
}

#[test]
fn help_names_the_subcommands_and_version_the_program() {
    let room = Room::new();

    let (help, version) = (room.run(&["--help"]), room.run(&["--version"]));

    assert_eq!((help.code, version.code), (Some(0), Some(0)));
    for word in ["create", "trace", "projects", "modify", "measure", "render", "eval", "keys", "models"] {
        assert!(help.out.contains(&format!("\n  {word} ")), "{word} is not in {}", help.out);
    }
    assert_eq!(version.out, format!("facsimile {}\n", env!("CARGO_PKG_VERSION")));
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_subcommand_and_a_display_a_sentence_says_what_to_do() {
    let room = room_with_a_picture();
    for line in [&[][..], &["page.png"]] {
        let ended = room.run(line);
        let (code, message) = ended.refusal();
        assert_eq!((code, ended.err.lines().count()), (1, 1), "{line:?}");
        for word in ["no display", "`facsimile create screenshot.png --out page`", "`facsimile --help`"] {
            assert!(message.contains(word), "{word} is not in {message}");
        }
    }
}
