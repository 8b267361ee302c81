//! The three image services, played by a mock server: what is sent, how long is waited, what comes back.

mod in_time;

use std::io::Cursor;
use std::net::IpAddr;
use std::time::Duration;

use base64::Engine;
use facsimile_agent::ErrorKind;
use facsimile_providers::guarded::{AddressGate, SystemNames};
use facsimile_providers::media::{EditWish, NotMade, Pace, PictureMaker, PictureWish, picture_model};
use facsimile_providers::{Connector, GuardedClient, Secret};
use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageEncoder, ImageFormat, Rgb, RgbImage};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

const PNG: &[u8] = include_bytes!("../../icons/32x32.png");
const KEY: &str = "r8_planted_key_1234567890";

/// Admits whatever is on this machine: the mock servers are.
struct Loopback;

impl AddressGate for Loopback {
    fn admits(&self, address: IpAddr) -> bool {
        address.is_loopback()
    }
}

fn maker(server: &MockServer, model: &str) -> PictureMaker {
    let millis = Duration::from_millis;
    let pace =
        Pace { first: millis(1), longest: millis(4), total: Duration::from_secs(60), retry: millis(1) };
    let fetch = GuardedClient::through(Loopback, SystemNames);
    let (model, key) = (picture_model(model).unwrap(), Secret::new(KEY).unwrap());
    PictureMaker::at(&Connector::new(), model, &server.uri(), &key, fetch).unwrap().paced(pace)
}

fn wish() -> PictureWish {
    PictureWish { prompt: "a lamp".to_owned(), width: 800, height: 450, is_transparent: false }
}

fn go_on() -> CancellationToken {
    CancellationToken::new()
}

/// The server of the results, which is not the vendor's.
async fn results() -> MockServer {
    let server = MockServer::start().await;
    let picture = ResponseTemplate::new(200).set_body_raw(PNG, "image/png");
    Mock::given(method("GET")).and(path("/out.png")).respond_with(picture).mount(&server).await;
    server
}

fn prediction(status: &str, output: Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({
        "id": "p1", "status": status, "output": output, "error": null,
        "urls": { "get": "http://169.254.169.254/steal", "cancel": "http://169.254.169.254/steal" },
    }))
}

async fn begins(server: &MockServer, model: &str, answer: ResponseTemplate) {
    Mock::given(method("POST"))
        .and(path(format!("/v1/models/{model}/predictions")))
        .and(header("authorization", format!("Bearer {KEY}").as_str()))
        .respond_with(answer)
        .mount(server)
        .await;
}

async fn looks(server: &MockServer, times: u64, answer: ResponseTemplate) {
    Mock::given(method("GET"))
        .and(path("/v1/predictions/p1"))
        .respond_with(answer)
        .up_to_n_times(times)
        .mount(server)
        .await;
}

async fn paths(server: &MockServer) -> Vec<String> {
    let requests = server.received_requests().await.unwrap();
    requests.iter().map(|request| format!("{} {}", request.method, request.url.path())).collect()
}

async fn bodies(server: &MockServer) -> Vec<Value> {
    let requests: Vec<Request> = server.received_requests().await.unwrap();
    requests.iter().filter_map(|request| serde_json::from_slice(&request.body).ok()).collect()
}

// S-32
#[tokio::test]
async fn a_prediction_is_looked_at_until_it_is_done_and_its_picture_fetched_without_the_key() {
    let (vendor, results) = (MockServer::start().await, results().await);
    begins(&vendor, "prunaai/z-image-turbo", prediction("starting", Value::Null)).await;
    looks(&vendor, 2, prediction("processing", Value::Null)).await;
    looks(&vendor, 1, prediction("succeeded", json!([format!("{}/out.png", results.uri())]))).await;

    let made = maker(&vendor, "prunaai/z-image-turbo").generate(&wish(), &go_on()).await.unwrap();

    assert_eq!((made.mime, made.bytes.as_slice(), made.cost_usd), ("image/png", PNG, None));
    let look = "GET /v1/predictions/p1".to_owned();
    let begin = "POST /v1/models/prunaai/z-image-turbo/predictions".to_owned();
    assert_eq!(paths(&vendor).await, [begin, look.clone(), look.clone(), look]);
    let input = json!({"input": {"prompt": "a lamp", "output_format": "png", "width": 800, "height": 448}});
    assert_eq!(bodies(&vendor).await, [input]);
    let fetched = results.received_requests().await.unwrap();
    assert!(fetched.iter().all(|request| !request.headers.contains_key("authorization")));
}

