//! The chunks of Chat Completions become a reply.

use facsimile_agent::{ErrorKind, NativeTurn, ProviderTurn, StopReason, ToolArguments};
use serde_json::{Map, Value, json};

use super::calls::CallBook;
use super::reasoning::ReasoningDetails;
use super::recover::printed_calls;
use super::think::{Stretch, ThinkSplitter};
use super::wire::{text, usage};
use crate::draft::{Draft, Step, TurnReader, event_json};
use crate::endpoint::{Family, Flavour};
use crate::error::{Complaint, Rejection};
use crate::sse::SseEvent;

/// Reads one completion.
#[derive(Debug, Default)]
pub struct CompletionReader {
    flavour: Flavour,
    /// The tools on offer, to know a call that was printed.
    tools: Vec<String>,
    draft: Draft,
    splitter: ThinkSplitter,
    calls: CallBook,
    details: ReasoningDetails,
    /// The field that thinking comes in: some servers send it twice.
    thinking_field: Option<&'static str>,
    finish: Option<String>,
    is_done: bool,
}

impl CompletionReader {
    /// A reader of a completion from such a server, to a request with these tools.
    pub fn new(flavour: Flavour, tools: Vec<String>) -> Self {
        Self { flavour, tools, ..Self::default() }
    }

    fn take_delta(&mut self, delta: &Value, has_halves: bool) {
        self.think(delta, has_halves);
        self.details.take(delta);
        let content = match delta.get("content") {
            Some(Value::String(content)) => content.clone(),
            // Some servers send parts, as in a request.
            Some(Value::Array(parts)) => parts.iter().map(|part| text(part, "text")).collect(),
            _ => String::new(),
        };
        if !content.is_empty() {
            for stretch in self.splitter.split(&content) {
                self.take_stretch(stretch, has_halves);
            }
        }
        self.draft.refuse(text(delta, "refusal"), has_halves);
        for call in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            self.calls.take(call, &mut self.draft, has_halves);
        }
        if let Some(function) = delta.get("function_call").filter(|call| call.is_object()) {
            self.calls.take(&json!({ "index": 0, "function": function }), &mut self.draft, has_halves);
        }
    }

    fn think(&mut self, delta: &Value, has_halves: bool) {
        let fields = ["reasoning_content", "reasoning"];
        let field = fields.into_iter().find(|field| !text(delta, field).is_empty());
        let Some(field) = field else { return };
        if *self.thinking_field.get_or_insert(field) == field {
            self.draft.think(text(delta, field), has_halves);
        }
    }

    fn take_stretch(&mut self, stretch: Stretch, has_halves: bool) {
        match stretch {
            Stretch::Thought(thought) => self.draft.think(&thought, has_halves),
            Stretch::Speech(speech) => self.draft.say(&speech, has_halves),
        }
    }

    fn stop(&mut self) -> Result<StopReason, Rejection> {
        let finish = self.finish.clone().unwrap_or_default();
        Ok(match finish.as_str() {
            "length" => StopReason::Truncated,
            "content_filter" => StopReason::Blocked,
            "error" => {
                let words = "the server stopped with an error and did not say which";
                return Err(Rejection::without_answer(ErrorKind::Unknown, words).retryable());
            }
            _ if !self.draft.calls.is_empty() => StopReason::ToolCalls,
            _ if !self.draft.refusal.is_empty() => StopReason::Refused,
            _ => StopReason::Finished,
        })
    }

    /// Takes calls that were printed for what they were meant to be.
    fn recover_calls(&mut self) {
        if !self.draft.calls.is_empty() {
            return;
        }
        let tools: Vec<&str> = self.tools.iter().map(String::as_str).collect();
        for call in printed_calls(&self.draft.text, &tools) {
            let id = format!("call-{}", self.draft.calls.len() + 1);
            let at = self.draft.begin_call(id, call.name);
            self.draft.type_call(at, &Value::Object(call.arguments).to_string(), false);
        }
    }

    fn native(&mut self) -> NativeTurn {
        let draft = &self.draft;
        let mut message = Map::new();
        message.insert("role".into(), "assistant".into());
        let said = if draft.text.is_empty() { &draft.refusal } else { &draft.text };
        let content = if said.is_empty() { Value::Null } else { said.clone().into() };
        message.insert("content".into(), content);
        let calls: Vec<Value> = draft
            .calls
            .iter()
            .enumerate()
            .map(|(at, call)| {
                // Some templates crash on arguments that are no JSON; the call's result says what was wrong.
                let arguments = match ToolArguments::parse(&call.raw) {
                    ToolArguments::Json(_) if !call.raw.trim().is_empty() => call.raw.as_str(),
                    _ => "{}",
                };
                let function = json!({ "name": call.name, "arguments": arguments });
                let mut sent = json!({ "id": call.id, "type": "function", "function": function });
                if let (Some(extra), Some(object)) = (self.calls.extra(at), sent.as_object_mut()) {
                    object.insert("extra_content".into(), extra.clone());
                }
                sent
            })
            .collect();
        let has_calls = !calls.is_empty();
        if has_calls {
            message.insert("tool_calls".into(), calls.into());
        }
        // Others ignore thinking that comes back, or refuse it.
        match self.flavour {
            Flavour::DeepSeek if has_calls && !draft.thinking.is_empty() => {
                message.insert("reasoning_content".into(), draft.thinking.concat().into());
            }
            Flavour::OpenRouter => {
                let details = std::mem::take(&mut self.details).into_value();
                message.extend(details.map(|details| ("reasoning_details".to_owned(), details)));
            }
            _ => {}
        }
        NativeTurn(Value::Object(message))
    }
}

