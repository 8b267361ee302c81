//! Pictures and fonts: bytes on disk by their hash, and a row for each.

mod files;

use std::collections::HashSet;
use std::fmt::Write;
use std::io;

use facsimile_agent::{AssetId, ProjectId};
use rusqlite::{Connection, OptionalExtension, Row, Transaction};
use sha2::{Digest, Sha256};

pub(crate) use files::AssetFiles;

use crate::error::{StoreError, Worked};
use crate::history::HistoryStore;
use crate::rows::{all, as_column, asset_id, change, count, found, now_ms};

/// How long a row that nothing points to is kept: between being stored and being linked an asset is in flight.
const IN_FLIGHT_MS: i64 = 24 * 60 * 60 * 1000;
/// How long an input waits for a project.
const ABANDONED_MS: i64 = 7 * 24 * 60 * 60 * 1000;
const COLUMNS: &str = "sha256, mime, extension, bytes, width, height, created_at_ms";
const UNUSED: &str = "NOT EXISTS (SELECT 1 FROM project_assets WHERE asset = sha256)
    AND NOT EXISTS (SELECT 1 FROM inputs WHERE asset = sha256)
    AND NOT EXISTS (SELECT 1 FROM projects WHERE thumbnail_asset = sha256)
    AND NOT EXISTS (SELECT 1 FROM version_assets WHERE asset = sha256)
    AND NOT EXISTS (SELECT 1 FROM version_pictures WHERE asset = sha256)
    AND NOT EXISTS (SELECT 1 FROM message_images WHERE asset = sha256)
    AND NOT EXISTS (SELECT 1 FROM task_assets WHERE asset = sha256)";

/// Bytes to be stored, and what is known of them.
#[derive(Debug, Clone)]
pub struct NewAsset {
    bytes: Vec<u8>,
    mime: String,
    extension: String,
    size_px: Option<(u32, u32)>,
}

impl NewAsset {
    /// Bytes of a type, with the extension that pages name it by.
    pub fn new(bytes: Vec<u8>, mime: impl Into<String>, extension: impl Into<String>) -> Self {
        Self { bytes, mime: mime.into(), extension: extension.into(), size_px: None }
    }

    /// Adds the size of a picture.
    pub fn sized_px(mut self, width: u32, height: u32) -> Self {
        self.size_px = Some((width, height));
        self
    }
}

/// An asset as the store knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAsset {
    /// The hash of its bytes.
    pub id: AssetId,
    /// Where pages find it: `assets/<first 16 hex>.<ext>`.
    pub path_in_page: String,
    /// Its type.
    pub mime: String,
    /// The extension of its name in pages.
    pub extension: String,
    /// How long it is.
    pub bytes: u64,
    /// Width and height of a picture, if they were given.
    pub size_px: Option<(u32, u32)>,
    /// When its bytes were first stored.
    pub created_at_ms: i64,
}

/// An asset in its role in a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedAsset {
    /// The asset.
    pub asset: StoredAsset,
    /// What it is in the project, in words.
    pub label: String,
}

/// What a sweep removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    /// Rows that nothing pointed to any more.
    pub rows: usize,
    /// Files without a row, and unfinished ones.
    pub files: usize,
}

/// The assets.
#[derive(Debug)]
pub struct Assets<'a> {
    pub(crate) store: &'a HistoryStore,
}

