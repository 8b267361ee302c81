//! How Chat Completions are asked.

use facsimile_agent::NativeTurn;
use serde_json::{Value, json};

use super::stream::CompletionReader;
use super::wire::text;
use crate::conversation::{Ask, CallRef, Conversation};
use crate::draft::TurnReader;
use crate::endpoint::{Family, Flavour};
use crate::http::KeyHeader;
use crate::optional::{Omitted, OptionalField};
use crate::session::Dialect;

/// The dialect of Chat Completions.
#[derive(Debug, Clone, Copy)]
pub struct Completions {
    /// What is known of the server.
    pub flavour: Flavour,
}

impl Dialect for Completions {
    fn family(&self) -> Family {
        Family::OpenAiChat
    }

    fn path(&self, _model: &str) -> String {
        "/chat/completions".to_owned()
    }

    fn key_header(&self) -> KeyHeader {
        match self.flavour {
            Flavour::Azure => KeyHeader::ApiKey,
            _ => KeyHeader::Bearer,
        }
    }

    fn optional_fields(&self) -> Omitted {
        Omitted::from([
            OptionalField::Reasoning,
            OptionalField::StreamOptions,
            OptionalField::ToolChoice,
            OptionalField::MaxTokens,
            OptionalField::MaxCompletionTokens,
        ])
    }

    fn body(&self, conversation: &Conversation, ask: &Ask<'_>) -> Value {
        super::request::body(conversation, ask)
    }

    fn reader(&self, ask: &Ask<'_>) -> Box<dyn TurnReader> {
        let tools = ask.tools.iter().map(|spec| spec.name.to_owned()).collect();
        Box::new(CompletionReader::new(self.flavour, tools))
    }

    fn calls_of(&self, native: &NativeTurn) -> Vec<CallRef> {
        let calls = native.0.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
        calls
            .map(|call| CallRef {
                id: text(call, "id").to_owned(),
                name: call.pointer("/function/name").and_then(Value::as_str).unwrap_or_default().to_owned(),
            })
            .collect()
    }

    fn words_of(&self, native: &NativeTurn) -> String {
        text(&native.0, "content").to_owned()
    }

    fn spoken(&self, words: &str) -> NativeTurn {
        NativeTurn(json!({ "role": "assistant", "content": words }))
    }
}
