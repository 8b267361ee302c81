//! Limits and Ctrl-C: how a run ends early, and what is kept.

use crate::pictures::{drawn, png, shop};
use crate::support::{Room, event_lines, folded, texts};

#[test]
fn one_round_is_not_enough_and_keeps_the_page() {
    let room = Room::new();
    room.file("page.png", png(drawn()));

    let ended =
        room.run(&["create", "page.png", "--out", "page", "--max-rounds", "1", "--events", "-", "--json"]);

    let mut events = event_lines(&ended.out);
    let result = events.pop().unwrap();
    assert_eq!((ended.code, result["state"].as_str()), (Some(5), Some("stopped_at_limit")));
    assert_eq!(result["variants"][0]["files"], serde_json::json!(["index.html"]));
    assert_eq!(folded(&events, 0), texts(&room.tree("page")));
    assert_eq!(room.projects(), [("page".to_owned(), vec!["stopped_at_limit".to_owned()])]);
}

#[test]
fn two_rounds_are_enough() {
    let room = Room::new();
    room.file("page.png", png(drawn()));

    assert_eq!(room.run(&["create", "page.png", "--out", "page", "--max-rounds", "2"]).code, Some(0));
}

#[test]
fn a_time_limit_ends_the_run_in_the_state_that_the_exit_status_tells() {
    let room = Room::new();
    room.file("shop.png", shop());

    let ended = room.run(&["create", "shop.png", "--out", "page", "--timeout", "1", "--json"]);

    let result = ended.json();
    let variant = &result["variants"][0];
    let (state, code) = (result["state"].as_str().unwrap(), ended.code.unwrap());
    assert!(matches!((state, code), ("succeeded", 0) | ("stopped_at_limit", 5)), "{state} {code}");
    assert_eq!(variant["state"], state);
    assert_eq!(room.path("page").exists(), variant["out"].is_string());
    assert_eq!(room.projects(), [("shop".to_owned(), vec![state.to_owned()])]);
}

#[test]
fn a_time_limit_beyond_all_time_is_no_limit() {
    let room = Room::new();
    room.file("page.png", png(drawn()));

    let ended = room.run(&["create", "page.png", "--out", "page", "--timeout", &u64::MAX.to_string()]);

    assert_eq!(ended.code, Some(0), "{}", ended.err);
}

#[cfg(unix)]
mod interrupted {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Child, Command, Stdio};

    use super::*;

    fn interrupt(child: &Child) {
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    }

    #[test]
    fn ctrl_c_cancels_politely_and_leaves_the_run_cancelled() {
        let room = Room::new();
        room.file("shop.png", shop());
        let mut command = room.program(&["create", "shop.png", "--out", "page", "--json", "--events", "-"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut told = String::new();
        while !told.contains("Looking at shop.png") {
            assert_ne!(out.read_line(&mut told).unwrap(), 0, "{told}");
        }

        interrupt(&child);

        out.read_to_string(&mut told).unwrap();
        let mut words = String::new();
        child.stderr.take().unwrap().read_to_string(&mut words).unwrap();
        let mut lines = event_lines(&told);
        let result = lines.pop().unwrap();
        assert_eq!((child.wait().unwrap().code(), result["state"].as_str()), (Some(130), Some("cancelled")));
        assert_eq!(
            (&lines[lines.len() - 1]["state"], room.path("page").exists()),
            (&"cancelled".into(), false)
        );
        assert!(words.contains("Stopping. What is there is kept"), "{words}");
        assert_eq!(room.projects(), [("shop".to_owned(), vec!["cancelled".to_owned()])]);
    }

    #[test]
    fn ctrl_c_during_the_second_page_keeps_the_first() {
        let room = Room::new();
        room.file("page.png", png(drawn()));
        room.file("shop.png", shop());
        let mut command = room.program(&["create", "page.png", "shop.png", "--out", "page", "--events", "-"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut told = String::new();
        while !told.contains("Looking at shop.png") {
            assert_ne!(out.read_line(&mut told).unwrap(), 0, "{told}");
        }

        interrupt(&child);

        out.read_to_string(&mut told).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert_eq!(folded(&event_lines(&told), 0), texts(&room.tree("page")));
    }
}
