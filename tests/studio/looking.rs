//! Pages photographed through a camera that a test holds.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use facsimile_agent::{RunStatus, VariantIndex};
use facsimile_studio::camera::{Camera, CameraError, Detail, Shot, ShotRequest, ShotResult};
use facsimile_studio::{StartedRun, Studio};
use facsimile_vision::fidelity::Geometry;
use facsimile_vision::{Raster, Tracer, Watch};

use crate::support::{drawn, request, studio, taken};

/// What the camera was asked for: a width, how much, and the page as it was served.
type Asked = (u32, Detail, String);

/// Shows a screenshot as it is for every page, or fails.
struct Mirror {
    shot: ShotResult,
    asked: Mutex<Vec<Asked>>,
    shots: AtomicUsize,
}

impl Mirror {
    fn of(picture: &[u8]) -> Arc<Self> {
        let raster = Raster::decode(picture).unwrap();
        let facts = Tracer::new().unwrap().trace(&raster, &mut Watch::silent()).unwrap();
        let geometry = serde_json::to_string(&Geometry::from(&facts)).unwrap();
        Self::showing(Ok(Shot { png: picture.to_vec(), geometry: Some(geometry), ..Shot::default() }))
    }

    fn showing(shot: ShotResult) -> Arc<Self> {
        Arc::new(Self { shot, asked: Mutex::default(), shots: AtomicUsize::new(0) })
    }
}

impl Camera for Mirror {
    fn shoot(&self, request: ShotRequest) -> ShotResult {
        self.shots.fetch_add(1, Ordering::Relaxed);
        let page = String::from_utf8((request.serve)(&request.path).bytes).unwrap();
        self.asked.lock().unwrap().push((request.width_px, request.detail, page));
        self.shot.clone()
    }
}

async fn traced(studio: &Studio, picture: Vec<u8>) -> StartedRun {
    let input = taken(studio, "page.png", picture);
    let started = studio.start_run(request(&[input], 1)).unwrap();
    assert_eq!(studio.ended(started.run).await.unwrap().state, RunStatus::Succeeded);
    started
}

const FIRST: VariantIndex = VariantIndex(0);

#[tokio::test]
async fn a_finished_page_is_photographed_once_at_its_screenshots_width_and_its_score_is_kept() {
    let studio = studio();
    let camera = Mirror::of(&drawn());
    studio.see_through(Arc::<Mirror>::clone(&camera));
    let started = traced(&studio, drawn()).await;
    let scores = [studio.score(started.run, FIRST), studio.score(started.run, FIRST)];
    assert_eq!(scores, [Some(100.0); 2]);
    let asked = camera.asked.lock().unwrap();
    let [(160, Detail::Textless, page)] = asked.as_slice() else { panic!("{asked:?}") };
    assert!(page.contains("styles.css"), "{page}");
    let view = studio.project_view(started.project).unwrap();
    assert_eq!(view.runs[0].variants[0].score, Some(100.0));
}

#[tokio::test]
async fn a_page_that_cannot_be_measured_has_no_score_and_is_measured_when_it_can_be() {
    let studio = studio();
    let started = traced(&studio, drawn()).await;
    let without_camera = studio.score(started.run, FIRST);
    let broken = Mirror::showing(Err(CameraError::TooSlow));
    studio.see_through(Arc::<Mirror>::clone(&broken));
    let scores =
        [without_camera, studio.score(started.run, FIRST), studio.score(started.run, VariantIndex(3))];
    assert_eq!((scores, broken.shots.load(Ordering::Relaxed)), ([None; 3], 1));
    assert_eq!(studio.project_view(started.project).unwrap().runs[0].variants[0].score, None);
    let garbled = Shot { png: drawn(), geometry: Some("{".to_owned()), ..Shot::default() };
    let studio = self::studio();
    studio.see_through(Mirror::showing(Ok(garbled)));
    let started = traced(&studio, drawn()).await;
    assert_eq!(studio.score(started.run, FIRST), None);
}

#[tokio::test]
async fn what_was_read_of_a_screenshot_is_kept_with_its_project() {
    let studio = studio();
    let started = traced(&studio, drawn()).await;
    let kept = studio.store().project_values().of_project(started.project).unwrap();
    let keys: Vec<_> = kept.keys().filter(|key| key.starts_with("facts/1/")).collect();
    let facts: Vec<_> = keys.iter().map(|key| kept[*key]["width"].as_u64()).collect();
    assert_eq!(facts, [Some(160)]);
    // A reading that was changed shows who uses it.
    let mut changed = kept[keys[0]].clone();
    changed["width"] = 80.into();
    studio.store().project_values().set(started.project, keys[0], &changed).unwrap();
    let camera = Mirror::of(&drawn());
    studio.see_through(Arc::<Mirror>::clone(&camera));
    studio.score(started.run, FIRST);
    assert_eq!(camera.asked.lock().unwrap()[0].0, 80);
}
