//! How faithful versions are.

use facsimile_agent::{ProjectId, VersionId};
use rusqlite::{OptionalExtension, Row};
use serde_json::Value;

use crate::error::StoreError;
use crate::history::HistoryStore;
use crate::rows::{all, change, json, now_ms, parsed};
use crate::versions;

/// What the meter said of a version.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// From 0 to 100.
    pub score: f64,
    /// The numbers it is made of.
    pub parts: Value,
    /// When it was measured.
    pub measured_at_ms: i64,
}

/// The scores of versions.
#[derive(Debug)]
pub struct Scores<'a> {
    pub(crate) store: &'a HistoryStore,
}

impl Scores<'_> {
    /// Records the score of a version, held to 0–100; a later measurement replaces it.
    pub fn set(&self, version: VersionId, score: f64, parts: Value) -> Result<(), StoreError> {
        // What is no number counts as nothing.
        let score = if score.is_finite() { score.clamp(0.0, 100.0) } else { 0.0 };
        self.store.write("save a score", move |rows| {
            versions::get(rows, version)?;
            let sql = "INSERT INTO scores (version, score, parts, measured_at_ms) VALUES (?1, ?2, ?3, ?4)
                       ON CONFLICT (version) DO UPDATE SET score = excluded.score, parts = excluded.parts,
                           measured_at_ms = excluded.measured_at_ms";
            change(rows, sql, (version.to_string(), score, parts.to_string(), now_ms())).map(drop)
        })
    }

    /// The score of a version; `None` if it was never measured.
    pub fn get(&self, version: VersionId) -> Result<Option<Score>, StoreError> {
        self.store.read("read a score", move |connection| {
            let sql = "SELECT score, parts, measured_at_ms FROM scores WHERE version = ?1";
            Ok(connection.prepare_cached(sql)?.query_row([version.to_string()], score).optional()?)
        })
    }

    /// The scores of a project's versions, oldest version first.
    pub fn of_project(&self, project: ProjectId) -> Result<Vec<(VersionId, Score)>, StoreError> {
        self.store.read("read the scores of a project", move |connection| {
            let sql = "SELECT id, score, parts, measured_at_ms FROM versions
                       JOIN scores ON scores.version = versions.id WHERE project = ?1 ORDER BY nth";
            all(connection, sql, [project.to_string()], |row| Ok((parsed(row, "id")?, score(row)?)))
        })
    }
}

fn score(row: &Row<'_>) -> rusqlite::Result<Score> {
    Ok(Score {
        score: row.get("score")?,
        parts: json(row, "parts")?,
        measured_at_ms: row.get("measured_at_ms")?,
    })
}
