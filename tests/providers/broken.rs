//! Streams that no vendor should send.

use proptest::prelude::*;
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
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_broken_body_ends_as_a_reply_or_a_named_error((at, body) in broken_body()) {
        let played = play(DIALECTS[at], body.chunks(97));
        if let Err(error) = played.outcome {
            prop_assert!(!error.words.is_empty());
        }
    }

    #[test]
    fn events_of_any_shape_are_survived(events in proptest::collection::vec(strange_event(), 1..6)) {
        for dialect in DIALECTS {
            let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
            let _ = play(dialect, [body.as_bytes()]);
        }
    }
}
