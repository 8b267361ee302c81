//! Why a provider did not answer, in one form for all of them.

mod complaint;
mod hint;
mod kind;
mod known;
mod mask;
mod spelling;

pub use complaint::Complaint;
pub use hint::{Hint, MAX_WAIT_MS};
pub use known::KnownKeys;
pub use mask::Mask;

use facsimile_agent::{ErrorKind, Failure, SessionError};

use crate::endpoint::Family;

/// What a provider, or the way to it, said no to.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{words}")]
pub struct Rejection {
    /// The kind.
    pub kind: ErrorKind,
    /// The HTTP status, where there was an answer.
    pub status: Option<u16>,
    /// The provider's own name for it.
    pub code: Option<String>,
    /// The provider's own words, or ours where it said nothing.
    pub words: String,
    /// The request field it complains about.
    pub param: Option<String>,
    /// The provider's name for the request.
    pub request_id: Option<String>,
    /// Whether the same request may be sent again.
    pub is_retryable: bool,
    /// How long the provider asked to be left alone.
    pub retry_after_ms: Option<u64>,
}

/// What of an answer's headers an error needs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnswerFacts {
    /// The provider's name for the request.
    pub request_id: Option<String>,
    /// When and whether to try again.
    pub hint: Hint,
}

impl Rejection {
    /// Something of ours or of the network, without an answer.
    pub fn without_answer(kind: ErrorKind, words: impl Into<String>) -> Self {
        Self {
            kind,
            status: None,
            code: None,
            words: words.into(),
            param: None,
            request_id: None,
            is_retryable: matches!(
                kind,
                ErrorKind::Network | ErrorKind::Stalled | ErrorKind::StreamEndedEarly
            ),
            retry_after_ms: None,
        }
    }

    /// A reply that is not what the protocol says.
    pub fn protocol(words: impl Into<String>) -> Self {
        Self::without_answer(ErrorKind::Protocol, words)
    }

    /// A stream that closed without its end marker.
    pub fn ended_early() -> Self {
        Self::without_answer(ErrorKind::StreamEndedEarly, "the stream closed before its end")
    }

    /// Allows the same request to be sent again.
    pub fn retryable(mut self) -> Self {
        self.is_retryable = true;
        self
    }

    /// An error inside a stream that had begun well.
    pub fn in_stream(family: Family, complaint: Complaint) -> Self {
        Self::from_complaint(family, complaint, AnswerFacts::default())
    }

    /// An answer with an error status and this body.
    pub fn from_answer(family: Family, status: u16, body: &str, facts: AnswerFacts) -> Self {
        let mut complaint = Complaint::read(body);
        complaint.status = Some(status);
        Self::from_complaint(family, complaint, facts)
    }

    fn from_complaint(family: Family, complaint: Complaint, facts: AnswerFacts) -> Self {
        let (kind, may_repeat) = kind::classify(family, &complaint);
        let wait_ms = facts.hint.wait_ms.or(complaint.retry_delay_ms);
        // Without a hint Anthropic's 429 is the month's cap, which no waiting mends.
        let is_monthly_cap =
            family == Family::Anthropic && complaint.status == Some(429) && wait_ms.is_none();
        let is_too_long_a_wait = wait_ms.is_some_and(|wait_ms| wait_ms > MAX_WAIT_MS);
        let is_retryable = facts.hint.should_retry.unwrap_or(may_repeat && !is_monthly_cap);
        Self {
            kind,
            status: complaint.status,
            code: complaint.code.clone(),
            words: complaint.message,
            param: complaint.param,
            request_id: facts.request_id.or(complaint.request_id),
            is_retryable: is_retryable && kind != ErrorKind::NoCredit && !is_too_long_a_wait,
            retry_after_ms: wait_ms,
        }
    }

    /// The same, without anything that looks like a key.
    pub fn masked(mut self, mask: &Mask) -> Self {
        self.words = mask.apply(&self.words);
        self.code = self.code.map(|code| mask.apply(&code));
        self
    }

    /// As the engine and a person are told of it.
    pub fn told_by(self, who: &str) -> SessionError {
        let lead = match self.kind {
            ErrorKind::BadKey => format!("{who} did not accept the key"),
            ErrorKind::NoAccess => format!("{who} does not allow this"),
            ErrorKind::NoModel => format!("{who} does not have this model"),
            ErrorKind::NoCredit => format!("{who} has no credit left for this key"),
            ErrorKind::RateLimit => format!("{who} limits the rate of requests"),
            ErrorKind::Overloaded => format!("{who} is overloaded"),
            ErrorKind::TooLong => format!("the conversation is too long for this model of {who}"),
            ErrorKind::BadImage => format!("{who} could not use an image"),
            ErrorKind::Blocked => format!("{who}'s filter stopped this"),
            ErrorKind::Network => format!("{who} could not be reached"),
            ErrorKind::Stalled => format!("{who} went silent"),
            ErrorKind::StreamEndedEarly => format!("the reply of {who} broke off"),
            ErrorKind::Protocol => format!("the reply of {who} could not be read"),
            ErrorKind::BadRequest => format!("{who} refused the request"),
            _ => format!("{who} reported an error"),
        };
        let facts: Vec<String> = [
            self.status.map(|status| format!("status {status}")),
            self.code.clone(),
            self.request_id.as_ref().map(|id| format!("request {id}")),
        ]
        .into_iter()
        .flatten()
        .collect();
        let words = self.words.trim().trim_end_matches('.');
        let mut message = if words.is_empty() { lead } else { format!("{lead}: {words}") };
        if !facts.is_empty() {
            message = format!("{message} ({})", facts.join(", "));
        }
        let next_step = self.next_step();
        let failure = Failure::new(self.kind, message).with_next_step(next_step);
        SessionError { failure, retryable: self.is_retryable, retry_after_ms: self.retry_after_ms }
    }

    fn next_step(&self) -> String {
        let step = match self.kind {
            ErrorKind::BadKey => "Check the key in Settings",
            ErrorKind::NoAccess => "Ask the provider for access or choose another model",
            ErrorKind::NoModel => {
                "Choose a model from the list, or check its name and the endpoint's address"
            }
            ErrorKind::NoCredit => "Add credit at the provider, or choose a model of another one",
            ErrorKind::TooLong => "Start a new conversation or leave out some images",
            ErrorKind::BadImage => "Save the image as PNG or JPEG and add it again",
            ErrorKind::Blocked => "Change the request or try another model",
            ErrorKind::Network => {
                "Check the connection and the endpoint's address; is a local server running?"
            }
            ErrorKind::Protocol => "Check that the address is that of an API, or try another model",
            ErrorKind::BadRequest if self.words.to_lowercase().contains("signature") => {
                "Start a new conversation: this one belongs to another model, key or route"
            }
            // Local servers say so in words only.
            ErrorKind::BadRequest if self.words.contains("tool-call-parser") => {
                "Start vLLM with --enable-auto-tool-choice and a --tool-call-parser"
            }
            ErrorKind::BadRequest if self.words.contains("does not support tools") => {
                "Choose a model that takes tools"
            }
            ErrorKind::BadRequest => "Check the endpoint's settings or try another model",
            _ => match self.retry_after_ms {
                Some(wait_ms) if wait_ms > MAX_WAIT_MS => {
                    return format!("Try again in {} minutes", wait_ms.div_ceil(60_000));
                }
                _ => "Try again in a moment",
            },
        };
        step.to_owned()
    }
}

#[cfg(test)]
mod tests;
