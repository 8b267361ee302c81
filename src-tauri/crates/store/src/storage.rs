//! What the data folder takes up, and what of it can be cleared without losing work.

use std::fs;
use std::io;
use std::path::Path;

use crate::assets::Assets;
use crate::error::StoreError;
use crate::history::HistoryStore;
use crate::migrations::remove_all_but_newest;
use crate::rows::{all, asset_id, change, count};
use crate::salvage::ASIDE;

const MEASURE: &str = "measure the data folder";
const CLEAR: &str = "clear a part of the data folder";

/// A part of the data folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The database with its log.
    History,
    /// Pictures and fonts of projects.
    Assets,
    /// Small pictures of the pages of versions, for the tree of the history.
    Pictures,
    /// Copies of the database from before its schema was changed.
    Backups,
    /// What the program writes of its own work.
    Logs,
    /// Damaged databases that were set aside.
    Damaged,
}

/// What a part takes up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// How many files or pictures.
    pub files: u64,
    /// How long they are together.
    pub bytes: u64,
}

impl Part {
    /// All of them, the ones a person works with first.
    pub const ALL: [Part; 6] =
        [Part::History, Part::Assets, Part::Pictures, Part::Backups, Part::Logs, Part::Damaged];

    /// Whether [`HistoryStore::clear`] takes it away.
    pub fn can_be_cleared(self) -> bool {
        matches!(self, Part::Pictures | Part::Backups | Part::Damaged)
    }
}

impl HistoryStore {
    /// What each part takes up; nothing in memory does.
    pub fn sizes(&self) -> Result<Vec<(Part, Size)>, StoreError> {
        Part::ALL.into_iter().map(|part| Ok((part, self.size(part)?))).collect()
    }

    /// What one part takes up, without a look at the others.
    pub fn size(&self, part: Part) -> Result<Size, StoreError> {
        let Some(folder) = self.data_folder() else { return Ok(Size::default()) };
        let below = |name: &str| size_below(&folder.join(name)).map_err(|error| failed(folder, error));
        match part {
            Part::History => database_size(folder).map_err(|error| failed(folder, error)),
            Part::Assets => Ok(below("assets")?.without(self.pictures_size()?)),
            Part::Pictures => self.pictures_size(),
            Part::Backups => below("backups"),
            Part::Logs => below("logs"),
            Part::Damaged => below(ASIDE),
        }
    }

    /// Takes a part away, if it [can be cleared](Part::can_be_cleared); what people made stays.
    pub fn clear(&self, part: Part) -> Result<(), StoreError> {
        match part {
            Part::Pictures => self.clear_pictures(),
            Part::Backups => self.clear_folder("backups", |folder| remove_all_but_newest(folder, 0)),
            Part::Damaged => self.clear_folder(ASIDE, |folder| fs::remove_dir_all(folder)),
            Part::History | Part::Assets | Part::Logs => Ok(()),
        }
    }

    fn pictures_size(&self) -> Result<Size, StoreError> {
        self.read(MEASURE, |connection| {
            let sql = "SELECT count(*), coalesce(sum(bytes), 0) FROM assets
                       WHERE sha256 IN (SELECT asset FROM version_pictures)";
            Ok(connection
                .query_row(sql, (), |row| Ok(Size { files: count(row, 0)?, bytes: count(row, 1)? }))?)
        })
    }

    fn clear_pictures(&self) -> Result<(), StoreError> {
        let assets = self.write(CLEAR, |rows| {
            let assets =
                all(rows, "SELECT DISTINCT asset FROM version_pictures", (), |row| asset_id(row, 0))?;
            change(rows, "DELETE FROM version_pictures", ())?;
            Assets::remove_unused_rows(rows, &assets)?;
            Ok(assets)
        })?;
        Assets { store: self }.remove_files_without_row(assets)
    }

    fn clear_folder(
        &self,
        name: &str,
        remove: impl FnOnce(&Path) -> io::Result<()>,
    ) -> Result<(), StoreError> {
        let Some(folder) = self.folder(name) else { return Ok(()) };
        match remove(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.map_err(|source| StoreError::from_io(CLEAR, folder, source)),
        }
    }
}

impl Size {
    fn without(self, part: Self) -> Self {
        Self { files: self.files.saturating_sub(part.files), bytes: self.bytes.saturating_sub(part.bytes) }
    }

    fn add(&mut self, bytes: u64) {
        self.files += 1;
        self.bytes += bytes;
    }
}

fn failed(folder: &Path, source: io::Error) -> StoreError {
    StoreError::from_io(MEASURE, folder.to_owned(), source)
}

fn database_size(folder: &Path) -> io::Result<Size> {
    let mut size = Size::default();
    for suffix in ["", "-wal", "-shm"] {
        match fs::metadata(folder.join(format!("facsimile.db{suffix}"))) {
            Ok(file) => size.add(file.len()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(size)
}

/// The size of everything below a folder; links are not followed, and a file that goes meanwhile counts as nothing.
fn size_below(folder: &Path) -> io::Result<Size> {
    let mut size = Size::default();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            match entry.metadata() {
                Ok(found) if found.is_dir() => waiting.push(entry.path()),
                Ok(found) => size.add(found.len()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(size)
}
