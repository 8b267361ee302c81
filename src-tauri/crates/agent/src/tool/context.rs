//! What tools work on.

use tokio_util::sync::CancellationToken;

use crate::ids::VariantIndex;
use crate::project::ProjectFiles;

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
}

impl ToolContext {
    /// A context over these files that is cancelled with the token.
    pub fn new(variant: VariantIndex, files: ProjectFiles, cancel: CancellationToken) -> Self {
        Self { variant, files, cancel, capabilities: Capabilities::default() }
    }
}
