//! The four dialects from the server's side: a reply as events, and as it has to come back.

use serde_json::{Value, json};

use super::served::ServedTurn;

/// The dialect a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the names are the documentation
pub enum Spoken {
    OpenAiResponses,
    Anthropic,
    Gemini,
    OpenAiChat,
}

impl Spoken {
    /// All four.
    pub const ALL: [Spoken; 4] =
        [Spoken::OpenAiResponses, Spoken::Anthropic, Spoken::Gemini, Spoken::OpenAiChat];

    /// The body of a refused request.
    pub(super) fn refusal(self, complaint: &str) -> String {
        let body = match self {
            Spoken::OpenAiResponses | Spoken::OpenAiChat => {
                json!({ "error": { "message": complaint, "type": "invalid_request_error", "param": "input", "code": null } })
            }
            Spoken::Anthropic => json!({
                "type": "error",
                "error": { "type": "invalid_request_error", "message": complaint },
                "request_id": "req_replayed",
            }),
            Spoken::Gemini => {
                json!({ "error": { "code": 400, "message": complaint, "status": "INVALID_ARGUMENT" } })
            }
        };
        body.to_string()
    }

    /// A reply as a stream of events.
    pub(super) fn events(self, turn: &ServedTurn) -> String {
        let events = match self {
            Spoken::OpenAiResponses => responses_events(turn),
            Spoken::Anthropic => anthropic_events(turn),
            Spoken::Gemini => gemini_events(turn),
            Spoken::OpenAiChat => chat_events(turn),
        };
        let named = matches!(self, Spoken::OpenAiResponses | Spoken::Anthropic);
        let mut out = String::from(": replayed\n\n");
        for event in events {
            if named {
                out.push_str(&format!("event: {}\n", event["type"].as_str().unwrap_or_default()));
            }
            out.push_str(&format!("data: {event}\n\n"));
        }
        if self == Spoken::OpenAiChat {
            out.push_str("data: [DONE]\n\n");
        }
        out
    }

    /// The reply as it has to come back in the next request.
    pub(super) fn echo(self, turn: &ServedTurn) -> Value {
        match self {
            Spoken::OpenAiResponses => responses_items(turn).into(),
            Spoken::Anthropic => json!({ "role": "assistant", "content": anthropic_blocks(turn) }),
            Spoken::Gemini => json!({ "role": "model", "parts": gemini_parts(turn) }),
            Spoken::OpenAiChat => chat_message(turn),
        }
    }
}

fn pieces(text: &str, size: usize) -> Vec<String> {
    text.chars().collect::<Vec<_>>().chunks(size.max(1)).map(String::from_iter).collect()
}

fn responses_items(turn: &ServedTurn) -> Vec<Value> {
    let mut items = Vec::new();
    if !turn.thinking.is_empty() {
        items.push(json!({
            "id": "rs_1", "type": "reasoning", "summary": [{ "type": "summary_text", "text": turn.thinking }],
            "encrypted_content": "gAAAAreplayed==", "unknown_field": 1, "status": "completed",
        }));
    }
    if !turn.text.is_empty() {
        let content = json!([{ "type": "output_text", "text": turn.text, "annotations": [] }]);
        items.push(json!({
            "id": "msg_1", "type": "message", "role": "assistant", "phase": "commentary", "status": "completed",
            "content": content,
        }));
    }
    for (at, (id, name, _)) in turn.calls.iter().enumerate() {
        let (arguments, is_cut) = turn.sent(at);
        let status = if is_cut { "incomplete" } else { "completed" };
        items.push(json!({
            "id": format!("fc_{id}"), "type": "function_call", "status": status, "call_id": id, "name": name,
            "arguments": arguments,
        }));
    }
    items
}

