//! True pages against their own screenshots as the tracer reads them: what reading costs the score.

use std::sync::Arc;

use facsimile_studio::camera::Camera;
use facsimile_testkit::templates::documents;
use facsimile_vision::fidelity::{Geometry, Reading, Side, measure};
use facsimile_vision::{Raster, Tracer, Watch};

use super::pages::drawn;

/// So many pages are read in all.
const PAGES: usize = 20;
/// What the usual run reads: reading takes seconds, and these have few lines.
const USUAL: [&str; 2] =
    ["startbootstrap-sb-admin/dist/login.html", "startbootstrap-sb-admin/dist/password.html"];
const LEAST_LINES: usize = 4;
const LEAST_MEAN: f64 = 97.0;
const LEAST: f64 = 93.0;

/// Scores pages and says how that went.
pub fn score_all(camera: &Arc<dyn Camera>, is_long: bool) {
    let tracer = Tracer::new().unwrap();
    let mut found: Vec<_> = documents()
        .into_iter()
        .filter(|document| is_long || USUAL.contains(&document.name().as_str()))
        .filter_map(|document| Some((drawn(camera.as_ref(), &document, "").ok()?, document.name())))
        .filter(|(page, _)| page.geometry.texts.len() >= LEAST_LINES)
        .collect();
    // The shortest first: reading takes as long as a page is high.
    found.sort_by_key(|(page, _)| page.pixels.height());
    found.truncate(PAGES);
    let scores: Vec<f64> = found
        .iter()
        .map(|(page, name)| {
            let (width, height) = page.pixels.dimensions();
            let raster = Raster::from_rgb(width, height, page.pixels.as_raw().clone()).unwrap();
            let facts = tracer.trace(&raster, &mut Watch::silent()).unwrap();
            let read = Geometry::from(&facts);
            let score = measure(Side::new(&read, &page.pixels), page.side(), Reading::Ocr).score;
            println!("{score:6.2} {name}");
            score
        })
        .collect();
    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
    let least = scores.iter().copied().fold(f64::MAX, f64::min);
    println!("{} pages: mean {mean:.2}, least {least:.2}", scores.len());
    assert_eq!(scores.len(), if is_long { PAGES } else { USUAL.len() });
    assert!(mean >= LEAST_MEAN && least >= LEAST);
}
