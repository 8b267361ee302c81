//! What is said to a model, in no vendor's form.

use std::sync::Arc;

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
