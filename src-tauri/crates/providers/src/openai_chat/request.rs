//! The conversation as Chat Completions want it: the smallest body that works, for servers refuse what they
//! do not know.

use facsimile_agent::{OutputBudget, ToolChoice, ToolSpec, UserMessage};
use serde_json::{Map, Value, json};

use crate::catalog::Effort;
use crate::conversation::{Answer, Ask, Conversation, Entry, Picture};
use crate::optional::OptionalField;

/// The body of a request: a function of what was said and what is asked for, and of nothing else.
pub fn body(conversation: &Conversation, ask: &Ask<'_>) -> Value {
    let may_send = |field| !ask.omitted.contains(&field);
    let mut body = Map::new();
    body.insert("model".into(), ask.model.id.clone().into());
    body.insert("messages".into(), messages(conversation).into());
    if !ask.tools.is_empty() {
        body.insert("tools".into(), ask.tools.iter().map(tool).collect());
        let choice = match ask.choice {
            ToolChoice::Auto => None,
            ToolChoice::Required => Some("required"),
            ToolChoice::None => Some("none"),
        };
        if let Some(choice) = choice.filter(|_| may_send(OptionalField::ToolChoice)) {
            body.insert("tool_choice".into(), choice.into());
        }
    }
    // Without a limit a server gives what it has; one is named where it is known or has to grow.
    if ask.model.max_output_tokens.is_some() || ask.budget == OutputBudget::Doubled {
        let limit = Value::from(ask.output_tokens());
        if may_send(OptionalField::MaxTokens) {
            body.insert("max_tokens".into(), limit);
        } else if may_send(OptionalField::MaxCompletionTokens) {
            body.insert("max_completion_tokens".into(), limit);
        }
    }
    if let Some(effort) = ask.effort.filter(|_| may_send(OptionalField::Reasoning)) {
        let effort = ask.model.nearest_effort(effort.max(Effort::None));
        body.insert("reasoning_effort".into(), effort.as_str().into());
    }
    body.insert("stream".into(), true.into());
    if may_send(OptionalField::StreamOptions) {
        body.insert("stream_options".into(), json!({ "include_usage": true }));
    }
    Value::Object(body)
}

fn messages(conversation: &Conversation) -> Vec<Value> {
    let mut messages = Vec::new();
    if !conversation.system.is_empty() {
        messages.push(json!({ "role": "system", "content": conversation.system }));
    }
    for entry in conversation.entries() {
        match entry {
            Entry::User(message) => messages.push(user(message)),
            Entry::Turn { native, answers, then } => {
                if !native.0["content"].is_null() || native.0.get("tool_calls").is_some() {
                    messages.push(native.0.clone());
                }
                messages.extend(answers.iter().map(result));
                // No image may stand in a tool's message on most servers.
                messages.extend(answers.iter().filter(|answer| !answer.images.is_empty()).map(seen));
                messages.extend(then.as_ref().map(user));
            }
        }
    }
    messages
}

fn user(message: &UserMessage) -> Value {
    if message.images.is_empty() {
        return json!({ "role": "user", "content": message.text });
    }
    let words = (!message.text.is_empty()).then(|| json!({ "type": "text", "text": message.text }));
    let parts: Vec<Value> = images(&message.images).chain(words).collect();
    json!({ "role": "user", "content": parts })
}

fn images<'a, P: Into<Picture<'a>>>(images: impl IntoIterator<Item = P>) -> impl Iterator<Item = Value> {
    let part = |image: P| json!({ "type": "image_url", "image_url": { "url": image.into().url() } });
    images.into_iter().map(part)
}

fn result(answer: &Answer) -> Value {
    json!({ "role": "tool", "tool_call_id": answer.call_id, "content": answer.text() })
}

fn seen(answer: &Answer) -> Value {
    let text = format!("The images that {} gave for call {}:", answer.name, answer.call_id);
    let parts: Vec<Value> =
        std::iter::once(json!({ "type": "text", "text": text })).chain(images(&answer.images)).collect();
    json!({ "role": "user", "content": parts })
}

fn tool(spec: &ToolSpec) -> Value {
    let function = json!({
        "name": spec.name,
        "description": spec.description,
        "parameters": spec.parameters,
    });
    json!({ "type": "function", "function": function })
}
