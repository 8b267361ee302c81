//! A damaged database: what can still be read goes into a new one, and the damaged file is kept aside.

mod copying;

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use crate::error::{StoreError, Worked};
use crate::history::HistoryStore;
use crate::liveness::{OpeningTurn, living_others};
use crate::migrations::{MIGRATIONS, migrate, schema_of};
use crate::place::Place;
use crate::rows::now_ms;

const OPERATION: &str = "save what a damaged history still holds";
const SETTING: &str = "salvaged";
/// Where damaged databases are set aside.
pub(crate) const ASIDE: &str = "damaged";
/// Up to this length a database is compared with its indexes at every start: looking takes time.
const COMPARED_BYTES: u64 = 16 * 1024 * 1024;
/// A longer one is looked through only when something in it was found damaged.
const CHECKED_BYTES: u64 = 64 * 1024 * 1024;
/// Left in the data folder by whoever met the damage, for the next start.
const FOUND_DAMAGED: &str = "found-damaged";

/// What came of saving a damaged history.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Salvaged {
    /// Where the damaged file is kept.
    pub kept_aside: PathBuf,
    /// How many projects are there again.
    pub projects: u64,
    /// How many versions are there again.
    pub versions: u64,
    /// Tables of which a part could not be read.
    pub cut: Vec<String>,
    /// How many rows were read and could not be used, because what they belong to is missing or they are broken.
    pub dropped: u64,
    /// Whether the copy that was made before the last change of the schema had to be used instead.
    pub from_backup: bool,
}

impl Salvaged {
    /// What a person is told, with the next step.
    pub fn message(&self) -> String {
        let Self { projects, versions, dropped, .. } = self;
        let source = if self.from_backup { " from the last backup" } else { "" };
        let missing = match (self.cut.as_slice(), dropped) {
            ([], 0) => "Nothing that could be checked is missing".to_owned(),
            ([], dropped) => format!("{dropped} entries could not be used"),
            (cut, 0) => format!("Parts of these could not be read: {}", cut.join(", ")),
            (cut, dropped) => format!(
                "Parts of these could not be read: {}; {dropped} more entries could not be used",
                cut.join(", ")
            ),
        };
        format!(
            "The history was damaged. {projects} projects with {versions} versions were saved{source}. {missing}. \
             The damaged file is kept in {}; look through your projects before you remove it.",
            self.kept_aside.display()
        )
    }
}

impl HistoryStore {
    /// Opens the store as [`open`](Self::open) does. A damaged database is set aside and what it still holds is
    /// saved into a new one; [`salvaged`](Self::salvaged) tells of it until it is acknowledged.
    pub fn open_or_salvage(data_folder: &Path) -> Result<Self, StoreError> {
        let opened = match is_emptied(data_folder) {
            true => Err(damaged(data_folder, "it is empty".to_owned())),
            false => Self::open(data_folder).and_then(|store| store.sound(data_folder)),
        };
        match opened {
            Err(error @ StoreError::Damaged { .. }) => {
                let salvaged = salvage(data_folder, error)?;
                tracing::warn!(message = salvaged.message(), "a damaged history was replaced");
                let store = Self::open(data_folder)?;
                store.settings().set(SETTING, &salvaged)?;
                Ok(store)
            }
            opened => opened,
        }
    }

    /// What was saved from a damaged history, until it is acknowledged.
    pub fn salvaged(&self) -> Result<Option<Salvaged>, StoreError> {
        self.settings().get(SETTING)
    }

    /// Whether nothing can be written, because a newer program wrote the database.
    pub fn is_for_reading(&self) -> bool {
        self.writer("open the history").is_err()
    }

    /// Tells no more of what was saved.
    pub fn acknowledge_salvaged(&self) -> Result<(), StoreError> {
        self.settings().unset(SETTING)
    }

    /// Looks through a database that was too long for the start to do so, which may take minutes. Damage is left for
    /// the next start to mend, and told here in the database's words.
    pub fn look_through(&self) -> Result<Option<String>, StoreError> {
        let length = self.data_folder().and_then(|folder| fs::metadata(folder.join("facsimile.db")).ok());
        if length.is_none_or(|file| file.len() <= COMPARED_BYTES) {
            return Ok(None);
        }
        let found =
            self.read("check the history", |connection| Ok(first_damage(connection, "integrity_check")?))?;
        if let (Some(detail), Some(folder)) = (&found, self.data_folder()) {
            self.note_damage(&damaged(folder, detail.clone()));
        }
        Ok(found)
    }

    /// Has the next start look through the whole database, whatever its length.
    pub(crate) fn note_damage(&self, error: &StoreError) {
        if let StoreError::Damaged { .. } = error
            && let Some(folder) = self.data_folder()
            && let Err(error) = fs::write(folder.join(FOUND_DAMAGED), "")
        {
            tracing::warn!(%error, "the next start will not know of the damage");
        }
    }

    fn sound(self, data_folder: &Path) -> Result<Self, StoreError> {
        let mark = data_folder.join(FOUND_DAMAGED);
        let length = fs::metadata(data_folder.join("facsimile.db")).map_or(0, |file| file.len());
        if length > CHECKED_BYTES && !mark.exists() {
            return Ok(self);
        }
        let how = if length > COMPARED_BYTES && !mark.exists() { "quick_check" } else { "integrity_check" };
        let found = self.read("check the history", move |connection| Ok(first_damage(connection, how)?))?;
        if let Some(detail) = found {
            return Err(damaged(data_folder, detail));
        }
        if mark.exists() {
            fs::remove_file(&mark).map_err(|source| StoreError::from_io(OPERATION, mark, source))?;
        }
        Ok(self)
    }
}

