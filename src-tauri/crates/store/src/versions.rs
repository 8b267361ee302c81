//! Kept files, as a tree of versions. Texts are stored once by their hash, whichever versions hold them.

mod pictures;
mod pins;

use std::str::FromStr;

use facsimile_agent::{ProjectId, ProjectPath, RunId, VariantIndex, VersionId};
use rusqlite::types::{ToSql, ToSqlOutput};
use rusqlite::{Connection, OptionalExtension, Row, Transaction};

use crate::assets::sha256_hex;
use crate::error::{StoreError, Worked};
use crate::history::HistoryStore;
use crate::rows::{all, change, found, now_ms, parsed, parsed_if_set, unreadable};
use crate::turns::UnknownKind;
use crate::{projects, steps};

pub use pins::Pins;

const COLUMNS: &str = "id, project, parent, run, variant, created_at_ms, label, kind";

/// Whether a version is what a variant ended with or what a crash left of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionKind {
    /// What a variant ended with, or what the user saved.
    Result,
    /// What was there when the program was killed.
    Draft,
}

impl VersionKind {
    /// The storage name.
    pub fn as_str(self) -> &'static str {
        match self {
            VersionKind::Result => "result",
            VersionKind::Draft => "draft",
        }
    }
}

impl FromStr for VersionKind {
    type Err = UnknownKind;
    fn from_str(name: &str) -> Result<Self, UnknownKind> {
        let kinds = [VersionKind::Result, VersionKind::Draft];
        kinds.into_iter().find(|kind| kind.as_str() == name).ok_or_else(|| UnknownKind(name.to_owned()))
    }
}

impl ToSql for VersionKind {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.as_str().into())
    }
}

/// Files to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewVersion {
    /// The design.
    pub project: ProjectId,
    /// The version it came from.
    pub parent: Option<VersionId>,
    /// The variant that made it; `None` for the user's own work.
    pub made_by: Option<(RunId, VariantIndex)>,
    /// What it is called in the history.
    pub label: String,
    /// Result or draft.
    pub kind: VersionKind,
    /// The files, whole.
    pub files: Vec<(ProjectPath, String)>,
}

/// One version, without its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// Its id.
    pub id: VersionId,
    /// The design.
    pub project: ProjectId,
    /// The version it came from.
    pub parent: Option<VersionId>,
    /// The variant that made it.
    pub made_by: Option<(RunId, VariantIndex)>,
    /// When it was kept.
    pub created_at_ms: i64,
    /// What it is called in the history.
    pub label: String,
    /// Result or draft.
    pub kind: VersionKind,
}

/// The versions.
#[derive(Debug)]
pub struct Versions<'a> {
    pub(crate) store: &'a HistoryStore,
}

