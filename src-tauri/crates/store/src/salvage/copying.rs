//! Row by row out of a damaged database, around what cannot be read.

use std::fs;
use std::path::Path;

use facsimile_agent::AssetId;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, Transaction, params_from_iter};

use super::Salvaged;
use crate::assets::sha256_hex;
use crate::error::Worked;
use crate::rows::{all, count, now_ms};

/// How often a table is looked into around its damage before the rest is given up.
const MOST_LOOKS: usize = 512;

/// Copies all rows that can be read and belong together.
pub(super) fn copy_what_can_be_read(
    target: &mut Connection,
    source: &Path,
    assets: &Path,
) -> Worked<Salvaged> {
    let mut salvaged = Salvaged::default();
    target.pragma_update(None, "foreign_keys", "OFF")?;
    let rows = target.transaction()?;
    let tables = tables(&rows)?;
    let triggers = all(&rows, "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'", (), |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
    })?;
    triggers.iter().try_for_each(|(name, _)| rows.execute_batch(&format!("DROP TRIGGER {name}")))?;
    // What the migrations have put there is in the source as well.
    tables.iter().try_for_each(|table| rows.execute_batch(&format!("DELETE FROM {}", table.name)))?;
    let damaged = open_damaged(source);
    for table in &tables {
        let is_whole = damaged.as_ref().is_ok_and(|from| table.copy(from, &rows, &mut salvaged));
        if !is_whole {
            salvaged.cut.push(table.name.clone());
        }
    }
    drop_changed_texts(&rows, &mut salvaged)?;
    find_assets(&rows, assets)?;
    name_lost_projects(&rows)?;
    loosen(&rows, &tables, &mut salvaged)?;
    triggers.iter().try_for_each(|(_, sql)| rows.execute_batch(sql))?;
    let counted =
        |table: &str| rows.query_row(&format!("SELECT count(*) FROM {table}"), (), |row| count(row, 0));
    (salvaged.projects, salvaged.versions) = (counted("projects")?, counted("versions")?);
    rows.commit()?;
    Ok(salvaged)
}

fn open_damaged(source: &Path) -> rusqlite::Result<Connection> {
    // A journal beside it is read back in, which writes: the source is a copy.
    let damaged = Connection::open_with_flags(source, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // A schema with broken entries is read as far as it goes.
    damaged.pragma_update(None, "writable_schema", "ON")?;
    damaged.pragma_update(None, "cell_size_check", "ON")?;
    Ok(damaged)
}

struct Table {
    name: String,
    columns: Vec<Column>,
    /// By what its rows are in order.
    key: String,
}

struct Column {
    name: String,
    can_be_null: bool,
}

fn tables(target: &Transaction<'_>) -> Worked<Vec<Table>> {
    let sql = "SELECT name, sql LIKE '%WITHOUT ROWID%' FROM sqlite_schema
               WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid";
    let named = all(target, sql, (), |row| Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?)))?;
    let table = |(name, is_keyed): (String, bool)| -> Worked<Table> {
        let columns = all(target, &format!("PRAGMA table_info({name})"), (), |row| {
            let (is_not_null, in_key): (bool, u32) = (row.get("notnull")?, row.get("pk")?);
            let column = Column { name: row.get("name")?, can_be_null: !is_not_null && in_key == 0 };
            Ok((column, in_key))
        })?;
        let mut keys: Vec<_> = columns.iter().filter(|(_, place)| *place > 0).collect();
        keys.sort_by_key(|(_, place)| *place);
        let key = match (is_keyed, keys.first()) {
            (true, Some((column, _))) => column.name.clone(),
            _ => "rowid".to_owned(),
        };
        Ok(Table { name, columns: columns.into_iter().map(|(column, _)| column).collect(), key })
    };
    named.into_iter().map(table).collect()
}

