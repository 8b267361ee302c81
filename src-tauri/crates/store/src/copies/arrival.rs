//! Rows that come in: each is looked at before it is written.

use std::collections::HashMap;

use facsimile_agent::ProjectId;
use rusqlite::types::Value as Cell;
use rusqlite::{Transaction, params_from_iter};
use serde_json::{Map, Value};

use super::schema::{Owned, Table};
use super::{BytesOf, CopiedAsset, CopiedBytes, IMPORT, ProjectCopy, Source, bad};
use crate::assets::{AssetFiles, sha256_hex};
use crate::error::{Stop, StoreError, Worked};
use crate::rows::{change, now_ms};

const UUID_LENGTH: usize = 36;

pub(super) fn put_contents(rows: &Transaction<'_>, copy: &ProjectCopy, source: &mut Source) -> Worked<()> {
    for hash in &copy.contents {
        let text = match source {
            Source::Kept => continue,
            Source::Rehearsal => Vec::new(),
            Source::Given(bytes) => given(bytes, CopiedBytes::Text(hash))?,
        };
        if std::str::from_utf8(&text).is_err() {
            return Err(bad("a file is no text").into());
        }
        change(rows, "INSERT OR IGNORE INTO contents (sha256, text) VALUES (?1, ?2)", (hash, text))?;
    }
    Ok(())
}

pub(super) fn put_assets(
    rows: &Transaction<'_>,
    files: &AssetFiles,
    copy: &ProjectCopy,
    source: &mut Source,
) -> Worked<()> {
    for asset in &copy.assets {
        let path_is_plain = asset.extension.bytes().all(|b| b.is_ascii_alphanumeric());
        if !path_is_plain || asset.extension.is_empty() || asset.extension.len() > 8 {
            return Err(bad("an asset has no plain extension").into());
        }
        match source {
            Source::Kept => continue,
            Source::Rehearsal => {}
            Source::Given(bytes) => {
                let bytes = given(bytes, CopiedBytes::Asset(&asset.sha256))?;
                if bytes.len() as u64 != asset.bytes {
                    return Err(bad("an asset has another length than it says").into());
                }
                files
                    .keep(&asset.sha256, &bytes)
                    .map_err(|source| StoreError::from_io(IMPORT, files.path(&asset.sha256), source))?;
            }
        }
        let sql =
            "INSERT INTO assets (sha256, mime, extension, bytes, width, height, created_at_ms, put_at_ms)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7) ON CONFLICT (sha256) DO UPDATE SET put_at_ms = ?7";
        let CopiedAsset { sha256, mime, extension, width, height, .. } = asset;
        let bytes = crate::rows::as_column(asset.bytes);
        change(rows, sql, (sha256.as_str(), mime, extension, bytes, width, height, now_ms()))?;
    }
    Ok(())
}

fn given(bytes: &mut BytesOf<'static>, wanted: CopiedBytes<'_>) -> Worked<Vec<u8>> {
    let given = bytes(wanted).map_err(|error| bad(error.to_string()))?;
    match sha256_hex(&given) == wanted.hash() {
        true => Ok(given),
        false => Err(bad("what a file holds is not what its name says").into()),
    }
}

pub(super) fn put_rows(rows: &Transaction<'_>, copy: &ProjectCopy) -> Worked<ProjectId> {
    let owned = Owned::of(rows)?;
    if let Some(table) = copy.unended() {
        return Err(bad(format!("it holds {table} that have not ended")).into());
    }
    if let Some(unknown) = copy.tables.keys().find(|name| owned.table(name).is_none()) {
        return Err(bad(format!("nobody knows {unknown:?}")).into());
    }
    let fresh = fresh_ids(copy)?;
    let [project] = copy.tables.get("projects").map(Vec::as_slice).unwrap_or_default() else {
        return Err(bad("it does not hold one project").into());
    };
    let project = fresh.of(project.get("id"))?.parse().map_err(|_| bad("an id is none"))?;
    for table in owned.tables() {
        for row in copy.tables.get(&table.name).into_iter().flatten() {
            put_row(rows, table, row, &fresh, copy)?;
        }
    }
    Ok(project)
}

