//! The conversation as OpenAI's Responses want it.

use facsimile_agent::{ToolChoice, ToolSpec, UserMessage};
use serde_json::{Map, Value, json};

use super::strict::strict_schema;
use crate::catalog::Effort;
use crate::conversation::{Answer, Ask, Conversation, Entry, Picture};
use crate::optional::OptionalField;

/// The body of a request: a function of what was said and what is asked for, and of nothing else.
pub fn body(conversation: &Conversation, ask: &Ask<'_>) -> Value {
    let may_send = |field| !ask.omitted.contains(&field);
    let mut body = Map::new();
    body.insert("model".into(), ask.model.id.clone().into());
    body.insert("instructions".into(), conversation.system.clone().into());
    body.insert("input".into(), input(conversation).into());
    if !ask.tools.is_empty() {
        let tools: Vec<Value> =
            ask.tools.iter().map(|spec| tool(spec, may_send(OptionalField::Strict))).collect();
        body.insert("tools".into(), tools.into());
        if may_send(OptionalField::ToolChoice) {
            body.insert("tool_choice".into(), choice(ask.choice).into());
        }
        if may_send(OptionalField::ParallelToolCalls) {
            body.insert("parallel_tool_calls".into(), true.into());
        }
    }
    if may_send(OptionalField::Reasoning) {
        let effort = ask.model.nearest_effort(ask.effort.unwrap_or(Effort::Medium));
        body.insert("reasoning".into(), json!({ "effort": effort.as_str(), "summary": "auto" }));
    }
    body.insert("max_output_tokens".into(), ask.output_tokens().into());
    body.insert("store".into(), false.into());
    if may_send(OptionalField::Include) {
        body.insert("include".into(), json!(["reasoning.encrypted_content"]));
    }
    if may_send(OptionalField::CacheKey) {
        body.insert("prompt_cache_key".into(), ask.cache_key.into());
    }
    body.insert("stream".into(), true.into());
    Value::Object(body)
}

fn input(conversation: &Conversation) -> Vec<Value> {
    let mut input = Vec::new();
    for entry in conversation.entries() {
        match entry {
            Entry::User(message) => input.push(user(message)),
            Entry::Turn { native, answers, then } => {
                input.extend(native.0.as_array().into_iter().flatten().cloned());
                input.extend(answers.iter().map(output));
                input.extend(then.as_ref().map(user));
            }
        }
    }
    input
}

fn user(message: &UserMessage) -> Value {
    let images = message.images.iter().map(image);
    let words = (!message.text.is_empty()).then(|| json!({ "type": "input_text", "text": message.text }));
    let parts: Vec<Value> = images.chain(words).collect();
    json!({ "role": "user", "content": parts })
}

fn image<'a>(picture: impl Into<Picture<'a>>) -> Value {
    json!({ "type": "input_image", "image_url": picture.into().url(), "detail": "high" })
}

fn output(answer: &Answer) -> Value {
    let output = if answer.images.is_empty() {
        Value::from(answer.text())
    } else {
        let text = json!({ "type": "input_text", "text": answer.text() });
        let images = answer.images.iter().map(image);
        std::iter::once(text).chain(images).collect()
    };
    json!({ "type": "function_call_output", "call_id": answer.call_id, "output": output })
}

fn tool(spec: &ToolSpec, may_be_strict: bool) -> Value {
    let strict = strict_schema(&spec.parameters).filter(|_| may_be_strict);
    let mut tool = json!({ "type": "function", "name": spec.name, "description": spec.description });
    if let Some(object) = tool.as_object_mut() {
        let is_strict = strict.is_some();
        object.insert("parameters".into(), strict.unwrap_or_else(|| spec.parameters.clone()));
        if may_be_strict {
            object.insert("strict".into(), is_strict.into());
        }
    }
    tool
}

fn choice(choice: ToolChoice) -> &'static str {
    match choice {
        ToolChoice::Auto => "auto",
        ToolChoice::Required => "required",
        ToolChoice::None => "none",
    }
}