#[tokio::test]
async fn flux_gets_a_shape_and_background_removal_a_version() {
    let (vendor, results) = (MockServer::start().await, results().await);
    let done = prediction("succeeded", json!(format!("{}/out.png", results.uri())));
    begins(&vendor, "black-forest-labs/flux-schnell", done.clone()).await;
    Mock::given(method("POST")).and(path("/v1/predictions")).respond_with(done).mount(&vendor).await;
    let maker = maker(&vendor, "black-forest-labs/flux-schnell");

    maker.generate(&wish(), &go_on()).await.unwrap();
    maker.remove_background(PNG, &go_on()).await.unwrap();

    let bodies = bodies(&vendor).await;
    let flux = json!({"input": {"prompt": "a lamp", "output_format": "png", "aspect_ratio": "16:9"}});
    assert_eq!(bodies[0], flux);
    let version = "a029dff38972b5fda4ec5d75d7d1cd25aeff621d2cf4946a41055d7db66b80bc";
    assert_eq!(
        (&bodies[1]["version"], &bodies[1]["input"]["background_type"]),
        (&json!(version), &json!("rgba"))
    );
}

#[tokio::test]
async fn what_ends_there_ends_here() {
    let failed = || Err(Some(ErrorKind::Unknown));
    let ends = [("canceled", Err(None)), ("aborted", failed()), ("failed", failed())];
    for (status, expected) in ends {
        let vendor = MockServer::start().await;
        begins(&vendor, "prunaai/z-image-turbo", prediction("starting", Value::Null)).await;
        looks(&vendor, 1, prediction(status, Value::Null)).await;
        let made = maker(&vendor, "prunaai/z-image-turbo").generate(&wish(), &go_on()).await;
        let made = made.map(drop).map_err(|why| match why {
            NotMade::Cancelled => None,
            NotMade::Failed(failure) => Some(failure.kind),
        });
        assert_eq!(made, expected, "{status}");
    }
}

#[tokio::test]
async fn who_stops_waiting_tells_the_vendor() {
    let vendor = MockServer::start().await;
    begins(&vendor, "prunaai/z-image-turbo", prediction("starting", Value::Null)).await;
    let cancel = go_on();
    let stopping = cancel.clone();
    let looked_at = move |_: &Request| {
        stopping.cancel();
        prediction("processing", Value::Null)
    };
    Mock::given(method("GET")).and(path("/v1/predictions/p1")).respond_with(looked_at).mount(&vendor).await;
    Mock::given(method("POST"))
        .and(path("/v1/predictions/p1/cancel"))
        .respond_with(prediction("canceled", Value::Null))
        .expect(1)
        .mount(&vendor)
        .await;

    let made = maker(&vendor, "prunaai/z-image-turbo").generate(&wish(), &cancel).await;

    assert_eq!(made, Err(NotMade::Cancelled));
}

#[tokio::test]
async fn a_throttled_request_is_sent_again_and_a_refused_one_is_not() {
    let (vendor, results) = (MockServer::start().await, results().await);
    let throttled = ResponseTemplate::new(429)
        .insert_header("retry-after", "0")
        .set_body_json(json!({"title": "Throttled", "detail": "slow down", "status": 429}));
    let begin = "/v1/models/prunaai/z-image-turbo/predictions";
    Mock::given(path(begin)).respond_with(throttled).up_to_n_times(2).mount(&vendor).await;
    begins(
        &vendor,
        "prunaai/z-image-turbo",
        prediction("succeeded", json!(format!("{}/out.png", results.uri()))),
    )
    .await;
    maker(&vendor, "prunaai/z-image-turbo").generate(&wish(), &go_on()).await.unwrap();
    assert_eq!(paths(&vendor).await.len(), 3);

    let refusals = [
        (401, ErrorKind::BadKey),
        (402, ErrorKind::NoCredit),
        (404, ErrorKind::NoModel),
        (422, ErrorKind::BadRequest),
    ];
    for (status, kind) in refusals {
        let vendor = MockServer::start().await;
        let words = format!("no, and your key is {KEY}");
        let answer = ResponseTemplate::new(status).set_body_json(json!({"detail": words, "status": status}));
        Mock::given(path(begin)).respond_with(answer).expect(1).mount(&vendor).await;
        let made = maker(&vendor, "prunaai/z-image-turbo").generate(&wish(), &go_on()).await;
        let Err(NotMade::Failed(failure)) = made else { panic!("{status} was no failure") };
        assert!(failure.kind == kind && failure.next_step.is_some(), "{status}: {failure:?}");
        // S-45
        assert!(!failure.message.contains(KEY), "{}", failure.message);
    }
}

