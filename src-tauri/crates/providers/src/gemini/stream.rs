//! Gemini's chunks become a reply.

use facsimile_agent::{ErrorKind, NativeTurn, ProviderTurn, StopReason};
use serde_json::{Map, Value, json};

use super::partial::PartialCall;
use super::wire::{call_id, text, usage};
use crate::draft::{Draft, Step, TurnReader, event_json};
use crate::endpoint::Family;
use crate::error::{Complaint, Rejection};
use crate::halves::{self, Joiner};
use crate::sse::SseEvent;

/// Reads one content.
#[derive(Debug, Default)]
pub struct ContentReader {
    draft: Draft,
    /// The parts as they go back.
    parts: Vec<Value>,
    partial: Option<PartialCall>,
    halves: Joiner,
    finish: Option<String>,
    finish_message: String,
    block_reason: Option<String>,
}

impl ContentReader {
    /// A reader of a new content.
    pub fn new() -> Self {
        Self::default()
    }

    fn take_part(&mut self, part: &Value, has_halves: bool) {
        if let Some(call) = part.get("functionCall") {
            let mut part = part.clone();
            if has_halves {
                halves::settle(&mut part);
            }
            self.take_call(call, part);
            return;
        }
        let Some(piece) = part.get("text").and_then(Value::as_str) else {
            self.parts.push(part.clone());
            return;
        };
        if part.get("thought").and_then(Value::as_bool) == Some(true) {
            // A summary may come in several parts, cut anywhere.
            self.draft.continue_thought();
            self.draft.think(piece, has_halves);
        } else {
            self.draft.say(piece, has_halves);
        }
        let piece = self.halves.join(piece, has_halves).into_owned();
        let mut part = part.clone();
        part["text"] = piece.into();
        self.push_text(part);
    }

    /// Plain pieces of text become one part; a part with a signature stays as it is.
    fn push_text(&mut self, part: Value) {
        let is_plain =
            |part: &Value| part.as_object().is_some_and(|part| part.len() == 1 && part.contains_key("text"));
        if is_plain(&part) {
            if text(&part, "text").is_empty() {
                return;
            }
            if let Some(last) = self.parts.last_mut().filter(|last| is_plain(last)) {
                let joined = format!("{}{}", text(last, "text"), text(&part, "text"));
                last["text"] = joined.into();
                return;
            }
        }
        self.parts.push(part);
    }

    fn take_call(&mut self, call: &Value, part: Value) {
        let goes_on = call.get("willContinue").and_then(Value::as_bool).unwrap_or(false);
        let is_partial = goes_on || call.get("partialArgs").is_some();
        let begins = !text(call, "name").is_empty();
        if begins {
            self.end_partial();
        }
        if !is_partial && begins {
            let empty = json!({});
            let arguments = call.get("args").filter(|args| !args.is_null()).unwrap_or(&empty).to_string();
            self.add_call(part, &arguments);
            return;
        }
        if begins {
            let part = part.as_object().cloned().unwrap_or_default();
            self.partial = Some(PartialCall::beginning(part));
        }
        if let Some(partial) = &mut self.partial {
            partial.take(call);
        }
        if !goes_on {
            self.end_partial();
        }
    }

    fn end_partial(&mut self) {
        let Some(PartialCall { part, arguments, .. }) = self.partial.take() else { return };
        let arguments = if arguments.is_null() { Value::Object(Map::new()) } else { arguments };
        let mut part = Value::Object(part);
        if let Some(call) = part.get_mut("functionCall").and_then(Value::as_object_mut) {
            call.remove("willContinue");
            call.remove("partialArgs");
            call.insert("args".to_owned(), arguments.clone());
        }
        self.add_call(part, &arguments.to_string());
    }

    fn add_call(&mut self, part: Value, arguments: &str) {
        let call = part.get("functionCall").cloned().unwrap_or_default();
        let id = call_id(&call, self.draft.calls.len());
        let at = self.draft.begin_call(id, text(&call, "name"));
        self.draft.type_call(at, arguments, true);
        self.parts.push(part);
    }

    fn stop(&mut self) -> Result<StopReason, Rejection> {
        let finish = self.finish.clone().unwrap_or_default();
        let said = |words: &str| match self.finish_message.as_str() {
            "" => format!("{words} ({finish})"),
            message => format!("{words} ({finish}): {message}"),
        };
        Ok(match finish.as_str() {
            // The second is what some relays say when there are calls.
            "STOP" | "FUNCTION_CALL" if self.draft.calls.is_empty() => StopReason::Finished,
            "STOP" | "FUNCTION_CALL" => StopReason::ToolCalls,
            "MAX_TOKENS" => StopReason::Truncated,
            "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE" => {
                StopReason::Blocked
            }
            image if image.starts_with("IMAGE_") => StopReason::Blocked,
            "MALFORMED_FUNCTION_CALL"
            | "MALFORMED_RESPONSE"
            | "UNEXPECTED_TOOL_CALL"
            | "TOO_MANY_TOOL_CALLS" => StopReason::MalformedCall,
            "MISSING_THOUGHT_SIGNATURE" => {
                return Err(Rejection::protocol(said("the conversation lost a signature")));
            }
            _ => {
                return Err(Rejection::without_answer(ErrorKind::Unknown, said("the model stopped")));
            }
        })
    }
}

