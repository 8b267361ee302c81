//! A sink that remembers.

use facsimile_agent::{AgentEvent, EngineNote, EventSink};

/// Everything a variant emitted, in order.
#[derive(Debug, Default)]
pub struct Recording {
    /// The stream events.
    pub events: Vec<AgentEvent>,
    /// The notes.
    pub notes: Vec<EngineNote>,
}

impl EventSink for Recording {
    fn emit(&mut self, event: AgentEvent) {
        self.events.push(event);
    }

    fn note(&mut self, note: EngineNote) {
        self.notes.push(note);
    }
}
