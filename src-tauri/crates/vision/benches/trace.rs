//! CPU seconds of a trace on one thread, one JSON line a number. Pictures that are no pages are held against a page of
//! the same size: none may take longer than six of it, so none has a way to stop the program.
//!
//! `cargo bench -p facsimile-vision`

#![allow(clippy::unwrap_used, missing_docs)] // a bench stops at the first surprise

#[path = "../../../../tests/vision/hostile.rs"]
mod hostile;

use std::hint::black_box;
use std::io::Cursor;
use std::path::PathBuf;

use facsimile_vision::{Raster, Tracer, Watch};
use hostile::hostile;
use image::{ImageFormat, RgbImage, imageops};

const PAGES: [&str; 3] = ["shop-grid", "sb2-login", "business-pricing"];
const ROUNDS: usize = 3;

fn main() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/pages");
    let tracer = Tracer::with_threads(1).unwrap();
    let read = |page: &str| std::fs::read(folder.join(format!("{page}.png"))).unwrap();
    let mut pages: Vec<_> = PAGES.iter().map(|page| ((*page).to_owned(), read(page))).collect();
    pages.push(("1280x2000".to_owned(), stacked(&[read("shop-grid"), read("business-pricing")], 2000)));
    for (page, file) in pages {
        let raster = Raster::decode(&file).unwrap();
        let whole = best(|| {
            let raster = Raster::decode(&file).unwrap();
            black_box(tracer.trace(&raster, &mut Watch::silent()).unwrap());
        });
        let reading = best(|| {
            black_box(tracer.read(&raster, &mut Watch::silent()).unwrap());
        });
        println!("{{\"name\":\"trace/{page}\",\"value\":{whole:.3},\"unit\":\"s\"}}");
        println!(
            "{{\"name\":\"trace/{page}/reading\",\"value\":{reading:.3},\"unit\":\"s\",\
             \"yardstick\":\"trace/{page}\",\"ratio\":{:.3}}}",
            reading / whole
        );
        if page == "1280x2000" {
            for (name, picture) in hostile(1280, 2000) {
                let seconds = best(|| {
                    black_box(tracer.trace(&picture, &mut Watch::silent()).unwrap());
                });
                println!(
                    "{{\"name\":\"trace/hostile/{name}\",\"value\":{seconds:.3},\"unit\":\"s\",\
                     \"yardstick\":\"trace/{page}\",\"ratio\":{:.3}}}",
                    seconds / whole
                );
            }
        }
    }
}

/// Pictures under each other, cut at a height.
fn stacked(files: &[Vec<u8>], height: u32) -> Vec<u8> {
    let parts: Vec<_> = files.iter().map(|file| image::load_from_memory(file).unwrap().to_rgb8()).collect();
    let mut page = RgbImage::new(parts[0].width(), height);
    let mut top = 0;
    for part in &parts {
        imageops::replace(&mut page, part, 0, i64::from(top));
        top += part.height();
    }
    assert!(top >= height);
    let mut file = Cursor::new(Vec::new());
    page.write_to(&mut file, ImageFormat::Png).unwrap();
    file.into_inner()
}

/// The least CPU time of some rounds: other programs can only add to it.
fn best(mut work: impl FnMut()) -> f64 {
    (0..ROUNDS)
        .map(|_| {
            let start = cpu_time::ProcessTime::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::MAX, f64::min)
}
