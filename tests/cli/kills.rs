//! S-37 and S-51 on the command line: the program killed at any moment.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Stdio};
use std::str::FromStr;

use facsimile_agent::{RunId, VariantIndex};
use facsimile_studio::Studio;
use serde_json::{Value, json};

use crate::pictures::{drawn, illustrated, png, shop, tide};
use crate::support::{Room, Tree, event_lines, files, folded};

/// A started program that is dead when the test ends, however that happens.
struct Started {
    child: Child,
    out: BufReader<ChildStdout>,
    told: String,
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Started {
    fn create(room: &Room, arguments: &[&str]) -> Self {
        let mut command = room.program(&[&["create", "--events", "-"], arguments].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { child, out, told: String::new() }
    }

    /// Reads event lines until one holds these words, or to the end.
    fn read_until(&mut self, words: &str) {
        while self.out.read_line(&mut self.told).unwrap() > 0 {
            if self.told.lines().last().unwrap().contains(words) {
                return;
            }
        }
    }

    /// Kills it and gives the whole event lines it had written.
    fn kill(mut self) -> Vec<Value> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).unwrap();
        let told = std::mem::take(&mut self.told) + &rest;
        let whole = told.rfind('\n').map_or("", |end| &told[..end]);
        event_lines(whole)
    }
}

/// What the data folder holds of its one run after recovery.
struct Kept {
    state: String,
    events: Vec<Value>,
    /// The files of the first variant's version, if it has one.
    files: Option<Tree>,
}

/// Opens the data folder as the next start does and checks that it is sound.
fn recovered(room: &Room) -> Kept {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let studio = Studio::open(&room.data(), runtime.handle().clone()).unwrap();
    assert_eq!(studio.store().damage().unwrap(), Vec::<String>::new());
    let projects = studio.projects().unwrap();
    let run = projects[0].runs[0].id;
    let (snapshot, _) = studio.attach(run).unwrap();
    let events: Vec<_> =
        snapshot.events.iter().map(|event| serde_json::to_value(event.as_ref()).unwrap()).collect();
    let version = studio.files_of(run, VariantIndex(0)).ok();
    let files =
        version.map(|(_, files)| files.iter().map(|(path, text)| (path.to_string(), text.into())).collect());
    Kept { state: projects[0].runs[0].state.as_str().to_owned(), events, files }
}

fn assert_gapless_to_one_end(kept: &Kept) {
    let numbers: Vec<_> = kept.events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=kept.events.len() as u64).collect::<Vec<_>>());
    let of_run = |event: &&Value| event["type"] == "runState" && event.get("variantIndex").is_none();
    let ends: Vec<_> = kept.events.iter().filter(of_run).map(|event| &event["state"]).collect();
    assert_eq!(ends, [&json!(kept.state)]);
    assert!(of_run(&&kept.events[kept.events.len() - 1]));
}

#[test]
fn a_run_killed_while_it_looks_is_interrupted_and_has_no_version() {
    let room = Room::new();
    room.file("shop.png", shop());
    let mut started = Started::create(&room, &["shop.png", "--out", "page"]);
    started.read_until("Looking at shop.png");

    started.kill();

    assert_eq!(room.projects(), [("shop".to_owned(), vec!["interrupted".to_owned()])]);
    let kept = recovered(&room);
    assert_gapless_to_one_end(&kept);
    assert_eq!((kept.files, room.path("page").exists()), (None, false));
}

#[test]
fn a_run_killed_after_code_was_shown_is_interrupted_with_that_code_as_its_draft() {
    let room = Room::new();
    room.file("tide.png", tide());
    room.file("shop.png", shop());
    let mut started = Started::create(&room, &["tide.png", "shop.png", "--out", "page"]);
    started.read_until("Looking at shop.png");
    // Two signs of life are a second apart: by the second one everything before the first was saved.
    started.read_until("runState");
    let shown = folded(&event_lines(&started.told), 0)["index.html"].clone();
    started.read_until("runState");

    started.kill();

    let human = room.run(&["projects", "list"]);
    assert!(human.out.ends_with("  tide  interrupted\n"), "{}", human.out);
    let kept = recovered(&room);
    assert_gapless_to_one_end(&kept);
    let draft = kept.files.unwrap();
    assert_eq!((kept.state.as_str(), &draft), ("interrupted", &folded(&kept.events, 0)));
    assert!(draft["index.html"].text().starts_with(shown.text()) && !shown.text().is_empty(), "{shown:?}");
}

#[test]
fn a_run_killed_after_any_of_its_events_is_ended_and_whole_at_the_next_start() {
    for lines in 1..=14 {
        let room = Room::new();
        room.file("page.png", png(drawn()));
        let mut started = Started::create(&room, &["page.png", "--out", "page"]);
        for _ in 0..lines {
            started.read_until("");
        }

        let told = started.kill();

        let projects = room.projects();
        assert!(
            ["interrupted", "succeeded"].contains(&projects[0].1[0].as_str()),
            "after {lines}: {projects:?}"
        );
        let kept = recovered(&room);
        assert_gapless_to_one_end(&kept);
        let code = folded(&kept.events, 0);
        assert_eq!(kept.files.unwrap_or_default(), code, "after {lines}");
        let run = RunId::from_str(kept.events[0]["runId"].as_str().unwrap()).unwrap();
        assert!(told.iter().all(|event| event["runId"] == run.to_string()));
    }
}

#[test]
fn an_export_killed_at_any_moment_leaves_every_file_old_or_new() {
    let room = Room::new();
    room.file("old.png", png(drawn()));
    room.file("new.png", png(illustrated()));
    for (name, out) in [("old.png", "old"), ("new.png", "new")] {
        assert_eq!(room.run(&["create", name, "--out", out]).code, Some(0));
    }
    let (old, new) = (files(room.tree("old")), files(room.tree("new")));
    for kill in 0..16_u64 {
        let out = format!("page-{kill}");
        assert_eq!(room.run(&["create", "old.png", "--out", &out]).code, Some(0));
        let mut started = Started::create(&room, &["new.png", "--out", &out]);
        // The export begins with the last event; how far it comes differs.
        started.read_until("\"succeeded\"");
        started.read_until("\"succeeded\"");
        for step in 0..kill * 60_000 {
            std::hint::black_box(step);
        }

        started.kill();

        let found = files(room.tree(&out));
        let mine: Tree = found
            .iter()
            .filter(|(name, _)| !name.starts_with('.'))
            .map(|(n, b)| (n.clone(), b.clone()))
            .collect();
        for (name, bytes) in &mine {
            assert!(
                old.get(name) == Some(bytes) || new.get(name) == Some(bytes),
                "kill {kill}: {name} is half"
            );
        }
        for name in old.keys() {
            assert!(mine.contains_key(name), "kill {kill}: {name} is gone");
        }
        assert_eq!(room.run(&["create", "new.png", "--out", &out]).code, Some(0));
        // What the killed one left beside it is gone, but for a stage that died before it was locked.
        let healed = files(room.tree(&out));
        assert_eq!(healed, new, "kill {kill}");
    }
}
