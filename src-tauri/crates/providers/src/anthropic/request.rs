//! The conversation as Anthropic's Messages want it.

use facsimile_agent::{ToolChoice, ToolSpec, UserMessage};
use serde_json::{Map, Value, json};

use crate::catalog::{Effort, Thinking};
use crate::conversation::{Answer, Ask, Conversation, Entry, Picture, base64_of};
use crate::optional::OptionalField;

/// What thinking may take of a reply where it has a budget of tokens.
const THINKING_BUDGET_TOKENS: u64 = 8_000;

/// The body of a request: a function of what was said and what is asked for, and of nothing else.
pub fn body(conversation: &Conversation, ask: &Ask<'_>) -> Value {
    let may_send = |field| !ask.omitted.contains(&field);
    let may_cache = may_send(OptionalField::CacheControl);
    let mut body = Map::new();
    body.insert("model".into(), ask.model.id.clone().into());
    body.insert("max_tokens".into(), ask.output_tokens().into());
    body.insert("system".into(), system(&conversation.system, may_cache));
    body.insert("messages".into(), messages(conversation).into());
    if !ask.tools.is_empty() {
        let is_eager = may_send(OptionalField::EagerStreaming);
        let tools: Vec<Value> = ask.tools.iter().map(|spec| tool(spec, is_eager)).collect();
        body.insert("tools".into(), tools.into());
        if may_send(OptionalField::ToolChoice) {
            body.insert("tool_choice".into(), json!({ "type": choice(ask) }));
        }
    }
    if may_send(OptionalField::Reasoning) {
        think(&mut body, ask);
    }
    if may_cache {
        // Moves along with the last block, so that each request reads what the one before it wrote.
        body.insert("cache_control".into(), json!({ "type": "ephemeral" }));
    }
    body.insert("stream".into(), true.into());
    Value::Object(body)
}

/// The system prompt, marked as the end of what never changes: tools and prompt.
fn system(prompt: &str, may_cache: bool) -> Value {
    if prompt.is_empty() || !may_cache {
        return prompt.into();
    }
    json!([{ "type": "text", "text": prompt, "cache_control": { "type": "ephemeral" } }])
}

fn messages(conversation: &Conversation) -> Vec<Value> {
    let mut messages = Vec::new();
    for entry in conversation.entries() {
        match entry {
            Entry::User(message) => messages.push(user(user_blocks(message))),
            Entry::Turn { native, answers, then } => {
                if native.0.as_array().is_some_and(|blocks| !blocks.is_empty()) {
                    messages.push(json!({ "role": "assistant", "content": native.0 }));
                }
                // Results come first in the message, or the API refuses it.
                let mut blocks: Vec<Value> = answers.iter().map(result).collect();
                blocks.extend(
                    answers.iter().filter(|answer| !answer.ok).flat_map(|answer| images(&answer.images)),
                );
                blocks.extend(then.iter().flat_map(user_blocks));
                if !blocks.is_empty() {
                    messages.push(user(blocks));
                }
            }
        }
    }
    messages
}

fn user(blocks: Vec<Value>) -> Value {
    json!({ "role": "user", "content": blocks })
}

fn user_blocks(message: &UserMessage) -> Vec<Value> {
    let words = (!message.text.is_empty()).then(|| json!({ "type": "text", "text": message.text }));
    images(&message.images).chain(words).collect()
}

fn images<'a, P: Into<Picture<'a>>>(images: impl IntoIterator<Item = P>) -> impl Iterator<Item = Value> {
    images.into_iter().map(|image| {
        let source = match image.into() {
            Picture::Bytes { mime, data } => {
                json!({ "type": "base64", "media_type": mime, "data": base64_of(data) })
            }
            Picture::Url(url) => json!({ "type": "url", "url": url }),
        };
        json!({ "type": "image", "source": source })
    })
}

fn result(answer: &Answer) -> Value {
    // A result that is an error may hold text only; its images follow the results.
    let content = if answer.images.is_empty() || !answer.ok {
        Value::from(answer.text())
    } else {
        std::iter::once(json!({ "type": "text", "text": answer.text() }))
            .chain(images(&answer.images))
            .collect()
    };
    let mut result = json!({ "type": "tool_result", "tool_use_id": answer.call_id, "content": content });
    if let (false, Some(object)) = (answer.ok, result.as_object_mut()) {
        object.insert("is_error".into(), true.into());
    }
    result
}

fn tool(spec: &ToolSpec, is_eager: bool) -> Value {
    let mut tool =
        json!({ "name": spec.name, "description": spec.description, "input_schema": spec.parameters });
    if let (true, Some(object)) = (is_eager, tool.as_object_mut()) {
        object.insert("eager_input_streaming".into(), true.into());
    }
    tool
}

/// No current model can be made to call a tool while it thinks: there the wish stays a wish.
fn choice(ask: &Ask<'_>) -> &'static str {
    match ask.choice {
        ToolChoice::Auto => "auto",
        ToolChoice::Required if ask.model.forces_tools => "any",
        ToolChoice::Required => "auto",
        ToolChoice::None => "none",
    }
}

fn think(body: &mut Map<String, Value>, ask: &Ask<'_>) {
    let is_off = ask.effort == Some(Effort::None);
    let thinking = match ask.model.thinking {
        Thinking::Default if is_off => json!({ "type": "disabled" }),
        Thinking::Adaptive | Thinking::Budget if is_off => return,
        Thinking::Budget => {
            let budget = THINKING_BUDGET_TOKENS.min(ask.output_tokens() / 2).max(1024);
            json!({ "type": "enabled", "budget_tokens": budget })
        }
        // Without a display the text between tool calls stays hidden as well.
        _ => json!({ "type": "adaptive", "display": "summarized" }),
    };
    body.insert("thinking".into(), thinking);
    let takes_effort = ask.model.thinking != Thinking::Budget;
    if let (true, Some(effort)) = (takes_effort, ask.effort.filter(|effort| *effort != Effort::None)) {
        let effort = effort.max(Effort::Low);
        body.insert("output_config".into(), json!({ "effort": effort.as_str() }));
    }
}