impl Assets<'_> {
    /// Stores bytes and their row; the same bytes are stored once. An asset that is not linked to a project, an
    /// input or a thumbnail within a day may be swept away.
    pub fn put(&self, asset: NewAsset) -> Result<StoredAsset, StoreError> {
        let files = self.store.asset_files().clone();
        self.store.write("save an asset", move |rows| put(rows, &files, asset))
    }

    /// Stores bytes as an asset of a project.
    pub fn put_for(
        &self,
        project: ProjectId,
        label: &str,
        asset: NewAsset,
    ) -> Result<StoredAsset, StoreError> {
        let files = self.store.asset_files().clone();
        let label = label.to_owned();
        self.store.write("save an asset", move |rows| {
            let stored = put(rows, &files, asset)?;
            link(rows, project, &stored.id, &label)?;
            Ok(stored)
        })
    }

    /// Makes a stored asset one of a project's; linking it again changes the label.
    pub fn link(&self, project: ProjectId, asset: &AssetId, label: &str) -> Result<(), StoreError> {
        let (asset, label) = (asset.clone(), label.to_owned());
        self.store.write("link an asset", move |rows| link(rows, project, &asset, &label))
    }

    /// What the store knows of an asset.
    pub fn get(&self, id: &AssetId) -> Result<StoredAsset, StoreError> {
        let id = id.clone();
        self.store.read("read an asset", move |connection| get(connection, &id))
    }

    /// The bytes of an asset.
    pub fn read(&self, id: &AssetId) -> Result<Vec<u8>, StoreError> {
        let stored = self.get(id)?;
        let (operation, path) = ("read an asset", self.store.asset_files().path(id));
        let damaged =
            |detail: &str| StoreError::Damaged { operation, path: path.clone(), detail: detail.to_owned() };
        match self.store.asset_files().read(id) {
            Ok(bytes) if bytes.len() as u64 == stored.bytes => Ok(bytes),
            Ok(_) => Err(damaged("its length has changed")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(damaged("the file is gone")),
            Err(source) => Err(StoreError::from_io(operation, path, source)),
        }
    }

    /// The asset that a page names by the first sixteen digits of its hash.
    pub fn find_by_prefix(&self, prefix: &str) -> Result<Option<StoredAsset>, StoreError> {
        if !is_page_prefix(prefix) {
            return Ok(None);
        }
        let prefix = prefix.to_owned();
        self.store.read("find an asset", move |connection| {
            let sql =
                format!("SELECT {COLUMNS} FROM assets WHERE sha256 >= ?1 AND sha256 < ?1 || 'g' LIMIT 1");
            Ok(connection.prepare_cached(&sql)?.query_row([prefix], asset).optional()?)
        })
    }

    /// Like [`find_by_prefix`](Self::find_by_prefix), among one project's assets and inputs only.
    pub fn find_in_project(
        &self,
        project: ProjectId,
        prefix: &str,
    ) -> Result<Option<StoredAsset>, StoreError> {
        if !is_page_prefix(prefix) {
            return Ok(None);
        }
        let prefix = prefix.to_owned();
        self.store.read("find an asset", move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM assets WHERE sha256 >= ?1 AND sha256 < ?1 || 'g' AND (
                     EXISTS (SELECT 1 FROM project_assets AS link WHERE link.asset = sha256 AND link.project = ?2)
                     OR EXISTS (SELECT 1 FROM inputs WHERE inputs.asset = sha256 AND inputs.project = ?2)
                 ) LIMIT 1"
            );
            Ok(connection.prepare_cached(&sql)?.query_row((prefix, project.to_string()), asset).optional()?)
        })
    }

    /// A project's linked assets, oldest first.
    pub fn of_project(&self, project: ProjectId) -> Result<Vec<LinkedAsset>, StoreError> {
        self.store.read("list the assets of a project", move |connection| {
            let sql = format!(
                "SELECT {COLUMNS}, label FROM project_assets JOIN assets ON sha256 = asset
                 WHERE project = ?1 ORDER BY created_at_ms, sha256"
            );
            all(connection, &sql, [project.to_string()], |row| {
                Ok(LinkedAsset { asset: asset(row)?, label: row.get("label")? })
            })
        })
    }

    /// Removes what nothing needs: files without a row, unfinished files, rows that nothing has pointed to for a
    /// day, and inputs that no project took for a week. Safe at any moment, also while other processes write.
    pub fn sweep_orphans(&self) -> Result<Swept, StoreError> {
        let files = self.store.asset_files().clone();
        let rows = self.store.write("sweep unused assets", |rows| {
            let abandoned = "DELETE FROM inputs WHERE project IS NULL AND created_at_ms < ?1";
            change(rows, abandoned, [now_ms() - ABANDONED_MS])?;
            let sql = format!("DELETE FROM assets WHERE put_at_ms < ?1 AND {UNUSED}");
            change(rows, &sql, [now_ms() - IN_FLIGHT_MS])
        })?;
        // Files go in a transaction after their rows: a crash in between leaves files, never rows without one.
        let files = self.store.write("sweep unused assets", move |rows| {
            let kept = all(rows, "SELECT sha256 FROM assets", (), |row| asset_id(row, 0))?;
            let kept: HashSet<AssetId> = kept.into_iter().collect();
            let swept = files.retain(|id| kept.contains(id));
            Ok(swept.map_err(|source| StoreError::from_io("sweep unused assets", files.root(), source))?)
        })?;
        Ok(Swept { rows, files })
    }

    /// Removes the rows of those assets that nothing points to, whatever their age. Their files are for
    /// [`remove_files_without_row`](Self::remove_files_without_row).
    pub(crate) fn remove_unused_rows(rows: &Transaction<'_>, ids: &[AssetId]) -> Worked<()> {
        let sql = format!("DELETE FROM assets WHERE sha256 = ?1 AND {UNUSED}");
        ids.iter().try_for_each(|id| change(rows, &sql, [id.as_str()]).map(drop))
    }

    pub(crate) fn remove_files_without_row(&self, ids: Vec<AssetId>) -> Result<(), StoreError> {
        let files = self.store.asset_files().clone();
        self.store.write("remove unused assets", move |rows| {
            for id in ids {
                let sql = "SELECT 1 FROM assets WHERE sha256 = ?1";
                if !rows.prepare_cached(sql)?.exists([id.as_str()])? {
                    let removed = files.remove(&id);
                    removed
                        .map_err(|source| StoreError::from_io("remove an asset", files.path(&id), source))?;
                }
            }
            Ok(())
        })
    }
}

