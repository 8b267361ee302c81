//! Anthropic's events become a reply.

use std::collections::BTreeMap;

use facsimile_agent::{ErrorKind, NativeTurn, ProviderTurn, StopReason, ToolArguments};
use serde_json::{Map, Value, json};

use super::wire::{is_call, merge_usage, text, usage};
use crate::draft::{Draft, Step, TurnReader, event_json};
use crate::endpoint::Family;
use crate::error::{Complaint, Rejection};
use crate::halves::Joiner;
use crate::sse::SseEvent;

/// Reads one message.
#[derive(Debug, Default)]
pub struct MessageReader {
    draft: Draft,
    usage: Map<String, Value>,
    blocks: BTreeMap<u64, Block>,
    stop_reason: Option<String>,
    is_begun: bool,
}

/// One content block as it goes back.
#[derive(Debug, Default)]
struct Block {
    value: Value,
    call: Option<usize>,
    /// The input of a block that is no call of ours.
    input: String,
    halves: Joiner,
    is_closed: bool,
}

impl Block {
    /// Adds to a text field of the block.
    fn append(&mut self, key: &str, piece: &str, has_halves: bool) {
        let piece = self.halves.join(piece, has_halves);
        match self.value.get_mut(key) {
            Some(Value::String(held)) => held.push_str(&piece),
            _ => self.set(key, piece.into_owned().into()),
        }
    }

    fn set(&mut self, key: &str, value: Value) {
        if let Some(object) = self.value.as_object_mut() {
            object.insert(key.to_owned(), value);
        }
    }
}

impl MessageReader {
    /// A reader of a new message.
    pub fn new() -> Self {
        Self::default()
    }

    fn begin_message(&mut self, event: &Value) -> Result<(), Rejection> {
        if self.is_begun {
            // Seen behind gateways that ask again by themselves.
            if !self.draft.is_blank() {
                let words = "a second message began in the middle of the first";
                return Err(Rejection::protocol(words).retryable());
            }
            *self = Self::default();
        }
        self.is_begun = true;
        merge_usage(&mut self.usage, event.pointer("/message/usage"));
        self.draft.usage = Some(usage(&self.usage));
        Ok(())
    }

    fn begin_block(&mut self, event: &Value, has_halves: bool) {
        let value = event.get("content_block").cloned().unwrap_or_else(|| json!({}));
        let mut block = Block::default();
        match text(&value, "type") {
            "tool_use" => {
                let call = self.draft.begin_call(text(&value, "id"), text(&value, "name"));
                block.call = Some(call);
                // Some relays send the whole input at once.
                if let Some(input) =
                    value.get("input").filter(|input| input.as_object().is_some_and(|o| !o.is_empty()))
                {
                    self.draft.type_call(call, &input.to_string(), has_halves);
                }
            }
            "text" => self.draft.say(text(&value, "text"), has_halves),
            "thinking" => {
                self.draft.begin_thought();
                self.draft.think(text(&value, "thinking"), has_halves);
            }
            _ => {}
        }
        block.value = value;
        self.blocks.insert(index_of(event), block);
    }

    fn add_to_block(&mut self, event: &Value, has_halves: bool) {
        let Some(delta) = event.get("delta") else { return };
        let block = self.blocks.entry(index_of(event)).or_default();
        match text(delta, "type") {
            "text_delta" => {
                block.append("text", text(delta, "text"), has_halves);
                self.draft.say(text(delta, "text"), has_halves);
            }
            "thinking_delta" => {
                block.append("thinking", text(delta, "thinking"), has_halves);
                self.draft.think(text(delta, "thinking"), has_halves);
            }
            "signature_delta" => block.set("signature", text(delta, "signature").into()),
            "input_json_delta" => match block.call {
                Some(call) => self.draft.type_call(call, text(delta, "partial_json"), has_halves),
                None => block.input.push_str(text(delta, "partial_json")),
            },
            "citations_delta" => {
                let citation = delta.get("citation").cloned().unwrap_or_default();
                match block.value.get_mut("citations") {
                    Some(Value::Array(citations)) => citations.push(citation),
                    _ => block.set("citations", json!([citation])),
                }
            }
            _ => {}
        }
    }