fn responses_events(turn: &ServedTurn) -> Vec<Value> {
    let mut events =
        vec![json!({ "type": "response.created", "response": { "id": "resp_1", "status": "in_progress" } })];
    let items = responses_items(turn);
    for (at, item) in items.iter().enumerate() {
        let mut added = item.clone();
        let (kind, text) = match item["type"].as_str() {
            Some("reasoning") => ("response.reasoning_summary_text.delta", turn.thinking.clone()),
            Some("message") => ("response.output_text.delta", turn.text.clone()),
            _ => {
                added["arguments"] = "".into();
                let arguments = item["arguments"].as_str().unwrap_or_default().to_owned();
                ("response.function_call_arguments.delta", arguments)
            }
        };
        events.push(json!({ "type": "response.output_item.added", "output_index": at, "item": added }));
        for piece in pieces(&text, turn.piece) {
            events.push(json!({ "type": kind, "output_index": at, "summary_index": 0, "delta": piece }));
        }
        events.push(json!({ "type": "response.output_item.done", "output_index": at, "item": item }));
    }
    let usage = json!({ "input_tokens": 100, "output_tokens": 10 });
    let status = if turn.cut.is_some() { "incomplete" } else { "completed" };
    let mut response = json!({ "id": "resp_1", "status": status, "output": items, "usage": usage });
    if turn.cut.is_some() {
        response["incomplete_details"] = json!({ "reason": "max_output_tokens" });
    }
    events.push(json!({ "type": format!("response.{status}"), "response": response }));
    events
}

fn anthropic_blocks(turn: &ServedTurn) -> Vec<Value> {
    let mut blocks = Vec::new();
    if !turn.thinking.is_empty() {
        blocks.push(json!({ "type": "thinking", "thinking": turn.thinking, "signature": "EqQreplayed==" }));
    }
    if !turn.text.is_empty() {
        blocks.push(json!({ "type": "text", "text": turn.text }));
    }
    for (id, name, arguments) in &turn.calls {
        let caller = json!({ "type": "direct" });
        // What is no object cannot come back as it was typed.
        let input = match arguments {
            Value::String(raw) => json!({ "INVALID_JSON": raw }),
            arguments => arguments.clone(),
        };
        blocks.push(json!({ "type": "tool_use", "id": id, "name": name, "input": input, "caller": caller }));
    }
    blocks
}

fn anthropic_events(turn: &ServedTurn) -> Vec<Value> {
    let usage = json!({ "input_tokens": 100, "output_tokens": 1 });
    let message =
        json!({ "id": "msg_1", "type": "message", "role": "assistant", "content": [], "usage": usage });
    let mut events = vec![json!({ "type": "message_start", "message": message }), json!({ "type": "ping" })];
    let blocks = anthropic_blocks(turn);
    let first_call = blocks.len() - turn.calls.len();
    for (at, block) in blocks.into_iter().enumerate() {
        let mut begun = block.clone();
        let (key, delta, text) = match block["type"].as_str() {
            Some("thinking") => ("thinking", "thinking_delta", turn.thinking.clone()),
            Some("text") => ("text", "text_delta", turn.text.clone()),
            _ => ("partial_json", "input_json_delta", turn.sent(at - first_call).0),
        };
        match key {
            "partial_json" => begun["input"] = json!({}),
            key => begun[key] = "".into(),
        }
        if key == "thinking" {
            begun["signature"] = "".into();
        }
        events.push(json!({ "type": "content_block_start", "index": at, "content_block": begun }));
        for piece in pieces(&text, turn.piece) {
            let delta = json!({ "type": delta, key: piece });
            events.push(json!({ "type": "content_block_delta", "index": at, "delta": delta }));
        }
        if key == "thinking" {
            let delta = json!({ "type": "signature_delta", "signature": block["signature"] });
            events.push(json!({ "type": "content_block_delta", "index": at, "delta": delta }));
        }
        events.push(json!({ "type": "content_block_stop", "index": at }));
    }
    let reason = match turn.cut {
        Some(_) => "max_tokens",
        None if turn.calls.is_empty() => "end_turn",
        None => "tool_use",
    };
    events.push(json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 10 } }));
    events.push(json!({ "type": "message_stop" }));
    events
}

