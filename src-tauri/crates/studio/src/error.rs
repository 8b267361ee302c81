//! Why something a person asked for was not done.

use facsimile_agent::tool::DuplicateTool;
use facsimile_agent::{ErrorKind, Failure};
use facsimile_store::StoreError;
use facsimile_vision::TraceError;

use crate::export::ExportError;
use crate::inputs::InputRefused;
use crate::models::EngineRefused;
use crate::run::request::RequestRefused;

/// Every way a request to the studio can fail.
#[derive(Debug, thiserror::Error)]
pub enum StudioError {
    /// A file cannot be an input.
    #[error(transparent)]
    Input(#[from] InputRefused),
    /// The engine asked for cannot be used.
    #[error(transparent)]
    Engine(#[from] EngineRefused),
    /// The request makes no sense as it stands.
    #[error(transparent)]
    Request(#[from] RequestRefused),
    /// Keeping failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The tracer failed.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// An export failed.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// Two tools have one name.
    #[error(transparent)]
    Tools(#[from] DuplicateTool),
    /// A run that is not there.
    #[error("there is no run {0}; list the projects to see which there are")]
    NoSuchRun(String),
    /// A variant that has no files.
    #[error("option {number} of this run has no files to export")]
    NothingToExport {
        /// Counted from 1, as the window does.
        number: u8,
    },
}

impl StudioError {
    /// The kind, to branch on.
    pub fn kind(&self) -> ErrorKind {
        match self {
            StudioError::Input(_) => ErrorKind::InputRefused,
            StudioError::Engine(_) => ErrorKind::NoModel,
            StudioError::Request(_) | StudioError::NoSuchRun(_) | StudioError::NothingToExport { .. } => {
                ErrorKind::BadRequest
            }
            StudioError::Store(_) | StudioError::Export(_) => ErrorKind::Storage,
            StudioError::Trace(_) => ErrorKind::BadImage,
            StudioError::Tools(_) => ErrorKind::Unknown,
        }
    }

    /// The error as a person is told of it. The next step is part of the message.
    pub fn failure(&self) -> Failure {
        Failure::new(self.kind(), self.to_string())
    }
}
