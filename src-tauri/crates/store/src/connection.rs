//! Connections to the database: one that writes, and as many that read as are needed at once.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::error::{StoreError, Worked};
use crate::migrations::{MIGRATIONS, migrate, refuse_newer};
use crate::place::Place;

const MAGIC: &[u8; 16] = b"SQLite format 3\0";
const KEPT_WAL_BYTES: i64 = 16 * 1024 * 1024;
const KEPT_STATEMENTS: usize = 64;

/// Opens the one connection that writes, with the newest schema.
pub(crate) fn open_writing(place: &Place, busy_timeout: Duration) -> Worked<Connection> {
    let (mut connection, backups) = match place {
        Place::Memory => (Connection::open_in_memory()?, None),
        Place::Folder(folder) => {
            refuse_other_file(&place.database())?;
            (Connection::open(place.database())?, Some(folder.join("backups")))
        }
    };
    connection.busy_timeout(busy_timeout)?;
    refuse_newer(&connection, &place.database(), MIGRATIONS)?;
    if connection.is_readonly("main")? {
        return Err(StoreError::ReadOnly { operation: "open the history", path: place.database() }.into());
    }
    connection.query_row("PRAGMA journal_mode = WAL", (), |row| row.get::<_, String>(0))?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    connection.pragma_update(None, "secure_delete", "ON")?;
    connection.pragma_update(None, "journal_size_limit", KEPT_WAL_BYTES)?;
    connection.set_prepared_statement_cache_capacity(KEPT_STATEMENTS);
    migrate(&mut connection, MIGRATIONS, &place.database(), backups.as_deref())?;
    Ok(connection)
}

/// A file without a database's first bytes is left alone: SQLite would take a short one for an empty database.
pub(crate) fn refuse_other_file(database: &Path) -> Result<(), StoreError> {
    let operation = "open the history";
    let mut head = Vec::new();
    match fs::File::open(database) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        file => file.and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut head)),
    }
    .map_err(|source| StoreError::from_io(operation, database, source))?;
    if head.is_empty() || head == MAGIC {
        return Ok(());
    }
    let detail = "it does not start like a database".to_owned();
    Err(StoreError::Damaged { operation, path: database.to_owned(), detail })
}

/// Connections that only read. One is made when all others are busy, so that no reader waits for another.
#[derive(Debug)]
pub(crate) struct ReadingPool {
    place: Place,
    busy_timeout: Duration,
    idle: Mutex<Vec<Connection>>,
}

impl ReadingPool {
    pub(crate) fn new(place: Place, busy_timeout: Duration) -> Self {
        Self { place, busy_timeout, idle: Mutex::new(Vec::new()) }
    }

    /// Lends a connection to `work`.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut Connection) -> Worked<T>) -> Worked<T> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut connection = idle.map_or_else(|| self.open(), Ok)?;
        let done = work(&mut connection);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        done
    }

    fn open(&self) -> Worked<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(self.place.database(), flags)?;
        connection.busy_timeout(self.busy_timeout)?;
        connection.pragma_update(None, "query_only", "ON")?;
        connection.set_prepared_statement_cache_capacity(KEPT_STATEMENTS);
        Ok(connection)
    }
}
