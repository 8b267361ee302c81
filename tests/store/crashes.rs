//! S-51: a killed program loses nothing that was acknowledged and leaves nothing half-written.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::str::FromStr;
use std::time::{Duration, Instant};

use facsimile_agent::{AssetId, ProjectId, RunId, RunStatus, TaskId, VariantIndex, VersionId};
use facsimile_store::{
    HistoryStore, NewAsset, NewTask, NewVersion, Round, Swept, TaskEnd, TaskPrice, TaskState, VariantEnd,
    VersionKind,
};
use serde_json::json;
use tempfile::TempDir;

use crate::child::{order, orders, said, say};
use crate::support::{begin, file};

const THIS_TEST: &str = "crashes::a_kill_at_any_moment_keeps_all_that_was_acknowledged_and_no_run_under_way";
/// Or as many as `FACSIMILE_TEST_KILLS` says.
const KILLS: u64 = 200;
/// So many kills share a data folder: a history that has seen some is a history to be killed in, too.
const KILLS_PER_FOLDER: u64 = 10;
/// What may be lost of what was streamed.
const LOST_AT_MOST: Duration = Duration::from_millis(500);

/// SplitMix64: the same numbers for the same seed, everywhere.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % end
    }
}

struct KilledOnDrop(Child);

impl Drop for KilledOnDrop {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn event_json(seq: u64) -> String {
    json!({"seq": seq, "text": "x".repeat((seq * 37 % 900) as usize)}).to_string()
}

fn work_until_killed(folder: &Path, seed: u64) -> ! {
    let store = HistoryStore::open(folder).unwrap();
    let project = store.projects().create(&format!("seed {seed}")).unwrap();
    let run = begin(&store, project, 2).run;
    store.runs().set_state(run, RunStatus::Running).unwrap();
    store.runs().set_variant_state(run, VariantIndex(1), RunStatus::Running).unwrap();
    say(&format!("run {run} {project}"));
    let mut numbers = Numbers(seed);
    let mut seq = 0;
    let mut round = 0;
    loop {
        let next = seq + 1 + numbers.below(40);
        store.events().append(run, (seq + 1..=next).map(|seq| (seq, event_json(seq))).collect()).unwrap();
        seq = next;
        say(&format!("streamed {seq}"));
        match numbers.below(11) {
            0 | 1 => {
                store.flush().unwrap();
                say(&format!("events {seq}"));
            }
            2 => {
                let bytes = vec![numbers.below(256) as u8; 1 + numbers.below(200_000) as usize];
                let asset = NewAsset::new(bytes, "image/png", "png");
                let asset = store.assets().put_for(project, "picture", asset).unwrap();
                say(&format!("asset {}", asset.id.as_str()));
            }
            3 => {
                let files = vec![file("index.html", &event_json(seq)), file("same.css", "a{}")];
                let (label, kind) = (String::new(), VersionKind::Result);
                let version = NewVersion { project, parent: None, made_by: None, label, kind, files };
                say(&format!("version {}", store.versions().add(version).unwrap()));
            }
            4 => {
                round += 1;
                let usage = json!({"output": seq});
                let prompt_version = "1".to_owned();
                let counted =
                    Round { round, usage, cost_usd: None, elapsed_ms: 1, retries: 0, prompt_version };
                store.rounds().add(run, VariantIndex(1), counted).unwrap();
                say(&format!("round {round}"));
            }
            5 => {
                let id = TaskId::fresh();
                let new = NewTask {
                    id,
                    project,
                    made_by: Some((run, VariantIndex(1))),
                    kind: "generate_images".to_owned(),
                    title: String::new(),
                    stages: Vec::new(),
                    total: 1,
                    inputs: json!(null),
                    paths: vec![format!("assets/task-{id}-0.png")],
                    price: Some(TaskPrice { reserve_usd: 0.01, cap_usd: 0.0 }),
                };
                store.tasks().begin(new).unwrap();
                say(&format!("task {id}"));
                store.tasks().start(project, id).unwrap();
            }
            6 => {
                let open = store
                    .tasks()
                    .of_project(project)
                    .unwrap()
                    .into_iter()
                    .find(|task| !task.state.is_terminal());
                if let Some(task) = open {
                    let end =
                        TaskEnd::Succeeded { result: json!(1), assets: Vec::new(), cost_usd: Some(0.005) };
                    store.tasks().end(project, task.id, end).unwrap();
                    say(&format!("done {}", task.id));
                }
            }
            7 => {
                let key = format!("request-{round}");
                store.ledger().reserve(run, &key, 0.02, 0.0).unwrap();
                if numbers.below(2) == 0 {
                    store.ledger().settle(run, &key, 0.015).unwrap();
                    say(&format!("settled {key}"));
                }
            }
            8 => {
                store.steps().undo(project).unwrap();
            }
            9 => {
                let versions = store.versions().of_project(project).unwrap();
                if let Some(version) = versions.first() {
                    say(&format!("version {}", store.versions().restore(project, version.id).unwrap()));
                }
            }
            _ => {
                let end = VariantEnd {
                    files: vec![file("index.html", "done")],
                    ..VariantEnd::in_state(RunStatus::StoppedAtLimit)
                };
                let ended = store.runs().finish_variant(run, VariantIndex(0), end).unwrap();
                say(&format!("version {}", ended.version.unwrap()));
            }
        }
    }
}

/// Starts a child, kills it after some of its lines and a moment that differs by seed, and gives all it said, and
/// the last event that it had streamed long enough before.
fn lines_until_kill(folder: &Path, seed: u64) -> (Vec<String>, u64) {
    let mut numbers = Numbers(!seed);
    let mut command = Command::new(std::env::current_exe().unwrap());
    order(&mut command, THIS_TEST, folder, &seed.to_string());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut child = KilledOnDrop(child);
    let mut reader = BufReader::new(child.0.stdout.take().unwrap());
    let mut heard = Vec::new();
    let lines_wanted = 1 + numbers.below(48) as usize;
    let mut streamed = Vec::new();
    while said(&heard).len() < lines_wanted {
        assert_ne!(reader.read_until(b'\n', &mut heard).unwrap(), 0, "the child ended: {:?}", said(&heard));
        if let Some(seq) = acknowledged(&said(&heard), "streamed").last() {
            streamed.push((Instant::now(), seq.parse::<u64>().unwrap()));
        }
    }
    for step in 0..numbers.below(3_000_000) {
        std::hint::black_box(step);
    }
    let long_ago = streamed.iter().rev().find(|(heard, _)| heard.elapsed() > LOST_AT_MOST);
    let due = long_ago.map_or(0, |(_, seq)| *seq);
    drop(child);
    // What was said before the kill was acknowledged, read or not.
    reader.read_to_end(&mut heard).unwrap();
    (said(&heard), due)
}

fn acknowledged<'a>(lines: &'a [String], what: &str) -> Vec<&'a str> {
    lines.iter().filter_map(|line| line.strip_prefix(what)?.strip_prefix(' ')).collect()
}

