//! Every transcript gives what stands beside it, however its bytes are cut.

use std::path::{Path, PathBuf};

use facsimile_agent::{ErrorKind, ProviderTurn, StreamEvent, ToolArguments};
use facsimile_providers::Rejection;
use facsimile_providers::anthropic::stream::MessageReader;
use facsimile_providers::draft::{CallDraft, Draft, Step, TurnReader};
use facsimile_providers::endpoint::Flavour;
use facsimile_providers::gemini::stream::ContentReader;
use facsimile_providers::openai_chat::stream::CompletionReader;
use facsimile_providers::openai_responses::stream::ResponseReader;
use facsimile_providers::sse::EventReader;
use serde_json::{Map, Value, json};

pub const DIALECTS: [&str; 4] = ["openai-responses", "anthropic-messages", "gemini", "openai-chat"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/sse")
}

/// The transcripts of a dialect by name.
pub fn transcripts(dialect: &str) -> Vec<(String, Vec<u8>, Value)> {
    let mut found: Vec<_> = std::fs::read_dir(folder().join(dialect))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sse"))
        .map(|path| {
            let expected = std::fs::read_to_string(path.with_extension("expected.json")).unwrap();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(&path).unwrap(), serde_json::from_str(&expected).unwrap())
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

fn reader_of(dialect: &str) -> Box<dyn TurnReader> {
    match dialect {
        "openai-responses" => Box::new(ResponseReader::new()),
        "anthropic-messages" => Box::new(MessageReader::new()),
        "gemini" => Box::new(ContentReader::new()),
        _ => Box::new(CompletionReader::new(Flavour::OpenRouter, Vec::new())),
    }
}

/// What a stream came to.
pub struct Played {
    pub outcome: Result<ProviderTurn, Rejection>,
    draft: Draft,
    events: Vec<StreamEvent>,
}

/// Reads pieces of a body as the session does.
pub fn play<'a>(dialect: &str, pieces: impl IntoIterator<Item = &'a [u8]>) -> Played {
    let mut bytes = EventReader::new();
    let mut reader = reader_of(dialect);
    let mut shown = Vec::new();
    let mut outcome = None;
    let mut feed = |events: &mut Vec<_>, reader: &mut Box<dyn TurnReader>| {
        for event in events.drain(..) {
            if outcome.is_none() {
                match reader.take(&event) {
                    Ok(Step::More) => {}
                    Ok(Step::Ended(turn)) => outcome = Some(Ok(*turn)),
                    Err(rejection) => outcome = Some(Err(rejection)),
                }
                shown.extend(reader.draft().take_events());
            }
        }
    };
    let mut events = Vec::new();
    for piece in pieces {
        bytes.push(piece, &mut events).unwrap();
        feed(&mut events, &mut reader);
    }
    bytes.finish(&mut events);
    feed(&mut events, &mut reader);
    let outcome = outcome.unwrap_or_else(|| reader.finish());
    shown.extend(reader.draft().take_events());
    Played { outcome, draft: std::mem::take(reader.draft()), events: shown }
}

fn arguments(call: &ToolArguments) -> Value {
    match call {
        ToolArguments::Json(object) => Value::Object(object.clone()),
        ToolArguments::Malformed { raw, .. } => json!({ "malformed": raw }),
    }
}

fn truncated(call: &CallDraft) -> Value {
    json!({ "id": call.id, "name": call.name, "raw_arguments": call.raw })
}

fn types(items: &Value) -> Value {
    items.as_array().unwrap().iter().map(|item| item["type"].clone()).collect()
}

/// What was played, with the keys that a transcript's expectation has.
fn account(dialect: &str, played: &Played, expected: &Value) -> Value {
    let draft = &played.draft;
    let turn = played.outcome.as_ref().ok();
    let native = turn.map(|turn| turn.native.0.clone()).unwrap_or_default();
    let mut account = Map::new();
    for (key, wanted) in expected.as_object().unwrap() {
        let value = match key.as_str() {
            "text" => draft.text.clone().into(),
            "refusal" => draft.refusal.clone().into(),
            "thinking" => json!(draft.thinking),
            "finish" => match &played.outcome {
                Ok(_) => json!(draft.finish),
                Err(error) if error.kind == ErrorKind::StreamEndedEarly => "error:stream_ended_early".into(),
                Err(_) => "error".into(),
            },
            "error" => {
                let error = played.outcome.as_ref().err();
                let mut value = json!({
                    "code": error.and_then(|error| error.code.clone()),
                    "retryable": error.is_some_and(|error| error.is_retryable),
                });
                if wanted.get("http").is_some() {
                    value["http"] = json!(error.and_then(|error| error.status));
                }
                value
            }
            "tool_calls" => {
                let calls = turn.map(|turn| turn.tool_calls.as_slice()).unwrap_or_default();
                let ours = wanted.as_array().unwrap().iter().map(|call| call["id"].is_null());
                let calls = calls.iter().zip(ours.chain(std::iter::repeat(false)));
                calls
                    .map(|(call, is_ours)| {
                        let id = if is_ours { Value::Null } else { call.id.clone().into() };
                        json!({ "id": id, "name": call.name, "arguments": arguments(&call.arguments) })
                    })
                    .collect()
            }
            "truncated_tool_call" => draft.truncated_call.as_ref().map(truncated).unwrap_or_default(),
            "usage" => draft.usage.map_or(Value::Null, |usage| {
                json!({
                    "input": usage.input, "output": usage.output, "cache_read": usage.cached_read,
                    "cache_write": usage.cached_write, "reasoning": usage.reasoning,
                })
            }),
            "echo_items" | "echo_blocks" => types(&native),
            "encrypted_content" => native[0]["encrypted_content"].clone(),
            "signature_part" => {
                let part = native["parts"].as_array().unwrap().last().unwrap();
                assert_eq!(part["text"], "");
                part["thoughtSignature"].clone()
            }
            "signatures" if dialect == "gemini" => {
                let parts = native["parts"].as_array().unwrap().iter();
                let signed = parts.filter(|part| part["functionCall"].is_object()).map(|part| {
                    let id = part["functionCall"]["id"].as_str().unwrap().to_owned();
                    (id, part["thoughtSignature"].clone())
                });
                Value::Object(signed.collect())
            }
            "signatures" => {
                let blocks = native.as_array().unwrap().iter();
                blocks.filter_map(|block| block.get("signature").cloned()).collect()
            }
            // Remarks, and details that are for a person.
            "note" | "stop_details" => wanted.clone(),
            other => panic!("nobody knows what {other} means"),
        };
        account.insert(key.clone(), value);
    }
    Value::Object(account)
}

fn assert_as_expected(dialect: &str, name: &str, how: &str, played: &Played, expected: &Value) {
    assert_eq!(account(dialect, played, expected), *expected, "{dialect}/{name} {how}");
    // What was shown piece by piece is what the reply has in the end.
    let (mut text, mut typed) = (String::new(), Map::new());
    for event in &played.events {
        match event {
            StreamEvent::Text(piece) => text.push_str(piece),
            StreamEvent::ToolArguments { call_id, json, .. } => {
                let raw = typed.entry(call_id.clone()).or_insert_with(|| "".into());
                *raw = format!("{}{json}", raw.as_str().unwrap()).into();
            }
            StreamEvent::Thinking(_) | StreamEvent::Alive | StreamEvent::TurnEnded(_) => {}
        }
    }
    assert_eq!(text, format!("{}{}", played.draft.text, played.draft.refusal), "{dialect}/{name} {how}");
    for call in played.draft.calls.iter().chain(&played.draft.truncated_call) {
        assert_eq!(
            typed.get(&call.id).cloned().unwrap_or_else(|| "".into()),
            call.raw,
            "{dialect}/{name} {how}"
        );
    }
}

#[test]
fn all_transcripts_are_there() {
    let count: usize = DIALECTS.iter().map(|dialect| transcripts(dialect).len()).sum();
    assert_eq!(count, 54);
}

#[test]
fn every_transcript_gives_its_expectation_whole_and_in_small_pieces() {
    for dialect in DIALECTS {
        for (name, body, expected) in transcripts(dialect) {
            for size in [body.len(), 1, 7, 64] {
                let played = play(dialect, body.chunks(size));
                assert_as_expected(dialect, &name, &format!("in pieces of {size}"), &played, &expected);
            }
        }
    }
}

/// A cut can only matter through the reader of bytes: wherever it is, the events around it and the state
/// behind them have to be those of the whole body. From there on everything is the same.
#[test]
fn no_transcript_depends_on_the_byte_at_which_it_is_cut() {
    for dialect in DIALECTS {
        for (name, body, _) in transcripts(dialect) {
            let mut reader = EventReader::new();
            let mut events = Vec::new();
            // The state at every byte, and the events until then.
            let mut states = vec![(reader.clone(), 0)];
            for byte in &body {
                reader.push(&[*byte], &mut events).unwrap();
                states.push((reader.clone(), events.len()));
            }
            let ends = event_ends(&body);
            for cut in 1..body.len() {
                let start = ends.iter().rev().find(|end| **end <= cut).copied().unwrap_or(0);
                let stop = ends.iter().filter(|end| **end > cut).nth(1).copied().unwrap_or(body.len());
                let (mut reader, first) = states[start].clone();
                let mut around = Vec::new();
                reader.push(&body[start..cut], &mut around).unwrap();
                reader.push(&body[cut..stop], &mut around).unwrap();
                let (state, last) = &states[stop];
                let expected = &events[first..*last];
                assert!(reader == *state && around == expected, "{dialect}/{name} cut at {cut}");
            }
        }
    }
}

#[test]
fn transcripts_in_two_pieces_give_their_expectation() {
    // The one test above looks at every byte; this one goes the whole way for some of them.
    for dialect in DIALECTS {
        for (name, body, expected) in transcripts(dialect) {
            for cut in (1..body.len()).step_by(211) {
                let (head, tail) = body.split_at(cut);
                let played = play(dialect, [head, tail]);
                assert_as_expected(dialect, &name, &format!("cut at {cut}"), &played, &expected);
            }
        }
    }
}

/// The ends of all events.
fn event_ends(body: &[u8]) -> Vec<usize> {
    let mut reader = EventReader::new();
    let mut events = Vec::new();
    (0..body.len())
        .filter(|at| {
            events.clear();
            reader.push(&body[*at..=*at], &mut events).unwrap();
            !events.is_empty()
        })
        .map(|at| at + 1)
        .collect()
}

#[test]
fn a_stream_that_stops_between_events_never_succeeds() {
    for dialect in DIALECTS {
        for (name, body, expected) in transcripts(dialect) {
            let ends = event_ends(&body);
            let whole = play(dialect, [body.as_slice()]);
            for end in &ends {
                let played = play(dialect, [&body[..*end]]);
                let Err(error) = &played.outcome else {
                    // From its end marker on a stream is whole, though usage may be missing.
                    let kept = |played: &Played| {
                        let turn = played.outcome.as_ref().unwrap();
                        (turn.text.clone(), turn.tool_calls.clone(), turn.stop)
                    };
                    let has_marker =
                        dialect == "openai-chat" || dialect == "gemini" || *end == ends[ends.len() - 1];
                    assert!(has_marker && kept(&played) == kept(&whole), "{dialect}/{name} up to {end}");
                    continue;
                };
                let own = whole.outcome.as_ref().err().map(|error| error.kind);
                assert!(
                    error.kind == ErrorKind::StreamEndedEarly || Some(error.kind) == own,
                    "{dialect}/{name} up to {end} of {expected}: {error:?}"
                );
            }
        }
    }
}
