//! A key that can be recognised, used in the real window: it is in no file, no title and not in the window's memory.

use std::fs::{self, File};
use std::io::Write;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::process::Stdio;

use facsimile_testkit::Planted;
use facsimile_testkit::replay::{KEY, ReplayServer, Served, ServedTurn, Spoken};
use memchr::memmem;
use serde_json::{Value, json};

use crate::room::Room;
use crate::window::{Opening, Window};

/// Adds an endpoint in the window and its key on the command line, so that no page of the window ever had it.
async fn endpoint_with_key(window: &Window, name: &str, server: &ReplayServer) -> String {
    let endpoint = json!({ "name": name, "provider": "chat", "address": server.address() });
    let saved = window.invoke("save_endpoint", json!({ "endpoint": endpoint })).await.unwrap();
    let id = saved["id"].as_str().unwrap().to_owned();
    let mut set = window.desk.facsimile();
    set.args(["keys", "set", &format!("endpoint:{id}"), "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = set.stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(format!(" {KEY}\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    assert_eq!(told["state"], "stored", "{output:?}");
    id
}

const PAGE_BYTES: u64 = 4096;
/// So much is looked through at a time; what lies across the border of two pieces is seen with the second.
const PIECE_BYTES: u64 = 16 * 1024 * 1024;

/// The places of a process's memory in which these words stand. Only pages that are there are read: a web process
/// reserves more than any machine has.
fn places_with(words: &str, process: u32) -> Vec<String> {
    let wide: Vec<u8> = words.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let needles = [words.as_bytes(), &wide].map(memmem::Finder::new);
    let maps = fs::read_to_string(format!("/proc/{process}/maps"));
    let memory = File::open(format!("/proc/{process}/mem"));
    // The camera's process may have ended since it was listed, and its memory with it.
    let (Ok(maps), Ok(memory)) = (maps, memory) else { return Vec::new() };
    let mut found = Vec::new();
    for line in maps.lines().filter(|line| line.contains(" rw")) {
        let (from, to) = line.split(' ').next().unwrap().split_once('-').unwrap();
        let [from, to] = [from, to].map(|end| u64::from_str_radix(end, 16).unwrap());
        for run in runs_there(process, from, to) {
            let overlap = wide.len() as u64;
            for start in (run.start..run.end).step_by(PIECE_BYTES as usize) {
                let start = start.saturating_sub(overlap).max(run.start);
                let mut piece = vec![0; (run.end.min(start + PIECE_BYTES + overlap) - start) as usize];
                // A page can be gone by now.
                if memory.read_exact_at(&mut piece, start).is_ok()
                    && needles.iter().any(|needle| needle.find(&piece).is_some())
                {
                    found.push(line.to_owned());
                }
            }
        }
    }
    found
}

/// The runs of pages of a region that are in memory or swapped out.
fn runs_there(process: u32, from: u64, to: u64) -> Vec<Range<u64>> {
    const ENTRY_BYTES: u64 = 8;
    const STEP_PAGES: u64 = 1 << 20;
    let Ok(pages) = File::open(format!("/proc/{process}/pagemap")) else { return Vec::new() };
    let mut runs: Vec<Range<u64>> = Vec::new();
    for first in (from / PAGE_BYTES..to / PAGE_BYTES).step_by(STEP_PAGES as usize) {
        let count = STEP_PAGES.min(to / PAGE_BYTES - first);
        let mut entries = vec![0; (count * ENTRY_BYTES) as usize];
        if pages.read_exact_at(&mut entries, first * ENTRY_BYTES).is_err() {
            continue;
        }
        // The two highest bits: present, swapped.
        let is_there = |entry: &[u8]| entry[ENTRY_BYTES as usize - 1] & 0b1100_0000 != 0;
        let there =
            entries.chunks_exact(ENTRY_BYTES as usize).zip(first..).filter(|(entry, _)| is_there(entry));
        for (_, page) in there {
            let (start, end) = (page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
            match runs.last_mut() {
                Some(run) if run.end == start => run.end = end,
                _ => runs.push(start..end),
            }
        }
    }
    runs
}

// S-45, S-47
#[tokio::test]
async fn s_44_a_key_that_is_used_in_the_window_is_in_no_file_no_title_and_not_in_its_memory() {
    let echo = json!({ "error": { "message": format!("Incorrect API key provided: {KEY}") } }).to_string();
    let refusing =
        ReplayServer::playing(Spoken::OpenAiChat, vec![Served::status(401, &echo); 12]).await.unwrap();
    let page = "<!doctype html><html lang=\"en\"><title>Shop</title><body><h1>Written by a model</h1>";
    let call =
        ServedTurn::new().calling("c1", "create_file", json!({ "path": "index.html", "content": page }));
    let answers = [Served::from(call), ServedTurn::new().saying("The shop is there.").into()];
    let good = ReplayServer::playing(Spoken::OpenAiChat, answers).await.unwrap();
    let room = Room::new();
    let window = Opening::bare(&room).unlocked(&room).open(&room).await;
    let bad_id = endpoint_with_key(&window, "Refusing box", &refusing).await;
    let good_id = endpoint_with_key(&window, "Good box", &good).await;

    let mut told = Vec::new();
    let whose = json!({ "provider": format!("endpoint:{bad_id}") });
    for command in ["test_provider", "list_models"] {
        told.push(format!("{:?}", window.invoke(command, whose.clone()).await));
    }
    for (id, words) in [(&bad_id, "Failed"), (&good_id, "Done")] {
        window.invoke("choose_engines", json!({ "engines": [format!("chat/{id}:box-1")] })).await.unwrap();
        window.script("location.reload()", vec![]).await.unwrap();
        window.sees("footer", "box-1").await;
        window.press("Pottery shop").await;
        window.press("Make the page").await;
        window.sees("footer", words).await;
        told.push(window.value("document.documentElement.outerHTML").await.to_string());
    }
    told.push(format!(
        "{:?}",
        window.invoke("model_settings", json!({ "asking": "keychain" })).await.unwrap()
    ));
    let choice = json!({ "choice": { "pictures": true, "prompts": true, "paths": true } });
    let files = window.invoke("gather_diagnostics", choice).await.unwrap();
    told.push(files.to_string());
    told.push(window.desk.xdotool(&["search", "--name", ".", "getwindowname", "%@"]));

    let planted = Planted::of(KEY);
    let telling: Vec<_> =
        told.iter().filter(|told| !planted.spellings_in(told.as_bytes()).is_empty()).collect();
    assert_eq!(telling, Vec::<&String>::new());
    let web: Vec<_> = window.processes().into_iter().filter(|id| is_web_process(*id)).collect();
    let places = |words: &str| web.iter().flat_map(|id| places_with(words, *id)).collect::<Vec<_>>();
    // The look itself is known to look: the words of the page are there.
    assert!(!places("Written by a model").is_empty(), "nothing was found in {web:?}");
    assert_eq!(places(KEY), Vec::<String>::new());
    drop(window);
    assert_eq!(planted.below(&room.path("")), Vec::<String>::new());
    let names: Vec<_> = files.as_array().unwrap().iter().map(|file| file["name"].clone()).collect();
    assert!(names.contains(&json!("log.txt")) && names.contains(&json!("pictures/1.png")), "{names:?}");
    assert_eq!((good.complaints(), refusing.left() < 12), (Vec::new(), true));
}

fn is_web_process(id: u32) -> bool {
    fs::read_to_string(format!("/proc/{id}/comm")).is_ok_and(|name| name.starts_with("WebKitWebProces"))
}
