//! Where data is kept and results go: what is in the way, what may not be written.

use std::fs;

use crate::pictures::{drawn, illustrated, png};
use crate::support::{Ended, Room, Tree, files};

fn room_with_a_picture() -> Room {
    let room = Room::new();
    room.file("page.png", png(illustrated()));
    room
}

/// What a run writes into an empty place.
fn fresh(room: &Room) -> Tree {
    assert_eq!(room.run(&["create", "page.png", "--out", "fresh"]).code, Some(0));
    room.tree("fresh")
}

/// A run that succeeded but whose page could not be put where it was wanted.
fn assert_not_exported(room: &Room, ended: &Ended, words: &[&str]) {
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    let message = ended.err.lines().last().unwrap();
    for word in words {
        assert!(message.contains(word), "{word:?} is not in {message:?}");
    }
    let projects = room.projects();
    assert_eq!(projects[0], ("page".to_owned(), vec!["succeeded".to_owned()]), "the page itself is kept");
}

#[test]
fn a_data_folder_that_is_a_file_is_named_and_left_alone() {
    let room = room_with_a_picture();
    room.file("notes", "mine");

    for line in [&["create", "page.png", "--out", "page"][..], &["projects", "list"]] {
        let ended = room.run(&[line, &["--data-dir", "notes"]].concat());
        let (code, message) = ended.refusal();
        assert_eq!(code, 1);
        assert!(message.starts_with("facsimile: could not open the history: notes"), "{message}");
    }

    assert_eq!(room.tree("").into_keys().collect::<Vec<_>>(), ["notes", "page.png"]);
    assert_eq!(fs::read(room.path("notes")).unwrap(), b"mine");
}

#[test]
fn an_out_that_is_a_file_is_named_and_left_alone() {
    let room = room_with_a_picture();
    room.file("notes", "mine");

    let ended = room.run(&["create", "page.png", "--out", "notes"]);

    assert_not_exported(&room, &ended, &["notes is a file, not a folder; choose another place"]);
    assert_eq!(fs::read(room.path("notes")).unwrap(), b"mine");
}

#[test]
fn an_out_below_a_file_is_named_and_nothing_is_written() {
    let room = room_with_a_picture();
    room.file("notes", "mine");

    let ended = room.run(&["create", "page.png", "--out", "notes/page"]);

    assert_not_exported(&room, &ended, &["notes/page", "Nothing was written"]);
    assert_eq!(fs::read(room.path("notes")).unwrap(), b"mine");
}

#[test]
fn a_failed_export_is_told_in_the_result_too() {
    let room = room_with_a_picture();
    room.file("notes", "mine");

    let ended = room.run(&["create", "page.png", "--out", "notes", "--json"]);

    let variant = &ended.json()["variants"][0];
    assert_eq!((ended.code, &variant["state"], &variant["out"]), (Some(1), &"succeeded".into(), &().into()));
    let error = &variant["error"];
    let message = "notes is a file, not a folder; choose another place";
    assert_eq!((&error["kind"], &error["message"]), (&"storage".into(), &message.into()));
}

#[test]
fn a_folder_in_the_way_of_a_file_is_named_and_nothing_changes() {
    let room = room_with_a_picture();
    room.file("page/index.html/deep.txt", "mine");
    room.file("page/styles.css", "old styles");
    let before = room.tree("page");

    let ended = room.run(&["create", "page.png", "--out", "page"]);

    assert_not_exported(&room, &ended, &["page/index.html is in the way", "Nothing was written"]);
    assert_eq!(room.tree("page"), before);
}

#[test]
fn a_file_in_the_way_of_a_folder_is_named_and_nothing_changes() {
    let room = room_with_a_picture();
    room.file("page/assets", "mine");
    let before = room.tree("page");

    let ended = room.run(&["create", "page.png", "--out", "page"]);

    assert_not_exported(&room, &ended, &["page/assets is in the way", "Nothing was written"]);
    assert_eq!(room.tree("page"), before);
}

#[test]
fn other_files_in_the_folder_stay_and_an_older_page_is_replaced() {
    let room = room_with_a_picture();
    room.file("older.png", png(drawn()));
    let mut wanted = fresh(&room);
    for (name, text) in [("notes.txt", "mine"), ("assets/logo.svg", "<svg/>"), ("deep/er/index.html", "mine")]
    {
        room.file(format!("page/{name}"), text);
        wanted.insert(name.to_owned(), text.into());
    }
    assert_eq!(room.run(&["create", "older.png", "--out", "page"]).code, Some(0));

    let ended = room.run(&["create", "page.png", "--out", "page"]);

    assert_eq!((ended.code, files(room.tree("page"))), (Some(0), files(wanted)));
}

#[test]
fn an_empty_folder_and_one_named_with_a_dot_or_a_slash_are_filled() {
    let room = room_with_a_picture();
    let wanted = fresh(&room);
    for place in ["empty", "slash", "here"] {
        fs::create_dir(room.path(place)).unwrap();
    }

    for out in ["empty", "slash/", "here/../here/.", "made/deep/er"] {
        assert_eq!(room.run(&["create", "page.png", "--out", out]).code, Some(0), "{out}");
        assert_eq!(room.tree(out), wanted, "{out}");
    }
    fs::create_dir(room.path("dot")).unwrap();
    let mut program = room.program(&["create", "../page.png", "--out", "."]);
    assert!(program.current_dir(room.path("dot")).status().unwrap().success());
    assert_eq!(room.tree("dot"), wanted);
}

