//! How much the engine adds to reading the events: a page streamed through a scripted session, against a loop
//! that only parses the same events with serde_json.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a bench that cannot run has nothing to say
#![allow(missing_docs)]

use std::hint::black_box;
use std::sync::Arc;

use cpu_time::ProcessTime;
use facsimile_agent::{
    AgentEngine, AgentEvent, Limits, ProjectFiles, ProjectPath, ToolContext, VariantIndex, tools,
};
use facsimile_testkit::{Reply, ScriptedSession};
use serde_json::{Value, json};
use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

/// Characters in a delta, about what a fast model sends.
const DELTA_CHARS: usize = 16;
const ROUNDS: usize = 5;

fn main() {
    let seconds: Vec<_> = [10, 50, 200, 500].map(|kib| (kib, measure(kib))).into();
    for (kib, (engine, parsing, _)) in &seconds {
        print(&format!("engine/create_file/{kib}KiB"), *engine, "s", Some((*parsing, engine / parsing)));
    }
    let (fifty, (at_fifty, ..)) = seconds[1];
    let (most, (at_most, _, sent)) = seconds[3];
    print(&format!("engine/create_file/{most}KiB/{fifty}KiB"), at_most / at_fifty, "times", None);
    print(
        &format!("engine/create_file/{most}KiB/sent"),
        sent,
        "bytes",
        Some((f64::from(most) * 1024.0, sent / (f64::from(most) * 1024.0))),
    );
}

fn print(name: &str, value: f64, unit: &str, against: Option<(f64, f64)>) {
    let mut line = json!({ "name": name, "value": value, "unit": unit });
    if let Some((yardstick, ratio)) = against {
        line["yardstick"] = json!(yardstick);
        line["ratio"] = json!(ratio);
    }
    println!("{line}");
}

/// CPU seconds of the engine and of parsing alone, the best of several tries, and the bytes of code sent.
fn measure(kib: u32) -> (f64, f64, f64) {
    let page = page(kib as usize * 1024);
    let raw = json!({ "path": "index.html", "content": page }).to_string();
    let lines = event_lines(&raw);
    let mut best = (f64::MAX, f64::MAX, 0.0);
    for _ in 0..ROUNDS {
        let reply = Reply::new().calling_with("create_file", &raw, DELTA_CHARS);
        let start = ProcessTime::now();
        let (sent, stored) = through_engine(reply);
        let engine = start.elapsed().as_secs_f64();
        assert_eq!(stored, page, "the page has to come out as it went in");
        let start = ProcessTime::now();
        for line in &lines {
            black_box(serde_json::from_str::<Value>(black_box(line)).unwrap());
        }
        let parsing = start.elapsed().as_secs_f64();
        best = (best.0.min(engine), best.1.min(parsing), sent as f64);
    }
    best
}

fn page(bytes: usize) -> String {
    let mut page = String::from("<!doctype html>\n<html><body>\n");
    while page.len() < bytes {
        page.push_str("<p class=\"lead\">A line of \"text\" with größe, 😀 and <b>markup</b>.</p>\n");
    }
    page.push_str("</body></html>\n");
    page
}

/// The stream as a vendor would send it: one JSON event per delta.
fn event_lines(raw: &str) -> Vec<String> {
    let characters: Vec<_> = raw.chars().collect();
    let delta = |piece: &[char]| {
        let delta: String = piece.iter().collect();
        json!({ "type": "response.function_call_arguments.delta", "item_id": "fc_1", "output_index": 0,
                "sequence_number": 1, "delta": delta })
        .to_string()
    };
    characters.chunks(DELTA_CHARS).map(delta).collect()
}

fn through_engine(reply: Reply) -> (usize, String) {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let mut session = ScriptedSession::new([reply]);
    let mut cx = ToolContext::new(VariantIndex(0), ProjectFiles::new(), CancellationToken::new());
    let engine = AgentEngine::new(Arc::new(tools::registry().unwrap()), Limits::of_create());
    let mut sent = 0;
    let mut sink = |event: AgentEvent| {
        if let AgentEvent::SetCode { text, .. } = &event {
            sent += text.len();
        }
        black_box(serde_json::to_vec(&event).unwrap());
    };
    runtime.block_on(engine.run(&mut session, &mut cx, &mut sink));
    let stored = cx.files.read(&ProjectPath::index()).unwrap_or_default().to_owned();
    (sent, stored)
}
