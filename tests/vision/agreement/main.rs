//! Holds the meter against another implementation's numbers for a folder of pages.
//!
//! `cargo run --release -p facsimile-vision --example agreement -- NUMBERS.json FOLDER`

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)] // it stops at the first surprise

#[path = "../fidelity/altered.rs"]
mod altered;
#[path = "../fidelity/numbers.rs"]
mod numbers;
#[path = "../fidelity/page.rs"]
mod page;

use std::path::Path;

use numbers::{Expected, disagreements};
use page::Page;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [numbers, folder] = arguments.as_slice() else {
        panic!("usage: agreement NUMBERS.json FOLDER");
    };
    let expected: Expected = serde_json::from_slice(&std::fs::read(numbers).unwrap()).unwrap();
    let mut all = Vec::new();
    for name in expected.keys() {
        let file = |ending: &str| std::fs::read(Path::new(folder).join(format!("{name}.{ending}"))).unwrap();
        let page = Page::of(&file("json"), &file("png"));
        let (wrong, most) = disagreements(&page, name, &expected);
        println!("{name}: off by {most:.5} at most");
        all.extend(wrong);
    }
    assert!(all.is_empty(), "{all:#?}");
}
