//! How long a picture may take, and how its making is stopped.

use std::time::Duration;

use facsimile_agent::{ErrorKind, Failure};
use facsimile_providers::media::{NotMade, Pace};
use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use super::{PNG, begins, go_on, looks, maker, prediction, wish};

/// How the making of a picture ended that may take this long in all.
async fn hurried(vendor: &MockServer, model: &str, total: Duration) -> Result<(), NotMade> {
    let pause = Duration::from_millis(1);
    let pace = Pace { first: pause, longest: pause, total, retry: pause };
    maker(vendor, model).paced(pace).generate(&wish(), &go_on()).await.map(drop)
}

fn too_late(who: &str) -> Result<(), NotMade> {
    let failure = Failure::new(ErrorKind::Stalled, format!("{who} did not finish the picture in time"));
    Err(NotMade::Failed(failure.with_next_step("Try again, or choose a faster image model in Settings")))
}

#[tokio::test]
async fn a_prediction_that_never_ends_is_given_up_and_cancelled() {
    let vendor = MockServer::start().await;
    begins(&vendor, "prunaai/z-image-turbo", prediction("starting", Value::Null)).await;
    looks(&vendor, u64::MAX, prediction("processing", Value::Null)).await;
    let cancelled = prediction("canceled", Value::Null);
    Mock::given(path("/v1/predictions/p1/cancel")).respond_with(cancelled).expect(1).mount(&vendor).await;

    let made = hurried(&vendor, "prunaai/z-image-turbo", Duration::from_millis(60)).await;

    assert_eq!(made, too_late("Replicate"));
}

/// Each part alone would be in time; that they are not together shows that one clock runs over all of them.
#[tokio::test]
async fn one_time_limit_covers_order_waiting_and_fetching_of_a_picture() {
    let (total, part) = (Duration::from_millis(500), Duration::from_millis(300));
    let (vendor, results) = (MockServer::start().await, MockServer::start().await);
    let picture = ResponseTemplate::new(200).set_body_raw(PNG, "image/png").set_delay(part);
    Mock::given(path("/out.png")).respond_with(picture).mount(&results).await;
    let done = prediction("succeeded", json!(format!("{}/out.png", results.uri())));
    begins(&vendor, "prunaai/z-image-turbo", done.clone().set_delay(part)).await;
    begins(&vendor, "black-forest-labs/flux-schnell", prediction("starting", Value::Null).set_delay(part))
        .await;
    looks(&vendor, u64::MAX, done.set_delay(part)).await;

    for model in ["prunaai/z-image-turbo", "black-forest-labs/flux-schnell"] {
        assert_eq!(hurried(&vendor, model, total).await, too_late("Replicate"), "{model}");
    }
}

#[tokio::test]
async fn a_vendor_that_is_silent_or_asks_for_a_minute_is_given_up_in_time() {
    let silent = ResponseTemplate::new(200).set_delay(Duration::from_secs(3600));
    let in_a_minute = ResponseTemplate::new(429).insert_header("retry-after", "60");
    let models = [
        ("prunaai/z-image-turbo", "Replicate"),
        ("gpt-image-2", "OpenAI"),
        ("gemini-3.1-flash-image", "Gemini"),
    ];
    for (model, who) in models {
        for answer in [silent.clone(), in_a_minute.clone()] {
            let vendor = MockServer::start().await;
            Mock::given(method("POST")).respond_with(answer).mount(&vendor).await;
            assert_eq!(hurried(&vendor, model, Duration::from_millis(60)).await, too_late(who));
        }
    }
}

#[tokio::test]
async fn a_stop_ends_every_part_of_the_making() {
    for part in ["POST", "GET", "fetch"] {
        let (vendor, results) = (MockServer::start().await, MockServer::start().await);
        let cancel = go_on();
        let hanging = |answer: ResponseTemplate, here: bool| {
            let stopping = cancel.clone();
            move |_: &Request| {
                if here {
                    stopping.cancel();
                    return answer.clone().set_delay(Duration::from_secs(3600));
                }
                answer.clone()
            }
        };
        let picture = ResponseTemplate::new(200).set_body_raw(PNG, "image/png");
        let done = prediction("succeeded", json!(format!("{}/out.png", results.uri())));
        let begin = path("/v1/models/prunaai/z-image-turbo/predictions");
        let begun = hanging(prediction("starting", Value::Null), part == "POST");
        Mock::given(begin).respond_with(begun).mount(&vendor).await;
        Mock::given(path("/v1/predictions/p1"))
            .respond_with(hanging(done, part == "GET"))
            .mount(&vendor)
            .await;
        Mock::given(path("/out.png")).respond_with(hanging(picture, part == "fetch")).mount(&results).await;

        let made = maker(&vendor, "prunaai/z-image-turbo").generate(&wish(), &cancel).await;

        assert_eq!(made, Err(NotMade::Cancelled), "{part}");
    }
}