    fn end(&mut self) -> Result<ProviderTurn, Rejection> {
        let reason = self.stop_reason.clone().unwrap_or_default();
        self.draft.finish = Some(reason.clone());
        let is_cut = matches!(reason.as_str(), "max_tokens" | "model_context_window_exceeded");
        let is_open = |block: &Block| block.call.is_some() && !block.is_closed;
        if !is_cut && self.blocks.values().any(is_open) {
            return Err(Rejection::protocol("the message ended inside a tool call").retryable());
        }
        if reason == "model_context_window_exceeded" {
            let words = "the reply filled the model's context window";
            return Err(Rejection::without_answer(ErrorKind::TooLong, words));
        }
        let native = self.native();
        let stop = match reason.as_str() {
            "max_tokens" => StopReason::Truncated,
            "refusal" => StopReason::Refused,
            _ if self.draft.calls.is_empty() => StopReason::Finished,
            _ => StopReason::ToolCalls,
        };
        if matches!(stop, StopReason::Truncated | StopReason::Refused) {
            self.draft.cut_calls();
        }
        Ok(self.draft.turn(stop, native))
    }

    /// The content as it goes back: every block in its place, the inputs put together.
    fn native(&mut self) -> NativeTurn {
        let calls = &self.draft.calls;
        let blocks = self.blocks.values_mut().map(|block| {
            let raw = match block.call {
                Some(call) => calls[call].raw.as_str(),
                None => block.input.as_str(),
            };
            if block.call.is_some() || !raw.is_empty() {
                let input = match ToolArguments::parse(raw) {
                    ToolArguments::Json(object) => Value::Object(object),
                    // The API takes objects only; the call's result says what was wrong with it.
                    ToolArguments::Malformed { raw, .. } => json!({ "INVALID_JSON": raw }),
                };
                block.set("input", input);
            }
            std::mem::take(&mut block.value)
        });
        NativeTurn(blocks.filter(|block| !is_empty_text(block)).collect())
    }
}

/// The API refuses empty text blocks that it sent itself.
fn is_empty_text(block: &Value) -> bool {
    block.is_null() || (text(block, "type") == "text" && text(block, "text").is_empty())
}

fn index_of(event: &Value) -> u64 {
    event.get("index").and_then(Value::as_u64).unwrap_or(0)
}

impl TurnReader for MessageReader {
    fn take(&mut self, event: &SseEvent) -> Result<Step, Rejection> {
        if event.data.trim() == "[DONE]" {
            return Ok(Step::More);
        }
        let json = event_json(event)?;
        let (value, has_halves) = (&json.value, json.has_halves);
        let kind = match text(value, "type") {
            "" => event.name.as_deref().unwrap_or_default(),
            kind => kind,
        };
        match kind {
            "message_start" => self.begin_message(value)?,
            "content_block_start" => self.begin_block(value, has_halves),
            "content_block_delta" => self.add_to_block(value, has_halves),
            "content_block_stop" => {
                if let Some(block) = self.blocks.get_mut(&index_of(value)) {
                    block.is_closed = true;
                }
            }
            "message_delta" => {
                merge_usage(&mut self.usage, value.get("usage"));
                self.draft.usage = Some(usage(&self.usage));
                let reason = value.pointer("/delta/stop_reason").and_then(Value::as_str);
                self.stop_reason = reason.map(str::to_owned).or(self.stop_reason.take());
                let explanation = value.pointer("/delta/stop_details/explanation").and_then(Value::as_str);
                if let (Some("refusal"), Some(explanation)) = (reason, explanation) {
                    let gap = if self.draft.text.is_empty() { "" } else { "\n\n" };
                    self.draft.refuse(&format!("{gap}{explanation}"), has_halves);
                }
            }
            "message_stop" => return Ok(Step::Ended(Box::new(self.end()?))),
            "error" => {
                return Err(Rejection::in_stream(Family::Anthropic, Complaint::from_json(value)));
            }
            _ if value.get("error").is_some_and(|error| !error.is_null()) => {
                return Err(Rejection::in_stream(Family::Anthropic, Complaint::from_json(value)));
            }
            _ => {}
        }
        Ok(Step::More)
    }

