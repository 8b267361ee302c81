//! Conversations that are taken up again.

use facsimile_agent::{ExecutedToolCall, NativeTurn, ProviderSession, SessionError, UserMessage};

use crate::connect::{ConnectSpec, Connector, dialect_of_family};
use crate::endpoint::Family;
use crate::session::Session;

/// One step of a conversation as it was kept.
#[derive(Debug, Clone)]
pub enum Past {
    /// The user spoke.
    User(UserMessage),
    /// The model replied, and its calls were answered.
    Reply {
        /// In whose form the reply is.
        family: Family,
        /// The vendor's own form of the reply.
        turn: NativeTurn,
        /// The results of its calls, in their order; none where they were not kept.
        results: Vec<ExecutedToolCall>,
        /// What the user said behind the results.
        then: Option<UserMessage>,
    },
    /// A reply of which only the words are known.
    Words(String),
}

impl Connector {
    /// Begins a conversation in which this was said before. It is appended by the code that appends it live, so
    /// the next request is the one that the conversation itself would have sent. A reply in another vendor's
    /// form, or with calls whose results were not kept, is told in its words. Nothing is sent before the next turn.
    pub fn resume(
        &self,
        spec: ConnectSpec,
        past: impl IntoIterator<Item = Past>,
    ) -> Result<Box<dyn ProviderSession>, SessionError> {
        let mut session = self.session(spec)?;
        for step in past {
            session.hear(step)?;
        }
        Ok(Box::new(session))
    }
}

impl Session {
    fn hear(&mut self, step: Past) -> Result<(), SessionError> {
        match step {
            Past::User(message) => self.append_user(message),
            Past::Words(words) => self.speak(&words),
            Past::Reply { family, turn, results, then } => {
                let has_lost_results = results.is_empty() && !self.dialect.calls_of(&turn).is_empty();
                if family == self.dialect.family() && !has_lost_results {
                    return self.append_tool_results(turn, results, then);
                }
                self.speak(&dialect_of_family(family).words_of(&turn))?;
                then.map_or(Ok(()), |message| self.append_user(message))
            }
        }
    }

    /// Appends a reply that says these words; one that says nothing is left out, as vendors refuse it.
    fn speak(&mut self, words: &str) -> Result<(), SessionError> {
        match words.trim().is_empty() {
            true => Ok(()),
            false => self.append_tool_results(self.dialect.spoken(words), Vec::new(), None),
        }
    }
}
