//! Scores of true pages against their own screenshots, as read by the tracer.
//!
//! `cargo run --release -p facsimile-vision --example own -- FOLDER FACTS_FOLDER`; what was read is kept in the second
//! folder, so that a second run takes seconds.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)] // it stops at the first surprise

#[path = "../fidelity/page.rs"]
mod page;

use std::path::Path;

use facsimile_vision::fidelity::{Geometry, Reading, Side, measure};
use facsimile_vision::{Facts, Raster, Tracer, Watch};
use page::Page;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, kept] = arguments.as_slice() else { panic!("usage: own FOLDER FACTS_FOLDER") };
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix("@1280.png").map(str::to_owned))
        .collect();
    names.sort();
    let mut tracer = None;
    let mut scores = Vec::new();
    for name in names {
        let file =
            |ending: &str| std::fs::read(Path::new(folder).join(format!("{name}@1280.{ending}"))).unwrap();
        let page = Page::of(&file("json"), &file("png"));
        let facts_path = Path::new(kept).join(format!("{name}.json"));
        let facts: Facts = std::fs::read(&facts_path).map_or_else(
            |_| {
                let tracer = tracer.get_or_insert_with(|| Tracer::with_threads(1).unwrap());
                let facts =
                    tracer.trace(&Raster::decode(&file("png")).unwrap(), &mut Watch::silent()).unwrap();
                std::fs::write(&facts_path, serde_json::to_vec(&facts).unwrap()).unwrap();
                facts
            },
            |kept| serde_json::from_slice(&kept).unwrap(),
        );
        let read = Geometry::from(&facts);
        let measured = measure(Side::new(&read, &page.pixels), page.side(), Reading::Ocr);
        let parts = measured.parts;
        println!(
            "{name:22} {:6.2}  textF {:.3} place {:.3} style {:.3}  lines {} / {}",
            measured.score,
            parts.text_f,
            parts.place,
            parts.style,
            read.texts.len(),
            page.geometry.texts.len()
        );
        for reason in measured.reasons.iter().take(if std::env::var_os("WHY").is_some() { 12 } else { 0 }) {
            println!("    {:5.2} {}", reason.points, reason.message);
        }
        scores.push(measured.score);
    }
    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
    println!("mean {mean:.2}, worst {:.2}", scores.iter().copied().fold(f64::MAX, f64::min));
}
