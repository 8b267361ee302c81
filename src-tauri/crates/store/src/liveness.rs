//! Which processes have the store open: each holds a lock on a file of its own, and a dead one holds none.

use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// This process's mark in the data folder; it vanishes with the process, however that ends.
#[derive(Debug)]
pub(crate) struct LiveMark {
    name: String,
    path: PathBuf,
    _locked: File,
}

impl LiveMark {
    /// Leaves a mark. The caller holds the database's write lock, so that nobody takes the file for an old one
    /// between its making and its locking.
    pub(crate) fn leave(folder: &Path) -> io::Result<Self> {
        let name = uuid::Uuid::now_v7().to_string();
        let path = folder.join(&name);
        let file = File::create_new(&path)?;
        match file.try_lock() {
            // A file system without locks: nobody else can be seen, as if the program ran alone.
            Ok(()) | Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => tracing::warn!(%error, "the data folder cannot lock files"),
        }
        Ok(Self { name, path, _locked: file })
    }

    /// The mark as it stands in the rows of this process's runs.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for LiveMark {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(%error, "a mark stays in the data folder until the next start");
        }
    }
}

/// Holds back other processes that open the store, until it is dropped: changing a fresh database to its journal
/// mode is the one step at which SQLite does not wait for others.
#[must_use]
pub(crate) struct OpeningTurn {
    _locked: Option<File>,
}

impl OpeningTurn {
    /// Waits for the turn. Where no lock can be had there is no turn to wait for, and the database itself will
    /// say what is wrong with the folder.
    pub(crate) fn wait(data_folder: &Path) -> Self {
        let path = data_folder.join("facsimile.lock");
        let file = File::options().create(true).truncate(false).write(true).open(path);
        let locked = file.and_then(|file| file.lock().map(|()| file));
        Self {
            _locked: locked
                .inspect_err(|error| tracing::debug!(%error, "the store opens without a lock"))
                .ok(),
        }
    }
}

/// The marks of other processes that are alive; those of dead ones are removed. The caller holds the database's
/// write lock.
pub(crate) fn living_others(folder: &Path, own: &str) -> io::Result<HashSet<String>> {
    let mut living = HashSet::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == own {
            continue;
        }
        match File::open(entry.path()).map(|file| file.try_lock()) {
            Ok(Err(TryLockError::WouldBlock)) => {
                living.insert(name);
            }
            Ok(Ok(())) => fs::remove_file(entry.path())?,
            // No locks here: nobody else can be seen, as if the program ran alone.
            Ok(Err(TryLockError::Error(_))) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(living)
}
