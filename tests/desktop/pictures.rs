//! Pictures of a model in the real window: what was cut out of the screenshot, and what a service makes step by step.

use std::io::Cursor;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use facsimile_agent::RunStatus;
use facsimile_store::TaskState;
use facsimile_testkit::replay::{Asked, ReplayServer, Served, ServedTurn, Spoken};
use image::{ImageFormat, Rgb, RgbImage};
use serde_json::{Value, json};
use wiremock::matchers::{method, path, path_regex};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::room::Room;
use crate::tasks::{choose, kept, watch_the_card};
use crate::window::{Opening, Window};

const TOKEN: &str = "r8_planted_token_123456";
/// Far above what anything here takes.
const PATIENCE: Duration = Duration::from_secs(90);

/// Holds an answer back until it is let go.
#[derive(Clone, Default)]
struct Barrier(Arc<(Mutex<bool>, Condvar)>);

impl Barrier {
    fn let_go(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    /// One answer until it was let go, then another one.
    fn changing(
        &self,
        before: ResponseTemplate,
        after: ResponseTemplate,
    ) -> impl Fn(&Request) -> ResponseTemplate + use<> {
        let barrier = self.clone();
        move |_| if *barrier.0.0.lock().unwrap() { after.clone() } else { before.clone() }
    }

    /// The answer once it was let go. The server answers on a thread of its own, which may wait.
    fn holding(&self, answer: ResponseTemplate) -> impl Fn(&Request) -> ResponseTemplate + use<> {
        let barrier = self.clone();
        move |_| {
            let open = barrier.0.0.lock().unwrap();
            let (open, _) = barrier.0.1.wait_timeout_while(open, PATIENCE, |is_open| !*is_open).unwrap();
            drop(open);
            answer.clone()
        }
    }
}

/// An image service on this machine whose three steps wait to be let go, and the server its pictures lie on.
struct Service {
    vendor: MockServer,
    results: MockServer,
    order: Barrier,
    making: Barrier,
    picture: Barrier,
}

impl Service {
    async fn start() -> Self {
        let (vendor, results) = (MockServer::start().await, MockServer::start().await);
        let [order, making, picture] = [Barrier::default(), Barrier::default(), Barrier::default()];
        let prediction = |status: &str, output: Value| {
            ResponseTemplate::new(200)
                .set_body_json(json!({ "id": "p1", "status": status, "output": output }))
        };
        let begun = order.holding(prediction("starting", Value::Null));
        Mock::given(method("POST")).and(path_regex("/predictions$")).respond_with(begun).mount(&vendor).await;
        let output = json!([format!("{}/out.jpg", results.uri())]);
        // Asked again and again, as a real one is: a model that goes on meanwhile takes its time.
        let made = making.changing(prediction("processing", Value::Null), prediction("succeeded", output));
        Mock::given(path("/v1/predictions/p1")).respond_with(made).mount(&vendor).await;
        let drawn = RgbImage::from_fn(640, 480, |x, y| Rgb([x as u8, y as u8, 90]));
        let mut file = Cursor::new(Vec::new());
        drawn.write_to(&mut file, ImageFormat::Jpeg).unwrap();
        let bytes = ResponseTemplate::new(200).set_body_raw(file.into_inner(), "image/jpeg");
        Mock::given(path("/out.jpg")).respond_with(picture.holding(bytes)).mount(&results).await;
        Self { vendor, results, order, making, picture }
    }
}

/// A model that cuts pictures out, orders one, and writes a page.
async fn model() -> ReplayServer {
    let cut =
        |description: &str, place: [u32; 4]| json!({ "description": description, "image": 1, "box": place });
    let assets = json!({ "assets": [cut("pots on a table", POTS), cut("a ship", NOTHING)] });
    let wish = json!({ "prompts": [{ "prompt": "a pot", "width": 640, "height": 480 }] });
    let page =
        json!({ "path": "index.html", "content": "<!doctype html><title>Pots</title><h1>One pot</h1>" });
    let orders =
        ServedTurn::new().calling("c1", "extract_assets", assets).calling("c2", "generate_images", wish);
    let answers = [
        Served::from(orders),
        ServedTurn::new().calling("c3", "create_file", page).into(),
        ServedTurn::new().saying("The page is there.").into(),
    ];
    ReplayServer::playing(Spoken::OpenAiChat, answers).await.unwrap()
}

/// Roughly where the large picture of the sample is, and a place that is empty.
const POTS: [u32; 4] = [80, 480, 400, 955];
const NOTHING: [u32; 4] = [405, 500, 430, 900];

/// A window with this model and this service, both on this machine.
async fn window_with(room: &Room, model: &ReplayServer, service: &Service) -> Window {
    let named = format!("replicate={}", service.vendor.uri());
    let opening = Opening::bare(room).unlocked(room).with_variable("FACSIMILE_IMAGE_SERVICE", named);
    let window = opening.open(room).await;
    window.invoke("set_key", json!({ "provider": "replicate", "key": TOKEN })).await.unwrap();
    choose(&window, model).await;
    window
}

#[tokio::test]
async fn what_was_cut_out_is_listed_and_a_picture_of_a_service_shows_every_stage_of_its_making() {
    let (room, service, model) = (Room::new(), Service::start().await, model().await);
    let window = window_with(&room, &model, &service).await;
    watch_the_card(&window).await;
    window.press("Pottery shop").await;
    window.press("Make the page").await;
    // Its price is not known beforehand, and somebody has to say that it may cost.
    window.press("Start the run").await;

    let now = ".task.running [aria-current=step]";
    window.sees(now, "Sending").await;
    service.order.let_go();
    window.sees(now, "Being made").await;
    service.making.let_go();
    window.sees(now, "Downloading").await;
    service.picture.let_go();
    window.sees(".task.succeeded [role=status]", "Done").await;
    window.until("the picture", "document.querySelector('.task .results img')?.naturalWidth > 0").await;
    window.sees("footer", "Done").await;
    let seen = window.value("window.seen.stages").await;
    assert_eq!(seen, json!(["Waiting", "Sending", "Being made", "Downloading", "Placing"]));

    // The key went to the service alone, and the picture is kept as the page finds it.
    let bears_key = |request: &Request| request.headers.contains_key("authorization");
    let [to_vendor, to_results] =
        [&service.vendor, &service.results].map(|server| server.received_requests());
    assert!(to_vendor.await.unwrap().iter().all(bears_key));
    assert!(!to_results.await.unwrap().iter().any(bears_key));
    let states: Vec<_> = kept(&room).into_iter().map(|task| (task.kind, task.state)).collect();
    assert_eq!(states, [("generate_images".to_owned(), TaskState::Succeeded)]);
    assert_eq!((model.complaints(), model.left()), (Vec::<String>::new(), 0));

    window.press("Worked through").await;
    window
        .until(
            "the cut picture",
            "[...document.querySelectorAll('.step ul img')].some(img => img.complete && img.naturalWidth > 20)",
        )
        .await;
    let rows = "[...document.querySelector('.step ul').querySelectorAll('li')].map(li => \
        [...li.querySelectorAll('.words > *')].map(part => part.textContent))";
    let rows = window.value(rows).await;
    let [pots, ship] = [&rows[0], &rows[1]];
    assert_eq!((&pots[0], ship), (&json!("pots on a table"), &json!(["a ship", "not cut out"])));
    let size = pots[1].as_str().unwrap().split(" × ").map(|side| side.parse::<u32>().unwrap());
    assert!(size.clone().count() == 2 && size.min() > Some(100), "{rows}");
    // The model got it as a picture in the result of its call.
    let told = model.asked()[1].body.to_string();
    assert!(told.contains("pots on a table") && told.contains("base64"), "{told}");
}

/// A model that orders a picture and writes a page with it, wherever it will be.
async fn model_in_a_hurry() -> ReplayServer {
    let wish = json!({ "prompts": [{ "prompt": "a pot", "width": 640, "height": 480 }] });
    let page = |asked: &Asked| {
        let told = asked.body["messages"].to_string();
        let (_, rest) = told.rsplit_once("assets/task-").unwrap();
        let picture = format!("assets/task-{}.png", rest.split_once(".png").unwrap().0);
        let content = format!("<!doctype html><title>Pot</title><img src=\"{picture}\">");
        ServedTurn::new().calling("c2", "create_file", json!({ "path": "index.html", "content": content }))
    };
    let answers = [
        Served::from(ServedTurn::new().calling("c1", "generate_images", wish)),
        Served::replying(page),
        ServedTurn::new().saying("The page is there.").into(),
    ];
    ReplayServer::playing(Spoken::OpenAiChat, answers).await.unwrap()
}

// S-64
#[tokio::test]
async fn a_picture_that_comes_after_the_end_of_its_run_takes_its_place_on_the_page_and_in_the_open_history() {
    let (room, service, model) = (Room::new(), Service::start().await, model_in_a_hurry().await);
    let window = window_with(&room, &model, &service).await;
    service.order.let_go();
    service.picture.let_go();
    window.press("Pottery shop").await;
    window.press("Make the page").await;
    window.press("Start the run").await;
    // The model is told after a while that the picture is still being made, and goes on without it.
    window.until("the run", "document.querySelector('.composer .stop')").await;
    window
        .until("its end", "document.querySelector('.composer') && !document.querySelector('.composer .stop')")
        .await;
    window.press("History").await;
    let drawn = "document.querySelector('.node img')?.naturalWidth > 0";
    window.until("the page without its picture", drawn).await;
    let without = window.value("document.querySelector('.node img').src").await;
    let state = |room: &Room| kept(room).first().map(|task| task.state);
    let ended = || room.outcome().map(|(state, _)| state).filter(|state| state.is_terminal());
    let before = (window.desk.until("the end of the run", ended), state(&room));

    service.making.let_go();
    window
        .until("the page with it", &format!("document.querySelector('.node img')?.src !== {without}"))
        .await;
    window.until("its picture", drawn).await;
    window.press("Preview").await;
    window.sees(".task.succeeded [role=status]", "Done").await;
    window.sees("footer", "Done").await;
    window.enter_page().await;
    window.until("the picture", "document.querySelector('img').naturalWidth === 640").await;
    window.leave_page().await;
    assert_eq!(before, (RunStatus::Succeeded, Some(TaskState::Running)));
    assert_eq!((state(&room), model.complaints()), (Some(TaskState::Succeeded), Vec::<String>::new()));
}
