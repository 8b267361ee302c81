//! What can go wrong with the store, by what a caller or a person can do about it.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use facsimile_agent::{ErrorKind, RunId};

/// A failure of the store. Every message names what was tried, why it failed and the next step.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The data folder or a file in it cannot be written by this user.
    #[error(
        "could not {operation}: {path} is read-only for this user; change its permissions or choose another data folder"
    )]
    ReadOnly {
        /// What was tried.
        operation: &'static str,
        /// The file or folder.
        path: PathBuf,
    },
    /// No room is left: the disk, a quota or a file-size limit.
    #[error("could not {operation}: no space is left for {path}; free some space and try again")]
    DiskFull {
        /// What was tried.
        operation: &'static str,
        /// The file or folder.
        path: PathBuf,
    },
    /// Another program holds the database.
    #[error("could not {operation}: another program holds {path}; close it and try again")]
    Locked {
        /// What was tried.
        operation: &'static str,
        /// The database.
        path: PathBuf,
    },
    /// The file is not a sound database.
    #[error(
        "could not {operation}: {path} is damaged ({detail}); it was left as it is: put a copy from the backups folder in its place, or move it away to start afresh"
    )]
    Damaged {
        /// What was tried.
        operation: &'static str,
        /// The database or asset file.
        path: PathBuf,
        /// What was found wrong.
        detail: String,
    },
    /// A later program has written the database.
    #[error(
        "{path} was written by a newer version of this program (schema {found}, this one knows {known}); update the program, or open the history for reading only"
    )]
    NewerSchema {
        /// The database.
        path: PathBuf,
        /// The schema of the file.
        found: u32,
        /// The newest schema this program knows.
        known: u32,
    },
    /// The store was opened for reading only.
    #[error(
        "could not {operation}: the history was opened for reading only; update the program to write to it"
    )]
    OpenedForReading {
        /// What was tried.
        operation: &'static str,
    },
    /// No row has this id.
    #[error("there is no {what} {id}; it may have been deleted")]
    NotFound {
        /// The kind of thing, as in `project`.
        what: &'static str,
        /// The id that was asked for.
        id: String,
    },
    /// A project cannot be copied while something in it is being done.
    #[error(
        "something in this project is still being done ({table}); wait for its end or stop it, then try again"
    )]
    Unfinished {
        /// The table with the row that has no end.
        table: String,
    },
    /// A project that was given to take in does not fit together.
    #[error(
        "the project does not fit together ({detail}); nothing of it was kept: export it again where it came from"
    )]
    BadCopy {
        /// What does not fit.
        detail: String,
    },
    /// A project was given that a later program wrote.
    #[error(
        "the project was exported by a newer version of this program; update the program, then import it again"
    )]
    NewerCopy,
    /// Events of a run were appended out of order, so they and what followed were not kept.
    #[error(
        "event {got} of run {run} was refused: {expected} comes next; read the run again before going on"
    )]
    EventOrder {
        /// The run.
        run: RunId,
        /// The number that would have continued the run.
        expected: u64,
        /// The number that came.
        got: u64,
    },
    /// A file could not be read or written for another reason.
    #[error("could not {operation}: {path}: {source}; check the disk and try again")]
    Io {
        /// What was tried.
        operation: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The database refused for a reason that no caller can act on.
    #[error("could not {operation}: {path}: {source}; restart the program and try again")]
    Database {
        /// What was tried.
        operation: &'static str,
        /// The database.
        path: PathBuf,
        /// What the database said.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// The writer thread has ended.
    #[error("could not {operation}: the history is no longer being written; restart the program")]
    Closed {
        /// What was tried.
        operation: &'static str,
    },
}

impl StoreError {
    /// The kind that window and command line branch on.
    pub fn kind(&self) -> ErrorKind {
        ErrorKind::Storage
    }

    pub(crate) fn not_found(what: &'static str, id: impl ToString) -> Self {
        Self::NotFound { what, id: id.to_string() }
    }

    pub(crate) fn from_io(operation: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        let path = path.into();
        match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::ReadOnly { operation, path }
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Self::DiskFull { operation, path }
            }
            _ => Self::Io { operation, path, source },
        }
    }
}

/// What stops a piece of work on the database, before it is known which file and operation it was.
#[derive(Debug)]
pub(crate) enum Stop {
    Sql(rusqlite::Error),
    Store(StoreError),
}

impl From<rusqlite::Error> for Stop {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// The answer of a piece of work on the database.
pub(crate) type Worked<T> = Result<T, Stop>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_operation_reason_and_next_step() {
        let full = StoreError::from_io("save an asset", "/d/assets", io::ErrorKind::StorageFull.into());
        assert_eq!(
            (full.to_string().as_str(), full.kind()),
            (
                "could not save an asset: no space is left for /d/assets; free some space and try again",
                ErrorKind::Storage
            )
        );
    }
}
