//! How our types are spelled in columns.

use std::error::Error;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use facsimile_agent::{AssetId, RunStatus};
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Params, Row, RowIndex};
use serde::de::DeserializeOwned;

use crate::error::{StoreError, Worked};

/// The clock on the wall, in milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

pub(crate) fn unreadable(why: impl Into<Box<dyn Error + Send + Sync>>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, Type::Text, why.into())
}

/// Reads a text column through the type's own parser.
pub(crate) fn parsed<T>(row: &Row<'_>, column: impl RowIndex) -> rusqlite::Result<T>
where
    T: FromStr,
    T::Err: Error + Send + Sync + 'static,
{
    row.get::<_, String>(column)?.parse().map_err(unreadable)
}

/// Like [`parsed`], for a column that may be empty.
pub(crate) fn parsed_if_set<T>(row: &Row<'_>, column: impl RowIndex) -> rusqlite::Result<Option<T>>
where
    T: FromStr,
    T::Err: Error + Send + Sync + 'static,
{
    row.get::<_, Option<String>>(column)?.map(|text| text.parse().map_err(unreadable)).transpose()
}

pub(crate) fn status(row: &Row<'_>, column: impl RowIndex) -> rusqlite::Result<RunStatus> {
    let name: String = row.get(column)?;
    RunStatus::parse(&name).ok_or_else(|| unreadable(format!("unknown state {name}")))
}

pub(crate) fn asset_id(row: &Row<'_>, column: impl RowIndex) -> rusqlite::Result<AssetId> {
    let hash: String = row.get(column)?;
    AssetId::parse(&hash).ok_or_else(|| unreadable(format!("not a hash: {hash}")))
}

pub(crate) fn json<T: DeserializeOwned>(row: &Row<'_>, column: impl RowIndex) -> rusqlite::Result<T> {
    serde_json::from_str(&row.get::<_, String>(column)?).map_err(unreadable)
}

/// SQLite counts in `i64`.
pub(crate) fn count(row: &Row<'_>, column: impl RowIndex) -> rusqlite::Result<u64> {
    let count: i64 = row.get(column)?;
    u64::try_from(count).map_err(unreadable)
}

/// SQLite counts in `i64`; nothing we count comes near its end.
pub(crate) fn as_column(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The first row, or an error that says what is missing.
pub(crate) fn found<T>(
    connection: &Connection,
    what: &'static str,
    id: &str,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Worked<T> {
    let row = connection.prepare_cached(sql)?.query_row(params, read).optional()?;
    row.ok_or_else(|| StoreError::not_found(what, id).into())
}

/// Every row of a query.
pub(crate) fn all<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Worked<Vec<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params, read)?.collect::<Result<_, _>>()?;
    Ok(rows)
}

/// Runs a statement and says how many rows it changed.
pub(crate) fn change(connection: &Connection, sql: &str, params: impl Params) -> Worked<usize> {
    Ok(connection.prepare_cached(sql)?.execute(params)?)
}
