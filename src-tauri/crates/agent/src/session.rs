//! The contract between the engine and whoever answers: a vendor's API or the offline tracer.

use std::pin::Pin;

use futures::Stream;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use crate::error::{ErrorKind, Failure};
use crate::message::UserMessage;
use crate::spend::TurnEstimate;
use crate::tool::ToolExecutionResult;

/// A turn as it arrives. Dropping it closes the request.
pub type TurnStream<'a> = Pin<Box<dyn Stream<Item = Result<StreamEvent, SessionError>> + Send + 'a>>;

/// A conversation with one model.
///
/// An implementor promises: the last item of a turn that did not fail is [`StreamEvent::TurnEnded`]; what was
/// appended is never rewritten; every tool call of a turn gets exactly one result before the next turn begins;
/// dropping a [`TurnStream`] stops the work behind it at once. Closing a session is dropping it.
pub trait ProviderSession: Send {
    /// Asks for the next reply.
    fn stream_turn(&mut self, choice: ToolChoice, budget: OutputBudget) -> TurnStream<'_>;

    /// Appends a turn unchanged with one result per call (none for a turn without calls), and a user message
    /// behind them where there is one.
    fn append_tool_results(
        &mut self,
        turn: NativeTurn,
        results: Vec<ExecutedToolCall>,
        then: Option<UserMessage>,
    ) -> Result<(), SessionError>;

    /// Appends a message of the user.
    fn append_user(&mut self, message: UserMessage) -> Result<(), SessionError>;

    /// What the next request will take. Asked before every request, so it has to be cheap.
    fn estimate(&self, budget: OutputBudget) -> TurnEstimate;

    /// Whether [`OutputBudget::Doubled`] gives the model more room than the usual budget.
    fn can_double_output(&self) -> bool;

    /// Begins or ends a continuation: the tools that exist only then are offered or no longer. Where a vendor
    /// wants its list of tools unchanged, a session may name them throughout; they are refused when they run.
    fn set_continuation(&mut self, continuation: Continuation);

    /// What the conversation has cost so far; `None` where no price is known. A reply that was cut off counts
    /// with what the vendor counted, else with an estimate.
    fn total_cost_usd(&self) -> Option<f64>;
}

/// One step of a streamed reply.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamEvent {
    /// More of what is said.
    Text(String),
    /// More of what is thought.
    Thinking(String),
    /// A sign of life that says nothing.
    Alive,
    /// More of a tool call's arguments.
    ToolArguments {
        /// The call, unique within the turn.
        call_id: String,
        /// The tool.
        name: String,
        /// The next piece of the arguments' JSON.
        json: String,
    },
    /// The whole reply; nothing follows.
    TurnEnded(ProviderTurn),
}

/// A finished reply.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderTurn {
    /// Everything that was said.
    pub text: String,
    /// The tool calls in order.
    pub tool_calls: Vec<ToolCall>,
    /// What it used.
    pub usage: TokenUsage,
    /// Why it ended.
    pub stop: StopReason,
    /// The reply as the vendor wants it back.
    pub native: NativeTurn,
}

/// A vendor's own form of a turn: stored and handed back, never looked into.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NativeTurn(pub Value);

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model had said all it wanted.
    Finished,
    /// The model waits for tool results.
    ToolCalls,
    /// The output limit cut it.
    Truncated,
    /// The model declined.
    Refused,
    /// The vendor's filter stopped it.
    Blocked,
    /// The model began a call that nobody can read: the turn is dropped and asked for again.
    MalformedCall,
}

/// Tokens of one reply or of many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct TokenUsage {
    /// Input that was neither read from nor written to a cache.
    pub input: u64,
    /// Input read from a cache.
    pub cached_read: u64,
    /// Input written to a cache.
    pub cached_write: u64,
    /// Output, reasoning included.
    pub output: u64,
    /// The part of the output that was reasoning.
    pub reasoning: u64,
}

impl std::ops::AddAssign for TokenUsage {
    fn add_assign(&mut self, other: Self) {
        // A relay may claim anything.
        self.input = self.input.saturating_add(other.input);
        self.cached_read = self.cached_read.saturating_add(other.cached_read);
        self.cached_write = self.cached_write.saturating_add(other.cached_write);
        self.output = self.output.saturating_add(other.output);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }
}

impl TokenUsage {
    /// All input, wherever it was read from.
    pub fn all_input(&self) -> u64 {
        self.input.saturating_add(self.cached_read).saturating_add(self.cached_write)
    }
}

