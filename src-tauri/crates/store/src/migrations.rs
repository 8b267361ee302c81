//! Forward-only migrations: the database's `user_version` is the number of the last one it has seen.

use std::fs;
use std::path::Path;
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
pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration { name: "0001_first", sql: include_str!("../migrations/0001_first.sql") },
    Migration { name: "0002_keeping", sql: include_str!("../migrations/0002_keeping.sql") },
    Migration { name: "0003_pictures", sql: include_str!("../migrations/0003_pictures.sql") },
];

const BACKUP: &str = "facsimile-";
const UNFINISHED: &str = ".unfinished";
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
    let unfinished = folder.join(UNFINISHED);
    let failed = |path: &Path, source| StoreError::from_io("back up the history", path, source);
    if unfinished.exists() {
        fs::remove_file(&unfinished).map_err(|source| failed(&unfinished, source))?;
    }
    let mut copy = Connection::open(&unfinished)?;
    Backup::new(connection, &mut copy)?.run_to_completion(PAGES_PER_BACKUP_STEP, Duration::ZERO, None)?;
    copy.close().map_err(|(_, error)| error)?;
    let finished = folder.join(format!("{BACKUP}{:013}-schema-{schema}.db", now_ms()));
    fs::File::open(&unfinished)
        .and_then(|file| file.sync_all())
        .and_then(|()| fs::rename(&unfinished, &finished))
        .map_err(|source| failed(&finished, source))?;
    remove_all_but_newest(folder, KEPT_BACKUPS).map_err(|source| failed(folder, source).into())
}

/// Removes backups until the newest `kept` are left; a file that is not ours stays.
pub(crate) fn remove_all_but_newest(folder: &Path, kept: usize) -> std::io::Result<()> {
    let names: Vec<_> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.file_name())).collect::<Result<_, _>>()?;
    let mut ours: Vec<_> =
        names.iter().filter_map(|name| name.to_str()).filter(|name| is_ours(name)).collect();
    // The time is in the name; an unfinished backup counts as the oldest.
    ours.sort_unstable();
    for name in ours.iter().rev().skip(kept) {
        fs::remove_file(folder.join(name))?;
    }
    Ok(())
}

fn is_ours(name: &str) -> bool {
    name.starts_with(UNFINISHED) || name.starts_with(BACKUP)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    const FIRST: Migration =
        Migration { name: "first", sql: "CREATE TABLE a (x); INSERT INTO a VALUES (1);" };
    const SECOND: Migration =
        Migration { name: "second", sql: "INSERT INTO a VALUES (2); CREATE TABLE b (y);" };
    const BROKEN: Migration = Migration { name: "broken", sql: "DROP TABLE a; CREATE TABLE nonsense;" };

    fn values(connection: &Connection) -> Vec<i64> {
        crate::rows::all(connection, "SELECT x FROM a ORDER BY x", (), |row| row.get(0)).unwrap()
    }

    fn backups(folder: &Path) -> Vec<Vec<i64>> {
        let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "db" && path.is_file()));
        paths.iter().map(|path| values(&Connection::open(path).unwrap())).collect()
    }

    #[test]
    fn an_existing_database_is_backed_up_before_it_is_changed_and_a_new_one_is_not() {
        let folder = TempDir::new().unwrap();
        let database = folder.path().join("live").join("x.db");
        fs::create_dir(database.parent().unwrap()).unwrap();
        let mut connection = Connection::open(&database).unwrap();
        migrate(&mut connection, &[FIRST], &database, Some(folder.path())).unwrap();
        let after_first = backups(folder.path());

        migrate(&mut connection, &[FIRST, SECOND], &database, Some(folder.path())).unwrap();
        migrate(&mut connection, &[FIRST, SECOND], &database, Some(folder.path())).unwrap();

        assert_eq!((after_first, backups(folder.path())), (vec![], vec![vec![1]]));
        assert_eq!((values(&connection), schema_of(&connection).unwrap()), (vec![1, 2], 2));
    }

    #[test]
    fn a_migration_that_fails_leaves_the_schema_and_the_rows_of_the_step_before() {
        let mut connection = Connection::open_in_memory().unwrap();
        let database = Path::new("x.db");

        let refused = migrate(&mut connection, &[FIRST, SECOND, BROKEN], database, None).is_err();

        assert_eq!((refused, values(&connection), schema_of(&connection).unwrap()), (true, vec![1, 2], 2));
    }

    #[test]
    fn the_newest_three_backups_stay_and_foreign_files_too() {
        let folder = TempDir::new().unwrap();
        let ours: Vec<_> = (1..=5).map(|n| format!("{BACKUP}{n:013}-schema-1.db")).collect();
        ours.iter().map(String::as_str).chain([UNFINISHED, "mine.db"]).for_each(|name| {
            fs::write(folder.path().join(name), "").unwrap();
        });

        remove_all_but_newest(folder.path(), KEPT_BACKUPS).unwrap();

        let mut left: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, [ours[2].as_str(), &ours[3], &ours[4], "mine.db"]);
    }
}
