//! Arguments that come piece by piece, each with the path of its place. Only the enterprise endpoint sends
//! them.

use serde_json::{Map, Value};

use super::wire::text;

/// Larger positions in an array are no place but an attack.
const MAX_POSITION: usize = 10_000;
/// So many positions may be left open for later: each is memory that nobody sent.
const MAX_GAP: usize = 16;
const MAX_DEPTH: usize = 32;

/// A call whose arguments are still coming.
#[derive(Debug, Default)]
pub(super) struct PartialCall {
    /// The part as it began, with its signature.
    pub(super) part: Map<String, Value>,
    /// The arguments so far.
    pub(super) arguments: Value,
    /// The path of a string that is not finished.
    open: Option<String>,
}

#[derive(Debug, PartialEq)]
enum Place {
    Key(String),
    Position(usize),
}

impl PartialCall {
    /// A call that begins with this part.
    pub(super) fn beginning(part: Map<String, Value>) -> Self {
        Self { part, ..Self::default() }
    }

    /// Takes the pieces of a `functionCall`.
    pub(super) fn take(&mut self, call: &Value) {
        for piece in call.get("partialArgs").and_then(Value::as_array).into_iter().flatten() {
            let path = text(piece, "jsonPath");
            let Some(places) = places(path) else { continue };
            let value = ["stringValue", "numberValue", "boolValue", "nullValue"]
                .iter()
                .find_map(|key| piece.get(*key).map(|value| (*key, value)));
            let Some((key, value)) = value else { continue };
            let value = if key == "nullValue" { Value::Null } else { value.clone() };
            let Some(held) = reach(&mut self.arguments, &places) else { continue };
            match (held, &value) {
                (Value::String(held), Value::String(more)) if self.open.as_deref() == Some(path) => {
                    held.push_str(more);
                }
                (held, _) => *held = value,
            }
            let goes_on = piece.get("willContinue").and_then(Value::as_bool).unwrap_or(false);
            self.open = goes_on.then(|| path.to_owned());
        }
    }
}

/// The places of a path such as `$.edits[0].new_text` or `$['a key']`.
fn places(path: &str) -> Option<Vec<Place>> {
    let mut rest = path.strip_prefix('$')?;
    let mut places = Vec::new();
    while !rest.is_empty() {
        if places.len() == MAX_DEPTH {
            return None;
        }
        if let Some(tail) = rest.strip_prefix('.') {
            let end = tail.find(['.', '[']).unwrap_or(tail.len());
            places.push(Place::Key(tail[..end].to_owned()));
            rest = &tail[end..];
        } else {
            let tail = rest.strip_prefix('[')?;
            let end = tail.find(']')?;
            let inside = &tail[..end];
            let quoted = inside.strip_prefix(['\'', '"']).and_then(|inside| inside.strip_suffix(['\'', '"']));
            places.push(match quoted {
                Some(key) => Place::Key(key.to_owned()),
                None => Place::Position(inside.parse().ok().filter(|position| *position < MAX_POSITION)?),
            });
            rest = &tail[end + 1..];
        }
    }
    Some(places)
}

/// The value at a place, made if it is not there.
fn reach<'a>(root: &'a mut Value, places: &[Place]) -> Option<&'a mut Value> {
    let mut value = root;
    for place in places {
        value = match place {
            Place::Key(key) => {
                if !value.is_object() {
                    *value = Value::Object(Map::new());
                }
                value.as_object_mut()?.entry(key.clone()).or_insert(Value::Null)
            }
            Place::Position(position) => {
                if !value.is_array() {
                    *value = Value::Array(Vec::new());
                }
                let items = value.as_array_mut()?;
                if items.len() + MAX_GAP < *position {
                    return None;
                }
                if items.len() <= *position {
                    items.resize(position + 1, Value::Null);
                }
                items.get_mut(*position)?
            }
        };
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pieces_come_together_at_their_places() {
        let mut call = PartialCall::default();
        call.take(&json!({"partialArgs": [
            {"jsonPath": "$.edits[1]['new text']", "stringValue": "a", "willContinue": true},
            {"jsonPath": "$.edits[1]['new text']", "stringValue": "b"},
            {"jsonPath": "$.edits[1].count", "numberValue": 2},
            {"jsonPath": "$.edits[1].gone", "nullValue": "NULL_VALUE"},
            {"jsonPath": "$.edits[99999999]", "stringValue": "too far"},
            {"jsonPath": "$.edits[9999]", "stringValue": "too far from the others"},
            {"jsonPath": "edits", "stringValue": "no path"},
        ]}));
        assert_eq!(call.arguments, json!({"edits": [null, {"new text": "ab", "count": 2, "gone": null}]}));
    }
}
