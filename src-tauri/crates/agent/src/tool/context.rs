//! What tools work on.

use tokio_util::sync::CancellationToken;

use crate::ids::VariantIndex;
use crate::project::{ProjectFiles, ProjectPath};
use crate::spend::SpendCap;

/// What a run can do, which decides the tools it is offered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether the turn may change nothing.
    pub is_read_only: bool,
    /// Whether a truncated file is being continued.
    pub is_continuation: bool,
}

/// The state of one variant that tools read and change.
#[derive(Debug)]
pub struct ToolContext {
    /// Which variant of its run this is.
    pub variant: VariantIndex,
    /// The project's text files.
    pub files: ProjectFiles,
    /// Says that the variant is to stop.
    pub cancel: CancellationToken,
    /// What the run can do.
    pub capabilities: Capabilities,
    /// The files whose writing was cut by an output limit and is not finished.
    pub unfinished: Vec<ProjectPath>,
    /// The money of the run, shared by its variants.
    pub spend: SpendCap,
}

impl ToolContext {
    /// A context over these files that is cancelled with the token. It may spend the usual amount, on its own.
    pub fn new(variant: VariantIndex, files: ProjectFiles, cancel: CancellationToken) -> Self {
        Self {
            variant,
            files,
            cancel,
            capabilities: Capabilities::default(),
            unfinished: Vec::new(),
            spend: SpendCap::default(),
        }
    }

    /// Shares this money with the other variants of the run.
    pub fn spending(mut self, spend: SpendCap) -> Self {
        self.spend = spend;
        self
    }

    /// Notes that a file is cut.
    pub fn leave_unfinished(&mut self, path: ProjectPath) {
        self.finish_file(&path);
        self.unfinished.push(path);
    }

    /// Notes that a file is whole.
    pub fn finish_file(&mut self, path: &ProjectPath) {
        self.unfinished.retain(|held| held != path);
    }
}