impl Versions<'_> {
    /// Keeps files as a new version; nothing that was kept before changes. A variant that has no version yet
    /// gets this one.
    pub fn add(&self, version: NewVersion) -> Result<VersionId, StoreError> {
        self.store.write("save a version", move |rows| insert(rows, &version))
    }

    /// Keeps what a killed program left of a variant.
    pub fn add_draft(
        &self,
        project: ProjectId,
        parent: Option<VersionId>,
        made_by: (RunId, VariantIndex),
        files: Vec<(ProjectPath, String)>,
    ) -> Result<VersionId, StoreError> {
        let (label, kind, made_by) = ("Draft".to_owned(), VersionKind::Draft, Some(made_by));
        self.add(NewVersion { project, parent, made_by, label, kind, files })
    }

    /// One version.
    pub fn get(&self, id: VersionId) -> Result<Version, StoreError> {
        self.store.read("read a version", move |connection| get(connection, id))
    }

    /// What a version holds fast beside its files.
    pub fn pins(&self, id: VersionId) -> Result<Pins, StoreError> {
        self.store.read("read a version", move |connection| pins::of(connection, id))
    }

    /// The versions of a design with what they hold fast, oldest first.
    pub fn with_pins(&self, project: ProjectId) -> Result<Vec<(Version, Pins)>, StoreError> {
        self.store
            .read("list the versions of a project", move |connection| pins::of_project(connection, project))
    }

    /// Keeps files as a new version and opens it, as a step that can be undone.
    pub fn add_open(&self, version: NewVersion) -> Result<VersionId, StoreError> {
        self.store.write("save a version", move |rows| {
            let id = insert(rows, &version)?;
            steps::take(rows, version.project, id)?;
            Ok(id)
        })
    }

    /// Makes a new version with the files and the place in the conversation of an older one and opens it;
    /// nothing is removed. If the open version is like it already, that one is given and nothing is added.
    pub fn restore(&self, project: ProjectId, id: VersionId) -> Result<VersionId, StoreError> {
        self.store.write("restore a version", move |rows| restore(rows, project, id))
    }

    /// The files of a version, in path order.
    pub fn files(&self, id: VersionId) -> Result<Vec<(ProjectPath, String)>, StoreError> {
        self.store.read("read a version", move |connection| files(connection, id))
    }

    /// The newest result of a design, or its newest draft if it has no result.
    pub fn latest(&self, project: ProjectId) -> Result<Option<Version>, StoreError> {
        self.store.read("read a version", move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM versions WHERE project = ?1 ORDER BY kind = 'draft', nth DESC LIMIT 1"
            );
            Ok(connection.prepare_cached(&sql)?.query_row([project.to_string()], version).optional()?)
        })
    }

    /// The versions of a design, oldest first; their parents make the tree.
    pub fn of_project(&self, project: ProjectId) -> Result<Vec<Version>, StoreError> {
        self.store.read("list the versions of a project", move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM versions WHERE project = ?1 ORDER BY nth");
            all(connection, &sql, [project.to_string()], version)
        })
    }

    /// Gives a version another name in the history.
    pub fn rename(&self, id: VersionId, label: &str) -> Result<(), StoreError> {
        let label = label.to_owned();
        self.store.write("rename a version", move |rows| {
            get(rows, id)?;
            change(rows, "UPDATE versions SET label = ?2 WHERE id = ?1", (id.to_string(), label)).map(drop)
        })
    }

    /// Removes a version and the texts that no other version holds.
    pub fn remove(&self, id: VersionId) -> Result<(), StoreError> {
        self.store.write("remove a version", move |rows| {
            get(rows, id)?;
            change(rows, "DELETE FROM versions WHERE id = ?1", [id.to_string()])?;
            remove_unused_contents(rows)
        })
    }
}

pub(crate) fn insert(rows: &Transaction<'_>, new: &NewVersion) -> Worked<VersionId> {
    projects::touch(rows, new.project)?;
    if let Some(parent) = new.parent {
        let belongs = get(rows, parent)?.project == new.project;
        if !belongs {
            return Err(StoreError::not_found("version", parent).into());
        }
    }
    let id = VersionId::fresh();
    let sql = "INSERT INTO versions (id, project, parent, run, variant, created_at_ms, label, kind)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let parent = new.parent.map(|version| version.to_string());
    let run = new.made_by.map(|(run, _)| run.to_string());
    let variant = new.made_by.map(|(_, variant)| variant.0);
    if let Some(run) = &run {
        let sql = "SELECT 1 FROM variants WHERE run = ?1 AND idx = ?2";
        found(rows, "variant", run, sql, (run, variant), |_| Ok(()))?;
    }
    let row =
        (id.to_string(), new.project.to_string(), parent, &run, variant, now_ms(), &new.label, new.kind);
    change(rows, sql, row)?;
    for (path, text) in &new.files {
        let sha = sha256_hex(text.as_bytes());
        let sql = "INSERT INTO contents (sha256, text) VALUES (?1, ?2) ON CONFLICT (sha256) DO NOTHING";
        change(rows, sql, (&sha, text.as_bytes()))?;
        let sql = "INSERT OR REPLACE INTO version_files (version, path, content_sha) VALUES (?1, ?2, ?3)";
        change(rows, sql, (id.to_string(), path.as_str(), sha))?;
    }
    let sql = "UPDATE variants SET version = ?3 WHERE run = ?1 AND idx = ?2 AND version IS NULL";
    change(rows, sql, (run, variant, id.to_string()))?;
    pins::pin_conversation(rows, id, new)?;
    pins::pin_assets(rows, id, new)?;
    Ok(id)
}