fn put_row(
    rows: &Transaction<'_>,
    table: &Table,
    row: &Map<String, Value>,
    fresh: &FreshIds,
    copy: &ProjectCopy,
) -> Worked<()> {
    let mut cells = Vec::with_capacity(row.len());
    for (column, value) in row {
        if !table.copied_columns().any(|known| known == column) {
            return Err(bad(format!("nobody knows {column:?} of {}", table.name)).into());
        }
        let parent = table.references().find(|(from, _)| from == column).map(|(_, parent)| parent);
        let cell = match (value, parent) {
            (Value::Null, _) => Cell::Null,
            (Value::String(hash), Some("contents")) if copy.contents.contains(hash) => hash.clone().into(),
            (Value::String(hash), Some("assets"))
                if copy.assets.iter().any(|asset| asset.sha256.as_str() == hash) =>
            {
                hash.clone().into()
            }
            (_, Some("contents" | "assets")) => {
                return Err(bad(format!("a row of {} names a file that is not there", table.name)).into());
            }
            (Value::String(_), Some(_)) => fresh.of(Some(value))?.to_owned().into(),
            (Value::String(_), None) if column == "id" => fresh.of(Some(value))?.to_owned().into(),
            (Value::String(text), _) => fresh.within(text).into(),
            (Value::Number(number), _) => match number.as_i64() {
                Some(whole) => whole.into(),
                None => number.as_f64().unwrap_or_default().into(),
            },
            (Value::Bool(_) | Value::Array(_) | Value::Object(_), _) => {
                return Err(bad(format!("{column:?} of {} is no cell", table.name)).into());
            }
        };
        cells.push((column.as_str(), cell));
    }
    let columns: Vec<_> = cells.iter().map(|(column, _)| *column).collect();
    let places: Vec<_> = (1..=cells.len()).map(|at| format!("?{at}")).collect();
    let sql = format!("INSERT INTO {} ({}) VALUES ({})", table.name, columns.join(", "), places.join(", "));
    let put = change(rows, &sql, params_from_iter(cells.into_iter().map(|(_, cell)| cell)));
    put.map(drop).map_err(|stop| match stop {
        Stop::Sql(error) if is_refused(&error) => {
            bad(format!("a row of {} does not fit: {error}", table.name)).into()
        }
        other => other,
    })
}

fn is_refused(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{ConstraintViolation, TooBig, TypeMismatch};
    matches!(error.sqlite_error_code(), Some(ConstraintViolation | TypeMismatch | TooBig))
}

/// The id that each id of a copy gets here.
struct FreshIds(HashMap<String, String>);

fn fresh_ids(copy: &ProjectCopy) -> Worked<FreshIds> {
    let mut fresh = HashMap::new();
    for id in copy.tables.values().flatten().filter_map(|row| row.get("id")) {
        let is_id = |id: &&str| uuid::Uuid::try_parse(id).is_ok_and(|read| read.to_string() == **id);
        let id = id.as_str().filter(is_id).ok_or_else(|| bad("an id is none"))?;
        if fresh.insert(id.to_owned(), uuid::Uuid::now_v7().to_string()).is_some() {
            return Err(bad("two rows have one id").into());
        }
    }
    Ok(FreshIds(fresh))
}

impl FreshIds {
    fn of(&self, id: Option<&Value>) -> Worked<&str> {
        let fresh = id.and_then(Value::as_str).and_then(|id| self.0.get(id));
        Ok(fresh.map(String::as_str).ok_or_else(|| bad("a row points outside of the project"))?)
    }

    /// A text in which every old id is the fresh one: requests and events name ids inside JSON.
    fn within(&self, text: &str) -> String {
        let mut fresh = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(dash) = rest.find('-') {
            let id = dash.checked_sub(8).and_then(|start| rest.get(start..start + UUID_LENGTH));
            match id.and_then(|id| self.0.get(id)) {
                Some(new) => {
                    fresh.push_str(&rest[..dash - 8]);
                    fresh.push_str(new);
                    rest = &rest[dash - 8 + UUID_LENGTH..];
                }
                None => {
                    fresh.push_str(&rest[..=dash]);
                    rest = &rest[dash + 1..];
                }
            }
        }
        fresh.push_str(rest);
        fresh
    }
}
