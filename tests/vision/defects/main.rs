//! How often the first reason names a defect, over a folder of pages.
//!
//! `cargo run --release -p facsimile-vision --example defects -- FOLDER`

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)] // it stops at the first surprise

#[path = "../fidelity/damage.rs"]
mod damage;
#[path = "../fidelity/page.rs"]
mod page;

use damage::trials;
use facsimile_testkit::defects::verdict;
use page::Page;

fn main() {
    let Some(folder) = std::env::args().nth(1) else { panic!("usage: defects FOLDER") };
    let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|ending| ending == "png"));
    names.sort();
    let mut all = Vec::new();
    for picture in names {
        let name = picture.file_stem().unwrap().to_string_lossy().into_owned();
        let geometry = std::fs::read(picture.with_extension("json")).unwrap();
        all.extend(trials(&Page::of(&geometry, &std::fs::read(&picture).unwrap()), &name));
    }
    let verdict = verdict(&all);
    println!("{:#?}\n{:#?}", verdict.wrong, verdict.rising);
    let (right, asked, rising) = (verdict.right, verdict.asked, verdict.rising.len());
    println!("{right} of {asked} ({:.3}); rising in {rising} of {}", verdict.share(), all.len());
}
