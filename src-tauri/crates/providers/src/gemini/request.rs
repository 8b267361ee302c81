//! The conversation as Gemini wants it.

use facsimile_agent::{ToolChoice, ToolImage, ToolSpec, UserMessage};
use serde_json::{Map, Value, json};

use super::wire::calls_in;
use crate::catalog::{Effort, Thinking};
use crate::conversation::{Answer, Ask, Conversation, Entry, Picture, base64_of};
use crate::optional::OptionalField;

/// The body of a request: a function of what was said and what is asked for, and of nothing else.
pub fn body(conversation: &Conversation, ask: &Ask<'_>) -> Value {
    let mut body = Map::new();
    if !conversation.system.is_empty() {
        let parts = json!([{ "text": conversation.system }]);
        body.insert("systemInstruction".into(), json!({ "parts": parts }));
    }
    body.insert("contents".into(), contents(conversation, takes_images_in_results(&ask.model.id)).into());
    if !ask.tools.is_empty() {
        let declarations: Vec<Value> = ask.tools.iter().map(tool).collect();
        body.insert("tools".into(), json!([{ "functionDeclarations": declarations }]));
        if !ask.omitted.contains(&OptionalField::ToolChoice) {
            let config = json!({ "functionCallingConfig": { "mode": mode(ask.choice) } });
            body.insert("toolConfig".into(), config);
        }
    }
    let mut generation = Map::new();
    generation.insert("maxOutputTokens".into(), ask.output_tokens().into());
    if !ask.omitted.contains(&OptionalField::Reasoning) {
        generation.insert("thinkingConfig".into(), thinking(ask));
    }
    body.insert("generationConfig".into(), generation.into());
    Value::Object(body)
}

/// Before Gemini 3 a function's response could not hold images.
fn takes_images_in_results(model: &str) -> bool {
    !["gemini-1", "gemini-2"].iter().any(|old| model.contains(old))
}

fn contents(conversation: &Conversation, images_in_results: bool) -> Vec<Value> {
    let mut contents = Vec::new();
    for entry in conversation.entries() {
        match entry {
            Entry::User(message) => contents.push(user(user_parts(message))),
            Entry::Turn { native, answers, then } => {
                if native.0.pointer("/parts/0").is_some() {
                    contents.push(native.0.clone());
                }
                let calls = calls_in(&native.0);
                let mut parts: Vec<Value> = calls
                    .zip(answers)
                    .map(|(call, answer)| response(call, answer, images_in_results))
                    .collect();
                let seen = answers.iter().flat_map(|answer| &answer.images);
                parts.extend(seen.filter(|image| !(images_in_results && is_inline(image))).map(outside));
                parts.extend(then.iter().flat_map(user_parts));
                if !parts.is_empty() {
                    contents.push(user(parts));
                }
            }
        }
    }
    contents
}

fn user(parts: Vec<Value>) -> Value {
    json!({ "role": "user", "parts": parts })
}

fn user_parts(message: &UserMessage) -> Vec<Value> {
    let words = (!message.text.is_empty()).then(|| json!({ "text": message.text }));
    images(&message.images).chain(words).collect()
}

fn images<'a, P: Into<Picture<'a>>>(images: impl IntoIterator<Item = P>) -> impl Iterator<Item = Value> {
    images.into_iter().filter_map(|image| match image.into() {
        Picture::Bytes { mime, data } => {
            Some(json!({ "inlineData": { "mimeType": mime, "data": base64_of(data) } }))
        }
        Picture::Url(_) => None,
    })
}

fn is_inline(image: &ToolImage) -> bool {
    matches!(image, ToolImage::Bytes { .. })
}

/// A picture of a result that stands behind the results. Gemini takes bytes only, so an address is told in words.
fn outside(image: &ToolImage) -> Value {
    match image {
        ToolImage::Bytes { mime, data, .. } => {
            json!({ "inlineData": { "mimeType": mime, "data": base64_of(data) } })
        }
        ToolImage::Url { url, label } => json!({ "text": format!("{label} is at {}", url.as_str()) }),
    }
}

fn response(call: &Value, answer: &Answer, may_hold_images: bool) -> Value {
    let mut response = Map::new();
    // An id goes back only if the server gave one: some models refuse others.
    if let Some(id) = call.get("id").filter(|id| id.as_str().is_some_and(|id| !id.is_empty())) {
        response.insert("id".into(), id.clone());
    }
    response.insert("name".into(), answer.name.clone().into());
    let key = if answer.ok { "output" } else { "error" };
    response.insert("response".into(), json!({ key: answer.result }));
    if may_hold_images && answer.images.iter().any(is_inline) {
        response.insert("parts".into(), images(&answer.images).collect());
    }
    json!({ "functionResponse": response })
}

fn tool(spec: &ToolSpec) -> Value {
    json!({ "name": spec.name, "description": spec.description, "parametersJsonSchema": spec.parameters })
}

fn mode(choice: ToolChoice) -> &'static str {
    match choice {
        ToolChoice::Auto => "AUTO",
        ToolChoice::Required => "ANY",
        ToolChoice::None => "NONE",
    }
}

fn thinking(ask: &Ask<'_>) -> Value {
    let mut thinking = Map::new();
    thinking.insert("includeThoughts".into(), true.into());
    match (ask.model.thinking, ask.effort) {
        (Thinking::Budget, Some(Effort::None)) => {
            thinking.insert("thinkingBudget".into(), 0.into());
        }
        (Thinking::Budget, _) => {
            thinking.insert("thinkingBudget".into(), (-1).into());
        }
        (_, Some(effort)) => {
            // Several current models refuse the lowest level, and none can be switched off.
            let level = match effort {
                Effort::None | Effort::Minimal | Effort::Low => "LOW",
                Effort::Medium => "MEDIUM",
                Effort::High | Effort::XHigh | Effort::Max => "HIGH",
            };
            thinking.insert("thinkingLevel".into(), level.into());
        }
        _ => {}
    }
    Value::Object(thinking)
}
