//! CPU seconds of a trace on one thread, one JSON line a number.
//!
//! `cargo bench -p facsimile-vision`

#![allow(clippy::unwrap_used, missing_docs)] // a bench stops at the first surprise

use std::hint::black_box;
use std::path::PathBuf;

use facsimile_vision::{Raster, Tracer, Watch};

const PAGES: [&str; 3] = ["shop-grid", "sb2-login", "business-pricing"];
const ROUNDS: usize = 3;

fn main() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/pages");
    let tracer = Tracer::with_threads(1).unwrap();
    for page in PAGES {
        let file = std::fs::read(folder.join(format!("{page}.png"))).unwrap();
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
    }
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
