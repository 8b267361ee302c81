//! The names in the chunks of Chat Completions.

use facsimile_agent::TokenUsage;
use serde_json::Value;

use crate::usage::count;

/// A text field, empty where it is missing.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The usage in disjoint counts; `None` while there is none.
pub(super) fn usage(chunk: &Value) -> Option<TokenUsage> {
    let usage = chunk.get("usage").filter(|usage| usage.is_object())?;
    let cached_read = count(usage, "/prompt_tokens_details/cached_tokens");
    let cached_write = count(usage, "/prompt_tokens_details/cache_write_tokens");
    Some(TokenUsage {
        input: count(usage, "/prompt_tokens").saturating_sub(cached_read).saturating_sub(cached_write),
        cached_read,
        cached_write,
        output: count(usage, "/completion_tokens"),
        reasoning: count(usage, "/completion_tokens_details/reasoning_tokens"),
    })
}

/// Arguments as text: most servers send text, some an object.
pub(super) fn arguments(function: &Value) -> String {
    match function.get("arguments") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}
