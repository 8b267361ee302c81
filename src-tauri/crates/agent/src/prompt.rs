//! What a model is told: [`create`] and [`update`] turn a request into a [`Prompt`].
//!
//! The words are in `prompt/text/*.md`; the code only puts them together. It opens no file and knows no vendor:
//! the `studio` room calls it once per run, and `providers` say the result in their dialects. Everything that
//! comes from pictures, files or earlier turns stands in blocks that their own content cannot end.

mod facts;
mod fence;
mod first;
mod libraries;
mod request;
mod stack;
mod system;
mod text;
mod version;

#[cfg(test)]
mod tests;

pub use facts::MAX_FACTS_BYTES;
pub use first::{MAX_CARD_CHARS, MAX_DESIGN_RULES_CHARS, MAX_ELEMENT_CHARS, MAX_FILES_BYTES, MAX_LISTED};
pub use libraries::{LIBRARIES, PageLibrary};
pub use request::{
    CreatePrompt, CropPlace, ElementOrigin, ImagePolicy, PromptImage, ReadyPicture, RoutePrompt,
    SelectedElement, Terms, UpdatePrompt,
};
pub use stack::Stack;
pub use version::PromptVersion;

use crate::message::UserMessage;
use crate::modify::memory::RecentTurn;

/// The start of a conversation, in no vendor's form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The rules. They depend on the [`Terms`] alone, so they stay the same for a whole conversation.
    pub system: String,
    /// The first message of the user.
    pub first: UserMessage,
    /// Which wording this is, for the record.
    pub version: PromptVersion,
}

/// The prompt for a new page.
pub fn create(request: &CreatePrompt<'_>) -> Prompt {
    Prompt {
        system: system::system(&request.terms),
        first: first::create(request),
        version: PromptVersion::current(),
    }
}

/// The prompt for a change to a page. In a conversation that goes on, only its message is appended.
pub fn update(request: &UpdatePrompt<'_>) -> Prompt {
    Prompt {
        system: system::system(&request.terms),
        first: first::update(request),
        version: PromptVersion::current(),
    }
}

/// What a change is told of earlier turns, as it stands in its message; empty where there is nothing to tell.
pub fn earlier(card: Option<&str>, recent: &[RecentTurn]) -> String {
    first::earlier(card, recent)
}

/// The prompt of the question what a request is.
pub fn route(request: &RoutePrompt<'_>) -> Prompt {
    Prompt {
        system: text::filled(text::ROUTER, &[]),
        first: first::route(request),
        version: PromptVersion::current(),
    }
}