fn gemini_parts(turn: &ServedTurn) -> Vec<Value> {
    let mut parts = Vec::new();
    if !turn.thinking.is_empty() {
        parts.push(json!({ "text": turn.thinking, "thought": true }));
    }
    if !turn.text.is_empty() {
        parts.push(json!({ "text": turn.text }));
    }
    for (at, (id, name, arguments)) in turn.calls.iter().enumerate() {
        let mut part = json!({ "functionCall": { "name": name, "args": arguments } });
        // Only the first call of a step is signed, and an empty id stands for none.
        if at == 0 {
            part["thoughtSignature"] = "CiQreplayed=".into();
        }
        if !id.is_empty() {
            part["functionCall"]["id"] = id.as_str().into();
        }
        parts.push(part);
    }
    parts
}

fn gemini_events(turn: &ServedTurn) -> Vec<Value> {
    let chunk = |parts: Value, finish: Option<&str>| {
        let mut candidate = json!({ "content": { "role": "model", "parts": parts }, "index": 0 });
        if let Some(finish) = finish {
            candidate["finishReason"] = finish.into();
        }
        let usage = json!({ "promptTokenCount": 100, "candidatesTokenCount": 10 });
        json!({ "candidates": [candidate], "usageMetadata": usage })
    };
    let mut events = Vec::new();
    let mut calls = Vec::new();
    for part in gemini_parts(turn) {
        if part.get("functionCall").is_some() {
            calls.push(part);
        } else if part.get("thought").is_some() {
            events.push(chunk(json!([part]), None));
        } else {
            let texts = pieces(&turn.text, turn.piece);
            events.extend(texts.iter().map(|piece| chunk(json!([{ "text": piece }]), None)));
        }
    }
    // A cut call is simply missing.
    if turn.cut.is_some() {
        calls.pop();
    }
    let reason = if turn.cut.is_some() { "MAX_TOKENS" } else { "STOP" };
    events.push(chunk(calls.into(), Some(reason)));
    events
}

fn chat_message(turn: &ServedTurn) -> Value {
    let content = if turn.text.is_empty() { Value::Null } else { turn.text.clone().into() };
    let mut message = json!({ "role": "assistant", "content": content });
    let call = |(id, name, arguments): &(String, String, Value)| {
        // Servers refuse a history with arguments that are no object.
        let arguments = if arguments.is_string() { "{}".to_owned() } else { arguments.to_string() };
        let function = json!({ "name": name, "arguments": arguments });
        json!({ "id": id, "type": "function", "function": function })
    };
    if !turn.calls.is_empty() {
        message["tool_calls"] = turn.calls.iter().map(call).collect();
    }
    message
}

fn chat_events(turn: &ServedTurn) -> Vec<Value> {
    let chunk = |delta: Value, finish: Option<&str>| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
        json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [choice] })
    };
    let mut events = Vec::new();
    for piece in pieces(&turn.thinking, turn.piece) {
        events.push(chunk(json!({ "reasoning_content": piece, "content": null }), None));
    }
    for piece in pieces(&turn.text, turn.piece) {
        events.push(chunk(json!({ "content": piece }), None));
    }
    for (at, (id, name, _)) in turn.calls.iter().enumerate() {
        let call = json!({ "index": at, "id": id, "type": "function", "function": { "name": name, "arguments": "" } });
        events.push(chunk(json!({ "tool_calls": [call] }), None));
        for piece in pieces(&turn.sent(at).0, turn.piece) {
            let call = json!({ "index": at, "function": { "arguments": piece } });
            events.push(chunk(json!({ "tool_calls": [call] }), None));
        }
    }
    let reason = match turn.cut {
        Some(_) => "length",
        None if turn.calls.is_empty() => "stop",
        None => "tool_calls",
    };
    events.push(chunk(json!({}), Some(reason)));
    let mut usage = json!({ "prompt_tokens": 100, "completion_tokens": 10 });
    if let Some(cost_usd) = turn.cost_usd {
        usage["cost"] = json!(cost_usd);
    }
    events.push(json!({ "id": "chatcmpl-1", "choices": [], "usage": usage }));
    events
}
