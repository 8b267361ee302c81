//! Errors as the window receives them.

use facsimile_studio::{InputRefused, StudioError};
use serde::Serialize;
use ts_rs::TS;

/// What a command answers when it could not do its work: the window branches on `code` only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct CommandError {
    /// To branch on.
    pub code: String,
    /// One plain sentence with the next step in it.
    pub message: String,
}

impl CommandError {
    /// An error of the shell itself.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into() }
    }

    /// The work was lost, by a panic or because the program ends.
    pub fn lost(source: &dyn std::fmt::Display) -> Self {
        Self::new("unknown", format!("The program met an error of its own ({source}). Try again."))
    }
}

impl From<StudioError> for CommandError {
    fn from(error: StudioError) -> Self {
        let code = match &error {
            StudioError::Input(refused) => refused.code(),
            StudioError::Edit(refused) => refused.code(),
            other => other.kind().as_str(),
        };
        Self::new(code, error.to_string())
    }
}

impl From<InputRefused> for CommandError {
    fn from(refused: InputRefused) -> Self {
        StudioError::from(refused).into()
    }
}