#[test]
fn nothing_but_the_page_lies_beside_it_afterwards() {
    let room = room_with_a_picture();
    room.file("work/page/notes.txt", "mine");

    for out in ["work/page", "work/new"] {
        assert_eq!(room.run(&["create", "page.png", "--out", out]).code, Some(0));
    }

    let names: Vec<_> = fs::read_dir(room.path("work")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(room.tree("work").keys().all(|name| !name.contains(".facsimile")));
}

#[cfg(unix)]
mod permissions {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::support::allow;

    #[test]
    fn a_link_to_a_folder_is_followed_and_one_that_leads_nowhere_is_in_the_way() {
        let room = room_with_a_picture();
        let wanted = fresh(&room);
        fs::create_dir(room.path("real")).unwrap();
        symlink("real", room.path("link")).unwrap();
        symlink("gone", room.path("dead")).unwrap();

        let followed = room.run(&["create", "page.png", "--out", "link"]);
        let refused = room.run(&["create", "page.png", "--out", "dead"]);

        assert_eq!((followed.code, room.tree("real")), (Some(0), wanted));
        assert!(fs::symlink_metadata(room.path("link")).unwrap().is_symlink());
        assert_not_exported(&room, &refused, &["dead is in the way"]);
        assert!(!room.path("gone").exists());
    }

    #[test]
    fn a_link_in_the_folder_is_never_written_through() {
        let room = room_with_a_picture();
        room.file("mine.html", "mine");
        fs::create_dir(room.path("page")).unwrap();
        symlink("../mine.html", room.path("page/index.html")).unwrap();

        let ended = room.run(&["create", "page.png", "--out", "page"]);

        assert_not_exported(&room, &ended, &["page/index.html is in the way"]);
        assert_eq!(fs::read(room.path("mine.html")).unwrap(), b"mine");
    }

    /// A folder that everybody may write to, for the data of a plain user.
    fn open_to_all(room: &Room, name: &str) {
        fs::create_dir(room.path(name)).unwrap();
        allow(&room.path(name), 0o777);
    }

    #[test]
    fn a_data_folder_that_may_not_be_written_is_named_and_nothing_is_written() {
        let room = room_with_a_picture();
        open_to_all(&room, "own");
        for folder in ["closed", "closed/data"] {
            fs::create_dir(room.path(folder)).unwrap();
            allow(&room.path(folder), 0o555);
        }

        let line = ["create", "page.png", "--out", "own/page", "--data-dir"];
        for data in ["closed/data", "closed/new"] {
            let ended = room.run_as_a_plain_user(&[&line[..], &[data]].concat());
            let (code, message) = ended.refusal();
            assert_eq!(code, 1, "{message}");
            assert!(message.contains(data) && message.contains("read-only for this user"), "{message}");
            assert!(message.ends_with("choose another data folder"), "{message}");
        }

        assert_eq!((room.tree("own"), room.tree("closed").len()), (Tree::new(), 1));
    }

    #[test]
    fn an_out_that_may_not_be_written_is_named_and_left_alone() {
        let room = room_with_a_picture();
        open_to_all(&room, "own");
        room.file("closed/index.html", "mine");
        allow(&room.path("closed"), 0o555);

        let line = ["create", "page.png", "--data-dir", "own/data", "--out"];
        for out in ["closed", "closed/new"] {
            let ended = room.run_as_a_plain_user(&[&line[..], &[out]].concat());
            let message = ended.err.lines().last().unwrap().to_owned();
            assert_eq!(ended.code, Some(1), "{message}");
            let wanted = "cannot be written to; choose another place. Nothing was written";
            assert!(message.contains(out) && message.ends_with(wanted), "{message}");
        }

        assert_eq!(room.tree("closed"), Tree::from([("index.html".to_owned(), "mine".into())]));
    }

    #[test]
    fn a_folder_of_one_s_own_inside_a_closed_one_is_filled() {
        let room = room_with_a_picture();
        let wanted = fresh(&room);
        open_to_all(&room, "own");
        fs::create_dir_all(room.path("closed/page")).unwrap();
        allow(&room.path("closed/page"), 0o777);
        allow(&room.path("closed"), 0o555);

        let line = ["create", "page.png", "--data-dir", "own/data", "--out", "closed/page"];
        let ended = room.run_as_a_plain_user(&line);

        assert_eq!((ended.code, room.tree("closed/page")), (Some(0), wanted), "{}", ended.err);
    }

    #[test]
    fn a_closed_folder_in_the_target_leaves_the_target_as_it_was() {
        let room = room_with_a_picture();
        open_to_all(&room, "own");
        open_to_all(&room, "page");
        room.file("page/index.html", "old page");
        room.file("page/assets/logo.svg", "<svg/>");
        allow(&room.path("page/assets"), 0o555);
        let before = room.tree("page");

        let line = ["create", "page.png", "--data-dir", "own/data", "--out", "page"];
        let ended = room.run_as_a_plain_user(&line);

        assert_eq!((ended.code, room.tree("page")), (Some(1), before), "{}", ended.err);
    }
}
