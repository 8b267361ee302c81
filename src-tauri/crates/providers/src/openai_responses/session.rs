//! How OpenAI's Responses are asked.

use facsimile_agent::NativeTurn;
use serde_json::{Value, json};

use super::stream::ResponseReader;
use super::wire::{is_call, text};
use crate::conversation::{Ask, CallRef, Conversation};
use crate::draft::TurnReader;
use crate::endpoint::Family;
use crate::http::KeyHeader;
use crate::optional::{Omitted, OptionalField};
use crate::session::Dialect;

/// The dialect of OpenAI's Responses.
#[derive(Debug, Clone, Copy)]
pub struct Responses;

impl Dialect for Responses {
    fn family(&self) -> Family {
        Family::OpenAiResponses
    }

    fn path(&self, _model: &str) -> String {
        "/responses".to_owned()
    }

    fn key_header(&self) -> KeyHeader {
        KeyHeader::Bearer
    }

    fn optional_fields(&self) -> Omitted {
        Omitted::from([
            OptionalField::Reasoning,
            OptionalField::Include,
            OptionalField::ParallelToolCalls,
            OptionalField::ToolChoice,
            OptionalField::Strict,
            OptionalField::CacheKey,
        ])
    }

    fn body(&self, conversation: &Conversation, ask: &Ask<'_>) -> Value {
        super::request::body(conversation, ask)
    }

    fn reader(&self, _ask: &Ask<'_>) -> Box<dyn TurnReader> {
        Box::new(ResponseReader::new())
    }

    fn calls_of(&self, native: &NativeTurn) -> Vec<CallRef> {
        let items = native.0.as_array().into_iter().flatten();
        items
            .filter(|item| is_call(item))
            .map(|item| CallRef { id: text(item, "call_id").to_owned(), name: text(item, "name").to_owned() })
            .collect()
    }

    fn words_of(&self, native: &NativeTurn) -> String {
        let items = native.0.as_array().into_iter().flatten();
        let messages = items.filter(|item| text(item, "type") == "message");
        let parts = messages.filter_map(|item| item.get("content")?.as_array()).flatten();
        parts.filter(|part| text(part, "type") == "output_text").map(|part| text(part, "text")).collect()
    }

    fn spoken(&self, words: &str) -> NativeTurn {
        NativeTurn(json!([{
            "type": "message",
            "role": "assistant",
            "content": [{ "type": "output_text", "text": words }],
        }]))
    }
}