    fn draft(&mut self) -> &mut Draft {
        &mut self.draft
    }
}

/// The calls in a message's content.
pub(super) fn calls_in(native: &NativeTurn) -> impl Iterator<Item = &Value> {
    native.0.as_array().into_iter().flatten().filter(|block| is_call(block))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(events: &[Value]) -> Result<ProviderTurn, Rejection> {
        let mut reader = MessageReader::new();
        for value in events {
            let event = SseEvent { name: None, data: value.to_string() };
            if let Step::Ended(turn) = reader.take(&event)? {
                return Ok(*turn);
            }
        }
        reader.finish()
    }

    fn start() -> Value {
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 1}}})
    }

    fn begin(index: u64, block: Value) -> Value {
        json!({"type": "content_block_start", "index": index, "content_block": block})
    }

    fn typed(index: u64, piece: &str) -> Value {
        json!({"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": piece}})
    }

    fn stop(index: u64) -> Value {
        json!({"type": "content_block_stop", "index": index})
    }

    fn end(reason: &str) -> [Value; 2] {
        [json!({"type": "message_delta", "delta": {"stop_reason": reason}}), json!({"type": "message_stop"})]
    }

    #[test]
    fn a_call_whose_arguments_are_no_json_goes_back_as_an_object() {
        let call = json!({"type": "tool_use", "id": "t", "name": "create_file", "input": {}, "caller": {"type": "direct"}});
        let [delta, message_stop] = end("tool_use");
        let turn = play(&[start(), begin(0, call), typed(0, "{oops"), stop(0), delta, message_stop]).unwrap();
        assert_eq!(
            turn.native.0,
            json!([{"type": "tool_use", "id": "t", "name": "create_file", "input": {"INVALID_JSON": "{oops"}, "caller": {"type": "direct"}}])
        );
        assert!(matches!(turn.tool_calls[0].arguments, ToolArguments::Malformed { .. }));
    }

    #[test]
    fn a_second_message_starts_over_or_fails_but_never_merges() {
        let text = |text: &str| begin(0, json!({"type": "text", "text": text}));
        let [delta, message_stop] = end("end_turn");
        let turn = play(&[start(), start(), text("one"), stop(0), delta, message_stop]).unwrap();
        assert_eq!(turn.text, "one");
        let failed = play(&[start(), text("one"), start()]).unwrap_err();
        assert_eq!((failed.kind, failed.is_retryable), (ErrorKind::Protocol, true));
    }

    #[test]
    fn a_call_that_was_not_closed_does_not_run() {
        let call = json!({"type": "tool_use", "id": "t", "name": "list_files", "input": {}});
        let [delta, message_stop] = end("tool_use");
        let failed = play(&[start(), begin(0, call), typed(0, "{}"), delta, message_stop]).unwrap_err();
        assert_eq!(failed.kind, ErrorKind::Protocol);
    }

    #[test]
    fn a_refusal_says_why() {
        let details = json!({"category": "cyber", "explanation": "This was declined."});
        let refused =
            json!({"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_details": details}});
        let turn = play(&[start(), refused, json!({"type": "message_stop"})]).unwrap();
        assert_eq!((turn.stop, turn.text.as_str()), (StopReason::Refused, "This was declined."));
    }

    #[test]
    fn a_full_context_is_too_long() {
        let [delta, message_stop] = end("model_context_window_exceeded");
        assert_eq!(play(&[start(), delta, message_stop]).unwrap_err().kind, ErrorKind::TooLong);
    }
}
