//! What it takes to draw a page and measure it against a screenshot that was read already.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use facsimile_agent::{ProjectPath, RunId, VariantIndex};
use facsimile_shell::camera::beside_camera;
use facsimile_studio::camera::{Camera, Detail, ShotRequest, page_address};
use facsimile_studio::measuring::{Reference, SeenPage};
use facsimile_studio::preview::{PreviewFiles, PreviewSource, Shown};
use facsimile_vision::{Facts, Raster};

use crate::desk::Desk;
use crate::room::Room;

/// Set where this program is its own camera: the folder to look at.
pub const CAMERA: &str = "FACSIMILE_BENCH_CAMERA";
const ROUNDS: usize = 5;

/// The median of some rounds in seconds; the program starts itself again on a desktop of its own.
pub fn seconds(facsimile: &Path) -> f64 {
    let room = Room::new();
    let screenshot = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pages/shop-grid.png");
    let folder = room.folder("looked");
    fs::copy(&screenshot, folder.join("screenshot.png")).unwrap();
    let place = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let desk = Desk::new(&room);
    let (shot, facts, page) = (place("screenshot.png"), place("facts.json"), place("page"));
    let traced = desk.run(facsimile.to_str().unwrap(), &["trace", &shot, "--facts", &facts, "--out", &page]);
    assert!(traced.status.success(), "{traced:?}");
    let mut command = desk.command(std::env::current_exe().unwrap());
    let done = command.env(CAMERA, &folder).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    said.trim().parse().unwrap_or_else(|_| panic!("{said} {}", String::from_utf8_lossy(&done.stderr)))
}

/// Draws and measures, and prints how long that took.
pub fn draw_and_measure(folder: PathBuf) {
    let ended = beside_camera(move |camera| median(&camera.expect("a display"), &folder));
    println!("{}", ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
}

fn median(camera: &Arc<dyn Camera>, folder: &Path) -> f64 {
    let facts: Facts = serde_json::from_slice(&fs::read(folder.join("facts.json")).unwrap()).unwrap();
    let raster = Raster::decode(&fs::read(folder.join("screenshot.png")).unwrap()).unwrap();
    let reference = Reference::new(&facts, raster);
    let mut seconds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let began = Instant::now();
            let page = Laid { folder: folder.join("page"), run: RunId::fresh() };
            let path = page_address(page.run, VariantIndex(0), &ProjectPath::index());
            let source = PreviewSource::new(Arc::new(page));
            let serve = Arc::new(move |path: &str| source.respond(path));
            let width_px = reference.width_px();
            let shot = camera.shoot(ShotRequest { serve, path, width_px, detail: Detail::Textless }).unwrap();
            let score = reference.compared(SeenPage::of(&shot)).unwrap().measurement.score;
            assert!(score > 50.0, "{score}");
            began.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    seconds[ROUNDS / 2]
}

/// A page in a folder.
struct Laid {
    folder: PathBuf,
    run: RunId,
}

impl PreviewFiles for Laid {
    fn has(&self, shown: Shown) -> bool {
        shown == Shown::Variant(self.run, VariantIndex(0))
    }

    fn file(&self, shown: Shown, path: &ProjectPath) -> Option<Arc<str>> {
        let is_text = matches!(path.extension(), Some("html" | "css"));
        let text = fs::read_to_string(self.folder.join(path.as_str())).ok();
        text.filter(|_| is_text && self.has(shown)).map(Arc::from)
    }

    fn asset(&self, _shown: Shown, _digits: &str, _extension: &str) -> Option<Vec<u8>> {
        None
    }

    fn bytes(&self, shown: Shown, path: &ProjectPath) -> Option<Vec<u8>> {
        fs::read(self.folder.join(path.as_str())).ok().filter(|_| self.has(shown))
    }
}
