//! Forward-only migrations: the database's `user_version` is the number of the last one it has seen.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::Backup;
use rusqlite::{Connection, TransactionBehavior};

use crate::error::{StoreError, Worked};
use crate::rows::now_ms;

/// One step of the schema. Its number is its place in the list, counted from 1.
pub(crate) struct Migration {
    pub(crate) name: &'static str,
    pub(crate) sql: &'static str,
}

/// Every step since the first release.
pub(crate) const MIGRATIONS: &[Migration] =
    &[Migration { name: "0001_first", sql: include_str!("../migrations/0001_first.sql") }];

const KEPT_BACKUPS: usize = 3;
const PAGES_PER_BACKUP_STEP: i32 = 1024;

pub(crate) fn schema_of(connection: &Connection) -> rusqlite::Result<u32> {
    connection.query_row("PRAGMA user_version", (), |row| row.get(0))
}

/// Refuses a database that a later program wrote, before anything is written to it.
pub(crate) fn refuse_newer(connection: &Connection, database: &Path, migrations: &[Migration]) -> Worked<()> {
    let (found, known) = (schema_of(connection)?, number_of(migrations));
    if found > known {
        return Err(StoreError::NewerSchema { path: database.to_owned(), found, known }.into());
    }
    Ok(())
}

/// Brings a database to the newest schema, each step in one transaction. An existing one is first copied into
/// `backups`, if there is such a folder.
pub(crate) fn migrate(
    connection: &mut Connection,
    migrations: &[Migration],
    database: &Path,
    backups: Option<&Path>,
) -> Worked<()> {
    let found = schema_of(connection)?;
    if found == number_of(migrations) {
        return Ok(());
    }
    match (found, backups) {
        (0, _) => refuse_foreign(connection, database)?,
        (_, Some(folder)) => back_up(connection, folder, found)?,
        (_, None) => {}
    }
    for (number, migration) in (1..).zip(migrations) {
        let step = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Read again under the lock: another process may have been faster.
        if schema_of(&step)? >= number {
            continue;
        }
        tracing::info!(migration = migration.name, "changing the database's schema");
        step.execute_batch(migration.sql)?;
        step.pragma_update(None, "user_version", number)?;
        step.commit()?;
    }
    Ok(())
}

fn number_of(migrations: &[Migration]) -> u32 {
    u32::try_from(migrations.len()).unwrap_or(u32::MAX)
}

fn refuse_foreign(connection: &Connection, database: &Path) -> Worked<()> {
    let tables: u32 = connection.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))?;
    // Tables and a schema of 0 at once: not ours, unless another process migrated in between.
    if tables > 0 && schema_of(connection)? == 0 {
        return Err(StoreError::Damaged {
            operation: "open the history",
            path: database.to_owned(),
            detail: "it is the database of another program".to_owned(),
        }
        .into());
    }
    Ok(())
}

fn back_up(connection: &Connection, folder: &Path, schema: u32) -> Worked<()> {
    let unfinished = folder.join(".unfinished");
    let failed = |path: &Path, source| StoreError::from_io("back up the history", path, source);
    if unfinished.exists() {
        fs::remove_file(&unfinished).map_err(|source| failed(&unfinished, source))?;
    }
    let mut copy = Connection::open(&unfinished)?;
    Backup::new(connection, &mut copy)?.run_to_completion(PAGES_PER_BACKUP_STEP, Duration::ZERO, None)?;
    copy.close().map_err(|(_, error)| error)?;
    let finished = folder.join(format!("schema-{schema}-{:013}.db", now_ms()));
    fs::File::open(&unfinished)
        .and_then(|file| file.sync_all())
        .and_then(|()| fs::rename(&unfinished, &finished))
        .map_err(|source| failed(&finished, source))?;
    remove_all_but_newest(folder, KEPT_BACKUPS).map_err(|source| failed(folder, source).into())
}

/// Removes backups, oldest first, until `kept` are left.
pub(crate) fn remove_all_but_newest(folder: &Path, kept: usize) -> std::io::Result<()> {
    let mut backups: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    backups.retain(|path| path.extension().is_some_and(|extension| extension == "db"));
    backups.sort_by_key(|path| path.file_name().map(|name| name.to_owned()));
    for path in backups.iter().rev().skip(kept) {
        fs::remove_file(path)?;
    }
    Ok(())
}
