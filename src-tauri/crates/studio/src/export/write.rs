//! Writing a plan: everything is staged on the target's disk, then moved in, and taken back on failure.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{ExportError, ExportPlan};

/// Where the old file of a replaced one waits until all went well.
const REPLACED: &str = "replaced";
const STAGED: &str = "staged";
const STAGE: &str = ".facsimile-export-";
/// Locked by the process that writes; a dead one holds no lock.
const HELD: &str = "held";

pub(super) fn write(plan: &ExportPlan, folder: &Path) -> Result<(), ExportError> {
    let folder = &real_folder(folder)?;
    refuse_what_is_in_the_way(plan, folder)?;
    let mut steps = Steps::default();
    let written = move_in(plan, folder, &mut steps);
    if written.is_err() {
        steps.undo();
    }
    written
}

fn move_in(plan: &ExportPlan, folder: &Path, steps: &mut Steps) -> Result<(), ExportError> {
    let is_new = !folder.exists();
    let refused = |source| trouble(folder, folder.to_owned(), source);
    // On the same disk as the target, so that moving is renaming: a folder that is there may be a disk of its own.
    let beside = if is_new { parent_of(folder) } else { folder };
    steps.make_folders(beside).map_err(refused)?;
    sweep_dead_stages(beside);
    let stage = tempfile::Builder::new().prefix(STAGE).tempdir_in(beside).map_err(refused)?;
    let _held = hold(stage.path()).map_err(refused)?;
    let explain = |(path, source): Broken| trouble(folder, path, source);
    stage_files(plan, &stage.path().join(STAGED)).map_err(explain)?;
    if is_new {
        // One rename: the folder is there whole or not at all.
        fs::rename(stage.path().join(STAGED), folder).map_err(refused)?;
        sync_folder(beside);
        return Ok(());
    }
    for file in &plan.files {
        if let Err(broken) = steps.put(stage.path(), folder, file.path.as_str()) {
            // Before the stage goes: the replaced files wait in it.
            steps.undo();
            return Err(explain(broken));
        }
    }
    sync_folder(folder);
    Ok(())
}

fn hold(stage: &Path) -> io::Result<File> {
    let file = File::create_new(stage.join(HELD))?;
    // A file system without locks: nobody will know that this stage is in use, nor sweep any.
    let _ = file.try_lock();
    Ok(file)
}

/// Removes what killed exports left beside this one. A stage without a lock file was made this moment, or is not
/// ours to judge.
fn sweep_dead_stages(beside: &Path) {
    let entries = fs::read_dir(beside).into_iter().flatten().filter_map(Result::ok);
    let stages = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(STAGE));
    for stage in stages.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        let Ok(held) = File::open(stage.path().join(HELD)) else { continue };
        if held.try_lock().is_ok()
            && let Err(error) = fs::remove_dir_all(stage.path())
        {
            tracing::debug!(%error, "what a killed export left stays");
        }
    }
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

/// What was done so far, so that it can be taken back.
#[derive(Default)]
struct Steps(Vec<Step>);

enum Step {
    /// A folder was made.
    Made(PathBuf),
    /// A file came where none was.
    Added(PathBuf),
    /// A file took the place of another, which waits aside.
    Replaced { target: PathBuf, aside: PathBuf },
}

impl Steps {
    fn put(&mut self, stage: &Path, folder: &Path, relative: &str) -> Result<(), Broken> {
        let (staged, target) = (stage.join(STAGED).join(relative), folder.join(relative));
        self.make_folders(parent_of(&target)).map_err(|source| (target.clone(), source))?;
        let step = if target.exists() {
            let aside = stage.join(REPLACED).join(relative);
            set_aside(&target, &aside).map_err(|source| (target.clone(), source))?;
            Step::Replaced { target: target.clone(), aside }
        } else {
            Step::Added(target.clone())
        };
        // Over the old file in one step: at every moment the one or the other is there.
        fs::rename(staged, &target).map_err(|source| (target, source))?;
        self.0.push(step);
        Ok(())
    }

    fn make_folders(&mut self, folder: &Path) -> io::Result<()> {
        let missing: Vec<_> = folder.ancestors().take_while(|ancestor| !ancestor.exists()).collect();
        // The last ancestor of a relative path is the empty one: here.
        for path in missing.into_iter().rev().filter(|path| !path.as_os_str().is_empty()) {
            fs::create_dir(path)?;
            self.0.push(Step::Made(path.to_owned()));
        }
        Ok(())
    }

    fn undo(&mut self) {
        for step in self.0.drain(..).rev() {
            // Nothing better can be done about a step that cannot be taken back; the cause is reported.
            let _ = match step {
                Step::Made(folder) => fs::remove_dir(folder),
                Step::Added(file) => fs::remove_file(file),
                Step::Replaced { target, aside } => fs::rename(aside, target),
            };
        }
    }
}

/// Gives a file a second name, or copies it where a file has only one.
fn set_aside(file: &Path, aside: &Path) -> io::Result<()> {
    fs::create_dir_all(parent_of(aside))?;
    fs::hard_link(file, aside).or_else(|_| fs::copy(file, aside).map(drop))
}

fn parent_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => path,
    }
}

/// Makes renames in a folder durable where the system offers it.
fn sync_folder(folder: &Path) {
    // Not every file system can sync a folder; the files themselves are synced.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
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
