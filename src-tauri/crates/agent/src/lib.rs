//! The room that thinks: a model's replies become files.

pub mod error;
pub mod event;
pub mod ids;
pub mod project;
pub mod status;

pub use error::{ErrorKind, Failure};
pub use event::{AgentEvent, EventSink};
pub use ids::{AssetId, EventId, InputId, ProjectId, RunId, TurnId, VariantIndex, VersionId};
pub use project::{ProjectFiles, ProjectPath};
pub use status::RunStatus;
