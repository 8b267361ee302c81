//! The way through a project's versions: which one is open, which were open before it and after.

use facsimile_agent::{ProjectId, RunId, VersionId};
use rusqlite::{Connection, OptionalExtension, Transaction};

use crate::error::{StoreError, Worked};
use crate::history::HistoryStore;
use crate::projects;
use crate::rows::{all, change, count, parsed};
use crate::versions;

/// Where a project stands on its way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// The open version; `None` before the first one.
    pub version: Option<VersionId>,
    /// How many steps can be undone.
    pub undoable: u64,
    /// How many steps can be redone.
    pub redoable: u64,
}

/// The ways of projects. A step opens a version; undoing and redoing walk along the steps that were taken and
/// change no version. A step taken after undoing takes the place of those that were undone: the versions they
/// opened stay in the tree.
#[derive(Debug)]
pub struct Steps<'a> {
    pub(crate) store: &'a HistoryStore,
}

impl Steps<'_> {
    /// Opens a version of the project. Opening the open one again is no step.
    pub fn take(&self, project: ProjectId, version: VersionId) -> Result<Standing, StoreError> {
        self.store.write("open a version", move |rows| {
            take(rows, project, version)?;
            standing(rows, project)
        })
    }

    /// Goes one step back. The first step stays: without it there would be nothing to show.
    pub fn undo(&self, project: ProjectId) -> Result<Standing, StoreError> {
        self.walk(project, "SELECT max(position) FROM steps WHERE project = ?1 AND position < ?2")
    }

    /// Goes one step forward again, if one was undone.
    pub fn redo(&self, project: ProjectId) -> Result<Standing, StoreError> {
        self.walk(project, "SELECT min(position) FROM steps WHERE project = ?1 AND position > ?2")
    }

    /// Where the project stands.
    pub fn standing(&self, project: ProjectId) -> Result<Standing, StoreError> {
        self.store.read("read where a project stands", move |connection| {
            projects::require(connection, project)?;
            standing(connection, project)
        })
    }

    /// The versions of the way, from the first step to the last one that can be redone.
    pub fn way(&self, project: ProjectId) -> Result<Vec<VersionId>, StoreError> {
        self.store.read("read the steps of a project", move |connection| {
            let sql = "SELECT version FROM steps WHERE project = ?1 ORDER BY position";
            all(connection, sql, [project.to_string()], |row| parsed(row, 0))
        })
    }

    fn walk(&self, project: ProjectId, next: &'static str) -> Result<Standing, StoreError> {
        self.store.write("walk through the history", move |rows| {
            projects::require(rows, project)?;
            let at = position(rows, project)?;
            let found: Option<i64> = rows
                .prepare_cached(next)?
                .query_row((project.to_string(), as_position(at)), |row| row.get(0))?;
            if let Some(to) = found.and_then(|position| u64::try_from(position).ok()) {
                set_position(rows, project, to)?;
            }
            standing(rows, project)
        })
    }
}

/// Opens a version of a project, as a step.
pub(crate) fn take(rows: &Transaction<'_>, project: ProjectId, version: VersionId) -> Worked<()> {
    if versions::get(rows, version)?.project != project {
        return Err(StoreError::not_found("version", version).into());
    }
    if open_version(rows, project)? == Some(version) {
        return Ok(());
    }
    let at = position(rows, project)?;
    let sql = "DELETE FROM steps WHERE project = ?1 AND position > ?2";
    change(rows, sql, (project.to_string(), as_position(at)))?;
    let sql = "INSERT INTO steps (project, position, version) VALUES (?1, ?2, ?3)";
    change(rows, sql, (project.to_string(), as_position(at + 1), version.to_string()))?;
    set_position(rows, project, at + 1)
}

/// Opens what a run that ended left: the first of its variants that succeeded, else the first with files.
pub(crate) fn take_result(rows: &Transaction<'_>, run: RunId) -> Worked<()> {
    let sql = "SELECT runs.project, version FROM variants JOIN runs ON runs.id = run
               WHERE run = ?1 AND version IS NOT NULL
               ORDER BY variants.state <> 'succeeded', idx LIMIT 1";
    let mut statement = rows.prepare_cached(sql)?;
    let result = statement.query_row([run.to_string()], |row| Ok((parsed(row, 0)?, parsed(row, 1)?)));
    match result.optional()? {
        Some((project, version)) => take(rows, project, version),
        None => Ok(()),
    }
}

fn standing(connection: &Connection, project: ProjectId) -> Worked<Standing> {
    let at = position(connection, project)?;
    let sql = "SELECT count(*) FILTER (WHERE position < ?2) AS undoable,
                   count(*) FILTER (WHERE position > ?2) AS redoable FROM steps WHERE project = ?1";
    let version = open_version(connection, project)?;
    let row = connection.prepare_cached(sql)?.query_row((project.to_string(), as_position(at)), |row| {
        Ok(Standing { version, undoable: count(row, "undoable")?, redoable: count(row, "redoable")? })
    })?;
    Ok(row)
}

pub(crate) fn open_version(connection: &Connection, project: ProjectId) -> Worked<Option<VersionId>> {
    let at = position(connection, project)?;
    let sql = "SELECT version FROM steps WHERE project = ?1 AND position = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let version = statement.query_row((project.to_string(), as_position(at)), |row| parsed(row, 0));
    Ok(version.optional()?)
}

/// The last step taken; 0 before the first. Where its version was removed it is the step before, else the one
/// after.
fn position(connection: &Connection, project: ProjectId) -> Worked<u64> {
    let sql = "WITH stored AS (SELECT position FROM project_positions WHERE project = ?1)
               SELECT coalesce(
                   (SELECT max(position) FROM steps WHERE project = ?1 AND position <= (SELECT * FROM stored)),
                   (SELECT min(position) FROM steps WHERE project = ?1),
                   0)";
    Ok(connection.prepare_cached(sql)?.query_row([project.to_string()], |row| count(row, 0))?)
}

fn set_position(rows: &Transaction<'_>, project: ProjectId, position: u64) -> Worked<()> {
    let sql = "INSERT INTO project_positions (project, position) VALUES (?1, ?2)
               ON CONFLICT (project) DO UPDATE SET position = excluded.position";
    change(rows, sql, (project.to_string(), as_position(position))).map(drop)
}

fn as_position(position: u64) -> i64 {
    crate::rows::as_column(position)
}