impl TurnReader for ContentReader {
    fn take(&mut self, event: &SseEvent) -> Result<Step, Rejection> {
        if event.data.trim() == "[DONE]" {
            return Ok(Step::More);
        }
        let json = event_json(event)?;
        let chunk = match &json.value {
            Value::Array(items) => items.first().unwrap_or(&Value::Null),
            chunk => chunk,
        };
        if chunk.get("error").is_some_and(|error| !error.is_null()) {
            return Err(Rejection::in_stream(Family::Gemini, Complaint::from_json(chunk)));
        }
        self.draft.usage = usage(chunk).or(self.draft.usage);
        if let Some(reason) = chunk.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
            self.block_reason = Some(reason.to_owned());
            self.draft.finish = Some(format!("blocked:{reason}"));
        }
        let Some(candidate) = chunk.pointer("/candidates/0") else { return Ok(Step::More) };
        let parts = candidate.pointer("/content/parts").and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            self.take_part(part, json.has_halves);
        }
        if let Some(reason) = candidate.get("finishReason").and_then(Value::as_str) {
            self.finish = Some(reason.to_owned());
            self.draft.finish = Some(reason.to_owned());
            text(candidate, "finishMessage").clone_into(&mut self.finish_message);
        }
        Ok(Step::More)
    }

    fn has_ended(&self) -> bool {
        self.finish.is_some() || self.block_reason.is_some()
    }

    fn finish(&mut self) -> Result<ProviderTurn, Rejection> {
        if !self.has_ended() {
            return Err(Rejection::ended_early());
        }
        self.end_partial();
        let stop = if self.finish.is_none() { StopReason::Blocked } else { self.stop()? };
        if matches!(stop, StopReason::Truncated | StopReason::Blocked | StopReason::MalformedCall) {
            self.draft.cut_calls();
        }
        let content = json!({ "role": "model", "parts": std::mem::take(&mut self.parts) });
        Ok(self.draft.turn(stop, NativeTurn(content)))
    }

    fn draft(&mut self) -> &mut Draft {
        &mut self.draft
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(chunks: &[Value]) -> Result<ProviderTurn, Rejection> {
        let mut reader = ContentReader::new();
        for chunk in chunks {
            reader.take(&SseEvent { name: None, data: chunk.to_string() })?;
        }
        reader.finish()
    }

    fn candidate(parts: Value, finish: Option<&str>) -> Value {
        json!({"candidates": [{"content": {"parts": parts}, "finishReason": finish}]})
    }

    #[test]
    fn parts_go_back_in_order_and_only_plain_text_is_joined() {
        let turn = play(&[
            candidate(json!([{"text": "a"}]), None),
            candidate(
                json!([{"text": "b"}, {"text": "", "thoughtSignature": "s"}, {"text": "c"}, {"newPart": 1}]),
                None,
            ),
            candidate(
                json!([{"functionCall": {"name": "list_files"}, "thoughtSignature": "t"}]),
                Some("STOP"),
            ),
        ])
        .unwrap();
        let parts = json!([
            {"text": "ab"}, {"text": "", "thoughtSignature": "s"}, {"text": "c"}, {"newPart": 1},
            {"functionCall": {"name": "list_files"}, "thoughtSignature": "t"},
        ]);
        assert_eq!(turn.native.0, json!({"role": "model", "parts": parts}));
        assert_eq!((turn.tool_calls[0].id.as_str(), turn.stop), ("call-1", StopReason::ToolCalls));
    }

    #[test]
    fn a_call_the_model_spoilt_may_be_asked_for_again_and_an_unknown_end_is_shown() {
        let malformed = play(&[candidate(json!([]), Some("MALFORMED_FUNCTION_CALL"))]).unwrap();
        assert_eq!((malformed.stop, malformed.tool_calls), (StopReason::MalformedCall, vec![]));
        let unknown = play(&[candidate(json!([]), Some("SPARKLE"))]).unwrap_err();
        assert_eq!((unknown.words.as_str(), unknown.is_retryable), ("the model stopped (SPARKLE)", false));
    }
}