/// Whether the model may, must or must not call a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolChoice {
    /// The model decides.
    Auto,
    /// Some tool has to be called.
    Required,
    /// No tool may be called.
    None,
}

/// How much a reply may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputBudget {
    /// The model's usual limit.
    Usual,
    /// Twice that, where the model allows it: asked for once after a truncated reply.
    Doubled,
}

impl OutputBudget {
    /// How many times the usual limit it is.
    pub fn times(self) -> u64 {
        match self {
            OutputBudget::Usual => 1,
            OutputBudget::Doubled => 2,
        }
    }
}

/// Whether a file that was cut is being continued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Continuation {
    /// The model goes on where its file was cut.
    Begun,
    /// No file is cut, or no longer.
    Over,
}

/// A call the model made.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The vendor's id of the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments.
    pub arguments: ToolArguments,
}

/// The arguments of a call, parsed or not.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolArguments {
    /// A JSON object.
    Json(Map<String, Value>),
    /// Something else, with the byte at which it went wrong.
    Malformed {
        /// What the model wrote.
        raw: String,
        /// Where parsing stopped, in bytes.
        position: usize,
    },
}

impl ToolArguments {
    /// Reads the arguments as they were streamed. No text at all means no arguments.
    pub fn parse(raw: &str) -> Self {
        if raw.trim().is_empty() {
            return Self::Json(Map::new());
        }
        match parse_object(raw) {
            Ok(object) => Self::Json(object),
            Err(position) => {
                // Half a surrogate pair is the one fault that is plainly meant as text: the rest of the call
                // is sound, and the live preview has shown the same replacement.
                let repaired = crate::partial_json::replace_lone_surrogates(raw);
                match repaired.as_deref().map(parse_object) {
                    Some(Ok(object)) => Self::Json(object),
                    _ => Self::Malformed { raw: raw.to_owned(), position },
                }
            }
        }
    }
}

fn parse_object(raw: &str) -> Result<Map<String, Value>, usize> {
    match serde_json::from_str::<Value>(raw) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(0),
        Err(error) => Err(byte_position(raw, error.line(), error.column())),
    }
}

fn byte_position(raw: &str, line: usize, column: usize) -> usize {
    let before: usize = raw.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (before + column.saturating_sub(1)).min(raw.len())
}

/// A call together with what came of it.
#[derive(Debug, Clone)]
pub struct ExecutedToolCall {
    /// The call.
    pub call: ToolCall,
    /// Its result.
    pub result: ToolExecutionResult,
}

/// Why a turn could not be had.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", failure.message)]
pub struct SessionError {
    /// What a person is told.
    pub failure: Failure,
    /// Whether the same request may be sent again.
    pub retryable: bool,
    /// How long the other side asked to be left alone.
    pub retry_after_ms: Option<u64>,
}

impl SessionError {
    /// An error that no repetition mends.
    pub fn fatal(failure: Failure) -> Self {
        Self { failure, retryable: false, retry_after_ms: None }
    }

    /// An error that may be gone at the next try.
    pub fn retryable(failure: Failure) -> Self {
        Self { failure, retryable: true, retry_after_ms: None }
    }

    /// The kind of the failure.
    pub fn kind(&self) -> ErrorKind {
        self.failure.kind
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> ToolArguments {
        match value {
            Value::Object(map) => ToolArguments::Json(map),
            _ => unreachable!("the test gives objects"),
        }
    }

    #[test]
    fn arguments_are_an_object_or_say_where_they_broke() {
        assert_eq!(ToolArguments::parse(" "), object(json!({})));
        assert_eq!(ToolArguments::parse(r#"{"path":"a"}"#), object(json!({"path": "a"})));
        let broken = "{\"path\":\n\"a\" oops}";
        assert_eq!(
            ToolArguments::parse(broken),
            ToolArguments::Malformed { raw: broken.to_owned(), position: broken.find('o').unwrap() }
        );
        assert_eq!(
            ToolArguments::parse("[1]"),
            ToolArguments::Malformed { raw: "[1]".to_owned(), position: 0 }
        );
    }

    #[test]
    fn half_a_surrogate_pair_becomes_the_replacement_character() {
        assert_eq!(
            ToolArguments::parse(r#"{"content":"a\ud83db"}"#),
            object(json!({"content": "a\u{FFFD}b"}))
        );
    }
}
