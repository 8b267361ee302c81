//! Where a store lives, and what a failure of the database there means for a person.

use std::fs;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rusqlite::{Error, ErrorCode, ffi};

use crate::error::{Stop, StoreError};

/// The data folder of a store, or memory.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    Folder(PathBuf),
    Memory,
}

impl Place {
    pub(crate) fn database(&self) -> PathBuf {
        match self {
            Place::Folder(folder) => folder.join("facsimile.db"),
            Place::Memory => PathBuf::from(":memory:"),
        }
    }

    /// Gives a stopped piece of work its name.
    pub(crate) fn explain(&self, operation: &'static str, stop: Stop) -> StoreError {
        let error = match stop {
            Stop::Store(error) => return error,
            Stop::Sql(error) => error,
        };
        let path = self.database();
        match error.sqlite_error_code() {
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                StoreError::ReadOnly { operation, path }
            }
            Some(ErrorCode::CannotOpen) => self.explain_unopened(operation, error),
            Some(ErrorCode::DiskFull) => StoreError::DiskFull { operation, path },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                StoreError::Locked { operation, path }
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                StoreError::Damaged { operation, path, detail: error.to_string() }
            }
            Some(ErrorCode::SystemIoFailure) => self.explain_failed_write(operation, error),
            _ if is_unreadable_value(&error) => {
                StoreError::Damaged { operation, path, detail: error.to_string() }
            }
            _ => StoreError::Database { operation, path, source: error.into() },
        }
    }

    /// A database that cannot be opened: the system knows why, SQLite does not say.
    fn explain_unopened(&self, operation: &'static str, error: Error) -> StoreError {
        let path = self.database();
        let reason = path.parent().map_or(Ok(()), |folder| probe(folder, 1));
        let reopened = fs::OpenOptions::new().write(true).open(&path).map(drop);
        match reason.and(reopened) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                StoreError::from_io(operation, path, source)
            }
            _ => StoreError::Database { operation, path, source: error.into() },
        }
    }

    /// SQLite says "full" for a full disk only; a quota or a file-size limit is an I/O error like any other, so
    /// that the system is asked again.
    fn explain_failed_write(&self, operation: &'static str, error: Error) -> StoreError {
        let path = self.database();
        let wal = path.with_extension("db-wal");
        let written = [&path, &wal].into_iter().filter_map(|file| fs::metadata(file).ok());
        let longest_bytes = written.map(|file| file.len()).max().unwrap_or(0);
        let asked_again = path.parent().map_or(Ok(()), |folder| probe(folder, longest_bytes));
        let said = match &error {
            Error::SqliteFailure(ffi::Error { extended_code, .. }, _) => format!("{error} ({extended_code})"),
            _ => error.to_string(),
        };
        let source = asked_again.err().unwrap_or_else(|| io::Error::other(said));
        StoreError::from_io(operation, path, source)
    }
}

/// Tries to write a file that is as long as one of ours would become.
fn probe(folder: &Path, length_bytes: u64) -> io::Result<()> {
    let path = folder.join(format!(".probe-{}", uuid::Uuid::now_v7()));
    let mut file = fs::File::create_new(&path)?;
    let written = file
        .seek(SeekFrom::Start(length_bytes))
        .and_then(|_| file.write_all(&[0; 64 * 1024]))
        .and_then(|()| file.sync_all());
    fs::remove_file(&path)?;
    written
}

fn is_unreadable_value(error: &Error) -> bool {
    matches!(
        error,
        Error::FromSqlConversionFailure(..)
            | Error::InvalidColumnType(..)
            | Error::IntegralValueOutOfRange(..)
    )
}
