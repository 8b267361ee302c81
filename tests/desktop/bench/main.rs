//! What the real window costs beside a bare one of the same platform, one JSON line a number.
//!
//! `cargo build --release -p facsimile --example bare-window && cargo bench -p facsimile --bench window`

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a bench stops at the first surprise
#![allow(dead_code, missing_docs, unused_imports)] // the tests use what is left

#[path = "../desk.rs"]
mod desk;
#[path = "../export.rs"]
mod export;
mod looking;
#[path = "../room.rs"]
mod room;
mod screen;
#[path = "../session.rs"]
mod session;
mod start;
#[path = "../window.rs"]
mod window;
mod writing;

use std::path::Path;

use serde_json::json;

use room::Room;
use start::{Cost, start};

/// Starts of each program, by turns.
const ROUNDS: usize = 5;
/// What the first pixel of a page may take.
const FRAMES: f64 = 3.0;

/// What drawing and measuring a page may take.
const LOOKING_S: f64 = 2.0;

fn main() {
    match std::env::var_os(looking::CAMERA) {
        Some(folder) => looking::draw_and_measure(folder.into()),
        None => tokio::runtime::Runtime::new().unwrap().block_on(windows()),
    }
}

async fn windows() {
    let facsimile = Path::new(env!("CARGO_BIN_EXE_facsimile"));
    let bare = facsimile.with_file_name("examples").join("bare-window");
    assert!(bare.exists(), "{} is not built: see the head of this file", bare.display());
    let (room, bare_room) = (Room::new(), Room::new());
    // The very first start makes the database and fills the system's caches.
    start(&room, facsimile);
    start(&bare_room, &bare);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        theirs.push(start(&bare_room, &bare));
        ours.push(start(&room, facsimile));
    }
    let number = |name: &str, unit: &str, of: fn(&Cost) -> f64| {
        print(name, unit, median(ours.iter().map(of)), median(theirs.iter().map(of)));
    };
    number("window/cold_start", "s", |cost| cost.ready_s);
    number("window/first_paint", "s", |cost| cost.first_paint_s);
    number("window/memory", "MiB", |cost| cost.memory_mib);
    let mut frames = Vec::new();
    for _ in 0..ROUNDS {
        frames.push(f64::from(writing::frames_to_first_pixel(&Room::new()).await));
    }
    print("window/frames_to_first_pixel", "frames", median(frames.into_iter()), FRAMES);
    print("looking/draw_and_measure", "s", looking::seconds(facsimile), LOOKING_S);
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn print(name: &str, unit: &str, value: f64, yardstick: f64) {
    let round = |value: f64| (value * 1000.0).round() / 1000.0;
    println!(
        "{}",
        json!({ "name": name, "value": round(value), "unit": unit, "yardstick": round(yardstick), "ratio": round(value / yardstick) })
    );
}
