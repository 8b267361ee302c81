//! A disk without room for the result: said so, and the target as it was.

use std::process::Command;

use crate::pictures::{png, tide};
use crate::support::{Ended, Room};

/// A small disk of the program's own, told of when it has ended: what is on it, and with which checksums.
const SMALL_DISK: &str = r#"mount -t tmpfs -o size=64k none disk || exit 99
mkdir disk/page && echo old >disk/page/index.html && head -c 49152 /dev/zero >disk/ballast
"$@"; code=$?
find disk -type f | sort; cat disk/page/index.html; exit $code"#;
/// Files may hold half a kibibyte, and writing further is an error, not a signal.
const SHORT_FILES: &str = r#"trap '' XFSZ; ulimit -f 1; exec "$@""#;

/// Runs the program in surroundings that a shell makes.
fn run_in(room: &Room, shell: &[&str], script: &str, arguments: &[&str]) -> Ended {
    let mut command = Command::new(shell[0]);
    command.args(&shell[1..]).args(["-c", script, "sh", env!("CARGO_BIN_EXE_facsimile")]).args(arguments);
    Ended::of(&room.surround(&mut command).output().unwrap())
}

/// On a small disk, where this user may make one: as root or in a namespace of one's own.
fn run_on_a_small_disk(room: &Room, arguments: &[&str]) -> Option<Ended> {
    std::fs::create_dir(room.path("disk")).unwrap();
    [["unshare", "-m", "sh"], ["unshare", "-rm", "sh"]]
        .into_iter()
        .map(|shell| run_in(room, &shell, SMALL_DISK, arguments))
        .find(|ended| !ended.out.is_empty())
}

#[test]
fn a_file_that_may_not_grow_is_a_full_disk_and_the_target_stays_as_it_was() {
    let room = Room::new();
    room.file("tide.png", tide());
    room.file("page/index.html", "old");
    let before = room.tree("page");

    let line = ["trace", "tide.png", "--out"];
    let messages = ["page", "new", "deep/er/new"].map(|out| {
        let ended = run_in(&room, &["sh"], SHORT_FILES, &[&line[..], &[out]].concat());
        let (code, message) = ended.refusal();
        (code, message.to_owned())
    });

    let full = |out: &str| {
        let path = match out {
            "page" => room.path("page").canonicalize().unwrap().display().to_string(),
            out => out.to_owned(),
        };
        let words = "is full; free some space or choose another place. Nothing was written";
        (1, format!("facsimile: the disk of {path} {words}"))
    };
    assert_eq!(messages, ["page", "new", "deep/er/new"].map(full));
    assert_eq!(room.tree("page"), before);
    assert_eq!(room.tree("").into_keys().collect::<Vec<_>>(), ["page/", "page/index.html", "tide.png"]);
}

#[test]
fn a_full_disk_is_named_when_a_page_is_exported_and_the_target_stays_as_it_was() {
    let room = Room::new();
    room.file("tide.png", tide());

    for out in ["disk/page", "disk/new"] {
        let ended = run_on_a_small_disk(&room, &["create", "tide.png", "--out", out]);
        std::fs::remove_dir(room.path("disk")).unwrap();
        // Without the rights to make a disk the test above stands alone.
        let Some(ended) = ended else { return };

        assert_eq!((ended.code, ended.out.as_str()), (Some(1), "disk/ballast\ndisk/page/index.html\nold\n"));
        let message = ended.err.lines().last().unwrap();
        assert!(message.starts_with("facsimile: the disk of ") && message.contains(out), "{message}");
        assert!(message.contains(" is full; ") && message.ends_with("Nothing was written"), "{message}");
    }
    assert_eq!(room.projects()[0].1, ["succeeded"], "the page itself is kept");
}

#[test]
fn a_full_disk_under_the_data_folder_is_named() {
    let room = Room::new();
    room.file("tide.png", png(crate::pictures::illustrated()));

    let ended = run_in(&room, &["sh"], SHORT_FILES, &["create", "tide.png", "--out", "page"]);

    let (code, message) = ended.refusal();
    assert_eq!((code, room.path("page").exists()), (1, false));
    assert!(message.contains("no space is left for ") && message.contains("free some space"), "{message}");
}

#[test]
fn a_folder_that_is_a_disk_of_its_own_is_filled() {
    let room = Room::new();
    room.file("page.png", png(crate::pictures::drawn()));

    // The folder is where the disk is mounted: nothing can be renamed into it from beside it.
    let Some(ended) = run_on_a_small_disk(&room, &["create", "page.png", "--out", "disk"]) else { return };

    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.out.starts_with("disk/ballast\ndisk/index.html\ndisk/page/index.html\ndisk/styles.css\n"));
}
