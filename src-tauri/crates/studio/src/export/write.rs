//! Writing a plan: everything is staged beside the target, then moved in, and moved out again on failure.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{ExportError, ExportPlan};

/// Where the old file of a replaced one waits until all went well.
const REPLACED: &str = "replaced";
const STAGED: &str = "staged";

pub(super) fn write(plan: &ExportPlan, folder: &Path) -> Result<(), ExportError> {
    let folder = &real_folder(folder)?;
    refuse_what_is_in_the_way(plan, folder)?;
    let is_new = !folder.exists();
    let stage = stage_beside(folder)?;
    stage_files(plan, &stage.path().join(STAGED)).map_err(|(path, source)| trouble(folder, path, source))?;
    if is_new {
        // One rename: the folder is there whole or not at all.
        let from = stage.path().join(STAGED);
        fs::rename(&from, folder).map_err(|source| trouble(folder, folder.clone(), source))?;
        sync_parent(folder);
        return Ok(());
    }
    let mut moves = Moves::default();
    for file in &plan.files {
        let relative = file.path.as_str();
        if let Err((path, source)) = moves.put(stage.path(), folder, relative) {
            moves.undo();
            return Err(trouble(folder, path, source));
        }
    }
    sync_parent(&folder.join("any"));
    Ok(())
}

/// The folder itself when a link leads to it; a link that leads nowhere is in the way.
fn real_folder(folder: &Path) -> Result<PathBuf, ExportError> {
    match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(folder.to_owned()),
        Err(source) => Err(trouble(folder, folder.to_owned(), source)),
        Ok(_) => match fs::canonicalize(folder) {
            Ok(real) if real.is_dir() => Ok(real),
            Ok(_) => Err(ExportError::NoFolder { folder: folder.to_owned() }),
            Err(_) => Err(ExportError::InTheWay { path: folder.to_owned() }),
        },
    }
}

/// A file where a folder is needed, a folder where a file goes, or a link that would lead elsewhere.
fn refuse_what_is_in_the_way(plan: &ExportPlan, folder: &Path) -> Result<(), ExportError> {
    for file in &plan.files {
        let mut path = folder.to_owned();
        let names: Vec<_> = file.path.as_str().split('/').collect();
        for (depth, name) in names.iter().enumerate() {
            path.push(name);
            let Ok(metadata) = fs::symlink_metadata(&path) else { break };
            let fits = if depth + 1 == names.len() { metadata.is_file() } else { metadata.is_dir() };
            if !fits {
                return Err(ExportError::InTheWay { path });
            }
        }
    }
    Ok(())
}

/// A folder on the same disk as the target, so that moving is renaming. It goes when it is dropped.
fn stage_beside(folder: &Path) -> Result<tempfile::TempDir, ExportError> {
    let parent = match folder.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => folder,
    };
    let refused = |source| trouble(folder, folder.to_owned(), source);
    fs::create_dir_all(parent).map_err(refused)?;
    let staging = |place: &Path| tempfile::Builder::new().prefix(".facsimile-export-").tempdir_in(place);
    // A folder one may write to can lie in one that one may not.
    let stage = staging(parent).or_else(|error| if folder.is_dir() { staging(folder) } else { Err(error) });
    stage.map_err(refused)
}

type Broken = (PathBuf, io::Error);

fn stage_files(plan: &ExportPlan, stage: &Path) -> Result<(), Broken> {
    fs::create_dir_all(stage).map_err(|source| (stage.to_owned(), source))?;
    for file in &plan.files {
        let path = stage.join(file.path.as_str());
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| {
            let mut out = File::create(&path)?;
            out.write_all(&file.bytes)?;
            out.sync_all()
        });
        written.map_err(|source| (path.clone(), source))?;
    }
    Ok(())
}

/// The renames made so far, so that they can be taken back.
#[derive(Default)]
struct Moves {
    done: Vec<(PathBuf, PathBuf)>,
    made: Vec<PathBuf>,
}

impl Moves {
    fn put(&mut self, stage: &Path, folder: &Path, relative: &str) -> Result<(), Broken> {
        let target = folder.join(relative);
        self.make_parents(folder, &target)?;
        if target.exists() {
            let aside = stage.join(REPLACED).join(relative);
            if let Some(parent) = aside.parent() {
                fs::create_dir_all(parent).map_err(|source| (aside.clone(), source))?;
            }
            self.rename(&target, &aside)?;
        }
        self.rename(&stage.join(STAGED).join(relative), &target)
    }

    fn make_parents(&mut self, folder: &Path, target: &Path) -> Result<(), Broken> {
        let missing: Vec<_> = target
            .ancestors()
            .skip(1)
            .take_while(|ancestor| ancestor.starts_with(folder) && !ancestor.exists())
            .map(Path::to_owned)
            .collect();
        for path in missing.into_iter().rev() {
            fs::create_dir(&path).map_err(|source| (path.clone(), source))?;
            self.made.push(path);
        }
        Ok(())
    }

    fn rename(&mut self, from: &Path, to: &Path) -> Result<(), Broken> {
        fs::rename(from, to).map_err(|source| (to.to_owned(), source))?;
        self.done.push((from.to_owned(), to.to_owned()));
        Ok(())
    }

    fn undo(self) {
        for (from, to) in self.done.into_iter().rev() {
            // Nothing better can be done about a rename that cannot be taken back; the cause is reported.
            let _ = fs::rename(to, from);
        }
        for path in self.made.into_iter().rev() {
            let _ = fs::remove_dir(path);
        }
    }
}

/// Makes renames in a folder durable where the system offers it.
fn sync_parent(path: &Path) {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Not every file system can sync a folder; the files themselves are synced.
    let _ = File::open(parent).and_then(|folder| folder.sync_all());
}

fn trouble(folder: &Path, path: PathBuf, source: io::Error) -> ExportError {
    let folder = folder.to_owned();
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            ExportError::DiskFull { folder }
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            ExportError::NotAllowed { folder }
        }
        _ => ExportError::Failed { path, source },
    }
}