fn damaged(data_folder: &Path, detail: String) -> StoreError {
    let path = data_folder.join("facsimile.db");
    StoreError::Damaged { operation: "open the history", path, detail }
}

/// An empty file is a fresh database, except where there are assets already.
fn is_emptied(data_folder: &Path) -> bool {
    let is_empty = fs::metadata(data_folder.join("facsimile.db")).is_ok_and(|file| file.len() == 0);
    let mut assets = fs::read_dir(data_folder.join("assets")).into_iter().flatten();
    is_empty && assets.next().is_some()
}

fn first_damage(connection: &Connection, how: &str) -> rusqlite::Result<Option<String>> {
    let said: String = connection.query_row(&format!("PRAGMA {how}(1)"), (), |row| row.get(0))?;
    Ok((said != "ok").then_some(said))
}

/// Replaces the damaged database of a data folder. `found` is what a caller gets who must not: one beside whom
/// other processes have the folder open, or whose database is sound and refused for another reason.
fn salvage(data_folder: &Path, found: StoreError) -> Result<Salvaged, StoreError> {
    let failed = |path: &Path, source| StoreError::from_io(OPERATION, path, source);
    let _turn = OpeningTurn::wait(data_folder);
    let live = data_folder.join("live");
    fs::create_dir_all(&live).map_err(|source| failed(&live, source))?;
    if !living_others(&live, "").map_err(|source| failed(&live, source))?.is_empty() {
        return Err(found);
    }
    let database = data_folder.join("facsimile.db");
    let is_sound = Connection::open(&database).and_then(|open| first_damage(&open, "integrity_check"));
    if !is_emptied(data_folder) && matches!(is_sound, Ok(None)) {
        return Err(found);
    }
    let aside = data_folder.join(ASIDE).join(format!("{:013}", now_ms()));
    fs::create_dir_all(&aside).map_err(|source| failed(&aside, source))?;
    // Made whole under another name first: a crash on the way leaves the damaged one in its place.
    let fresh = data_folder.join("facsimile-salvaged.db");
    remove_database(&fresh).map_err(|source| failed(&fresh, source))?;
    copy_database(&database, &aside).map_err(|source| failed(&aside, source))?;
    let explain = |stop| Place::Folder(data_folder.to_owned()).explain(OPERATION, stop);
    let mut salvaged = fill(&fresh, &aside.join("facsimile.db"), data_folder).map_err(explain)?;
    if salvaged.projects == 0
        && let Some(backup) = newest_backup(data_folder)
    {
        remove_database(&fresh).map_err(|source| failed(&fresh, source))?;
        salvaged = fill(&fresh, &backup, data_folder).map_err(explain)?;
        salvaged.from_backup = true;
    }
    for log in ["facsimile.db-wal", "facsimile.db-shm"].map(|name| data_folder.join(name)) {
        remove_if_there(&log).map_err(|source| failed(&log, source))?;
    }
    fs::rename(&fresh, &database).map_err(|source| failed(&database, source))?;
    let mark = data_folder.join(FOUND_DAMAGED);
    remove_if_there(&mark).map_err(|source| failed(&mark, source))?;
    Ok(Salvaged { kept_aside: aside, ..salvaged })
}

/// Makes a database and fills it with what another still holds.
fn fill(fresh: &Path, source: &Path, data_folder: &Path) -> Worked<Salvaged> {
    let mut target = Connection::open(fresh)?;
    // The schema of the source, if it says so: the migrations that follow fill in what they fill in.
    let schema = Connection::open(source).and_then(|open| schema_of(&open)).unwrap_or(0) as usize;
    let migrations = match schema {
        0 => MIGRATIONS,
        known => MIGRATIONS.get(..known).unwrap_or(MIGRATIONS),
    };
    migrate(&mut target, migrations, fresh, None)?;
    let salvaged = copying::copy_what_can_be_read(&mut target, source, &data_folder.join("assets"))?;
    target.close().map_err(|(_, error)| error)?;
    fs::File::open(fresh)
        .and_then(|file| file.sync_all())
        .map_err(|error| StoreError::from_io(OPERATION, fresh, error))?;
    Ok(salvaged)
}

fn copy_database(database: &Path, aside: &Path) -> std::io::Result<()> {
    for suffix in ["", "-wal"] {
        let name = format!("facsimile.db{suffix}");
        let from = database.with_file_name(&name);
        if from.exists() {
            fs::copy(from, aside.join(name))?;
        }
    }
    Ok(())
}

fn remove_database(database: &Path) -> std::io::Result<()> {
    ["db", "db-wal", "db-shm", "db-journal"]
        .iter()
        .try_for_each(|extension| remove_if_there(&database.with_extension(extension)))
}

fn remove_if_there(path: &Path) -> std::io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

fn newest_backup(data_folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(data_folder.join("backups")).ok()?;
    let backups = entries.filter_map(Result::ok).map(|entry| entry.path());
    backups.filter(|path| path.extension().is_some_and(|extension| extension == "db")).max()
}
