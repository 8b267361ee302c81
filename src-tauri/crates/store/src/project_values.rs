//! What was chosen for one project, such as its stack or the hosts it may load from. Values this program does not
//! know are kept for the one that does.

use std::collections::BTreeMap;

use facsimile_agent::ProjectId;
use rusqlite::OptionalExtension;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::StoreError;
use crate::history::HistoryStore;
use crate::projects;
use crate::rows::{all, change, json};
use crate::settings::{decoded, encoded};

/// The values of projects.
#[derive(Debug)]
pub struct ProjectValues<'a> {
    pub(crate) store: &'a HistoryStore,
}

impl ProjectValues<'_> {
    /// A value; `None` if it was never set or is not of this type.
    pub fn get<T: DeserializeOwned>(&self, project: ProjectId, key: &str) -> Result<Option<T>, StoreError> {
        let wanted = key.to_owned();
        let stored = self.store.read("read a value of a project", move |connection| {
            let sql = "SELECT value FROM project_values WHERE project = ?1 AND key = ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let value = statement.query_row((project.to_string(), wanted), |row| row.get::<_, String>(0));
            Ok(value.optional()?)
        })?;
        Ok(stored.and_then(|json| decoded(key, &json)))
    }

    /// Every value of a project.
    pub fn of_project(&self, project: ProjectId) -> Result<BTreeMap<String, Value>, StoreError> {
        self.store.read("read the values of a project", move |connection| {
            let sql = "SELECT key, value FROM project_values WHERE project = ?1";
            let values = all(connection, sql, [project.to_string()], |row| {
                Ok((row.get("key")?, json(row, "value")?))
            })?;
            Ok(values.into_iter().collect())
        })
    }

    /// Stores a value under a key.
    pub fn set<T: Serialize>(&self, project: ProjectId, key: &str, value: &T) -> Result<(), StoreError> {
        let operation = "save a value of a project";
        let json = encoded(operation, key, value)?;
        let key = key.to_owned();
        self.store.write(operation, move |rows| {
            projects::require(rows, project)?;
            let sql = "INSERT INTO project_values (project, key, value) VALUES (?1, ?2, ?3)
                       ON CONFLICT (project, key) DO UPDATE SET value = excluded.value";
            change(rows, sql, (project.to_string(), key, json)).map(drop)
        })
    }

    /// Forgets a value, so that the default holds again.
    pub fn unset(&self, project: ProjectId, key: &str) -> Result<(), StoreError> {
        let key = key.to_owned();
        self.store.write("save a value of a project", move |rows| {
            let sql = "DELETE FROM project_values WHERE project = ?1 AND key = ?2";
            change(rows, sql, (project.to_string(), key)).map(drop)
        })
    }
}