impl Table {
    /// Copies the rows of this table; says whether all of it could be read. Around a broken page rows are looked
    /// for from both sides, then between.
    fn copy(&self, from: &Connection, to: &Transaction<'_>, salvaged: &mut Salvaged) -> bool {
        if self.copy_along(from, to, "", &[], salvaged).is_ok() {
            return true;
        }
        let last = self.copy_along(from, to, "DESC", &[], salvaged);
        if self.key != "rowid" || last.is_ok() {
            return false;
        }
        let bound = |order: &str| -> Option<i64> {
            let sql = format!("SELECT rowid FROM {} ORDER BY rowid {order} LIMIT 1", self.name);
            from.query_row(&sql, (), |row| row.get(0)).ok()
        };
        let (low, high) = (bound("ASC").unwrap_or(1), bound("DESC").unwrap_or(1 << 20));
        let mut open = vec![(low, high)];
        let mut looks = 0;
        while let Some((low, high)) = open.pop() {
            looks += 1;
            if low >= high || looks > MOST_LOOKS {
                continue;
            }
            let middle = low + (high - low) / 2;
            for (low, high) in [(low, middle), (middle + 1, high)] {
                if self.copy_along(from, to, "", &[low, high], salvaged).is_err() {
                    open.push((low, high));
                }
            }
        }
        false
    }

    /// Copies rows in one direction until they end or one cannot be read.
    fn copy_along(
        &self,
        from: &Connection,
        to: &Transaction<'_>,
        order: &str,
        range: &[i64],
        salvaged: &mut Salvaged,
    ) -> Worked<()> {
        let names: Vec<_> = self.columns.iter().map(|column| column.name.as_str()).collect();
        let (names, table, key) = (names.join(", "), &self.name, &self.key);
        let within = if range.is_empty() { "" } else { "WHERE rowid BETWEEN ?1 AND ?2" };
        let mut read =
            from.prepare(&format!("SELECT {names} FROM {table} {within} ORDER BY {key} {order}"))?;
        let places: Vec<_> = (1..=self.columns.len()).map(|n| format!("?{n}")).collect();
        let places = places.join(", ");
        let mut write =
            to.prepare_cached(&format!("INSERT OR IGNORE INTO {table} ({names}) VALUES ({places})"))?;
        let mut rows = read.query(params_from_iter(range))?;
        while let Some(row) = rows.next()? {
            let values =
                (0..self.columns.len()).map(|at| row.get::<_, Value>(at)).collect::<Result<Vec<_>, _>>();
            let kept = values.and_then(|values| write.execute(params_from_iter(values)));
            // A row of the wrong types is no row of ours any more.
            salvaged.dropped += u64::from(kept.is_err());
        }
        Ok(())
    }
}

/// A text that is not what its hash says was changed by the damage.
fn drop_changed_texts(rows: &Transaction<'_>, salvaged: &mut Salvaged) -> Worked<()> {
    let texts = all(rows, "SELECT sha256, text FROM contents", (), |row| {
        let (sha, text): (String, Vec<u8>) = (row.get(0)?, row.get(1)?);
        Ok((sha256_hex(&text) != sha || std::str::from_utf8(&text).is_err(), sha))
    })?;
    for (_, sha) in texts.into_iter().filter(|(is_changed, _)| *is_changed) {
        salvaged.dropped += rows.execute("DELETE FROM contents WHERE sha256 = ?1", [sha])? as u64;
    }
    Ok(())
}

/// Makes rows for asset files that have none: their bytes are there.
fn find_assets(rows: &Transaction<'_>, folder: &Path) -> Worked<()> {
    let shelves = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let files =
        shelves.flat_map(|shelf| fs::read_dir(shelf.path()).into_iter().flatten().filter_map(Result::ok));
    for file in files {
        let Some(id) = file.file_name().to_str().and_then(AssetId::parse) else { continue };
        let is_known =
            rows.prepare_cached("SELECT 1 FROM assets WHERE sha256 = ?1")?.exists([id.as_str()])?;
        let Ok(bytes) = fs::read(file.path()) else { continue };
        if is_known || sha256_hex(&bytes) != id.as_str() {
            continue;
        }
        let (mime, extension) = type_of(&bytes);
        let sql = "INSERT INTO assets (sha256, mime, extension, bytes, created_at_ms, put_at_ms)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?5)";
        rows.execute(sql, (id.as_str(), mime, extension, bytes.len() as i64, now_ms()))?;
    }
    Ok(())
}

