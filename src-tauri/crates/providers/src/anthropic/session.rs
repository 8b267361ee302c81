//! How Anthropic's Messages are asked.

use facsimile_agent::NativeTurn;
use serde_json::{Value, json};

use super::stream::{MessageReader, calls_in};
use super::wire::text;
use crate::conversation::{Ask, CallRef, Conversation};
use crate::draft::TurnReader;
use crate::endpoint::Family;
use crate::http::KeyHeader;
use crate::optional::{Omitted, OptionalField};
use crate::session::Dialect;

/// The version of the API at Anthropic itself, which takes no sampling parameters: we send none.
const VENDOR_VERSION: &str = "2026-10-21";
/// The version that relays know.
const RELAY_VERSION: &str = "2023-06-01";

/// The dialect of Anthropic's Messages.
#[derive(Debug, Clone, Copy)]
pub struct Messages {
    /// Whether Anthropic itself is asked, and not a relay.
    pub is_vendor: bool,
}

impl Dialect for Messages {
    fn family(&self) -> Family {
        Family::Anthropic
    }

    fn path(&self, _model: &str) -> String {
        "/v1/messages".to_owned()
    }

    fn key_header(&self) -> KeyHeader {
        KeyHeader::XApiKey
    }

    fn headers(&self) -> Vec<(&'static str, &'static str)> {
        vec![("anthropic-version", if self.is_vendor { VENDOR_VERSION } else { RELAY_VERSION })]
    }

    fn optional_fields(&self) -> Omitted {
        Omitted::from([
            OptionalField::Reasoning,
            OptionalField::ToolChoice,
            OptionalField::CacheControl,
            OptionalField::EagerStreaming,
        ])
    }

    /// The API checks that the tools before a block of thinking are those it was thought with, and they stand at
    /// the head of what it caches.
    fn keeps_tools(&self) -> bool {
        true
    }

    fn body(&self, conversation: &Conversation, ask: &Ask<'_>) -> Value {
        super::request::body(conversation, ask)
    }

    fn reader(&self, _ask: &Ask<'_>) -> Box<dyn TurnReader> {
        Box::new(MessageReader::new())
    }

    fn calls_of(&self, native: &NativeTurn) -> Vec<CallRef> {
        let refer = |block: &Value| CallRef {
            id: text(block, "id").to_owned(),
            name: text(block, "name").to_owned(),
        };
        calls_in(native).map(refer).collect()
    }

    fn words_of(&self, native: &NativeTurn) -> String {
        let blocks = native.0.as_array().into_iter().flatten();
        blocks.filter(|block| text(block, "type") == "text").map(|block| text(block, "text")).collect()
    }

    fn spoken(&self, words: &str) -> NativeTurn {
        NativeTurn(json!([{ "type": "text", "text": words }]))
    }
}
