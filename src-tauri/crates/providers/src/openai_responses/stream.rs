//! OpenAI's events become a reply.

use std::collections::BTreeMap;

use facsimile_agent::{NativeTurn, ProviderTurn, StopReason, ToolArguments};
use serde_json::Value;

use super::wire::{is_call, text, usage};
use crate::draft::{Draft, Step, TurnReader, event_json};
use crate::endpoint::Family;
use crate::error::{Complaint, Rejection};
use crate::halves;
use crate::sse::SseEvent;

/// Reads one response.
#[derive(Debug, Default)]
pub struct ResponseReader {
    draft: Draft,
    /// The items by their place: ids differ from event to event behind some gateways.
    items: BTreeMap<u64, Item>,
    last_index: u64,
    /// The place and number of the summary that is being thought.
    thought: Option<(u64, u64)>,
}

#[derive(Debug, Default)]
struct Item {
    /// The item as it was when it was done: what goes back.
    done: Option<Value>,
    call: Option<usize>,
}

impl ResponseReader {
    /// A reader of a new response.
    pub fn new() -> Self {
        Self::default()
    }

    fn item(&mut self, event: &Value) -> (u64, &mut Item) {
        let index = event.get("output_index").and_then(Value::as_u64).unwrap_or(self.last_index);
        self.last_index = index;
        (index, self.items.entry(index).or_default())
    }

    fn think(&mut self, event: &Value, number: &str, has_halves: bool) {
        let index = self.item(event).0;
        let thought = (index, event.get(number).and_then(Value::as_u64).unwrap_or(0));
        if self.thought != Some(thought) {
            self.thought = Some(thought);
            self.draft.begin_thought();
        }
        self.draft.think(text(event, "delta"), has_halves);
    }

    fn begin_item(&mut self, event: &Value) {
        let Some(added) = event.get("item").filter(|item| is_call(item)) else { return };
        if self.item(event).1.call.is_none() {
            let call = self.draft.begin_call(text(added, "call_id"), text(added, "name"));
            self.item(event).1.call = Some(call);
            self.draft.type_call(call, text(added, "arguments"), false);
        }
    }

    fn end_item(&mut self, event: &Value, has_halves: bool) {
        let Some(done) = event.get("item") else { return };
        self.begin_item(event);
        let mut done = done.clone();
        if has_halves {
            halves::settle(&mut done);
        }
        if let Some(call) = self.item(event).1.call {
            self.draft.settle_call(call, text(&done, "arguments"));
        }
        self.item(event).1.done = Some(done);
    }

    /// The end of a response that was not an error.
    fn end(&mut self, response: &Value) -> Result<ProviderTurn, Rejection> {
        self.draft.usage = usage(response);
        let status = text(response, "status");
        let reason = response.pointer("/incomplete_details/reason").and_then(Value::as_str);
        let is_incomplete = status == "incomplete";
        let finish = match reason {
            Some(reason) if is_incomplete => format!("incomplete:{reason}"),
            _ => status.to_owned(),
        };
        self.draft.finish = Some(finish);
        self.take_missing_items(response);
        let native = self.items.values_mut().filter_map(|item| item.done.take()).collect();
        let native = NativeTurn(Value::Array(native));
        let stop = match reason {
            Some("content_filter") if is_incomplete => StopReason::Blocked,
            _ if is_incomplete => StopReason::Truncated,
            _ if !self.draft.refusal.is_empty() => StopReason::Refused,
            _ if self.draft.calls.is_empty() => StopReason::Finished,
            _ => StopReason::ToolCalls,
        };
        if is_incomplete {
            self.draft.cut_calls();
        }
        let mut turn = self.draft.turn(stop, native);
        for call in &mut turn.tool_calls {
            if let ToolArguments::Json(object) = &mut call.arguments {
                // Strict tools have every property required and say null for what is left out.
                drop_nulls(object);
            }
        }
        Ok(turn)
    }

    /// Some gateways send no `output_item.done`; the final event has the items as well.
    fn take_missing_items(&mut self, response: &Value) {
        let output = response.get("output").and_then(Value::as_array);
        for (index, item) in (0..).zip(output.into_iter().flatten()) {
            if self.items.get(&index).is_none_or(|held| held.done.is_none()) {
                let event = serde_json::json!({ "output_index": index, "item": item });
                if !is_call(item) && self.draft.text.is_empty() {
                    let parts = item.get("content").and_then(Value::as_array);
                    for part in parts.into_iter().flatten() {
                        self.draft.say(text(part, "text"), false);
                        self.draft.refuse(text(part, "refusal"), false);
                    }
                }
                self.end_item(&event, false);
            }
        }
    }
}

