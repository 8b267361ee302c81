//! Streams that no vendor should send.

use std::path::Path;

use facsimile_agent::{ErrorKind, ProviderTurn};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::Value;

use crate::transcripts::{DIALECTS, play, transcripts};

/// A body with something broken in it.
fn broken_body() -> impl Strategy<Value = (usize, Vec<u8>)> {
    let bodies: Vec<(usize, Vec<u8>)> = DIALECTS
        .iter()
        .enumerate()
        .flat_map(|(at, dialect)| transcripts(dialect).into_iter().map(move |(_, body, _)| (at, body)))
        .collect();
    let change = (any::<prop::sample::Index>(), 0_u8..4, any::<u8>());
    (proptest::sample::select(bodies), proptest::collection::vec(change, 1..6)).prop_map(
        |((at, mut body), changes)| {
            for (place, what, byte) in changes {
                if body.is_empty() {
                    continue;
                }
                let place = place.index(body.len());
                match what {
                    0 => body[place] = byte,
                    1 => body.truncate(place),
                    2 => body.insert(place, byte),
                    _ => {
                        let end = body.len().min(place + usize::from(byte));
                        body.drain(place..end);
                    }
                }
            }
            (at, body)
        },
    )
}

/// How a body ends when it comes in pieces of these sizes: the reply, or the kind and the words of the error.
fn ending(dialect: &str, body: &[u8], sizes: &[usize]) -> Result<ProviderTurn, (ErrorKind, String)> {
    let mut rest = body;
    let mut sizes = sizes.iter().cycle();
    let pieces = std::iter::from_fn(|| {
        let (piece, tail) = rest.split_at(rest.len().min(*sizes.next()?));
        rest = tail;
        (!piece.is_empty()).then_some(piece)
    });
    let played = play(dialect, pieces.collect::<Vec<_>>());
    played.outcome.map_err(|error| {
        assert!(!error.words.is_empty(), "{error:?}");
        (error.kind, error.words)
    })
}

/// Bytes as a stream might have them, and any others.
fn stream_bytes() -> impl Strategy<Value = Vec<u8>> {
    let word = proptest::sample::select(vec![
        "data: ",
        "event: ",
        "\n",
        "\n\n",
        "\r",
        "\r\n",
        ": ",
        "[DONE]",
        "{",
        "}",
        "[",
        "]",
        "\"",
        ":",
        ",",
        "\\u",
        "d83d",
        "\"type\"",
        "\"message_start\"",
        "\"choices\"",
        "\"candidates\"",
        "\"delta\"",
        "\"error\"",
        "null",
        "0",
        "é",
        "\u{FEFF}",
    ]);
    let piece = prop_oneof![
        4 => word.prop_map(|word| word.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..12),
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

#[test]
fn every_saved_stream_ends_as_a_reply_or_a_named_error_however_it_is_cut() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/providers/corpus");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = files.filter(|path| path.extension().is_some_and(|kind| kind == "sse")).collect();
    assert!(files.len() >= 18, "{files:?}");
    for file in files {
        let body = std::fs::read(&file).unwrap();
        for dialect in DIALECTS {
            let whole = ending(dialect, &body, &[body.len().max(1)]);
            for size in [1, 7, 64] {
                assert_eq!(ending(dialect, &body, &[size]), whole, "{dialect} {} {size}", file.display());
            }
        }
    }
}

/// JSON in the shape of events, with anything anywhere.
fn strange_event() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Value::from),
        proptest::sample::select(vec![
            "",
            "tool_use",
            "text",
            "thinking",
            "function_call",
            "message_start",
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop",
            "text_delta",
            "input_json_delta",
            "signature_delta",
            "response.output_item.added",
            "response.output_item.done",
            "response.function_call_arguments.delta",
            "response.completed",
            "response.incomplete",
            "response.output_text.delta",
            "STOP",
            "stop",
            "tool_calls",
            "length",
            "{\"a\":",
            "<think>",
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        let key = proptest::sample::select(vec![
            "type",
            "index",
            "output_index",
            "item",
            "delta",
            "content_block",
            "message",
            "usage",
            "response",
            "output",
            "status",
            "arguments",
            "call_id",
            "name",
            "id",
            "candidates",
            "content",
            "parts",
            "text",
            "functionCall",
            "partialArgs",
            "jsonPath",
            "stringValue",
            "willContinue",
            "finishReason",
            "choices",
            "tool_calls",
            "function",
            "finish_reason",
            "error",
            "partial_json",
            "stop_reason",
            "thought",
            "reasoning_details",
            "incomplete_details",
            "reason",
            "args",
            "promptFeedback",
            "blockReason",
        ]);
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            proptest::collection::vec((key.prop_map(str::to_owned), inner), 0..8)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    // What fails is saved beside the corpus; see its README.
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/providers/corpus/seeds.txt")))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_broken_body_ends_as_a_reply_or_a_named_error_however_it_is_cut(
        (at, body) in broken_body(),
        sizes in proptest::collection::vec(1_usize..120, 1..6),
    ) {
        prop_assert_eq!(ending(DIALECTS[at], &body, &sizes), ending(DIALECTS[at], &body, &[body.len().max(1)]));
    }

    #[test]
    fn a_broken_body_of_one_dialect_is_survived_by_the_others((_, body) in broken_body()) {
        for dialect in DIALECTS {
            prop_assert_eq!(ending(dialect, &body, &[64]), ending(dialect, &body, &[7]));
        }
    }

    #[test]
    fn bytes_of_any_kind_end_as_a_reply_or_a_named_error(
        bytes in stream_bytes(),
        sizes in proptest::collection::vec(1_usize..30, 1..6),
    ) {
        for dialect in DIALECTS {
            let whole = ending(dialect, &bytes, &[bytes.len().max(1)]);
            prop_assert_eq!(ending(dialect, &bytes, &sizes), whole);
        }
    }

    #[test]
    fn events_of_any_shape_are_survived(events in proptest::collection::vec(strange_event(), 1..6)) {
        for dialect in DIALECTS {
            let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
            prop_assert_eq!(ending(dialect, body.as_bytes(), &[64]), ending(dialect, body.as_bytes(), &[7]));
        }
    }
}
