//! What may keep a model from stopping.

use futures::future::BoxFuture;

use crate::project::{ProjectFiles, ProjectPath};
use crate::tool::Tool;
use crate::tools::{ListFiles, ReadFile, SearchFiles};

/// A call of the run, as a hook needs to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolUse {
    /// The tool.
    pub name: String,
    /// Whether it did what was asked.
    pub ok: bool,
    /// The files it changed.
    pub changed: Vec<ProjectPath>,
}

/// The loop at the moment the model wants to stop.
#[derive(Debug, Clone, Copy)]
pub struct LoopState<'a> {
    /// The files before the run.
    pub before: &'a ProjectFiles,
    /// The files now.
    pub files: &'a ProjectFiles,
    /// Every call so far, in order.
    pub tools: &'a [ToolUse],
    /// What the model said last.
    pub reply: &'a str,
    /// Rounds so far.
    pub rounds: u32,
    /// Instructions given since the model last called a tool.
    pub in_a_row: u32,
}

impl LoopState<'_> {
    /// Whether the model has looked at a file.
    pub fn has_read(&self) -> bool {
        let reading = [ReadFile::NAME, ListFiles::NAME, SearchFiles::NAME];
        self.tools.iter().any(|tool| tool.ok && reading.contains(&tool.name.as_str()))
    }

    /// Whether the files are different from those before the run.
    pub fn has_edited(&self) -> bool {
        self.files != self.before
    }
}

/// Looks at the loop when a reply has no tool calls, and may send the model back to work.
///
/// An implementor promises to judge by the state of the loop and never by the words of the user, and to return
/// `None` once nothing more can be had: the engine stops asking after
/// [`MAX_HOOKS_IN_A_ROW`](super::limits::MAX_HOOKS_IN_A_ROW) instructions in a row all the same.
pub trait StopHook: Send + Sync {
    /// The instruction that goes into the conversation as a message of the user; `None` lets the model stop.
    fn instruction<'a>(&'a self, state: LoopState<'a>) -> BoxFuture<'a, Option<String>>;

    /// What it found when it last let the model stop, for the person; `None` where it looked at nothing.
    fn outcome(&self) -> Option<String> {
        None
    }
}
