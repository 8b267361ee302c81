//! What the data folder takes up, as the settings show it.

use std::path::{Path, PathBuf};

use facsimile_store::Part;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::error::StudioError;
use crate::studio::Studio;

/// Where data lies, and how much of what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "Storage")]
pub struct StorageView {
    /// The data folder; empty where everything is in memory.
    pub folder: PathBuf,
    /// Its parts.
    pub parts: Vec<StoragePartView>,
}

/// A part of the data folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "StoragePart")]
pub struct StoragePartView {
    /// Which one.
    pub kind: StorageKind,
    /// How many files or pictures.
    pub files: u64,
    /// How long they are together.
    pub bytes: u64,
    /// Whether it can be cleared without losing work.
    pub can_clear: bool,
}

/// What a part of the data folder holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum StorageKind {
    History,
    Assets,
    Pictures,
    Backups,
    Logs,
    Damaged,
}

impl StorageKind {
    fn of(part: Part) -> Self {
        match part {
            Part::History => Self::History,
            Part::Assets => Self::Assets,
            Part::Pictures => Self::Pictures,
            Part::Backups => Self::Backups,
            Part::Logs => Self::Logs,
            Part::Damaged => Self::Damaged,
        }
    }
}

impl Studio {
    /// Where data lies, and how much of what.
    pub fn storage_view(&self) -> Result<StorageView, StudioError> {
        let parts = self.store().sizes()?.into_iter().map(|(part, size)| StoragePartView {
            kind: StorageKind::of(part),
            files: size.files,
            bytes: size.bytes,
            can_clear: part.can_be_cleared() && size.files > 0,
        });
        let folder = self.store().data_folder().map(Path::to_owned).unwrap_or_default();
        Ok(StorageView { folder, parts: parts.collect() })
    }

    /// Takes a part of the data folder away and shows what is left. What people made stays.
    pub fn clear_storage(&self, kind: StorageKind) -> Result<StorageView, StudioError> {
        for part in Part::ALL.into_iter().filter(|part| StorageKind::of(*part) == kind) {
            self.store().clear(part)?;
        }
        self.thumbnails().forget();
        self.storage_view()
    }

    /// Whether a damaged copy of the history is kept: it may hold what was deleted since. Where nobody can look,
    /// one may be.
    pub fn keeps_damaged_copy(&self) -> bool {
        self.store().size(Part::Damaged).map(|size| size.files > 0).unwrap_or_else(|error| {
            tracing::warn!(%error, "whether a damaged copy is kept is not known");
            true
        })
    }
}
