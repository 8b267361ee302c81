//! Designs: what the list on the first page shows.

use std::collections::HashMap;

use facsimile_agent::{AssetId, ProjectId, RunId, RunStatus, TurnId};
use rusqlite::{Connection, Row, Transaction};

use crate::assets::Assets;
use crate::error::{StoreError, Worked};
use crate::history::HistoryStore;
use crate::migrations::remove_all_but_newest;
use crate::rows::{all, asset_id, change, found, now_ms, parsed, parsed_if_set, status};
use crate::versions::remove_unused_contents;

const COLUMNS: &str = "id, name, created_at_ms, updated_at_ms, thumbnail_asset, memory_from_turn";

/// One design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its id.
    pub id: ProjectId,
    /// Its name.
    pub name: String,
    /// When it was made.
    pub created_at_ms: i64,
    /// When something in it last changed.
    pub updated_at_ms: i64,
    /// The picture that stands for it.
    pub thumbnail: Option<AssetId>,
    /// The last turn that the model is no longer told of.
    pub memory_from_turn: Option<TurnId>,
}

/// A run, as a list shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunMark {
    /// Its id.
    pub id: RunId,
    /// Its state.
    pub state: RunStatus,
}

/// A design with its runs, oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectSummary {
    /// The design.
    pub project: Project,
    /// Its runs.
    pub runs: Vec<RunMark>,
}

impl ProjectSummary {
    /// The state of the latest run, if there is one.
    pub fn latest_state(&self) -> Option<RunStatus> {
        self.runs.last().map(|run| run.state)
    }
}

/// The designs.
#[derive(Debug)]
pub struct Projects<'a> {
    pub(crate) store: &'a HistoryStore,
}

impl Projects<'_> {
    /// Makes an empty design.
    pub fn create(&self, name: &str) -> Result<ProjectId, StoreError> {
        let name = name.to_owned();
        self.store.write("create a project", move |rows| insert(rows, &name))
    }

    /// Every design, the last changed first.
    pub fn list(&self) -> Result<Vec<ProjectSummary>, StoreError> {
        self.store.read("list the projects", |connection| {
            let sql = "SELECT project, id, state FROM runs ORDER BY nth";
            let mut runs: HashMap<ProjectId, Vec<RunMark>> = HashMap::new();
            let mark = |row: &Row<'_>| {
                Ok((
                    parsed(row, "project")?,
                    RunMark { id: parsed(row, "id")?, state: status(row, "state")? },
                ))
            };
            for (project, run) in all(connection, sql, (), mark)? {
                runs.entry(project).or_default().push(run);
            }
            let sql = format!("SELECT {COLUMNS} FROM projects ORDER BY updated_at_ms DESC, nth DESC");
            let projects = all(connection, &sql, (), project)?;
            Ok(projects
                .into_iter()
                .map(|project| ProjectSummary { runs: runs.remove(&project.id).unwrap_or_default(), project })
                .collect())
        })
    }

    /// One design.
    pub fn get(&self, id: ProjectId) -> Result<Project, StoreError> {
        self.store.read("read a project", move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM projects WHERE id = ?1");
            found(connection, "project", &id.to_string(), &sql, [id.to_string()], project)
        })
    }

    /// Gives a design another name.
    pub fn rename(&self, id: ProjectId, name: &str) -> Result<(), StoreError> {
        let name = name.to_owned();
        self.store.write("rename a project", move |rows| {
            touch(rows, id)?;
            change(rows, "UPDATE projects SET name = ?2 WHERE id = ?1", (id.to_string(), name)).map(drop)
        })
    }

    /// Moves a design to the front of the list.
    pub fn touch(&self, id: ProjectId) -> Result<(), StoreError> {
        self.store.write("change a project", move |rows| touch(rows, id))
    }

    /// Sets the picture that stands for a design.
    pub fn set_thumbnail(&self, id: ProjectId, asset: &AssetId) -> Result<(), StoreError> {
        let asset = asset.clone();
        self.store.write("change a project", move |rows| {
            require(rows, id)?;
            let hash = asset.as_str();
            found(rows, "asset", hash, "SELECT 1 FROM assets WHERE sha256 = ?1", [hash], |_| Ok(()))?;
            let sql = "UPDATE projects SET thumbnail_asset = ?2 WHERE id = ?1";
            change(rows, sql, (id.to_string(), hash)).map(drop)
        })
    }

    /// Makes the model forget all turns so far; they stay in the history.
    pub fn clear_memory(&self, id: ProjectId) -> Result<(), StoreError> {
        self.store.write("clear the memory of a project", move |rows| {
            require(rows, id)?;
            let sql = "UPDATE projects SET memory_from_turn =
                       (SELECT id FROM turns WHERE project = ?1 ORDER BY nth DESC LIMIT 1) WHERE id = ?1";
            change(rows, sql, [id.to_string()]).map(drop)
        })
    }

    /// Removes a design and all that only it needs: rows, texts and assets. Backups go too, because they hold
    /// what is being removed; nothing of it is found on disk afterwards.
    pub fn delete(&self, id: ProjectId) -> Result<(), StoreError> {
        let assets = self.store.write("delete a project", move |rows| {
            require(rows, id)?;
            let assets = assets_of(rows, id)?;
            change(rows, "DELETE FROM projects WHERE id = ?1", [id.to_string()])?;
            remove_unused_contents(rows)?;
            Assets::remove_unused_rows(rows, &assets)?;
            Ok(assets)
        })?;
        Assets { store: self.store }.remove_files_without_row(assets)?;
        if let Some(folder) = self.store.folder("backups") {
            remove_all_but_newest(&folder, 0)
                .map_err(|source| StoreError::from_io("delete a project", folder, source))?;
        }
        // The log of the database still holds the removed text until it is written back and cut.
        self.store.on_writer("delete a project", |connection| {
            let is_busy: bool =
                connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get(0))?;
            if is_busy {
                tracing::warn!("a reader kept the database's log; it is cut at the next chance");
            }
            Ok(())
        })
    }
}

