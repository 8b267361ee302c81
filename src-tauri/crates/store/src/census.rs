//! How much is kept and how runs ended, in numbers and kinds: what may be told of a history without telling of
//! anything in it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::error::StoreError;
use crate::history::HistoryStore;
use crate::rows::{all, count};

/// The size of a history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Census {
    /// The number of the schema.
    pub schema: i64,
    /// Rows by table.
    pub rows: BTreeMap<String, u64>,
    /// Bytes of the database, without its log.
    pub database_bytes: u64,
    /// Bytes of the assets.
    pub asset_bytes: u64,
}

/// How a variant that did not succeed ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ending {
    /// When its run began, in Unix milliseconds.
    pub started_at_ms: i64,
    /// The engine.
    pub engine: String,
    /// The state it ended in.
    pub state: String,
    /// The kind of its error.
    pub kind: Option<String>,
    /// Rounds it took.
    pub rounds: u64,
    /// How long it worked.
    pub elapsed_ms: u64,
}

impl HistoryStore {
    /// How much is kept.
    pub fn census(&self) -> Result<Census, StoreError> {
        self.read("count the history", |connection| {
            let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
            let names = all(connection, tables, (), |row| row.get::<_, String>(0))?;
            let mut rows = BTreeMap::new();
            for name in names {
                // The names are those of our own schema.
                let sql = format!("SELECT COUNT(*) FROM \"{name}\"");
                rows.insert(name, connection.query_row(&sql, (), |row| count(row, 0))?);
            }
            let number = |sql: &str| connection.query_row(sql, (), |row| count(row, 0));
            Ok(Census {
                schema: connection.query_row("PRAGMA user_version", (), |row| row.get(0))?,
                rows,
                database_bytes: number("PRAGMA page_count")? * number("PRAGMA page_size")?,
                asset_bytes: number("SELECT COALESCE(SUM(bytes), 0) FROM assets")?,
            })
        })
    }

    /// The latest variants that did not succeed, the latest first.
    pub fn bad_endings(&self, most: u32) -> Result<Vec<Ending>, StoreError> {
        self.read("read how runs ended", move |connection| {
            let sql = "SELECT started_at_ms, engine, variants.state, error_kind, rounds, elapsed_ms
                       FROM variants JOIN runs ON runs.id = variants.run
                       WHERE variants.state NOT IN ('succeeded', 'queued', 'running')
                       ORDER BY runs.nth DESC, idx LIMIT ?1";
            all(connection, sql, [most], |row| {
                Ok(Ending {
                    started_at_ms: row.get(0)?,
                    engine: row.get(1)?,
                    state: row.get(2)?,
                    kind: row.get(3)?,
                    rounds: count(row, 4)?,
                    elapsed_ms: count(row, 5)?,
                })
            })
        })
    }
}