impl TurnReader for CompletionReader {
    fn take(&mut self, event: &SseEvent) -> Result<Step, Rejection> {
        if event.data.trim() == "[DONE]" {
            self.is_done = true;
            return Ok(Step::Ended(Box::new(self.finish()?)));
        }
        let json = event_json(event)?;
        let (chunk, has_halves) = (&json.value, json.has_halves);
        let is_error = |value: &Value| value.get("error").is_some_and(|error| !error.is_null());
        if is_error(chunk) || event.name.as_deref() == Some("error") || text(chunk, "object") == "error" {
            return Err(Rejection::in_stream(Family::OpenAiChat, Complaint::from_json(chunk)));
        }
        self.draft.usage = usage(chunk).or(self.draft.usage);
        self.draft.cost_usd = chunk.pointer("/usage/cost").and_then(Value::as_f64).or(self.draft.cost_usd);
        let Some(choice) = chunk.pointer("/choices/0") else { return Ok(Step::More) };
        if is_error(choice) {
            return Err(Rejection::in_stream(Family::OpenAiChat, Complaint::from_json(choice)));
        }
        if let Some(delta) = choice.get("delta").or_else(|| choice.get("message")) {
            self.take_delta(delta, has_halves);
        }
        if let Some(finish) = choice.get("finish_reason").and_then(Value::as_str).filter(|f| !f.is_empty()) {
            self.finish = Some(finish.to_owned());
            self.draft.finish = Some(finish.to_owned());
        }
        Ok(Step::More)
    }

    fn has_ended(&self) -> bool {
        // `[DONE]` is an end as well, unless nothing came before it.
        self.finish.is_some() || (self.is_done && !self.draft.is_blank())
    }

    fn finish(&mut self) -> Result<ProviderTurn, Rejection> {
        if !self.has_ended() {
            return Err(Rejection::ended_early());
        }
        if let Some(stretch) = self.splitter.rest() {
            self.take_stretch(stretch, false);
        }
        if self.finish.as_deref() != Some("length") {
            self.recover_calls();
        }
        let stop = self.stop()?;
        if matches!(stop, StopReason::Truncated | StopReason::Blocked) {
            self.draft.cut_calls();
        }
        let native = self.native();
        Ok(self.draft.turn(stop, native))
    }

