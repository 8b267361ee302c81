//! The room that does: a person's request becomes a run, a run becomes kept files, files become an export.
//!
//! [`Studio`] is the one object the shell holds. It takes inputs in, starts runs (one task per variant over an
//! [`facsimile_agent::AgentEngine`]), records and numbers their events in a [`run::recorder::RunRecorder`],
//! and hands them on to whoever attached. Algorithms live in the other rooms; here they are put together.

pub mod archive;
pub mod camera;
pub mod connect;
pub mod conversations;
pub mod diagnostics;
pub mod editing;
pub mod endpoints;
mod equipment;
pub mod error;
mod estimate;
pub mod export;
pub mod history;
pub mod inputs;
mod kept;
pub mod keys;
pub mod logging;
mod looking;
pub mod makers;
pub mod measuring;
pub mod memory;
pub mod models;
pub mod offline;
pub mod pages;
mod ports;
pub mod preview;
mod projects;
mod recovery;
pub mod run;
pub mod samples;
mod starting;
pub mod storage;
mod studio;
pub mod tasks;
pub mod trace;
pub mod view;

pub use archive::ArchiveRefused;
pub use connect::{GivenAddress, ModelSettings, ModelView, PresetView, TestView};
pub use diagnostics::{Diagnostics, DiagnosticsChoice, DiagnosticsFile};
pub use editing::{AncestorView, EditRefused, Edited, ElementView, Reach};
pub use endpoints::{AzureDeployment, EndpointRefused, SavedEndpoint};
pub use error::StudioError;
pub use estimate::LikelyCost;
pub use export::{Exported, Exporter};
pub use history::{FileDifference, History, HistoryEntry, HistoryView, MakerView, StandingView, VersionView};
pub use inputs::{InputRefused, TakenInput};
pub use keys::{KeyRefused, KeyState, KeyStatus, Keys};
pub use makers::{ImageModelView, ImageSettings, SERVICE_VARIABLE, ServiceRefused, Services};
pub use memory::{MemoryView, RememberedTurn};
pub use models::{EngineChoice, Provider};
pub use pages::PageRefused;
pub use run::event::{LifecycleEvent, RunEvent, RunEventBody};
pub use run::recorder::{RunFeed, RunSnapshot};
pub use run::request::{PickedElement, RunRequest, Typing};
pub use run::{RunReport, VariantReport, Which};
pub use storage::{StorageKind, StoragePartView, StorageView};
pub use studio::{StartedRun, Studio};
