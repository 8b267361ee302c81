//! Hostile and foreign names of files and folders: S-41 and S-33 on the command line.

use crate::pictures::{drawn, illustrated, png};
use crate::support::{Ended, Room, event_lines, folded, texts};

/// Names that are legal wherever the program runs.
const EVERYWHERE: [&str; 8] = [
    "page one.png",
    "100 % done #2.png",
    "%2e%2e#fragment&amp;.png",
    "Größe – naïve.png",
    "e\u{301}tude.png",
    "ページ.png",
    "🏺 shop 🌊.png",
    "\u{5e2}\u{5de}\u{5d5}\u{5d3} \u{202e}gnp.png",
];

fn succeeded(ended: &Ended) {
    assert_eq!(ended.code, Some(0), "{}", ended.err);
}

#[test]
fn pictures_of_any_name_become_projects_of_that_name() {
    let room = Room::new();
    let mut wanted = Vec::new();
    for name in EVERYWHERE {
        room.file(name, png(drawn()));
        succeeded(&room.run(&["create", name, "--out", "page"]));
        wanted.insert(0, (name.strip_suffix(".png").unwrap().to_owned(), vec!["succeeded".to_owned()]));
    }
    assert_eq!(room.projects(), wanted);
}

#[test]
fn pages_land_in_folders_of_any_name() {
    let room = Room::new();
    room.file("page.png", png(illustrated()));
    succeeded(&room.run(&["create", "page.png", "--out", "plain"]));
    for name in EVERYWHERE {
        let out = format!("results/{name}/the page");
        let ended = room.run(&["create", "page.png", "--out", &out, "--json"]);
        succeeded(&ended);
        assert_eq!(ended.json()["variants"][0]["out"], out.as_str());
        assert_eq!(room.tree(&out), room.tree("plain"), "{name}");
    }
}

#[test]
fn a_name_with_a_leading_dash_is_a_picture_after_two_dashes() {
    let room = Room::new();
    room.file("-page.png", png(drawn()));
    room.file("--out", png(drawn()));

    let ended = room.run(&["create", "--out", "page", "--", "-page.png", "--out"]);

    succeeded(&ended);
    assert!(room.path("page/page-2.html").is_file());
}

#[cfg(unix)]
#[test]
fn a_newline_in_a_name_breaks_neither_messages_nor_event_lines() {
    let room = Room::new();
    room.file("two\nlines.png", png(drawn()));
    room.file("no\npicture.png", "text");

    let taken = room.run(&["create", "two\nlines.png", "--out", "page", "--events", "-"]);
    let refused = room.run(&["create", "no\npicture.png", "--out", "other"]);
    let listed = room.run(&["projects", "list"]);

    succeeded(&taken);
    assert_eq!(folded(&event_lines(&taken.out), 0), texts(&room.tree("page")));
    let (code, message) = refused.refusal();
    assert_eq!((code, message.split(':').nth(1)), (3, Some(" no\u{fffd}picture.png")));
    assert_eq!((listed.out.lines().count(), listed.out.contains("two\u{fffd}lines")), (1, true));
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_of_255_bytes_and_one_that_is_no_text_are_pictures() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let room = Room::new();
    let long = format!("{}.png", "l".repeat(251));
    let no_text = OsStr::from_bytes(b"caf\xe9.png");
    room.file(&long, png(drawn()));
    room.file(no_text, png(drawn()));

    succeeded(&room.run(&["create", &long, "--out", "long"]));
    succeeded(&room.run(&[OsStr::new("create"), no_text, OsStr::new("--out"), OsStr::new("page")]));

    let names: Vec<_> = room.projects().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["caf\u{fffd}".to_owned(), format!("{}…", "l".repeat(60))]);
}

#[cfg(target_os = "linux")]
#[test]
fn results_tell_of_folders_whose_names_are_no_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let room = Room::new();
    room.file("page.png", png(drawn()));
    let out = OsStr::from_bytes(b"out-\xff");
    let line = |subcommand| [subcommand, "page.png", "--json", "--out"].map(OsStr::new);

    let created = room.run(&[&line("create")[..], &[out]].concat());
    let traced = room
        .run(&[&line("trace")[..], &[out, OsStr::new("--facts"), OsStr::from_bytes(b"\xfe.json")]].concat());

    succeeded(&created);
    succeeded(&traced);
    assert_eq!(created.json()["variants"][0]["out"], "out-\u{fffd}");
    assert_eq!(
        (&traced.json()["out"], &traced.json()["facts"]),
        (&"out-\u{fffd}".into(), &"\u{fffd}.json".into())
    );
    assert!(room.path(out).join("index.html").is_file());
}