    fn draft(&mut self) -> &mut Draft {
        &mut self.draft
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(flavour: Flavour, chunks: &[Value]) -> Result<(ProviderTurn, Draft), Rejection> {
        let mut reader = CompletionReader::new(flavour, vec!["create_file".to_owned()]);
        for chunk in chunks {
            let data = chunk.as_str().map_or_else(|| chunk.to_string(), str::to_owned);
            if let Step::Ended(turn) = reader.take(&SseEvent { name: None, data })? {
                return Ok((*turn, reader.draft));
            }
        }
        let turn = reader.finish()?;
        Ok((turn, reader.draft))
    }

    fn delta(delta: Value) -> Value {
        json!({"choices": [{"index": 0, "delta": delta}]})
    }

    fn finish(reason: &str) -> Value {
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    }

    #[test]
    fn done_without_a_finish_reason_ends_a_reply_that_said_something() {
        let (turn, _) = play(Flavour::Plain, &[delta(json!({"content": "hi"})), json!("[DONE]")]).unwrap();
        assert_eq!((turn.text.as_str(), turn.stop), ("hi", StopReason::Finished));
        let early = play(Flavour::Plain, &[json!("[DONE]")]).unwrap_err();
        assert_eq!(early.kind, ErrorKind::StreamEndedEarly);
    }

    #[test]
    fn thinking_inside_the_text_is_taken_out_of_it() {
        let chunks = ["<thi", "nk>plan", "</think>", "\nhi"].map(|piece| delta(json!({"content": piece})));
        let (turn, draft) = play(Flavour::Plain, &[&chunks[..], &[finish("stop")]].concat()).unwrap();
        assert_eq!((draft.thinking, turn.text.as_str()), (vec!["plan".to_owned()], "hi"));
        assert_eq!(turn.native.0, json!({"role": "assistant", "content": "hi"}));
    }

    #[test]
    fn thinking_that_comes_twice_is_shown_once() {
        let both = delta(json!({"reasoning": "a", "reasoning_content": "a"}));
        let (_, draft) = play(Flavour::Plain, &[both.clone(), both, finish("stop")]).unwrap();
        assert_eq!(draft.thinking, ["aa"]);
    }

    #[test]
    fn a_printed_call_becomes_a_call() {
        let printed = r#"<tool_call>{"name":"create_file","arguments":{"content":"x"}}</tool_call>"#;
        let (turn, _) = play(Flavour::Plain, &[delta(json!({"content": printed})), finish("stop")]).unwrap();
        assert_eq!((turn.stop, turn.tool_calls[0].name.as_str()), (StopReason::ToolCalls, "create_file"));
        assert_eq!(turn.native.0["tool_calls"][0]["id"], "call-1");
    }

    #[test]
    fn each_server_gets_back_the_thinking_it_wants() {
        let chunks = [
            delta(
                json!({"reasoning_content": "why", "reasoning_details": [{"type": "reasoning.text", "text": "why"}]}),
            ),
            delta(
                json!({"tool_calls": [{"index": 0, "id": "a", "extra_content": {"google": {"thought_signature": "s"}},
                "function": {"name": "create_file", "arguments": "{}"}}]}),
            ),
            finish("tool_calls"),
        ];
        let back = |flavour| play(flavour, &chunks).unwrap().0.native.0;
        let call = json!([{"id": "a", "type": "function", "function": {"name": "create_file", "arguments": "{}"},
            "extra_content": {"google": {"thought_signature": "s"}}}]);
        assert_eq!(back(Flavour::Plain), json!({"role": "assistant", "content": null, "tool_calls": call}));
        assert_eq!(
            back(Flavour::DeepSeek),
            json!({"role": "assistant", "content": null, "tool_calls": call, "reasoning_content": "why"})
        );
        assert_eq!(
            back(Flavour::OpenRouter),
            json!({"role": "assistant", "content": null, "tool_calls": call,
                "reasoning_details": [{"type": "reasoning.text", "text": "why"}]})
        );
    }

    #[test]
    fn arguments_that_are_no_json_go_back_empty() {
        let call = json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "create_file", "arguments": "{oops"}}]});
        let (turn, _) = play(Flavour::Plain, &[delta(call), finish("tool_calls")]).unwrap();
        assert!(matches!(turn.tool_calls[0].arguments, ToolArguments::Malformed { .. }));
        assert_eq!(turn.native.0["tool_calls"][0]["function"]["arguments"], "{}");
    }

    #[test]
    fn an_error_may_be_text_or_stand_in_a_choice() {
        let text = play(Flavour::Plain, &[json!({"error": "out of memory"})]).unwrap_err();
        assert_eq!((text.kind, text.words.as_str()), (ErrorKind::Unknown, "out of memory"));
        let inside = json!({"choices": [{"error": {"code": 429, "message": "slow"}, "delta": {}}]});
        assert_eq!(play(Flavour::Plain, &[inside]).unwrap_err().kind, ErrorKind::RateLimit);
    }

    #[test]
    fn the_price_a_server_names_is_kept() {
        let usage = json!({"choices": [], "usage": {"prompt_tokens": 3, "cost": 0.25}});
        let (_, draft) =
            play(Flavour::OpenRouter, &[delta(json!({"content": "a"})), finish("stop"), usage]).unwrap();
        assert_eq!(draft.cost_usd, Some(0.25));
    }
}
