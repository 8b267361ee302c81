//! What the engine tells the outside while it runs.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::error::Failure;
use crate::ids::EventId;
use crate::project::ProjectPath;
use crate::session::TokenUsage;

/// The five stream events, in their wire form (flat, camelCase, tagged by `type`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum AgentEvent {
    /// More of a file: `base` is 0 to replace what is held, or its exact length in UTF-8 bytes to append.
    SetCode {
        /// The tool call that writes.
        event_id: EventId,
        /// The file.
        path: ProjectPath,
        /// Where `text` goes, in UTF-8 bytes.
        base: usize,
        /// The new text.
        text: String,
    },
    /// More of what the model says.
    Assistant {
        /// The stretch of text this belongs to.
        event_id: EventId,
        /// The delta.
        text: String,
    },
    /// More of what the model thinks.
    Thinking {
        /// The thought this belongs to.
        event_id: EventId,
        /// The delta.
        text: String,
    },
    /// A tool call became known.
    ToolStart {
        /// Names the call.
        event_id: EventId,
        /// The tool.
        name: String,
        /// What is known of its arguments, cut for display.
        #[ts(type = "unknown")]
        input: Value,
    },
    /// A tool call ended.
    ToolResult {
        /// The call's `ToolStart`.
        event_id: EventId,
        /// The tool.
        name: String,
        /// Whether it did what was asked.
        ok: bool,
        /// A short account for the window.
        #[ts(type = "unknown")]
        output: Value,
    },
}

/// What the engine lets its keeper know beside the stream: never shown as it is.
#[derive(Debug, Clone, PartialEq)]
pub enum EngineNote {
    /// A round began.
    RoundStarted {
        /// Counted from 1.
        round: u32,
    },
    /// A round's reply is complete.
    RoundEnded(RoundReport),
    /// A request failed and is sent again after a pause.
    Waiting {
        /// Why.
        failure: Failure,
        /// How long the pause is.
        pause_ms: u64,
    },
    /// What a failed attempt showed no longer counts.
    AttemptReplaced {
        /// The events it showed.
        replaces: Vec<EventId>,
    },
    /// A hook sent the model back to work.
    SentBack {
        /// With what: a sentence, and what is wrong line by line.
        instruction: String,
    },
    /// A hook looked and let the model stop.
    Checked {
        /// What it found: a sentence, and what is wrong line by line.
        outcome: String,
    },
    /// The variant ends while tasks of its go on.
    TasksLeftOpen {
        /// What their cards are called.
        titles: Vec<String>,
    },
}

/// What one round took.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundReport {
    /// Counted from 1.
    pub round: u32,
    /// Its tokens.
    pub usage: TokenUsage,
    /// What the conversation has cost so far; `None` where no price is known.
    pub total_cost_usd: Option<f64>,
    /// From the first request to the end of the reply.
    pub elapsed_ms: u64,
    /// How many attempts failed before the one that counts.
    pub retries: u32,
}

/// Receives the events of one variant in order. Implementors must neither block nor fail: whoever records
/// keeps its own troubles until the run asks for them.
pub trait EventSink: Send {
    /// Takes one event.
    fn emit(&mut self, event: AgentEvent);

    /// Takes a note for the record; a sink that only shows can do without.
    fn note(&mut self, _note: EngineNote) {}
}

impl<F: FnMut(AgentEvent) + Send> EventSink for F {
    fn emit(&mut self, event: AgentEvent) {
        self(event);
    }
}