fn restore(rows: &Transaction<'_>, project: ProjectId, id: VersionId) -> Worked<VersionId> {
    let restored = get(rows, id)?;
    if restored.project != project {
        return Err(StoreError::not_found("version", id).into());
    }
    let (wanted, place) = (files(rows, id)?, pins::conversation(rows, id)?);
    let open = steps::open_version(rows, project)?;
    if let Some(open) = open
        && (open == id || (files(rows, open)? == wanted && pins::conversation(rows, open)? == place))
    {
        return Ok(open);
    }
    let new = NewVersion {
        project,
        parent: open.or(Some(id)),
        made_by: None,
        label: restored.label,
        kind: VersionKind::Result,
        files: wanted,
    };
    let fresh = insert(rows, &new)?;
    pins::copy_conversation(rows, fresh, id)?;
    let sql = "INSERT OR IGNORE INTO scores (version, score, parts, measured_at_ms)
               SELECT ?1, score, parts, measured_at_ms FROM scores WHERE version = ?2";
    change(rows, sql, (fresh.to_string(), id.to_string()))?;
    pictures::copy_picture(rows, fresh, id)?;
    steps::take(rows, project, fresh)?;
    Ok(fresh)
}

fn files(connection: &Connection, id: VersionId) -> Worked<Vec<(ProjectPath, String)>> {
    get(connection, id)?;
    let sql = "SELECT path, CAST(text AS TEXT) AS text, content_sha FROM version_files
               JOIN contents ON sha256 = content_sha WHERE version = ?1 ORDER BY path";
    all(connection, sql, [id.to_string()], |row| {
        let (path, text): (_, String) = (path(row)?, row.get("text")?);
        // The database checks no contents: a broken disk must not change a page unnoticed.
        if sha256_hex(text.as_bytes()) != row.get::<_, String>("content_sha")? {
            return Err(unreadable(format!("the text of {path} is not the one that was kept")));
        }
        Ok((path, text))
    })
}

/// Removes texts that no version holds any more.
pub(crate) fn remove_unused_contents(rows: &Transaction<'_>) -> Worked<()> {
    let sql = "DELETE FROM contents
               WHERE NOT EXISTS (SELECT 1 FROM version_files WHERE content_sha = sha256)";
    change(rows, sql, ()).map(drop)
}

pub(crate) fn get(connection: &Connection, id: VersionId) -> Worked<Version> {
    let sql = format!("SELECT {COLUMNS} FROM versions WHERE id = ?1");
    found(connection, "version", &id.to_string(), &sql, [id.to_string()], version)
}

fn version(row: &Row<'_>) -> rusqlite::Result<Version> {
    let run = parsed_if_set(row, "run")?;
    let variant: Option<u8> = row.get("variant")?;
    Ok(Version {
        id: parsed(row, "id")?,
        project: parsed(row, "project")?,
        parent: parsed_if_set(row, "parent")?,
        made_by: run.zip(variant.map(VariantIndex)),
        created_at_ms: row.get("created_at_ms")?,
        label: row.get("label")?,
        kind: parsed(row, "kind")?,
    })
}

fn path(row: &Row<'_>) -> rusqlite::Result<ProjectPath> {
    let text: String = row.get("path")?;
    ProjectPath::parse(&text).map_err(unreadable)
}
