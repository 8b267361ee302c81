//! What the history shows of many versions at once: their pictures, and the hashes of their texts.

use std::collections::HashMap;

use facsimile_agent::{AssetId, ProjectId, ProjectPath, VersionId};
use rusqlite::{OptionalExtension, Transaction};

use super::{Versions, get, path};
use crate::error::{StoreError, Worked};
use crate::rows::{all, asset_id, change, found, parsed};

impl Versions<'_> {
    /// Sets the picture of a version's page; a later one replaces it.
    pub fn set_picture(&self, id: VersionId, asset: &AssetId) -> Result<(), StoreError> {
        let asset = asset.clone();
        self.store.write("save the picture of a version", move |rows| {
            get(rows, id)?;
            let hash = asset.as_str();
            found(rows, "asset", hash, "SELECT 1 FROM assets WHERE sha256 = ?1", [hash], |_| Ok(()))?;
            let sql = "INSERT INTO version_pictures (version, asset) VALUES (?1, ?2)
                       ON CONFLICT (version) DO UPDATE SET asset = excluded.asset";
            change(rows, sql, (id.to_string(), hash)).map(drop)
        })
    }

    /// The picture of a version's page; `None` if none was taken.
    pub fn picture(&self, id: VersionId) -> Result<Option<AssetId>, StoreError> {
        self.store.read("read the picture of a version", move |connection| {
            let sql = "SELECT asset FROM version_pictures WHERE version = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            Ok(statement.query_row([id.to_string()], |row| asset_id(row, 0)).optional()?)
        })
    }

    /// The pictures of a project's versions.
    pub fn pictures(&self, project: ProjectId) -> Result<HashMap<VersionId, AssetId>, StoreError> {
        self.store.read("list the pictures of a project's versions", move |connection| {
            let sql = "SELECT version, asset FROM version_pictures
                       JOIN versions ON id = version WHERE project = ?1";
            let rows = all(connection, sql, [project.to_string()], |row| {
                Ok((parsed(row, "version")?, asset_id(row, "asset")?))
            })?;
            Ok(rows.into_iter().collect())
        })
    }

    /// The paths of every version of a project with the hashes of their texts, in path order.
    pub fn text_hashes(
        &self,
        project: ProjectId,
    ) -> Result<HashMap<VersionId, Vec<(ProjectPath, String)>>, StoreError> {
        self.store.read("list the files of a project's versions", move |connection| {
            let sql = "SELECT version, path, content_sha FROM version_files
                       JOIN versions ON id = version WHERE project = ?1 ORDER BY version, path";
            let rows = all(connection, sql, [project.to_string()], |row| {
                Ok((parsed(row, "version")?, path(row)?, row.get("content_sha")?))
            })?;
            let mut files: HashMap<VersionId, Vec<_>> = HashMap::new();
            for (version, path, hash) in rows {
                files.entry(version).or_default().push((path, hash));
            }
            Ok(files)
        })
    }
}

pub(super) fn copy_picture(rows: &Transaction<'_>, to: VersionId, from: VersionId) -> Worked<()> {
    let sql = "INSERT OR IGNORE INTO version_pictures (version, asset)
               SELECT ?1, asset FROM version_pictures WHERE version = ?2";
    change(rows, sql, (to.to_string(), from.to_string())).map(drop)
}