// S-27
#[tokio::test]
async fn a_result_on_a_private_address_is_not_fetched() {
    let vendor = MockServer::start().await;
    let private = prediction("succeeded", json!("http://169.254.169.254/latest/meta-data"));
    begins(&vendor, "prunaai/z-image-turbo", private).await;
    let made = maker(&vendor, "prunaai/z-image-turbo").generate(&wish(), &go_on()).await;
    let Err(NotMade::Failed(failure)) = made else { panic!("it was fetched") };
    assert_eq!(
        failure.message,
        "the picture could not be fetched: 169.254.169.254 is not on the public internet, so it is not fetched; \
         save the file and add it instead"
    );
}

#[tokio::test]
async fn openai_gives_the_picture_in_its_answer_with_its_price() {
    let vendor = MockServer::start().await;
    let answer = json!({
        "data": [{ "b64_json": base64::engine::general_purpose::STANDARD.encode(PNG) }],
        "usage": { "input_tokens": 100, "output_tokens": 1000 },
    });
    Mock::given(path("/v1/images/generations"))
        .and(header("authorization", format!("Bearer {KEY}").as_str()))
        .respond_with(ResponseTemplate::new(200).set_body_json(answer))
        .mount(&vendor)
        .await;
    let wish = PictureWish { is_transparent: true, ..wish() };
    let made = maker(&vendor, "gpt-image-2.6-flare").generate(&wish, &go_on()).await.unwrap();
    assert_eq!((made.bytes.as_slice(), made.cost_usd), (PNG, Some(0.0305)));
    let expected = json!({
        "model": "gpt-image-2.6-flare", "prompt": "a lamp", "n": 1, "size": "800x448",
        "background": "transparent", "output_format": "png", "quality": "auto",
    });
    assert_eq!(bodies(&vendor).await, [expected]);
}

#[tokio::test]
async fn gemini_gives_the_picture_in_a_reply_or_says_why_not() {
    let vendor = MockServer::start().await;
    let data = base64::engine::general_purpose::STANDARD.encode(PNG);
    let reply = json!({"candidates": [{"content": {"parts": [
        {"text": "Here."}, {"inlineData": {"mimeType": "image/png", "data": data}},
    ]}}]});
    let generate = "/v1beta/models/gemini-3.1-flash-image:generateContent";
    Mock::given(path(generate))
        .and(header("x-goog-api-key", KEY))
        .respond_with(ResponseTemplate::new(200).set_body_json(reply))
        .up_to_n_times(1)
        .mount(&vendor)
        .await;
    let blocked = json!({"candidates": [{"finishReason": "IMAGE_SAFETY"}]});
    Mock::given(path(generate))
        .respond_with(ResponseTemplate::new(200).set_body_json(blocked))
        .mount(&vendor)
        .await;
    let maker = maker(&vendor, "gemini-3.1-flash-image");
    assert_eq!(maker.generate(&wish(), &go_on()).await.unwrap().bytes, PNG);
    let refused = maker.generate(&wish(), &go_on()).await;
    assert!(matches!(refused, Err(NotMade::Failed(failure)) if failure.kind == ErrorKind::Blocked));
}

