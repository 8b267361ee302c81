//! What is said to a model, in no vendor's form.

mod public_url;

use std::sync::Arc;

pub use public_url::{PublicUrl, UrlRefused};

/// A picture as it is sent: encoded bytes and their true type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageBytes {
    /// The media type, such as `image/png`.
    pub mime: &'static str,
    /// The encoded picture.
    pub bytes: Arc<[u8]>,
    /// What the model calls it, such as `image 1`.
    pub label: String,
}

/// A picture that a tool shows to the model: its bytes or its address, never both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolImage {
    /// The encoded picture.
    Bytes {
        /// The media type, such as `image/png`.
        mime: &'static str,
        /// The encoded picture.
        data: Arc<[u8]>,
        /// What the model calls it.
        label: String,
    },
    /// Where everybody can load it.
    Url {
        /// The address.
        url: PublicUrl,
        /// What the model calls it.
        label: String,
    },
}

impl ToolImage {
    /// What the model calls it.
    pub fn label(&self) -> &str {
        match self {
            ToolImage::Bytes { label, .. } | ToolImage::Url { label, .. } => label,
        }
    }
}

/// One message of the user: pictures first, then words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserMessage {
    /// The pictures, in the order they are numbered.
    pub images: Vec<ImageBytes>,
    /// The words.
    pub text: String,
}

impl UserMessage {
    /// A message of words alone.
    pub fn text(text: impl Into<String>) -> Self {
        Self { images: Vec::new(), text: text.into() }
    }
}
