//! A model that does the same again and again, and nothing comes of it.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::calls::fingerprint;
use super::limits::MAX_ROUNDS_ALIKE;
use crate::message::UserMessage;
use crate::project::ProjectFiles;
use crate::session::ExecutedToolCall;

/// The last round and how often it came in a row.
#[derive(Debug, Default)]
pub(super) struct Repeating {
    last: Option<u64>,
    in_a_row: u32,
}

impl Repeating {
    /// Takes a round in; says whether it was the same too often. What is new to the model makes it another one.
    pub(super) fn goes_nowhere(
        &mut self,
        results: &[ExecutedToolCall],
        files: &ProjectFiles,
        news: Option<&UserMessage>,
    ) -> bool {
        let mut hasher = DefaultHasher::new();
        for ExecutedToolCall { call, result } in results {
            (&call.name, fingerprint(&call.arguments), result.ok).hash(&mut hasher);
            result.result.to_string().hash(&mut hasher);
        }
        for (path, text) in files.iter() {
            (path.as_str(), text).hash(&mut hasher);
        }
        let round = Some(hasher.finish());
        self.in_a_row = if round == self.last && news.is_none() { self.in_a_row + 1 } else { 1 };
        self.last = round;
        self.in_a_row >= MAX_ROUNDS_ALIKE
    }
}
