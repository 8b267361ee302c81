//! A project as one file, `NAME.facsimile`: a zip with its rows as JSON, its texts and its assets by their hashes.
//! Keys and settings of the program are no part of it. The same project gives the same bytes.
//!
//! What comes in is believed in nothing: names follow one grammar, sizes and counts are capped before anything is
//! unpacked, every hash is checked, and no name of the file ever becomes a path.

mod read;
mod write;

use std::io;
use std::path::PathBuf;

use facsimile_agent::ErrorKind;
use facsimile_store::StoreError;
use serde::{Deserialize, Serialize};

pub(crate) use read::take_in;
pub(crate) use write::write;

/// The ending of the file's name.
pub const EXTENSION: &str = "facsimile";

const FORMAT: u32 = 1;
const HEAD: &str = "facsimile.json";
const ROWS: &str = "rows.json";
const CONTENTS: &str = "contents/";
const ASSETS: &str = "assets/";
/// Below what a zip of the plain kind can count, so that a file that needs more is not ours.
const MAX_ENTRIES: usize = 60_000;
const MAX_ROWS_BYTES: u64 = 256 * 1024 * 1024;
const MAX_ENTRY_BYTES: u64 = 256 * 1024 * 1024;
const MAX_TOTAL_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// Text of a page packs to a tenth, repeated events to a hundredth: what packs better and is large is a bomb.
const MAX_RATIO: u64 = 500;
const FREE_OF_RATIO_BYTES: u64 = 32 * 1024 * 1024;

/// What the file says of itself.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    format: u32,
    program: String,
}

/// Why a project's file was not written or not taken in.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveRefused {
    /// The file is none of ours.
    #[error("{} is no project of this program; choose a .facsimile file", .0.display())]
    NoProject(PathBuf),
    /// A later program wrote the file.
    #[error("{} was written by a newer version of this program; update the program, then import it again", .0.display())]
    Newer(PathBuf),
    /// The file is damaged or was made to do harm.
    #[error("{} was not imported: {detail}. Nothing of it was kept; export the project again", path.display())]
    Refused {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// The project is larger than an archive may be.
    #[error(
        "the project is too large for one file ({0}); duplicate it, remove versions or pictures from the copy, then export that"
    )]
    TooLarge(&'static str),
    /// The file could not be read.
    #[error("{} cannot be read ({source}); check that it is there and may be read", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file could not be written.
    #[error("{} could not be written ({source}); free some space or choose another place", path.display())]
    Unwritten {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl ArchiveRefused {
    /// The kind, to branch on.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Unwritten { .. } => ErrorKind::Storage,
            _ => ErrorKind::InputRefused,
        }
    }
}

impl From<StoreError> for RefusedOrStore {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// What can stop the taking in of a file.
#[derive(Debug)]
pub(crate) enum RefusedOrStore {
    Refused(ArchiveRefused),
    Store(StoreError),
}

impl From<ArchiveRefused> for RefusedOrStore {
    fn from(refused: ArchiveRefused) -> Self {
        Self::Refused(refused)
    }
}

impl From<RefusedOrStore> for crate::StudioError {
    fn from(stop: RefusedOrStore) -> Self {
        match stop {
            RefusedOrStore::Refused(refused) => refused.into(),
            RefusedOrStore::Store(error) => error.into(),
        }
    }
}
