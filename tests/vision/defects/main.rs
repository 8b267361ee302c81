//! How often the first reason names a defect: of defects done to the pictures of a folder of pages, or of those that
//! were drawn and kept there.
//!
//! `cargo run --release -p facsimile-vision --example defects -- FOLDER [PART OF A NAME]`

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)] // it stops at the first surprise

#[path = "../fidelity/damage.rs"]
mod damage;
#[path = "../fidelity/page.rs"]
mod page;

use std::path::Path;
use std::sync::Mutex;
use std::{fs, thread};

use damage::trials;
use facsimile_testkit::defects::{Trial, verdict};
use facsimile_vision::fidelity::{Reading, measure};
use page::Page;

fn main() {
    let Some(folder) = std::env::args().nth(1) else { panic!("usage: defects FOLDER [PART OF A NAME]") };
    let part = std::env::args().nth(2).unwrap_or_default();
    let folder = Path::new(&folder);
    let all = match fs::read_to_string(folder.join("trials.jsonl")) {
        Ok(list) => kept(folder, &list, &part),
        Err(_) => done_to_pictures(folder),
    };
    let verdict = verdict(&all);
    println!("{:#?}\n{:#?}", verdict.wrong, verdict.rising);
    let (right, asked, rising) = (verdict.right, verdict.asked, verdict.rising.len());
    println!("{right} of {asked} ({:.3}); rising in {rising} of {}", verdict.share(), all.len());
}

fn done_to_pictures(folder: &Path) -> Vec<Trial> {
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|ending| ending == "png"));
    names.sort();
    let pages = names.into_iter().map(|picture| {
        let name = picture.file_stem().unwrap().to_string_lossy().into_owned();
        let page = page(&picture.with_extension(""));
        trials(&page, &name)
    });
    pages.flatten().collect()
}

fn page(path: &Path) -> Page {
    Page::of(&fs::read(path.with_extension("json")).unwrap(), &fs::read(path.with_extension("png")).unwrap())
}

/// Trials of drawn pages that were kept.
fn kept(folder: &Path, list: &str, part: &str) -> Vec<Trial> {
    let lines: Vec<serde_json::Value> =
        list.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let word = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let name = |line: &serde_json::Value| format!("{} {}", word(&line["name"]), word(&line["defect"]));
    let wanted: Vec<_> = lines.iter().filter(|line| name(line).contains(part)).collect();
    let work = Mutex::new(wanted.into_iter());
    let found = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let next = work.lock().unwrap().next();
                    let Some(line) = next else { break };
                    let reference = page(&folder.join(word(&line["page"])));
                    let mut scores = [0.0; 3];
                    let named = [0, 1, 2].map(|at| {
                        let [key, element, kind] = [0, 1, 2].map(|of| word(&line["damaged"][at][of]));
                        let measured =
                            measure(reference.side(), page(&folder.join(key)).side(), Reading::Dom);
                        scores[at] = measured.score;
                        for reason in measured.reasons.iter().take(5) {
                            eprintln!("{} {at} {}", name(line), serde_json::to_string(reason).unwrap());
                        }
                        let found = measured.reasons.first().map(|reason| {
                            let kind = serde_json::to_value(reason.kind).unwrap();
                            (reason.selector.clone().unwrap_or_default(), word(&kind))
                        });
                        (vec![(element, kind)], found)
                    });
                    found.lock().unwrap().push(Trial { name: name(line), scores, named });
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}