impl TurnReader for ResponseReader {
    fn take(&mut self, event: &SseEvent) -> Result<Step, Rejection> {
        if event.data.trim() == "[DONE]" {
            return Err(Rejection::ended_early());
        }
        let json = event_json(event)?;
        let (value, has_halves) = (&json.value, json.has_halves);
        let kind = match text(value, "type") {
            "" => event.name.as_deref().unwrap_or_default(),
            kind => kind,
        };
        match kind {
            "response.output_item.added" => self.begin_item(value),
            "response.output_item.done" => self.end_item(value, has_halves),
            "response.output_text.delta" => self.draft.say(text(value, "delta"), has_halves),
            "response.refusal.delta" => self.draft.refuse(text(value, "delta"), has_halves),
            "response.reasoning_summary_text.delta" => self.think(value, "summary_index", has_halves),
            "response.reasoning_text.delta" => self.think(value, "content_index", has_halves),
            "response.function_call_arguments.delta" => {
                if let Some(call) = self.item(value).1.call {
                    self.draft.type_call(call, text(value, "delta"), has_halves);
                }
            }
            "response.function_call_arguments.done" => {
                if let (Some(call), false) = (self.item(value).1.call, has_halves) {
                    self.draft.settle_call(call, text(value, "arguments"));
                }
            }
            "response.completed" | "response.incomplete" => {
                let response = value.get("response").unwrap_or(&Value::Null);
                return Ok(Step::Ended(Box::new(self.end(response)?)));
            }
            "response.failed" => {
                let response = value.get("response").unwrap_or(&Value::Null);
                self.draft.usage = usage(response);
                return Err(Rejection::in_stream(Family::OpenAiResponses, Complaint::from_json(response)));
            }
            "error" => {
                return Err(Rejection::in_stream(Family::OpenAiResponses, Complaint::from_json(value)));
            }
            _ if value.get("error").is_some_and(|error| !error.is_null()) => {
                return Err(Rejection::in_stream(Family::OpenAiResponses, Complaint::from_json(value)));
            }
            _ => {}
        }
        Ok(Step::More)
    }

    fn draft(&mut self) -> &mut Draft {
        &mut self.draft
    }
}

/// Takes out what is null: for a strict tool that is an argument that was left out.
fn drop_nulls(object: &mut serde_json::Map<String, Value>) {
    object.retain(|_, value| !value.is_null());
    object.values_mut().for_each(drop_nulls_inside);
}

fn drop_nulls_inside(value: &mut Value) {
    match value {
        Value::Object(object) => drop_nulls(object),
        Value::Array(items) => items.iter_mut().for_each(drop_nulls_inside),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(value: &Value) -> SseEvent {
        SseEvent { name: None, data: value.to_string() }
    }

    fn ended(events: &[Value]) -> ProviderTurn {
        let mut reader = ResponseReader::new();
        for value in events {
            if let Step::Ended(turn) = reader.take(&event(value)).unwrap() {
                return *turn;
            }
        }
        unreachable!("the response does not end")
    }

    #[test]
    fn null_arguments_are_left_out() {
        let item = json!({"type": "function_call", "call_id": "c", "name": "create_file",
            "arguments": r#"{"path":null,"content":"x","edits":[{"count":null,"n":1}]}"#});
        let turn = ended(&[
            json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
            json!({"type": "response.completed", "response": {"status": "completed"}}),
        ]);
        let expected = json!({"content": "x", "edits": [{"n": 1}]});
        assert_eq!(turn.tool_calls[0].arguments, ToolArguments::parse(&expected.to_string()));
        assert_eq!(turn.native.0, json!([item]));
    }

    #[test]
    fn items_that_only_the_last_event_has_count_too() {
        let output = json!([
            {"type": "message", "content": [{"type": "output_text", "text": "hello"}]},
            {"type": "function_call", "call_id": "c", "name": "list_files", "arguments": "{}"},
        ]);
        let turn = ended(&[
            json!({"type": "response.completed", "response": {"status": "completed", "output": output}}),
        ]);
        assert_eq!(
            (turn.text.as_str(), turn.tool_calls.len(), turn.stop),
            ("hello", 1, StopReason::ToolCalls)
        );
        assert_eq!(turn.native.0, output);
    }
}