/// Makes an empty design.
pub(crate) fn insert(rows: &Transaction<'_>, name: &str) -> Worked<ProjectId> {
    let id = ProjectId::fresh();
    let sql = "INSERT INTO projects (id, name, created_at_ms, updated_at_ms) VALUES (?1, ?2, ?3, ?3)";
    change(rows, sql, (id.to_string(), name, now_ms()))?;
    Ok(id)
}

/// Sets the time of a design's last change.
pub(crate) fn touch(rows: &Transaction<'_>, id: ProjectId) -> Worked<()> {
    let sql = "UPDATE projects SET updated_at_ms = ?2 WHERE id = ?1";
    match change(rows, sql, (id.to_string(), now_ms()))? {
        0 => Err(StoreError::not_found("project", id).into()),
        _ => Ok(()),
    }
}

/// Refuses an id that is no design's.
pub(crate) fn require(connection: &Connection, id: ProjectId) -> Worked<()> {
    let id = id.to_string();
    found(connection, "project", &id, "SELECT 1 FROM projects WHERE id = ?1", [&id], |_| Ok(()))
}

fn assets_of(connection: &Connection, id: ProjectId) -> Worked<Vec<AssetId>> {
    let sql = "SELECT asset FROM project_assets WHERE project = ?1
               UNION SELECT asset FROM inputs WHERE project = ?1
               UNION SELECT thumbnail_asset FROM projects WHERE id = ?1 AND thumbnail_asset IS NOT NULL
               UNION SELECT asset FROM version_assets JOIN versions ON id = version WHERE project = ?1
               UNION SELECT asset FROM version_pictures JOIN versions ON id = version WHERE project = ?1
               UNION SELECT asset FROM message_images JOIN runs ON id = run WHERE project = ?1
               UNION SELECT asset FROM task_assets JOIN tasks ON id = task
                     WHERE project = ?1 AND asset IS NOT NULL";
    all(connection, sql, [id.to_string()], |row| asset_id(row, 0))
}

fn project(row: &Row<'_>) -> rusqlite::Result<Project> {
    let thumbnail: Option<String> = row.get("thumbnail_asset")?;
    Ok(Project {
        id: parsed(row, "id")?,
        name: row.get("name")?,
        created_at_ms: row.get("created_at_ms")?,
        updated_at_ms: row.get("updated_at_ms")?,
        thumbnail: thumbnail.map(|_| asset_id(row, "thumbnail_asset")).transpose()?,
        memory_from_turn: parsed_if_set(row, "memory_from_turn")?,
    })
}
