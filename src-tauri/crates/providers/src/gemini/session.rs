//! How Gemini is asked.

use facsimile_agent::NativeTurn;
use serde_json::{Value, json};

use super::stream::ContentReader;
use super::wire::{call_id, calls_in, text};
use crate::conversation::{Ask, CallRef, Conversation};
use crate::draft::TurnReader;
use crate::endpoint::Family;
use crate::http::KeyHeader;
use crate::optional::{Omitted, OptionalField};
use crate::session::Dialect;

/// The dialect of Gemini.
#[derive(Debug, Clone, Copy)]
pub struct Generate;

impl Dialect for Generate {
    fn family(&self) -> Family {
        Family::Gemini
    }

    fn path(&self, model: &str) -> String {
        let model = model.strip_prefix("models/").unwrap_or(model);
        // A name from a settings field must not become another path.
        let plain: String = model
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':'))
            .collect();
        format!("/models/{plain}:streamGenerateContent?alt=sse")
    }

    fn key_header(&self) -> KeyHeader {
        KeyHeader::XGoogApiKey
    }

    fn optional_fields(&self) -> Omitted {
        Omitted::from([OptionalField::Reasoning, OptionalField::ToolChoice])
    }

    fn body(&self, conversation: &Conversation, ask: &Ask<'_>) -> Value {
        super::request::body(conversation, ask)
    }

    fn reader(&self, _ask: &Ask<'_>) -> Box<dyn TurnReader> {
        Box::new(ContentReader::new())
    }

    fn calls_of(&self, native: &NativeTurn) -> Vec<CallRef> {
        let refer = |(position, call): (usize, &Value)| CallRef {
            id: call_id(call, position),
            name: text(call, "name").to_owned(),
        };
        calls_in(&native.0).enumerate().map(refer).collect()
    }

    fn words_of(&self, native: &NativeTurn) -> String {
        let parts = native.0.get("parts").and_then(Value::as_array).into_iter().flatten();
        let is_thought = |part: &Value| part.get("thought").and_then(Value::as_bool) == Some(true);
        parts.filter(|part| !is_thought(part)).map(|part| text(part, "text")).collect()
    }

    fn spoken(&self, words: &str) -> NativeTurn {
        NativeTurn(json!({ "role": "model", "parts": [{ "text": words }] }))
    }
}
