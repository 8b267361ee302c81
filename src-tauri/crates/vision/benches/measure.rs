//! CPU seconds of one scoring pass, one JSON line a case: over a page of 1280x2000, where the bar is 0.3, and over crowds of
//! lines that say nearly the same, where ten times the lines may take twelve times as long.
//!
//! `cargo bench -p facsimile-vision --bench measure`

#![allow(clippy::unwrap_used, missing_docs)] // a bench stops at the first surprise

#[path = "../../../../tests/vision/fidelity/altered.rs"]
mod altered;
#[path = "../../../../tests/vision/fidelity/page.rs"]
mod page;

use std::hint::black_box;
use std::path::PathBuf;

use altered::{Chance, altered};
use cpu_time::ProcessTime;
use facsimile_vision::fidelity::{Geometry, Line, PaintedBox, Reading, difference_map, measure};
use image::{Rgb, RgbImage, imageops};
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
    for (reading, name) in [(Reading::Dom, "crowd"), (Reading::Ocr, "crowd/read")] {
        let seconds = |count: usize| {
            let (wanted, shown) = (crowd(count, "ship"), crowd(count, "rail"));
            least_seconds(|| {
                black_box(measure(wanted.side(), shown.side(), reading));
            })
        };
        let (few, many) = (seconds(400), seconds(4000));
        let ratio = many / few;
        println!("{{\"name\":\"measure/{name}/400-lines\",\"value\":{few:.3},\"unit\":\"s\"}}");
        println!(
            "{{\"name\":\"measure/{name}/4000-lines\",\"value\":{many:.3},\"unit\":\"s\",\
             \"yardstick\":\"measure/{name}/400-lines\",\"ratio\":{ratio:.2}}}"
        );
    }
}

/// A page of four columns of lines that differ in a few letters, each in a box of its own.
fn crowd(count: usize, by: &str) -> Page {
    let mut chance = Chance(7);
    let (rows, is_rail) = (count / 4, by == "rail");
    let mut pixels = RgbImage::from_pixel(1280, 20 * rows as u32, Rgb([255; 3]));
    let mut geometry = Geometry { width: 1280.0, height: 20.0 * rows as f64, ..Geometry::default() };
    for at in 0..count {
        let (x, y) = (320.0 * (at % 4) as f64 + 4.0, 20.0 * (at / 4) as f64 + 2.0);
        let y = if is_rail { y + (at % 3) as f64 } else { y };
        let text = format!("Order {at} of {} went by {by}", at * 7919 % 9973);
        geometry.texts.push(Line { text, x, y, w: 300.0, h: 15.0, fs: 13.0, ..Line::default() });
        let (w, h) = (310.0 + (at % 5) as f64 * f64::from(u8::from(is_rail)), 18.0);
        geometry.boxes.push(PaintedBox {
            x,
            y,
            w,
            h,
            bg: Some([255.0, 255.0, 255.0, 1.0]),
            ..PaintedBox::default()
        });
        for across in 0..300 {
            if chance.next() < 0.4 {
                let top = y as u32 + (chance.next() * 8.0) as u32;
                (top..top + 3).for_each(|y| pixels.put_pixel(x as u32 + across, y, Rgb([30; 3])));
            }
        }
    }
    Page { geometry, pixels, textless: None }
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

/// The least CPU time of some rounds: other programs can only add to it.
fn least_seconds(mut work: impl FnMut()) -> f64 {
    let round = |_| {
        let start = ProcessTime::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..ROUNDS).map(round).fold(f64::MAX, f64::min)
}

fn report(name: &str, work: impl FnMut()) {
    let least = least_seconds(work);
    println!("{{\"name\":\"{name}\",\"value\":{least:.3},\"unit\":\"s\"}}");
}
