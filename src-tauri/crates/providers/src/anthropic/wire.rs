//! The names in Anthropic's events.

use facsimile_agent::TokenUsage;
use serde_json::{Map, Value};

use crate::usage::count;

/// A text field, empty where it is missing.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Overwrites counts by later ones: they are cumulative, and what is missing keeps its value.
pub(super) fn merge_usage(held: &mut Map<String, Value>, later: Option<&Value>) {
    let later = later.and_then(Value::as_object).into_iter().flatten();
    held.extend(later.filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.clone(), value.clone())));
}

/// The usage in disjoint counts.
pub(super) fn usage(held: &Map<String, Value>) -> TokenUsage {
    let held = Value::Object(held.clone());
    TokenUsage {
        input: count(&held, "/input_tokens"),
        cached_read: count(&held, "/cache_read_input_tokens"),
        cached_write: count(&held, "/cache_creation_input_tokens"),
        output: count(&held, "/output_tokens"),
        reasoning: count(&held, "/output_tokens_details/thinking_tokens"),
    }
}

/// Whether a block is a call of one of our tools.
pub(super) fn is_call(block: &Value) -> bool {
    text(block, "type") == "tool_use"
}
