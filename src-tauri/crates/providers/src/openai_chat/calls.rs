//! Which call a piece of arguments belongs to. Servers agree on less than the API's page says: indexes are
//! missing, repeated or wandering, ids empty or missing, names sent again with every piece.

use facsimile_agent::ToolArguments;
use serde_json::Value;

use super::wire::{arguments, text};
use crate::draft::Draft;

/// The calls of one reply and what the server called them.
#[derive(Debug, Default)]
pub(super) struct CallBook {
    entries: Vec<Booked>,
}

#[derive(Debug)]
struct Booked {
    /// The server's id, empty where it gave none.
    id: String,
    index: Option<u64>,
    /// What the server wants back with the call.
    extra: Option<Value>,
}

impl CallBook {
    /// Takes one element of `delta.tool_calls`.
    pub(super) fn take(&mut self, piece: &Value, draft: &mut Draft, has_halves: bool) {
        let empty = Value::Null;
        let function = piece.get("function").unwrap_or(&empty);
        let (id, name, more) = (text(piece, "id"), text(function, "name"), arguments(function));
        let index = piece.get("index").and_then(Value::as_u64);
        let at = match self.find(id, index, name, &more, draft) {
            Some(at) => at,
            None if name.is_empty() => return,
            None => {
                self.entries.push(Booked { id: id.to_owned(), index, extra: None });
                let own_id = self.unused_id(id, draft);
                draft.begin_call(own_id, name)
            }
        };
        if let Some(extra) = piece.get("extra_content") {
            self.entries[at].extra = Some(extra.clone());
        }
        draft.type_call(at, &more, has_halves);
    }

    /// The call that a piece continues; `None` if it begins another.
    fn find(&self, id: &str, index: Option<u64>, name: &str, more: &str, draft: &Draft) -> Option<usize> {
        let by_index = || {
            let index = index?;
            self.entries.iter().rposition(|entry| entry.index == Some(index))
        };
        let last = self.entries.len().checked_sub(1);
        if !id.is_empty() {
            if let Some(known) = self.entries.iter().rposition(|entry| entry.id == id) {
                return Some(known);
            }
            // A new id begins a new call, unless nothing but the id is new.
            return if name.is_empty() { by_index().or(last) } else { None };
        }
        if name.is_empty() {
            return by_index().or(last);
        }
        // A name without an id: sent again with every piece, or the beginning of the next call.
        let candidate = match index {
            Some(_) => by_index()?,
            None => last?,
        };
        let call = draft.calls.get(candidate)?;
        let is_over =
            !call.raw.is_empty() && matches!(ToolArguments::parse(&call.raw), ToolArguments::Json(_));
        let is_another = call.name != name || (is_over && !more.trim().is_empty());
        (!is_another).then_some(candidate)
    }

    /// The server's id, or one of ours.
    fn unused_id(&self, id: &str, draft: &Draft) -> String {
        let number = draft.calls.len() + 1;
        match id {
            "" => format!("call-{number}"),
            id if draft.calls.iter().any(|call| call.id == id) => format!("{id}-{number}"),
            id => id.to_owned(),
        }
    }

    /// What the server wants back with a call.
    pub(super) fn extra(&self, at: usize) -> Option<&Value> {
        self.entries.get(at)?.extra.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn calls(pieces: &[Value]) -> Vec<(String, String, String)> {
        let (mut book, mut draft) = (CallBook::default(), Draft::default());
        for piece in pieces {
            book.take(piece, &mut draft, false);
        }
        draft.calls.into_iter().map(|call| (call.id, call.name, call.raw)).collect()
    }

    fn call(id: &str, name: &str, raw: &str) -> (String, String, String) {
        (id.to_owned(), name.to_owned(), raw.to_owned())
    }

    #[test]
    fn no_index_means_the_last_call() {
        assert_eq!(
            calls(&[
                json!({"id": "a", "function": {"name": "f", "arguments": "{"}}),
                json!({"function": {"arguments": "}"}}),
                json!({"id": "b", "function": {"name": "f", "arguments": "{}"}}),
            ]),
            [call("a", "f", "{}"), call("b", "f", "{}")]
        );
    }

    #[test]
    fn calls_without_ids_get_ours() {
        for id in [json!(null), json!("")] {
            assert_eq!(
                calls(&[
                    json!({"index": 0, "id": id, "function": {"name": "f", "arguments": "{}"}}),
                    json!({"index": 0, "id": id, "function": {"name": "f", "arguments": "{\"x\":1}"}}),
                ]),
                [call("call-1", "f", "{}"), call("call-2", "f", "{\"x\":1}")]
            );
        }
    }

    #[test]
    fn an_index_that_wanders_does_not_break_a_call() {
        assert_eq!(
            calls(&[
                json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": "{\"x\""}}),
                json!({"index": 1, "function": {"arguments": ":1"}}),
                json!({"index": 2, "id": "", "function": {"name": null, "arguments": "}"}}),
            ]),
            [call("a", "f", "{\"x\":1}")]
        );
    }

    #[test]
    fn a_name_sent_with_every_piece_is_one_call() {
        assert_eq!(
            calls(&[
                json!({"index": 1, "id": "a", "function": {"name": "f", "arguments": null}}),
                json!({"index": 1, "id": "a", "function": {"name": "f", "arguments": "{\"x\""}}),
                json!({"index": 1, "function": {"name": "f", "arguments": ":1}"}}),
            ]),
            [call("a", "f", "{\"x\":1}")]
        );
    }

    #[test]
    fn arguments_may_be_an_object_and_an_id_may_change_alone() {
        assert_eq!(
            calls(&[
                json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": {"x": 1}}}),
                json!({"index": 1, "id": "b", "function": {"name": "g", "arguments": "{"}}),
                json!({"index": 1, "id": "c", "function": {"arguments": "}"}}),
            ]),
            [call("a", "f", "{\"x\":1}"), call("b", "g", "{}")]
        );
    }
}
