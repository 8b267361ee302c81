//! The bytes of assets: whole files named by their hash, or a table in memory.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use facsimile_agent::AssetId;

const UNFINISHED: &str = ".unfinished-";

/// How far the writing of a file has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Created,
    Written,
    Synced,
    Renamed,
}

/// Where the bytes are.
#[derive(Debug, Clone)]
pub(crate) enum AssetFiles {
    Folder(PathBuf),
    Memory(Arc<Mutex<HashMap<AssetId, Arc<[u8]>>>>),
}

impl AssetFiles {
    pub(crate) fn in_folder(folder: PathBuf) -> Self {
        Self::Folder(folder)
    }

    pub(crate) fn in_memory() -> Self {
        Self::Memory(Arc::default())
    }

    /// Where the bytes of an asset are, for messages.
    pub(crate) fn path(&self, id: &AssetId) -> PathBuf {
        match self {
            Self::Folder(folder) => path_in(folder, id),
            Self::Memory(_) => PathBuf::from(id.as_str()),
        }
    }

    /// Keeps bytes under their hash; a file that is already there and whole is left as it is.
    pub(crate) fn keep(&self, id: &AssetId, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Folder(folder) => {
                let path = path_in(folder, id);
                match fs::metadata(&path) {
                    Ok(file) if file.len() == bytes.len() as u64 => Ok(()),
                    _ => write_whole(&path, bytes, |_| {}),
                }
            }
            Self::Memory(kept) => {
                kept.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone(), bytes.into());
                Ok(())
            }
        }
    }

    pub(crate) fn read(&self, id: &AssetId) -> io::Result<Vec<u8>> {
        match self {
            Self::Folder(folder) => fs::read(path_in(folder, id)),
            Self::Memory(kept) => {
                let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.get(id).map(|bytes| bytes.to_vec()).ok_or_else(|| io::ErrorKind::NotFound.into())
            }
        }
    }

    pub(crate) fn remove(&self, id: &AssetId) -> io::Result<()> {
        match self {
            Self::Folder(folder) => match fs::remove_file(path_in(folder, id)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                removed => removed,
            },
            Self::Memory(kept) => {
                kept.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
                Ok(())
            }
        }
    }

    /// Removes every file that is not `wanted`, unfinished ones too, and says how many. The caller holds the
    /// database's write lock: under it no file is being made.
    pub(crate) fn retain(&self, wanted: impl Fn(&AssetId) -> bool) -> io::Result<usize> {
        match self {
            Self::Folder(folder) => retain_in(folder, wanted),
            Self::Memory(kept) => {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                let before = kept.len();
                kept.retain(|id, _| wanted(id));
                Ok(before - kept.len())
            }
        }
    }
}

fn path_in(folder: &Path, id: &AssetId) -> PathBuf {
    folder.join(&id.as_str()[..2]).join(id.as_str())
}

/// Writes a file so that a crash at any moment leaves either nothing under its name or all of it.
pub(crate) fn write_whole(path: &Path, bytes: &[u8], mut reached: impl FnMut(Step)) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    fs::create_dir_all(folder)?;
    let unfinished = folder.join(format!("{UNFINISHED}{}", uuid::Uuid::now_v7()));
    let written = File::create_new(&unfinished).and_then(|mut file| {
        reached(Step::Created);
        file.write_all(bytes)?;
        reached(Step::Written);
        file.sync_all()?;
        reached(Step::Synced);
        fs::rename(&unfinished, path)?;
        reached(Step::Renamed);
        sync_folder(folder)
    });
    if written.is_err() {
        // The first error is the one to tell; a leftover goes with the next sweep.
        let _ = fs::remove_file(&unfinished);
    }
    written
}

/// A new name is on disk only when its folder is. Windows syncs names by itself and opens no folders.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(windows) { Ok(()) } else { File::open(folder)?.sync_all() }
}

fn retain_in(folder: &Path, wanted: impl Fn(&AssetId) -> bool) -> io::Result<usize> {
    let mut removed = 0;
    for shelf in fs::read_dir(folder)? {
        let shelf = shelf?;
        if !shelf.file_type()?.is_dir() {
            continue;
        }
        for file in fs::read_dir(shelf.path())? {
            let file = file?;
            let name = file.file_name();
            let Some(name) = name.to_str() else { continue };
            let leftover = match AssetId::parse(name) {
                Some(id) => !wanted(&id),
                // What is neither an asset nor our own leftover is not ours to remove.
                None => name.starts_with(UNFINISHED),
            };
            if leftover {
                fs::remove_file(file.path())?;
                removed += 1;
            }
        }
    }
    Ok(removed)
}
