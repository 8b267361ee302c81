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

    /// Where all of them are, for messages.
    pub(crate) fn root(&self) -> PathBuf {
        match self {
            Self::Folder(folder) => folder.clone(),
            Self::Memory(_) => PathBuf::from("memory"),
        }
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
                let is_whole = fs::read(&path).is_ok_and(|kept| kept == bytes);
                if is_whole { Ok(()) } else { write_whole(&path, bytes, |_| Ok(())) }
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
pub(crate) fn write_whole(
    path: &Path,
    bytes: &[u8],
    mut reached: impl FnMut(Step) -> io::Result<()>,
) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    make_folder(folder)?;
    let unfinished = folder.join(format!("{UNFINISHED}{}", uuid::Uuid::now_v7()));
    let written = File::create_new(&unfinished).and_then(|mut file| {
        reached(Step::Created)?;
        file.write_all(bytes)?;
        reached(Step::Written)?;
        file.sync_all()?;
        reached(Step::Synced)?;
        fs::rename(&unfinished, path)?;
        reached(Step::Renamed)?;
        sync_folder(folder)
    });
    if written.is_err() {
        // The first error is the one to tell; a leftover goes with the next sweep.
        let _ = fs::remove_file(&unfinished);
    }
    written
}

fn make_folder(folder: &Path) -> io::Result<()> {
    match fs::create_dir(folder) {
        Ok(()) => folder.parent().map_or(Ok(()), sync_folder),
        // A link would lead what is written elsewhere.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let is_own = fs::symlink_metadata(folder)?.is_dir();
            if is_own { Ok(()) } else { Err(io::ErrorKind::NotADirectory.into()) }
        }
        Err(error) => Err(error),
    }
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

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    use tempfile::TempDir;

    use super::*;
    use crate::{HistoryStore, NewAsset, Swept};

    const THIS_TEST: &str = "assets::files::tests::a_kill_at_any_step_leaves_the_old_file_or_the_new_one";
    const PATH: &str = "FACSIMILE_TEST_WRITES";
    const STEP: &str = "FACSIMILE_TEST_DIES_AFTER";

    /// S-37 and the crash half of S-39.
    #[test]
    fn a_kill_at_any_step_leaves_the_old_file_or_the_new_one() {
        if let (Some(path), Ok(step)) = (std::env::var_os(PATH), std::env::var(STEP)) {
            write_whole(Path::new(&path), b"new", |reached| {
                if format!("{reached:?}") == step {
                    Command::new("kill").args(["-9", &std::process::id().to_string()]).status()?;
                }
                Ok(())
            })
            .unwrap();
            return;
        }
        let id = super::super::hash_of(b"new");
        let mut outcomes = Vec::new();
        for step in [Step::Created, Step::Written, Step::Synced, Step::Renamed] {
            for old in [None, Some("old")] {
                let data = TempDir::new().unwrap();
                let path = path_in(&data.path().join("assets"), &id);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                old.iter().for_each(|text| fs::write(&path, text).unwrap());

                let died = Command::new(std::env::current_exe().unwrap())
                    .args([THIS_TEST, "--exact"])
                    .env(PATH, &path)
                    .env(STEP, format!("{step:?}"))
                    .output()
                    .unwrap();
                let left = fs::read_to_string(&path).ok();
                let store = HistoryStore::open(data.path()).unwrap();
                let swept = store.assets().sweep_orphans().unwrap();
                let stored = store.assets().put(NewAsset::new(b"new".to_vec(), "image/png", "png")).unwrap();

                assert_eq!(died.status.signal(), Some(9), "{died:?}");
                assert_eq!(store.assets().read(&stored.id).unwrap(), b"new");
                outcomes.push((step, old, left, swept));
            }
        }
        let swept = |files| Swept { rows: 0, files };
        let whole = |text: &str| Some(text.to_owned());
        let expected = [Step::Created, Step::Written, Step::Synced]
            .into_iter()
            .flat_map(|step| [(step, None, None, swept(1)), (step, Some("old"), whole("old"), swept(2))])
            .chain([
                (Step::Renamed, None, whole("new"), swept(1)),
                (Step::Renamed, Some("old"), whole("new"), swept(1)),
            ]);
        assert_eq!(outcomes, expected.collect::<Vec<_>>());
    }

    /// S-52 for the bytes of assets: whatever step fails, the old file or the whole new one is there, nothing
    /// unfinished stays, and the next try succeeds.
    #[test]
    fn a_fault_at_any_step_keeps_the_old_file_and_the_next_try_succeeds() {
        let kinds = [
            io::ErrorKind::StorageFull,
            io::ErrorKind::Other,
            io::ErrorKind::PermissionDenied,
            io::ErrorKind::Interrupted,
        ];
        for fault in kinds {
            for step in [Step::Created, Step::Written, Step::Synced, Step::Renamed] {
                let folder = TempDir::new().unwrap();
                let path = folder.path().join("ab").join("file");
                write_whole(&path, b"old", |_| Ok(())).unwrap();

                let failed = write_whole(&path, b"new", |reached| match reached == step {
                    true => Err(fault.into()),
                    false => Ok(()),
                });
                let left =
                    (fs::read(&path).unwrap(), fs::read_dir(folder.path().join("ab")).unwrap().count());
                write_whole(&path, b"new", |_| Ok(())).unwrap();

                let kept = if step == Step::Renamed { b"new" } else { b"old" };
                assert_eq!((failed.unwrap_err().kind(), left), (fault, (kept.to_vec(), 1)), "{step:?}");
                assert_eq!(fs::read(&path).unwrap(), b"new");
            }
        }
    }
}
