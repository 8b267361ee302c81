//! The names in Gemini's chunks.

use facsimile_agent::TokenUsage;
use serde_json::Value;

use crate::usage::count;

/// A text field, empty where it is missing.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The usage in disjoint counts; `None` while there is none.
pub(super) fn usage(chunk: &Value) -> Option<TokenUsage> {
    let usage = chunk.get("usageMetadata").filter(|usage| usage.is_object())?;
    let cached_read = count(usage, "/cachedContentTokenCount");
    let reasoning = count(usage, "/thoughtsTokenCount");
    Some(TokenUsage {
        input: count(usage, "/promptTokenCount").saturating_sub(cached_read),
        cached_read,
        cached_write: 0,
        output: count(usage, "/candidatesTokenCount").saturating_add(reasoning),
        reasoning,
    })
}

/// The id of the n-th call of a reply: the vendor's, or one of ours that is never sent.
pub(super) fn call_id(call: &Value, position: usize) -> String {
    match text(call, "id") {
        "" => format!("call-{}", position + 1),
        id => id.to_owned(),
    }
}

/// The calls in a content, in order.
pub(super) fn calls_in(content: &Value) -> impl Iterator<Item = &Value> {
    let parts = content.get("parts").and_then(Value::as_array).into_iter().flatten();
    parts.filter_map(|part| part.get("functionCall"))
}
