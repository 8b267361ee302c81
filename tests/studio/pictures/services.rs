//! Image services on loopback.

use std::net::IpAddr;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use facsimile_providers::GuardedClient;
use facsimile_providers::guarded::{AddressGate, SystemNames};
use facsimile_providers::media::{Pace, PictureVendor};
use facsimile_studio::Services;
use image::{Rgb, RgbImage};
use serde_json::{Value, json};
use tokio::sync::Notify;
use wiremock::matchers::{method, path, path_regex};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::support::png;

pub const TOKEN: &str = "r8_planted_token_123456";

/// Admits whatever is on this machine: the mock servers are.
struct Loopback;

impl AddressGate for Loopback {
    fn admits(&self, address: IpAddr) -> bool {
        address.is_loopback()
    }
}

/// Services whose results may lie on loopback, with short pauses.
pub fn services() -> Services {
    services_within(Duration::from_secs(60))
}

/// The same, which give a picture up after this time.
pub fn services_within(total: Duration) -> Services {
    let millis = Duration::from_millis;
    let pace = Pace { first: millis(1), longest: millis(4), total, retry: millis(1) };
    Services::default().fetching(GuardedClient::through(Loopback, SystemNames), pace)
}

/// What a made picture looks like.
pub fn made() -> Vec<u8> {
    png(&RgbImage::from_fn(64, 48, |x, y| Rgb([x as u8 * 3, y as u8 * 5, 90])))
}

/// Replicate: predictions that go on until they are let go, then end as they are told to.
pub struct Replicate {
    server: MockServer,
    results: MockServer,
    is_open: Arc<AtomicBool>,
    most_at_once: Arc<AtomicUsize>,
    looked_at: Arc<Notify>,
    stopped: Arc<Notify>,
}

impl Replicate {
    /// A service whose predictions end at once; the first ones as these say, the others well.
    pub async fn ending(first: &'static [&'static str]) -> Self {
        let (server, results) = (MockServer::start().await, MockServer::start().await);
        let picture = ResponseTemplate::new(200).set_body_raw(made(), "image/png");
        Mock::given(method("GET")).and(path("/out.png")).respond_with(picture).mount(&results).await;
        let (begun, ended) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let most_at_once = Arc::new(AtomicUsize::new(0));
        let (most, over) = (Arc::clone(&most_at_once), Arc::clone(&ended));
        let begin = move |_: &Request| {
            let number = begun.fetch_add(1, Ordering::SeqCst);
            most.fetch_max(number + 1 - over.load(Ordering::SeqCst), Ordering::SeqCst);
            prediction(number, "starting", Value::Null)
        };
        Mock::given(method("POST"))
            .and(path_regex("/predictions$"))
            .respond_with(begin)
            .with_priority(5)
            .mount(&server)
            .await;
        let (looked_at, stopped) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (looking, stop) = (Arc::clone(&looked_at), Arc::clone(&stopped));
        let stop = move |_: &Request| {
            stop.notify_one();
            ResponseTemplate::new(200).set_body_json(json!({}))
        };
        Mock::given(method("POST")).and(path_regex("/cancel$")).respond_with(stop).mount(&server).await;
        let (is_open, output) = (Arc::new(AtomicBool::new(true)), format!("{}/out.png", results.uri()));
        let open = Arc::clone(&is_open);
        let look = move |request: &Request| {
            looking.notify_one();
            let id = request.url.path().rsplit('/').next().unwrap_or_default();
            let number: usize = id.trim_start_matches('p').parse().unwrap();
            if !open.load(Ordering::SeqCst) {
                return prediction(number, "processing", Value::Null);
            }
            ended.fetch_add(1, Ordering::SeqCst);
            match first.get(number) {
                None | Some(&"succeeded") => prediction(number, "succeeded", json!([output])),
                Some(status) => prediction(number, status, Value::Null),
            }
        };
        Mock::given(method("GET")).and(path_regex("/predictions/")).respond_with(look).mount(&server).await;
        Self { server, results, is_open, most_at_once, looked_at, stopped }
    }

    /// The same, whose predictions go on until [`let_go`](Self::let_go).
    pub fn held(self) -> Self {
        self.is_open.store(false, Ordering::SeqCst);
        self
    }

    pub fn let_go(&self) {
        self.is_open.store(true, Ordering::SeqCst);
    }

    /// Waits until somebody has looked how far a prediction is.
    pub async fn looked_at(&self) {
        self.looked_at.notified().await;
    }

    /// Waits until somebody has stopped a prediction.
    pub async fn stopped(&self) {
        self.stopped.notified().await;
    }

    /// The same, which has too much to do for the first request.
    pub async fn throttled(self) -> Self {
        let answer = ResponseTemplate::new(429)
            .insert_header("retry-after", "0")
            .set_body_json(json!({"detail": "Request was throttled.", "status": 429}));
        Mock::given(method("POST"))
            .and(path_regex("/predictions$"))
            .respond_with(answer)
            .up_to_n_times(1)
            .with_priority(1)
            .mount(&self.server)
            .await;
        self
    }

    /// How many predictions went on at the same time, at most.
    pub fn most_at_once(&self) -> usize {
        self.most_at_once.load(Ordering::SeqCst)
    }

    /// Takes the key for good from now on.
    pub async fn takes_the_key(&self) {
        let account = ResponseTemplate::new(200).set_body_json(json!({ "username": "maker" }));
        Mock::given(method("GET")).and(path("/v1/account")).respond_with(account).mount(&self.server).await;
    }

    pub fn services(&self) -> Services {
        services().at(PictureVendor::Replicate, self.server.uri())
    }

    /// The predictions that were asked for, each by its model, in their order; every request has the key.
    pub async fn asked(&self) -> Vec<String> {
        let requests = self.server.received_requests().await.unwrap();
        let bearer = format!("Bearer {TOKEN}");
        assert!(requests.iter().all(|request| request.headers["authorization"] == bearer.as_str()));
        let fetched = self.results.received_requests().await.unwrap();
        assert!(fetched.iter().all(|request| !request.headers.contains_key("authorization")));
        let begun = requests.iter().filter(|request| request.url.path().ends_with("/predictions"));
        let model = |request: &Request| {
            let body: Value = serde_json::from_slice(&request.body).unwrap();
            let version = body["version"].as_str().map(|version| version[..6].to_owned());
            let path = request.url.path();
            let name = path.trim_start_matches("/v1/models/").trim_end_matches("/predictions");
            version.unwrap_or_else(|| name.to_owned())
        };
        begun.map(model).collect()
    }
}