fn type_of(bytes: &[u8]) -> (&'static str, &'static str) {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => ("image/png", "png"),
        [0xFF, 0xD8, 0xFF, ..] => ("image/jpeg", "jpg"),
        [b'G', b'I', b'F', b'8', ..] => ("image/gif", "gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => ("image/webp", "webp"),
        [b'w', b'O', b'F', b'2', ..] => ("font/woff2", "woff2"),
        _ => ("application/octet-stream", "bin"),
    }
}

/// A project whose row is lost gets one again, so that what belongs to it stays.
fn name_lost_projects(rows: &Transaction<'_>) -> Worked<()> {
    let sql = "INSERT OR IGNORE INTO projects (id, name, created_at_ms, updated_at_ms)
               SELECT DISTINCT project, 'Recovered', ?1, ?1 FROM
                   (SELECT project FROM versions UNION SELECT project FROM runs UNION SELECT project FROM inputs)
               WHERE project IS NOT NULL AND project NOT IN (SELECT id FROM projects)";
    rows.execute(sql, [now_ms()])?;
    Ok(())
}

/// Lets go of what is missing: a reference that may be empty is emptied, a row that cannot do without goes.
fn loosen(rows: &Transaction<'_>, tables: &[Table], salvaged: &mut Salvaged) -> Worked<()> {
    loop {
        let mut changed = 0;
        for table in tables {
            for reference in references(rows, &table.name)? {
                let Reference { columns, parent, parent_columns } = reference;
                let pairs = columns.iter().zip(&parent_columns);
                let same: Vec<_> =
                    pairs.map(|(own, other)| format!("p.{other} = {}.{own}", table.name)).collect();
                let set: Vec<_> = columns.iter().map(|own| format!("{own} IS NOT NULL")).collect();
                let missing = format!(
                    "{} AND NOT EXISTS (SELECT 1 FROM {parent} AS p WHERE {})",
                    set.join(" AND "),
                    same.join(" AND ")
                );
                let can_be_empty = columns
                    .iter()
                    .all(|own| table.columns.iter().any(|column| column.name == *own && column.can_be_null));
                let emptied: Vec<_> = columns.iter().map(|own| format!("{own} = NULL")).collect();
                let sql = match can_be_empty {
                    true => format!("UPDATE {} SET {} WHERE {missing}", table.name, emptied.join(", ")),
                    false => format!("DELETE FROM {} WHERE {missing}", table.name),
                };
                changed += rows.execute(&sql, ())?;
            }
        }
        salvaged.dropped += changed as u64;
        if changed == 0 {
            return Ok(());
        }
    }
}

struct Reference {
    columns: Vec<String>,
    parent: String,
    parent_columns: Vec<String>,
}

fn references(rows: &Transaction<'_>, table: &str) -> Worked<Vec<Reference>> {
    let lines = all(rows, &format!("PRAGMA foreign_key_list({table})"), (), |row| {
        Ok((
            row.get::<_, i64>("id")?,
            row.get::<_, String>("table")?,
            row.get::<_, String>("from")?,
            row.get::<_, String>("to")?,
        ))
    })?;
    let mut found: Vec<(i64, Reference)> = Vec::new();
    for (id, parent, own, other) in lines {
        match found.iter_mut().find(|(known, _)| *known == id) {
            Some((_, reference)) => {
                reference.columns.push(own);
                reference.parent_columns.push(other);
            }
            None => {
                found.push((id, Reference { columns: vec![own], parent, parent_columns: vec![other] }));
            }
        }
    }
    Ok(found.into_iter().map(|(_, reference)| reference).collect())
}
