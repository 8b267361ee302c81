//! What a streamed page costs from the socket to the window: engine, tools, session and HTTP on one thread,
//! against a loop that only reads the same bytes and parses each event with serde_json. The server has a
//! thread of its own that is not counted.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a bench that cannot run has nothing to say
#![allow(missing_docs)]

use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use facsimile_agent::{
    AgentEngine, AgentEvent, Limits, ProjectFiles, ProjectPath, ProviderSession, ToolContext, UserMessage,
    VariantIndex, tools,
};
use facsimile_providers::{ConnectSpec, Connector, Endpoint, Family, ModelFacts, Secret};
use facsimile_testkit::replay::{KEY, ReplayServer, Served, ServedTurn, Spoken};
use serde_json::{Value, json};
use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

/// Characters in a delta, about what a fast model sends.
const DELTA_CHARS: usize = 16;
const CHUNK_BYTES: usize = 512;
const ROUNDS: usize = 5;

fn main() {
    let sizes = [10, 50, 200, 500];
    let measured: Vec<Measured> = sizes.map(best_of).into();
    for (kib, m) in sizes.iter().zip(&measured) {
        let name = format!("engine/create_file/http/{kib}KiB");
        print(&name, m.cpu_s, "s", Some((m.reading_s, m.cpu_s / m.reading_s)));
        print(&format!("{name}/messages"), m.messages as f64, "messages", None);
        let page = f64::from(*kib) * 1024.0;
        print(&format!("{name}/sent"), m.sent as f64, "bytes", Some((page, m.sent as f64 / page)));
        print(&format!("{name}/largest_gap"), m.largest_gap.as_secs_f64(), "s", None);
    }
    print("engine/create_file/http/500KiB/50KiB", measured[3].cpu_s / measured[1].cpu_s, "times", None);
    let (one, four) = (variants(1), variants(4));
    print("engine/create_file/http/four_variants", four, "s", Some((one, four / one)));
}

fn print(name: &str, value: f64, unit: &str, against: Option<(f64, f64)>) {
    let mut line = json!({ "name": name, "value": value, "unit": unit });
    if let Some((yardstick, ratio)) = against {
        line["yardstick"] = json!(yardstick);
        line["ratio"] = json!(ratio);
    }
    println!("{line}");
}

struct Measured {
    cpu_s: f64,
    reading_s: f64,
    messages: usize,
    sent: usize,
    largest_gap: Duration,
}

fn page(kib: u32) -> String {
    let mut page = String::from("<!doctype html>\n<html><body>\n");
    while page.len() < kib as usize * 1024 {
        page.push_str("<p class=\"lead\">A line of \"text\" with größe, 😀 and <b>markup</b>.</p>\n");
    }
    page.push_str("</body></html>\n");
    page
}

fn answers(page: &str) -> Vec<Served> {
    let turn = ServedTurn::new()
        .calling("c1", "create_file", json!({ "path": "index.html", "content": page }))
        .typing(DELTA_CHARS);
    vec![Served::from(turn).in_chunks_of(CHUNK_BYTES), ServedTurn::new().saying("Done.").into()]
}

/// A server on a thread of its own. Gives its address; it ends with the sender.
fn serve(answers: Vec<Served>) -> (String, mpsc::Sender<()>) {
    let (address_sender, address) = mpsc::channel();
    let (keep, ended) = mpsc::channel::<()>();
    std::thread::spawn(move || {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let server = runtime.block_on(ReplayServer::playing(Spoken::OpenAiResponses, answers)).unwrap();
        address_sender.send(server.address().to_owned()).unwrap();
        // Ends when the other side is dropped.
        let _ = ended.recv();
    });
    (address.recv().unwrap(), keep)
}

fn session(address: &str) -> Box<dyn ProviderSession> {
    let family = Family::OpenAiResponses;
    let spec = ConnectSpec {
        endpoint: Endpoint::custom(family, address).unwrap(),
        key: Secret::new(KEY),
        model: ModelFacts::unlisted(family, "model-1"),
        effort: None,
        system: "You build pages.".to_owned(),
        tools: tools::registry().unwrap().specs(&facsimile_agent::tool::Capabilities::default()),
        continuation_tools: Vec::new(),
        cache_key: "bench".to_owned(),
    };
    let mut session = Connector::new().connect(spec).unwrap();
    session.append_user(UserMessage::text("Build the page.")).unwrap();
    session
}