fn prediction(number: usize, status: &str, output: Value) -> ResponseTemplate {
    let error = (status == "failed").then_some("E1001: out of memory");
    ResponseTemplate::new(200).set_body_json(
        json!({ "id": format!("p{number}"), "status": status, "output": output, "error": error }),
    )
}

/// OpenAI: every picture comes in its answer and costs 0.03 dollars.
pub async fn openai() -> MockServer {
    openai_writing(1000).await
}

/// Holds answers back until it is let go.
#[derive(Clone, Default)]
pub struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    pub fn let_go(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    fn pass(&self) {
        const HANG_GUARD: Duration = Duration::from_secs(60);
        let open = self.0.0.lock().unwrap();
        drop(self.0.1.wait_timeout_while(open, HANG_GUARD, |is_open| !*is_open).unwrap());
    }
}

/// The same, whose pictures wait to be let go.
pub async fn openai_held() -> (MockServer, Gate) {
    let (server, gate) = (MockServer::start().await, Gate::default());
    let (held, answer) = (gate.clone(), openai_answer(1000));
    // The server answers on a thread of its own, which may wait.
    let answer = move |_: &Request| {
        held.pass();
        answer.clone()
    };
    Mock::given(method("POST")).and(path_regex("/images/")).respond_with(answer).mount(&server).await;
    (server, gate)
}

/// The same, which refuses the first orders.
pub async fn openai_refusing(orders: u64) -> MockServer {
    let server = openai().await;
    let refused = json!({ "error": { "message": "no such size", "code": "invalid_value" } });
    Mock::given(method("POST"))
        .and(path_regex("/images/"))
        .respond_with(ResponseTemplate::new(400).set_body_json(refused))
        .up_to_n_times(orders)
        .with_priority(1)
        .mount(&server)
        .await;
    server
}

/// OpenAI, which takes an hour for every picture.
pub async fn openai_dawdling() -> MockServer {
    let server = MockServer::start().await;
    let late = ResponseTemplate::new(200).set_delay(Duration::from_secs(3600));
    Mock::given(method("POST")).and(path_regex("/images/")).respond_with(late).mount(&server).await;
    server
}

/// OpenAI, whose pictures have so many tokens at 30 dollars a million.
pub async fn openai_writing(output_tokens: u32) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path_regex("/images/"))
        .respond_with(openai_answer(output_tokens))
        .mount(&server)
        .await;
    server
}

fn openai_answer(output_tokens: u32) -> ResponseTemplate {
    let picture = STANDARD.encode(made());
    let usage = json!({ "input_tokens": 0, "output_tokens": output_tokens });
    ResponseTemplate::new(200).set_body_json(json!({ "data": [{ "b64_json": picture }], "usage": usage }))
}

/// Replicate, where every answer says the key: a refusal, or a prediction that fails.
pub async fn saying_the_key(is_refusing: bool) -> (MockServer, Services) {
    let server = MockServer::start().await;
    let words = format!("the token {TOKEN} ({}) may not", STANDARD.encode(TOKEN));
    let begun = match is_refusing {
        true => ResponseTemplate::new(401).set_body_json(json!({ "title": words, "detail": words })),
        false => prediction(0, "starting", Value::Null),
    };
    Mock::given(method("POST")).respond_with(begun).mount(&server).await;
    let failed = json!({ "id": "p0", "status": "failed", "output": null, "error": words, "logs": words });
    let failed = ResponseTemplate::new(200).set_body_json(failed);
    Mock::given(method("GET")).respond_with(failed).mount(&server).await;
    let services = services().at(PictureVendor::Replicate, server.uri());
    (server, services)
}
