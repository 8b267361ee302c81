//! Pages photographed through a camera that a test holds.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use facsimile_agent::{ProjectId, ProjectPath, RunStatus, VariantIndex};
use facsimile_store::{HistoryStore, MemoryKeys};
use facsimile_studio::camera::{Camera, CameraError, Detail, Shot, ShotRequest, ShotResult};
use facsimile_studio::{GivenAddress, Keys, Provider, RunReport, RunRequest, StartedRun, Studio};
use facsimile_testkit::replay::{KEY, ReplayServer, ServedTurn, Spoken};
use facsimile_vision::fidelity::Geometry;
use facsimile_vision::{Raster, Tracer, Watch};
use image::{Rgb, RgbImage};
use serde_json::{Value, json};
use tokio::runtime::Handle;

use crate::support::{drawn, png, request, studio, taken};
use crate::{models, modify};

/// What the camera was asked for: a width, how much, and the page as it was served.
type Asked = (u32, Detail, String);

/// Shows a screenshot as it is for every page, or fails.
struct Mirror {
    shot: Mutex<ShotResult>,
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
        Arc::new(Self { shot: Mutex::new(shot), asked: Mutex::default(), shots: AtomicUsize::new(0) })
    }
}

impl Camera for Mirror {
    fn shoot(&self, request: ShotRequest) -> ShotResult {
        self.shots.fetch_add(1, Ordering::Relaxed);
        let page = String::from_utf8((request.serve)(&request.path).bytes).unwrap();
        self.asked.lock().unwrap().push((request.width_px, request.detail, page));
        self.shot.lock().unwrap().clone()
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
    // Its thumbnail is taken at the same width.
    assert_eq!(studio.page_width_px(started.run), Some(160));
}

/// Adds to the title of the open page, with a blank picture given for it.
async fn retitled(studio: &Studio, project: ProjectId) -> Arc<RunReport> {
    let edit = json!({ "old_text": "<title>", "new_text": "<title>A " });
    let edits = ServedTurn::new().calling("c1", "edit_file", edit).into();
    let turns = [modify::routed("code_change"), edits, ServedTurn::new().saying("Done.").into()];
    let server = ReplayServer::playing(Spoken::OpenAiChat, turns).await.unwrap();
    let logo = taken(studio, "logo.png", png(&RgbImage::from_pixel(160, 120, Rgb([250; 3]))));
    let asked = models::asking(&[(Provider::Chat, &server)]);
    let change = RunRequest { project_id: Some(project), input_ids: vec![logo], ..asked };
    let changed = models::ended(studio, change).await;
    assert_eq!((changed.state, server.left()), (RunStatus::Succeeded, 0));
    changed
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_page_is_measured_against_the_screenshot_it_began_with() {
    let studio = models::studio();
    let camera = Mirror::of(&drawn());
    studio.see_through(Arc::<Mirror>::clone(&camera));
    let project = traced(&studio, drawn()).await.project;

    let changed = retitled(&studio, project).await;

    assert_eq!(studio.score(changed.run, FIRST), Some(100.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_page_that_began_without_a_screenshot_has_no_score() {
    let studio = models::studio();
    studio.see_through(Mirror::of(&drawn()));
    let project = studio.store().projects().create("Shop").unwrap();
    let page = [(ProjectPath::index(), SOUND.to_owned())].into_iter().collect();
    studio.keep_edit(project, "By hand", &page).unwrap();

    let changed = retitled(&studio, project).await;

    assert_eq!((studio.score(changed.run, FIRST), studio.page_width_px(changed.run)), (None, None));
}

#[tokio::test]
async fn a_page_that_looks_different_is_measured_again_and_the_later_score_stands() {
    let studio = studio();
    let camera = Mirror::of(&drawn());
    studio.see_through(Arc::<Mirror>::clone(&camera));
    let started = traced(&studio, drawn()).await;
    let first = studio.score(started.run, FIRST);
    // A picture that the page shows came late.
    let blank = png(&RgbImage::from_pixel(160, 120, Rgb([250; 3])));
    *camera.shot.lock().unwrap() = Mirror::of(&blank).shot.lock().unwrap().clone();
    let kept = studio.score(started.run, FIRST);
    let again = studio.score_again(started.run, FIRST);
    assert_eq!((first, kept), (Some(100.0), Some(100.0)));
    assert!(again.is_some_and(|score| score < 100.0), "{again:?}");
    assert_eq!(studio.score(started.run, FIRST), again);
    assert_eq!(camera.shots.load(Ordering::Relaxed), 2);
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

/// A model that writes these pages one after the other, says it is done after each, and what it was told then.
async fn modelled(
    camera: Option<Arc<dyn Camera>>,
    checks: Option<&str>,
    pages: &[&str],
) -> (Arc<RunReport>, Vec<String>) {
    let turns = pages.iter().flat_map(|page| {
        let call = ServedTurn::new().calling("c1", "create_file", json!({ "content": page }));
        [call.into(), ServedTurn::new().saying("Done.").into()]
    });
    let server = ReplayServer::playing(Spoken::OpenAiChat, turns).await.unwrap();
    let environment = |name: &str| (name == "FACSIMILE_ENDPOINT_KEY").then(|| KEY.to_owned());
    let keys = Keys::over(Arc::new(MemoryKeys::default()), Arc::new(environment));
    let studio = Studio::with_keys(HistoryStore::in_memory().unwrap(), Handle::current(), keys).unwrap();
    if let Some(camera) = camera {
        studio.see_through(camera);
    }
    let request = RunRequest {
        input_ids: vec![taken(&studio, "page.png", drawn())],
        engines: vec!["chat:model-1".to_owned()],
        addresses: vec![GivenAddress { provider: Some(Provider::Chat), url: server.address().into() }],
        checks: checks.map(str::to_owned),
        ..RunRequest::default()
    };
    let started = studio.start_run(request).unwrap();
    let report = studio.ended(started.run).await.unwrap();
    assert_eq!((server.complaints(), server.left()), (Vec::new(), 0));
    let last = server.asked().pop().unwrap().body;
    let messages = last["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "user");
    let words = |content: &Value| match content {
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        words => words.as_str().unwrap_or_default().to_owned(),
    };
    // The first one is the request.
    (report, messages.skip(1).map(|message| words(&message["content"])).collect())
}

const SOUND: &str = "<!doctype html><title>Shop</title><main><p>Hi</p></main>";

#[tokio::test]
async fn without_a_camera_a_models_page_is_checked_by_its_text() {
    let (report, told) = modelled(None, None, &["<main><p>Hi</p><img src=gone.png alt=x>", SOUND]).await;
    let [said] = told.as_slice() else { panic!("{told:?}") };
    let lines =
        ["- index.html, line 1: <main> is never closed", "- index.html, line 1: gone.png is not there"];
    assert!(lines.iter().all(|line| said.contains(line)), "{said}");
    assert_eq!(
        (report.state, report.variants[0].files.main_page().unwrap().1),
        (RunStatus::Succeeded, SOUND)
    );
    let (_, unchecked) = modelled(None, Some("none"), &["<main>"]).await;
    assert_eq!(unchecked, Vec::<String>::new());
}

#[tokio::test]
async fn with_a_camera_a_models_page_is_checked_as_it_is_drawn_and_measured_if_asked() {
    let heard = json!({
        "width": 390, "height": 120, "scrollWidth": 412, "texts": [],
        "overflow": [{ "selector": "#wide", "right": 412 }],
        "errors": [
            { "kind": "script", "message": "x is not defined" },
            { "kind": "resource", "message": "img gone.png" },
            { "kind": "resource", "message": "img https://elsewhere.test/a.png" },
            { "kind": "blocked", "message": "img-src https://elsewhere.test/a.png" },
        ],
    });
    let shot = Shot { png: drawn(), geometry: Some(heard.to_string()), ..Shot::default() };
    let (_, told) = modelled(Some(Mirror::showing(Ok(shot.clone()))), None, &[SOUND, SOUND]).await;
    let lines = "\n- the console says: x is not defined\n- not loaded: img gone.png\n\
                 - at 390 px the page is 22 px too wide, by #wide\n";
    assert!(told.len() == 1 && told[0].contains(lines), "{told:?}");

    let blank = json!({ "width": 160, "height": 120, "texts": [] }).to_string();
    let white = png(&RgbImage::from_pixel(160, 120, Rgb([255; 3])));
    let blank = Shot { png: white, geometry: Some(blank), ..shot };
    let (_, told) = modelled(Some(Mirror::showing(Ok(blank))), Some("fidelity"), &[SOUND, SOUND]).await;
    // Nothing got better, so it was said once.
    assert!(told.len() == 1 && told[0].contains("of 100; 90 is the aim"), "{told:?}");
}

#[tokio::test]
async fn checks_that_need_a_camera_are_refused_without_one_and_unknown_ones_always() {
    let studio = studio();
    let input = taken(&studio, "page.png", drawn());
    let refused = ["rendered", "fidelity", "all"].map(|checks| {
        let request = RunRequest { checks: Some(checks.to_owned()), ..request(&[input], 1) };
        studio.start_run(request).unwrap_err().to_string()
    });
    let wanted = ["no display", "no display", "is no profile"];
    let is_told = refused.iter().zip(wanted).all(|(refused, wanted)| refused.contains(wanted));
    assert!(is_told && studio.projects().unwrap().is_empty(), "{refused:?}");
}
