//! Why something a person asked for was not done.

use std::path::PathBuf;

use facsimile_agent::tool::DuplicateTool;
use facsimile_agent::{ErrorKind, Failure, SessionError};
use facsimile_providers::AddressRefused;
use facsimile_providers::catalog::CatalogRefused;
use facsimile_store::{KeyError, StoreError};
use facsimile_vision::TraceError;

use crate::archive::ArchiveRefused;
use crate::diagnostics::DiagnosticsUnwritten;
use crate::editing::EditRefused;
use crate::endpoints::EndpointRefused;
use crate::export::ExportError;
use crate::inputs::InputRefused;
use crate::keys::KeyRefused;
use crate::makers::ServiceRefused;
use crate::models::EngineRefused;
use crate::pages::PageRefused;
use crate::run::request::RequestRefused;
use crate::tasks::{DuplicateWork, TaskRefused};

/// Every way a request to the studio can fail.
#[derive(Debug, thiserror::Error)]
pub enum StudioError {
    /// A file cannot be an input.
    #[error(transparent)]
    Input(#[from] InputRefused),
    /// A page from outside cannot be taken in.
    #[error(transparent)]
    Page(#[from] PageRefused),
    /// A page is not changed by hand.
    #[error(transparent)]
    Edit(#[from] EditRefused),
    /// The engine asked for cannot be used.
    #[error(transparent)]
    Engine(#[from] EngineRefused),
    /// The request makes no sense as it stands.
    #[error(transparent)]
    Request(#[from] RequestRefused),
    /// An endpoint cannot be kept or used.
    #[error(transparent)]
    Endpoint(#[from] EndpointRefused),
    /// The variable for an image service makes no sense.
    #[error(transparent)]
    Service(#[from] ServiceRefused),
    /// A provider's name is none.
    #[error("{0:?} is no provider; use openai, anthropic, gemini, replicate or endpoint:ID")]
    NoSuchProvider(String),
    /// What was given is no key.
    #[error(transparent)]
    NoKey(#[from] KeyRefused),
    /// The keychain failed.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The table of models that comes with the program cannot be used.
    #[error(transparent)]
    Catalog(#[from] CatalogRefused),
    /// The person's own table of models is no table.
    #[error("{}: {source}", path.display())]
    ModelsTable {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: CatalogRefused,
    },
    /// The person's own table of models cannot be read.
    #[error("{} cannot be read ({source}); correct its permissions or remove it", path.display())]
    ModelsFile {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A provider did not do what was asked.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// Keeping failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The tracer failed.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// An export failed.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// A project's file cannot be written or taken in.
    #[error(transparent)]
    Archive(#[from] ArchiveRefused),
    /// A bundle of diagnostics could not be saved.
    #[error(transparent)]
    Diagnostics(#[from] DiagnosticsUnwritten),
    /// A project without a name.
    #[error("a project needs a name of 1 to 200 characters; type another")]
    BadName,
    /// Two tools have one name.
    #[error(transparent)]
    Tools(#[from] DuplicateTool),
    /// A task was not begun.
    #[error(transparent)]
    Task(TaskRefused),
    /// Two works do tasks of one kind.
    #[error(transparent)]
    Works(#[from] DuplicateWork),
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

impl From<TaskRefused> for StudioError {
    fn from(refused: TaskRefused) -> Self {
        match refused {
            TaskRefused::Store(error) => StudioError::Store(error),
            refused => StudioError::Task(refused),
        }
    }
}

impl From<AddressRefused> for StudioError {
    fn from(refused: AddressRefused) -> Self {
        EndpointRefused::from(refused).into()
    }
}

impl StudioError {
    /// The kind, to branch on.
    pub fn kind(&self) -> ErrorKind {
        match self {
            StudioError::Input(_) | StudioError::Page(_) => ErrorKind::InputRefused,
            StudioError::Archive(refused) => refused.kind(),
            StudioError::Engine(_) => ErrorKind::NoModel,
            StudioError::Request(_)
            | StudioError::Edit(_)
            | StudioError::NoSuchRun(_)
            | StudioError::BadName
            | StudioError::NothingToExport { .. }
            | StudioError::NoSuchProvider(_)
            | StudioError::Service(_)
            | StudioError::Catalog(_)
            | StudioError::ModelsTable { .. } => ErrorKind::BadRequest,
            StudioError::Endpoint(refused) => refused.kind(),
            StudioError::NoKey(_) => ErrorKind::BadKey,
            StudioError::Session(error) => error.kind(),
            StudioError::Store(_)
            | StudioError::Export(_)
            | StudioError::Key(_)
            | StudioError::Diagnostics(_)
            | StudioError::ModelsFile { .. } => ErrorKind::Storage,
            StudioError::Trace(_) => ErrorKind::BadImage,
            StudioError::Task(refused) => refused.kind(),
            StudioError::Tools(_) | StudioError::Works(_) => ErrorKind::Unknown,
        }
    }

    /// The error as a person is told of it. The next step is part of the message.
    pub fn failure(&self) -> Failure {
        Failure::new(self.kind(), self.to_string())
    }
}
