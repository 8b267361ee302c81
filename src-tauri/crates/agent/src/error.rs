//! What can go wrong in a way that a person hears of.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The kinds of error that window, command line and store share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // the names are the documentation
pub enum ErrorKind {
    BadKey,
    NoAccess,
    NoModel,
    NoCredit,
    RateLimit,
    Overloaded,
    TooLong,
    BadImage,
    BadRequest,
    Blocked,
    Refused,
    Truncated,
    Stalled,
    StreamEndedEarly,
    Network,
    Protocol,
    InputRefused,
    Storage,
    Unknown,
}

impl ErrorKind {
    /// The wire and storage name.
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorKind::BadKey => "bad_key",
            ErrorKind::NoAccess => "no_access",
            ErrorKind::NoModel => "no_model",
            ErrorKind::NoCredit => "no_credit",
            ErrorKind::RateLimit => "rate_limit",
            ErrorKind::Overloaded => "overloaded",
            ErrorKind::TooLong => "too_long",
            ErrorKind::BadImage => "bad_image",
            ErrorKind::BadRequest => "bad_request",
            ErrorKind::Blocked => "blocked",
            ErrorKind::Refused => "refused",
            ErrorKind::Truncated => "truncated",
            ErrorKind::Stalled => "stalled",
            ErrorKind::StreamEndedEarly => "stream_ended_early",
            ErrorKind::Network => "network",
            ErrorKind::Protocol => "protocol",
            ErrorKind::InputRefused => "input_refused",
            ErrorKind::Storage => "storage",
            ErrorKind::Unknown => "unknown",
        }
    }
}

/// An error as a person is told of it: what kind, one plain sentence, what to do next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(optional_fields)]
pub struct Failure {
    /// The kind, to branch on.
    pub kind: ErrorKind,
    /// What failed and why.
    pub message: String,
    /// The next step, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_step: Option<String>,
}

impl Failure {
    /// A failure without a next step.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), next_step: None }
    }

    /// Adds what the person can do.
    pub fn with_next_step(mut self, next_step: impl Into<String>) -> Self {
        self.next_step = Some(next_step.into());
        self
    }
}