#[test]
fn a_kill_at_any_moment_keeps_all_that_was_acknowledged_and_no_run_under_way() {
    if let Some(orders) = orders() {
        work_until_killed(&orders.folder, orders.part.parse().unwrap());
    }
    let kills = std::env::var("FACSIMILE_TEST_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    let mut folder = TempDir::new().unwrap();
    for seed in 0..kills {
        if seed % KILLS_PER_FOLDER == 0 {
            folder = TempDir::new().unwrap();
        }
        let (lines, due) = lines_until_kill(folder.path(), seed);

        let store = HistoryStore::open(folder.path()).unwrap();
        let recovered = store.recover_interrupted().unwrap();

        assert_eq!(store.damage().unwrap(), Vec::<String>::new(), "seed {seed}");
        let (run, project) = acknowledged(&lines, "run")[0].split_once(' ').unwrap();
        let (run, project) = (RunId::from_str(run).unwrap(), ProjectId::from_str(project).unwrap());
        let kept = store.events().since(run, 0).unwrap();
        let saved = kept.len() as u64;
        let expected: Vec<_> = (1..=saved).map(|seq| (seq, event_json(seq))).collect();
        assert_eq!(kept.into_iter().map(|e| (e.seq, e.json)).collect::<Vec<_>>(), expected, "seed {seed}");
        let promised = acknowledged(&lines, "events").last().map_or(0, |seq| seq.parse().unwrap());
        assert!(saved >= promised.max(due), "seed {seed}: {saved} of {promised} and {due} events");

        for task in store.tasks().of_project(project).unwrap() {
            assert!(task.state.is_terminal(), "seed {seed}: {task:?}");
        }
        for id in acknowledged(&lines, "task") {
            store.tasks().get(project, TaskId::from_str(id).unwrap()).unwrap();
        }
        for id in acknowledged(&lines, "done") {
            let task = store.tasks().get(project, TaskId::from_str(id).unwrap()).unwrap();
            assert_eq!(task.state, TaskState::Succeeded, "seed {seed}");
        }
        let spent = store.ledger().of_run(run).unwrap();
        let settled = acknowledged(&lines, "settled").into_iter().collect::<HashSet<_>>().len() as u64;
        let done = acknowledged(&lines, "done").len() as u64;
        assert_eq!(
            (spent.open_nanos, spent.reserved_nanos),
            (0, spent.settled_nanos + spent.released_nanos),
            "seed {seed}"
        );
        assert!(spent.settled_nanos >= settled * 15_000_000 + done * 5_000_000, "seed {seed}: {spent:?}");

        let stored = store.runs().get(run).unwrap();
        let ended = stored.variants[0].version.is_some();
        let (first, cut) = match ended {
            true => (RunStatus::StoppedAtLimit, vec![VariantIndex(1)]),
            false => (RunStatus::Interrupted, vec![VariantIndex(0), VariantIndex(1)]),
        };
        let of_run = RunStatus::of_run(&[first, RunStatus::Interrupted]);
        assert_eq!(
            (stored.state, stored.variants[0].state, stored.variants[1].state),
            (of_run, first, RunStatus::Interrupted)
        );
        let facts: Vec<_> =
            recovered.into_iter().map(|r| (r.run, r.project, r.state, r.last_seq, r.interrupted)).collect();
        assert_eq!(facts, [(run, project, of_run, saved, cut)], "seed {seed}");

        for id in acknowledged(&lines, "asset") {
            store.assets().read(&AssetId::parse(id).unwrap()).unwrap();
        }
        for id in acknowledged(&lines, "version") {
            assert!(!store.versions().files(VersionId::from_str(id).unwrap()).unwrap().is_empty());
        }
        let rounds = store.rounds().of_variant(run, VariantIndex(1)).unwrap().len();
        assert!(rounds >= acknowledged(&lines, "round").len(), "seed {seed}");
        for linked in store.assets().of_project(project).unwrap() {
            store.assets().read(&linked.asset.id).unwrap();
        }
        // At most the one asset that was being stored when the kill came.
        let swept = store.assets().sweep_orphans().unwrap();
        assert!(swept.files <= 1 && swept.rows == 0, "seed {seed}: {swept:?}");
        assert_eq!(store.assets().sweep_orphans().unwrap(), Swept::default());
        assert_eq!(store.recover_interrupted().unwrap(), []);
    }
}
