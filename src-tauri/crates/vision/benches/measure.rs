//! Seconds of one scoring pass over a page of 1280x2000, one JSON line a case; the bar is 0.3.
//!
//! `cargo bench -p facsimile-vision --bench measure`

#![allow(clippy::unwrap_used, missing_docs)] // a bench stops at the first surprise

#[path = "../../../../tests/vision/fidelity/altered.rs"]
mod altered;
#[path = "../../../../tests/vision/fidelity/page.rs"]
mod page;

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use altered::altered;
use facsimile_vision::fidelity::{Reading, difference_map, measure};
use image::{RgbImage, imageops};
use page::Page;

const HEIGHT: u32 = 2000;
const ROUNDS: usize = 5;

fn main() {
    let reference = long_page();
    let cases = [("same", reference.clone()), ("moved", altered(&reference, "moved"))]
        .into_iter()
        .chain(["reworded", "shifted-card", "recoloured"].map(|kind| (kind, altered(&reference, kind))));
    for (name, page) in cases {
        for (reading, ending) in [(Reading::Dom, ""), (Reading::Ocr, "/read")] {
            report(&format!("measure/1280x2000/{name}{ending}"), || {
                black_box(measure(reference.side(), page.side(), reading));
            });
        }
    }
    let moved = altered(&reference, "moved");
    report("difference-map/1280x2000", || {
        black_box(difference_map(&reference.pixels, &moved.pixels));
    });
}

/// Two pages under each other, cut at a height.
fn long_page() -> Page {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/pages");
    let file = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let mut page = Page::of(&file("shop-grid.json"), &file("shop-grid.png"));
    let below = Page::of(&file("business-pricing.json"), &file("business-pricing.png"));
    let top = page.pixels.height();
    let mut pixels = RgbImage::new(page.pixels.width(), HEIGHT);
    imageops::replace(&mut pixels, &page.pixels, 0, 0);
    imageops::replace(&mut pixels, &below.pixels, 0, i64::from(top));
    page.pixels = pixels;
    page.geometry.height = f64::from(HEIGHT);
    let is_on = |y: f64| y < f64::from(HEIGHT);
    for mut line in below.geometry.texts {
        line.y += f64::from(top);
        page.geometry.texts.extend(is_on(line.y).then_some(line));
    }
    for mut painted in below.geometry.boxes {
        painted.y += f64::from(top);
        page.geometry.boxes.extend(is_on(painted.y).then_some(painted));
    }
    page.textless = None;
    page
}

/// The least time of some rounds: other programs can only add to it.
fn report(name: &str, mut work: impl FnMut()) {
    let least = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::MAX, f64::min);
    println!("{{\"name\":\"{name}\",\"value\":{least:.3},\"unit\":\"s\"}}");
}