/// Runs under the database's write lock, so that no sweep sees the file before the row.
fn put(rows: &Transaction<'_>, files: &AssetFiles, new: NewAsset) -> Worked<StoredAsset> {
    let id = hash_of(&new.bytes);
    files
        .keep(&id, &new.bytes)
        .map_err(|source| StoreError::from_io("save an asset", files.path(&id), source))?;
    let sql = "INSERT INTO assets (sha256, mime, extension, bytes, width, height, created_at_ms, put_at_ms)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)
               ON CONFLICT (sha256) DO UPDATE SET put_at_ms = excluded.put_at_ms,
                   width = coalesce(width, excluded.width), height = coalesce(height, excluded.height)";
    let (width, height) = (new.size_px.map(|(width, _)| width), new.size_px.map(|(_, height)| height));
    let bytes = as_column(new.bytes.len() as u64);
    change(rows, sql, (id.as_str(), new.mime, new.extension, bytes, width, height, now_ms()))?;
    get(rows, &id)
}

fn link(rows: &Transaction<'_>, project: ProjectId, asset: &AssetId, label: &str) -> Worked<()> {
    get(rows, asset)?;
    let project = project.to_string();
    found(rows, "project", &project, "SELECT 1 FROM projects WHERE id = ?1", [&project], |_| Ok(()))?;
    let sql = "INSERT INTO project_assets (project, asset, label) VALUES (?1, ?2, ?3)
               ON CONFLICT (project, asset) DO UPDATE SET label = excluded.label";
    change(rows, sql, (project, asset.as_str(), label)).map(drop)
}

fn get(connection: &Connection, id: &AssetId) -> Worked<StoredAsset> {
    let sql = format!("SELECT {COLUMNS} FROM assets WHERE sha256 = ?1");
    found(connection, "asset", id.as_str(), &sql, [id.as_str()], asset)
}

fn asset(row: &Row<'_>) -> rusqlite::Result<StoredAsset> {
    let id = asset_id(row, "sha256")?;
    let extension: String = row.get("extension")?;
    let (width, height): (Option<u32>, Option<u32>) = (row.get("width")?, row.get("height")?);
    Ok(StoredAsset {
        path_in_page: id.page_path(&extension),
        id,
        mime: row.get("mime")?,
        extension,
        bytes: count(row, "bytes")?,
        size_px: width.zip(height),
        created_at_ms: row.get("created_at_ms")?,
    })
}

pub(crate) fn is_page_prefix(prefix: &str) -> bool {
    prefix.len() == 16 && prefix.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn hash_of(bytes: &[u8]) -> AssetId {
    AssetId::parse(&sha256_hex(bytes)).unwrap_or_else(|| unreachable!("a SHA-256 has 64 digits"))
}

/// The SHA-256 of bytes in lower-case hexadecimal.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
