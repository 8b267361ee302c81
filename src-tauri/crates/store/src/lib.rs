//! The room that remembers. [`HistoryStore`] keeps designs, runs, events, versions and assets in a data folder:
//! rows in one SQLite database, pictures as files named by their hash. `studio` calls it; every write goes
//! through one thread, and readers never wait for it.

mod assets;
mod batch;
mod census;
mod connection;
mod copies;
mod error;
mod events;
mod history;
mod inputs;
mod keys;
mod ledger;
mod liveness;
mod messages;
mod migrations;
mod place;
mod project_values;
mod projects;
mod recovery;
mod rounds;
mod rows;
mod runs;
mod salvage;
mod scores;
mod settings;
mod steps;
mod storage;
mod tasks;
mod turns;
mod variants;
mod versions;
mod writer;

pub use assets::{Assets, LinkedAsset, NewAsset, StoredAsset, Swept};
pub use census::{Census, Ending};
pub use copies::{BytesOf, CopiedAsset, CopiedBytes, Copies, ProjectCopy};
pub use error::StoreError;
pub use events::{Events, StoredEvent};
pub use history::{BUSY_TIMEOUT, HistoryStore};
pub use inputs::{Input, Inputs, NewInput};
pub use keys::{KEYCHAIN_SERVICE, KeyError, KeyId, KeyStore, Keychain, MemoryKeys, keep_key};
pub use ledger::{Ledger, Reserved, Spent, SpentByVariant, VariantSpent, request_key};
pub use messages::{Message, MessageImage, MessageRole, Messages, NewMessage, StoredCall};
pub use project_values::ProjectValues;
pub use projects::{Project, ProjectSummary, Projects, RunMark};
pub use recovery::{Closing, InterruptedRun};
pub use rounds::{Round, Rounds};
pub use runs::{BegunRun, InProject, NewRun, Run, RunStart, RunTurn, Runs};
pub use salvage::Salvaged;
pub use scores::{Score, Scores};
pub use settings::Settings;
pub use steps::{Standing, Steps};
pub use storage::{Part, Size};
pub use tasks::{
    BegunTask, NewTask, Task, TaskEnd, TaskFailure, TaskPrice, TaskProgress, TaskResult, TaskState, Tasks,
};
pub use turns::{NewTurn, Turn, TurnKind, TurnResult, Turns, UnknownKind};
pub use variants::{EndedVariant, Variant, VariantEnd};
pub use versions::{NewVersion, Pins, Version, VersionKind, Versions};
