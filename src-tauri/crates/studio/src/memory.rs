//! What the window shows of a project's memory, and clearing it.

use facsimile_agent::{ProjectId, prompt};
use serde::Serialize;
use ts_rs::TS;

use crate::error::StudioError;
use crate::studio::Studio;

/// What the next request would be told of earlier turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "Memory")]
pub struct MemoryView {
    /// The short notes, one line each; none without turns.
    pub notes: Vec<String>,
    /// The last turns, oldest first.
    pub turns: Vec<RememberedTurn>,
    /// The text that would be sent, letter by letter; empty without turns.
    pub sent: String,
}

/// A turn as it is told of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct RememberedTurn {
    /// What was asked for.
    pub instruction: String,
    /// What came of it.
    pub result: String,
}

impl Studio {
    /// What the next request of a project would be told of earlier turns.
    pub fn memory_view(&self, project: ProjectId) -> Result<MemoryView, StudioError> {
        self.store().projects().get(project)?;
        let memory = self.memory_of(project)?;
        let notes = memory.notes();
        let turns = memory.recent.iter().map(|turn| RememberedTurn {
            instruction: turn.instruction.clone(),
            result: turn.result.clone(),
        });
        Ok(MemoryView {
            turns: turns.collect(),
            sent: prompt::earlier(notes.as_deref(), &memory.recent),
            notes: notes.as_deref().unwrap_or_default().lines().map(str::to_owned).collect(),
        })
    }

    /// Has the next request of a project begin without memory of what was done so far; versions and turns stay.
    pub fn clear_memory(&self, project: ProjectId) -> Result<(), StudioError> {
        Ok(self.store().projects().clear_memory(project)?)
    }
}