async fn run(session: &mut dyn ProviderSession, page: &str) -> (usize, usize, Duration) {
    let mut cx = ToolContext::new(VariantIndex(0), ProjectFiles::new(), CancellationToken::new());
    let engine = AgentEngine::new(Arc::new(tools::registry().unwrap()), Limits::of_create());
    let (mut messages, mut sent, mut largest_gap) = (0, 0, Duration::ZERO);
    let mut last = None;
    let mut sink = |event: AgentEvent| {
        if let AgentEvent::SetCode { text, .. } = &event {
            messages += 1;
            sent += text.len();
            let now = Instant::now();
            largest_gap = largest_gap.max(last.map_or(Duration::ZERO, |last| now - last));
            last = Some(now);
        }
        black_box(serde_json::to_vec(&event).unwrap());
    };
    engine.run(session, &mut cx, &mut sink).await;
    assert_eq!(cx.files.read(&ProjectPath::index()), Some(page), "the page has to come out as it went in");
    (messages, sent, largest_gap)
}

fn best_of(kib: u32) -> Measured {
    let page = page(kib);
    let tries = (0..ROUNDS).map(|_| {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let (address, _keep) = serve(answers(&page));
        let mut session = session(&address);
        let start = ThreadTime::now();
        let (messages, sent, largest_gap) = runtime.block_on(run(session.as_mut(), &page));
        let cpu_s = start.elapsed().as_secs_f64();
        Measured { cpu_s, reading_s: reading_alone(&page), messages, sent, largest_gap }
    });
    tries.min_by(|a, b| a.cpu_s.total_cmp(&b.cpu_s)).unwrap()
}

/// CPU seconds of reading the same stream and parsing its events.
fn reading_alone(page: &str) -> f64 {
    let (address, _keep) = serve(answers(page));
    let began = ThreadTime::now();
    let mut stream = TcpStream::connect(address.trim_start_matches("http://")).unwrap();
    let body = json!({ "store": false, "input": [{ "role": "user", "content": "x" }] }).to_string();
    let head = format!(
        "POST /v1/responses HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {KEY}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    while line != b"\r\n" {
        line.clear();
        reader.read_until(b'\n', &mut line).unwrap();
    }
    // Each byte is looked at once, or the yardstick would be slow by itself.
    let (mut text, mut looked_at) = (Vec::new(), 0);
    loop {
        line.clear();
        reader.read_until(b'\n', &mut line).unwrap();
        let size = usize::from_str_radix(std::str::from_utf8(&line).unwrap().trim(), 16).unwrap();
        let start = text.len();
        text.resize(start + size + 2, 0);
        std::io::Read::read_exact(&mut reader, &mut text[start..]).unwrap();
        text.truncate(start + size);
        let mut line_start = 0;
        while let Some(end) = memchr::memchr(b'\n', &text[looked_at..]) {
            let end = looked_at + end;
            if let Some(event) = text[line_start..end].strip_prefix(b"data: ") {
                black_box(serde_json::from_slice::<Value>(event).unwrap());
            }
            (line_start, looked_at) = (end + 1, end + 1);
        }
        text.drain(..line_start);
        looked_at = text.len();
        if size == 0 {
            return began.elapsed().as_secs_f64();
        }
    }
}

/// CPU seconds of variants of 200 KiB at once.
fn variants(count: usize) -> f64 {
    let page = page(200);
    let tries = (0..ROUNDS).map(|_| {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let servers: Vec<_> = (0..count).map(|_| serve(answers(&page))).collect();
        let mut sessions: Vec<_> = servers.iter().map(|(address, _)| session(address)).collect();
        let start = ThreadTime::now();
        let runs = sessions.iter_mut().map(|session| run(session.as_mut(), &page));
        runtime.block_on(futures::future::join_all(runs));
        start.elapsed().as_secs_f64()
    });
    tries.min_by(f64::total_cmp).unwrap()
}
