//! A version's files as a folder that works offline: with its pictures, and with the libraries it names.
//!
//! [`Exporter::plan`] decides what goes where; [`Exporter::write`] writes it, complete or not at all.

mod libraries;
mod plan;
mod write;

use std::io;
use std::path::{Path, PathBuf};

use facsimile_agent::{ProjectFiles, ProjectId};
use facsimile_store::{HistoryStore, StoreError};

pub use plan::{ExportPlan, PlannedFile};

/// Plans and writes exports.
#[derive(Debug, Clone)]
pub struct Exporter {
    store: HistoryStore,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The folder.
    pub folder: PathBuf,
    /// Its files, relative to it, in order.
    pub files: Vec<String>,
    /// Their size together.
    pub bytes: u64,
    /// What is not as it should be, one sentence each.
    pub warnings: Vec<String>,
}

/// Why nothing was written. The target is as it was before.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The target is a file.
    #[error("{} is a file, not a folder; choose another place", folder.display())]
    NoFolder {
        /// The target.
        folder: PathBuf,
    },
    /// Something in the target is in the way of a file or folder of the same name.
    #[error("{} is in the way; move it or choose another place. Nothing was written", path.display())]
    InTheWay {
        /// What is there.
        path: PathBuf,
    },
    /// The disk is full.
    #[error("the disk of {} is full; free some space or choose another place. Nothing was written", folder.display())]
    DiskFull {
        /// The target.
        folder: PathBuf,
    },
    /// The system does not allow it.
    #[error("{} cannot be written to; choose another place. Nothing was written", folder.display())]
    NotAllowed {
        /// The target.
        folder: PathBuf,
    },
    /// Another failure of the disk.
    #[error("{} could not be written ({source}); try another place. Nothing was written", path.display())]
    Failed {
        /// What was being written.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A picture of the page could not be read back.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Exporter {
    /// An exporter that takes pictures from this store.
    pub fn new(store: HistoryStore) -> Self {
        Self { store }
    }

    /// What an export of these files consists of.
    pub fn plan(&self, project: ProjectId, files: &ProjectFiles) -> Result<ExportPlan, ExportError> {
        plan::plan(&self.store, project, files)
    }

    /// Writes a plan into a folder, which is made if it is not there. Files of the same names are replaced,
    /// others stay.
    pub fn write(&self, plan: &ExportPlan, folder: &Path) -> Result<Exported, ExportError> {
        write::write(plan, folder)?;
        Ok(Exported {
            folder: folder.to_owned(),
            files: plan.files.iter().map(|file| file.path.to_string()).collect(),
            bytes: plan.files.iter().map(|file| file.bytes.len() as u64).sum(),
            warnings: plan.warnings.clone(),
        })
    }
}