#[tokio::test]
async fn every_vendor_tells_where_a_picture_is_on_its_way() {
    let (replicate, results) = (MockServer::start().await, results().await);
    begins(&replicate, "prunaai/z-image-turbo", prediction("starting", Value::Null)).await;
    begins(&replicate, "prunaai/p-image-edit", prediction("processing", Value::Null)).await;
    let ended = prediction("succeeded", json!(format!("{}/out.png", results.uri())));
    Mock::given(path("/v1/predictions/p1")).respond_with(ended).mount(&replicate).await;
    let data = base64::engine::general_purpose::STANDARD.encode(PNG);
    let (openai, gemini) = (MockServer::start().await, MockServer::start().await);
    let answer = ResponseTemplate::new(200).set_body_json(json!({ "data": [{ "b64_json": data }] }));
    Mock::given(method("POST")).respond_with(answer).mount(&openai).await;
    let reply = json!({ "candidates": [{ "content": { "parts": [{ "inlineData": { "data": data } }] } }] });
    let answer = ResponseTemplate::new(200).set_body_json(reply);
    Mock::given(method("POST")).respond_with(answer).mount(&gemini).await;

    use facsimile_agent::ports::TaskStage::{BeingMade, Downloading, Sending};
    let vendors = [
        (&replicate, "prunaai/z-image-turbo"),
        (&openai, "gpt-image-2"),
        (&gemini, "gemini-3.1-flash-image"),
    ];
    for (vendor, model) in vendors {
        let told = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let heard = std::sync::Arc::clone(&told);
        let maker = maker(vendor, model).telling(move |stage| heard.lock().unwrap().push(stage));
        maker.generate(&wish(), &go_on()).await.unwrap();
        let edit = EditWish { pictures: vec![PNG.to_vec()], prompt: "red".to_owned(), aspect_ratio: None };
        maker.edit(&edit, &go_on()).await.unwrap();
        assert_eq!(*told.lock().unwrap(), [Sending, BeingMade, Downloading].repeat(2), "{model}");
    }
}

/// A photograph lying on its side, with the place where it was taken.
fn photograph() -> Vec<u8> {
    // Little-endian TIFF: orientation 6 and a pointer to a GPS part whose latitude reference is "N".
    let mut exif =
        b"II*\0\x08\0\0\0\x02\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\x25\x88\x04\0\x01\0\0\0\x26\0\0\0\0\0\0\0"
            .to_vec();
    exif.extend_from_slice(b"\x01\0\x01\0\x02\0\x02\0\0\0N\0\0\0\0\0\0\0SECRET-PLACE");
    let picture =
        RgbImage::from_fn(3000, 20, |x, _| if x < 1500 { Rgb([250, 10, 10]) } else { Rgb([10, 10, 250]) });
    let mut jpeg = Vec::new();
    let mut encoder = JpegEncoder::new_with_quality(&mut jpeg, 95);
    encoder.set_exif_metadata(exif).unwrap();
    DynamicImage::ImageRgb8(picture).write_with_encoder(encoder).unwrap();
    jpeg
}

// S-42
#[tokio::test]
async fn what_is_sent_is_upright_small_enough_of_its_declared_type_and_without_a_place() {
    let (vendor, results) = (MockServer::start().await, results().await);
    let done = prediction("succeeded", json!(format!("{}/out.png", results.uri())));
    begins(&vendor, "prunaai/p-image-edit", done).await;
    let photograph = photograph();
    assert!(photograph.windows(12).any(|part| part == b"SECRET-PLACE"));
    let wish = EditWish { pictures: vec![photograph], prompt: "warmer".to_owned(), aspect_ratio: None };

    maker(&vendor, "prunaai/z-image-turbo").edit(&wish, &go_on()).await.unwrap();

    let body = bodies(&vendor).await.remove(0);
    let sent = body["input"]["images"][0].as_str().unwrap();
    let encoded = sent.strip_prefix("data:image/png;base64,").unwrap();
    let bytes = base64::engine::general_purpose::STANDARD.decode(encoded).unwrap();
    assert_eq!(image::guess_format(&bytes).unwrap(), ImageFormat::Png);
    let picture = image::load(Cursor::new(&bytes), ImageFormat::Png).unwrap().to_rgb8();
    // Turned a quarter to the right: red, which was left, is on top.
    let [top, bottom] = [picture.get_pixel(5, 100), picture.get_pixel(5, picture.height() - 100)];
    assert!(picture.height() == 2000 && picture.width() < 20, "{:?}", picture.dimensions());
    assert!(top[0] > 200 && bottom[2] > 200, "{top:?} {bottom:?}");
    let holds = |needle: &[u8]| bytes.windows(needle.len()).any(|part| part == needle);
    assert!(!holds(b"SECRET-PLACE") && !holds(b"Exif") && !holds(b"eXIf"));
}
