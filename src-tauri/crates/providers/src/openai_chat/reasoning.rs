//! The details of thinking that a router wants back as they came.

use serde_json::Value;

/// `reasoning_details` put together from their pieces.
#[derive(Debug, Default)]
pub(super) struct ReasoningDetails {
    details: Vec<Value>,
}

impl ReasoningDetails {
    /// Takes the details of one chunk.
    pub(super) fn take(&mut self, delta: &Value) {
        for piece in delta.get("reasoning_details").and_then(Value::as_array).into_iter().flatten() {
            let same = |key: &str, held: &Value| held.get(key) == piece.get(key);
            let last = self.details.last_mut().filter(|held| same("type", held) && same("index", held));
            let (Some(held), Some(piece)) = (last.and_then(Value::as_object_mut), piece.as_object()) else {
                self.details.push(piece.clone());
                continue;
            };
            for (key, value) in piece {
                match (held.get_mut(key), value) {
                    (Some(Value::String(text)), Value::String(more))
                        if matches!(key.as_str(), "text" | "summary" | "data") =>
                    {
                        text.push_str(more);
                    }
                    (_, Value::Null) => {}
                    _ => {
                        held.insert(key.clone(), value.clone());
                    }
                }
            }
        }
    }

    /// The details, if there are any.
    pub(super) fn into_value(self) -> Option<Value> {
        (!self.details.is_empty()).then_some(Value::Array(self.details))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pieces_of_a_detail_become_one_and_kinds_stay_apart() {
        let mut details = ReasoningDetails::default();
        for piece in [
            json!({"type": "reasoning.text", "text": "a", "index": 0}),
            json!({"type": "reasoning.text", "text": "b", "index": 0, "signature": "s"}),
            json!({"type": "reasoning.encrypted", "data": "x", "index": 0}),
        ] {
            details.take(&json!({"reasoning_details": [piece]}));
        }
        let expected = json!([
            {"type": "reasoning.text", "text": "ab", "index": 0, "signature": "s"},
            {"type": "reasoning.encrypted", "data": "x", "index": 0},
        ]);
        assert_eq!(details.into_value(), Some(expected));
    }
}
