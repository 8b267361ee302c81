//! The names in OpenAI's events.

use facsimile_agent::TokenUsage;
use serde_json::Value;

use crate::usage::count;

/// The usage of a response; `None` while there is none.
pub(super) fn usage(response: &Value) -> Option<TokenUsage> {
    let usage = response.get("usage").filter(|usage| usage.is_object())?;
    let cached_read = count(usage, "/input_tokens_details/cached_tokens");
    let cached_write = count(usage, "/input_tokens_details/cache_write_tokens");
    Some(TokenUsage {
        input: count(usage, "/input_tokens").saturating_sub(cached_read).saturating_sub(cached_write),
        cached_read,
        cached_write,
        output: count(usage, "/output_tokens"),
        reasoning: count(usage, "/output_tokens_details/reasoning_tokens"),
    })
}

/// A text field, empty where it is missing.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Whether an item is a call of one of our tools.
pub(super) fn is_call(item: &Value) -> bool {
    text(item, "type") == "function_call"
}
