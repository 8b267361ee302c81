//! What the user chose. Values this program does not know are kept for the one that does.

use rusqlite::OptionalExtension;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::StoreError;
use crate::history::HistoryStore;
use crate::rows::change;

/// The settings.
#[derive(Debug)]
pub struct Settings<'a> {
    pub(crate) store: &'a HistoryStore,
}

impl Settings<'_> {
    /// The value of a setting; `None` if it was never set or is not of this type.
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, StoreError> {
        let wanted = key.to_owned();
        let stored = self.store.read("read a setting", move |connection| {
            let mut statement = connection.prepare_cached("SELECT value FROM settings WHERE key = ?1")?;
            Ok(statement.query_row([wanted], |row| row.get::<_, String>(0)).optional()?)
        })?;
        Ok(stored.and_then(|json| decoded(key, &json)))
    }

    /// Stores a value under a key.
    pub fn set<T: Serialize>(&self, key: &str, value: &T) -> Result<(), StoreError> {
        let operation = "save a setting";
        let json = encoded(operation, key, value)?;
        let key = key.to_owned();
        self.store.write(operation, move |rows| {
            let sql = "INSERT INTO settings (key, value) VALUES (?1, ?2)
                       ON CONFLICT (key) DO UPDATE SET value = excluded.value";
            change(rows, sql, (key, json)).map(drop)
        })
    }

    /// Forgets a value, so that the default holds again.
    pub fn unset(&self, key: &str) -> Result<(), StoreError> {
        let key = key.to_owned();
        self.store.write("save a setting", move |rows| {
            change(rows, "DELETE FROM settings WHERE key = ?1", [key]).map(drop)
        })
    }
}

/// A value as its column holds it.
pub(crate) fn encoded<T: Serialize>(
    operation: &'static str,
    key: &str,
    value: &T,
) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Io {
        operation,
        path: key.into(),
        source: error.into(),
    })
}

/// The value of a column; `None` if it is not of this type, which another version of the program may know.
pub(crate) fn decoded<T: DeserializeOwned>(key: &str, json: &str) -> Option<T> {
    let read = serde_json::from_str(json);
    // The error would quote the value, which may be what a person typed.
    read.inspect_err(|_| tracing::warn!(key, "a setting is not of its type")).ok()
}
