//! The handle that everything else in the store hangs on.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::assets::{AssetFiles, Assets};
use crate::batch::{Appended, RefusalOf};
use crate::connection::{ReadingPool, open_writing, refuse_other_file};
use crate::copies::Copies;
use crate::error::{StoreError, Worked};
use crate::events::Events;
use crate::inputs::Inputs;
use crate::ledger::Ledger;
use crate::liveness::{LiveMark, OpeningTurn};
use crate::messages::Messages;
use crate::place::Place;
use crate::project_values::ProjectValues;
use crate::projects::Projects;
use crate::rounds::Rounds;
use crate::runs::Runs;
use crate::scores::Scores;
use crate::settings::Settings;
use crate::steps::Steps;
use crate::tasks::Tasks;
use crate::turns::Turns;
use crate::versions::Versions;
use crate::writer::{Job, Writer};

const OPEN: &str = "open the history";
const FOLDERS: [&str; 4] = ["assets", "backups", "live", "logs"];
/// The mark of runs that live and die with the process's memory.
const NOBODY: &str = "memory";

/// How long another program may hold the database before a write gives up.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// All that the program remembers. A handle is cheap to clone; dropping the last one finishes every write that
/// was asked for. Calls block, if only for moments: an async caller moves them to a blocking thread.
#[derive(Clone)]
pub struct HistoryStore {
    inner: Arc<Inner>,
}

struct Inner {
    // The order is the order of dropping: the mark goes last, when nothing is written any more.
    writer: Option<Writer>,
    reading: Reading,
    assets: AssetFiles,
    place: Place,
    mark: Option<LiveMark>,
}

enum Reading {
    /// Readers have connections of their own and never wait for the writer.
    Pool(ReadingPool),
    /// A database in memory has one connection; reading waits its turn.
    ThroughWriter,
}

impl fmt::Debug for HistoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HistoryStore").field("place", &self.inner.place).finish_non_exhaustive()
    }
}

impl HistoryStore {
    /// Opens the store in a data folder, which is made if there is none; an older schema is migrated.
    pub fn open(data_folder: &Path) -> Result<Self, StoreError> {
        Self::open_with_patience(data_folder, BUSY_TIMEOUT)
    }

    /// Like [`open`](Self::open), with another time to wait for a database that another program holds.
    pub fn open_with_patience(data_folder: &Path, busy_timeout: Duration) -> Result<Self, StoreError> {
        for name in FOLDERS {
            let folder = data_folder.join(name);
            fs::create_dir_all(&folder).map_err(|source| StoreError::from_io(OPEN, folder, source))?;
        }
        let place = Place::Folder(data_folder.to_owned());
        let explain = |stop| place.explain(OPEN, stop);
        let _turn = OpeningTurn::wait(data_folder);
        let mut connection = open_writing(&place, busy_timeout).map_err(explain)?;
        let mark = leave_mark(&mut connection, &data_folder.join("live")).map_err(explain)?;
        let writer = Writer::start(connection, place.clone())?;
        Ok(Self::of(Inner {
            writer: Some(writer),
            reading: Reading::Pool(ReadingPool::new(place.clone(), busy_timeout)),
            assets: AssetFiles::in_folder(data_folder.join("assets")),
            place,
            mark: Some(mark),
        }))
    }

    /// Opens an existing store that this program may read but must not write, such as one of a newer schema.
    pub fn open_for_reading(data_folder: &Path) -> Result<Self, StoreError> {
        let place = Place::Folder(data_folder.to_owned());
        refuse_other_file(&place.database())?;
        let reading = ReadingPool::new(place.clone(), BUSY_TIMEOUT);
        reading
            .with(|connection| Ok(crate::migrations::schema_of(connection)?))
            .map_err(|stop| place.explain(OPEN, stop))?;
        Ok(Self::of(Inner {
            writer: None,
            reading: Reading::Pool(reading),
            assets: AssetFiles::in_folder(data_folder.join("assets")),
            place,
            mark: None,
        }))
    }

    /// A store that touches no disk and ends with its last handle.
    pub fn in_memory() -> Result<Self, StoreError> {
        let place = Place::Memory;
        let connection = open_writing(&place, BUSY_TIMEOUT).map_err(|stop| place.explain(OPEN, stop))?;
        let writer = Writer::start(connection, place.clone())?;
        Ok(Self::of(Inner {
            writer: Some(writer),
            reading: Reading::ThroughWriter,
            assets: AssetFiles::in_memory(),
            place,
            mark: None,
        }))
    }

    fn of(inner: Inner) -> Self {
        Self { inner: Arc::new(inner) }
    }

    /// Waits until everything asked for so far is saved. An error says that events are not: those the disk
    /// refused stay queued and are tried again, those out of order are gone and are told of once.
    pub fn flush(&self) -> Result<(), StoreError> {
        self.flush_events(RefusalOf::Any)
    }

    /// The data folder; `None` for a store in memory.
    pub fn data_folder(&self) -> Option<&Path> {
        match &self.inner.place {
            Place::Folder(folder) => Some(folder),
            Place::Memory => None,
        }
    }

    /// Looks through the whole database and gives what is wrong with it, line by line; empty means sound.
    pub fn damage(&self) -> Result<Vec<String>, StoreError> {
        self.read("check the history", |connection| {
            let mut lines =
                crate::rows::all(connection, "PRAGMA integrity_check", (), |row| row.get::<_, String>(0))?;
            lines.retain(|line| line != "ok");
            let loose =
                crate::rows::all(connection, "PRAGMA foreign_key_check", (), |row| row.get::<_, String>(0))?;
            lines.extend(loose.into_iter().map(|table| format!("a row of {table} points to nothing")));
            Ok(lines)
        })
    }

    /// Designs and their list.
    pub fn projects(&self) -> Projects<'_> {
        Projects { store: self }
    }

    /// Pictures that projects were given.
    pub fn inputs(&self) -> Inputs<'_> {
        Inputs { store: self }
    }

    /// What was asked for, and what came of it.
    pub fn turns(&self) -> Turns<'_> {
        Turns { store: self }
    }

    /// Runs and their variants.
    pub fn runs(&self) -> Runs<'_> {
        Runs { store: self }
    }

    /// What each model reply took.
    pub fn rounds(&self) -> Rounds<'_> {
        Rounds { store: self }
    }

    /// The recorded events of runs.
    pub fn events(&self) -> Events<'_> {
        Events { store: self }
    }

    /// Kept files, as a tree of versions.
    pub fn versions(&self) -> Versions<'_> {
        Versions { store: self }
    }

    /// Pictures and fonts, stored once by the hash of their bytes.
    pub fn assets(&self) -> Assets<'_> {
        Assets { store: self }
    }

    /// Projects that go out and come in.
    pub fn copies(&self) -> Copies<'_> {
        Copies { store: self }
    }

    /// What the user chose.
    pub fn settings(&self) -> Settings<'_> {
        Settings { store: self }
    }

    /// What was chosen for single projects.
    pub fn project_values(&self) -> ProjectValues<'_> {
        ProjectValues { store: self }
    }

    /// Which versions are open, and the steps there and back.
    pub fn steps(&self) -> Steps<'_> {
        Steps { store: self }
    }

    /// How faithful versions are.
    pub fn scores(&self) -> Scores<'_> {
        Scores { store: self }
    }

    /// Conversations with models, as their vendors want them back.
    pub fn messages(&self) -> Messages<'_> {
        Messages { store: self }
    }

    /// Long jobs.
    pub fn tasks(&self) -> Tasks<'_> {
        Tasks { store: self }
    }

    /// What runs spend.
    pub fn ledger(&self) -> Ledger<'_> {
        Ledger { store: self }
    }

    pub(crate) fn asset_files(&self) -> &AssetFiles {
        &self.inner.assets
    }

    /// The name under which this process's runs are recorded.
    pub(crate) fn opener(&self) -> String {
        self.inner.mark.as_ref().map_or(NOBODY, LiveMark::name).to_owned()
    }

    /// The path of a name in the data folder; none for a store in memory.
    pub fn folder(&self, name: &str) -> Option<PathBuf> {
        self.data_folder().map(|folder| folder.join(name))
    }

    pub(crate) fn writer(&self, operation: &'static str) -> Result<&Writer, StoreError> {
        self.inner.writer.as_ref().ok_or(StoreError::OpenedForReading { operation })
    }

    pub(crate) fn append(&self, appended: Appended) -> Result<(), StoreError> {
        let operation = "save the events of a run";
        self.writer(operation)?.ask(operation, Job::Append(appended))
    }

    pub(crate) fn flush_events(&self, refusals: RefusalOf) -> Result<(), StoreError> {
        let operation = "save the events of a run";
        let (answer, answered) = mpsc::sync_channel(1);
        self.writer(operation)?.ask(operation, Job::Flush { refusals, answer })?;
        answered.recv().unwrap_or(Err(StoreError::Closed { operation }))
    }

    /// Does `work` in one transaction on the writer's thread and waits for it.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        operation: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> Worked<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.on_writer(operation, |connection| in_transaction(connection, work))
    }

    /// Like [`write`](Self::write) without waiting; a failure of the work is logged.
    pub(crate) fn write_unwatched(
        &self,
        operation: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> Worked<()> + Send + 'static,
    ) -> Result<(), StoreError> {
        let place = self.inner.place.clone();
        let work = move |connection: Result<&mut Connection, StoreError>| {
            let done = connection
                .and_then(|open| in_transaction(open, work).map_err(|stop| place.explain(operation, stop)));
            if let Err(error) = done {
                tracing::error!(%error, "something was not saved");
            }
        };
        self.writer(operation)?.ask(operation, Job::Work(Box::new(work)))
    }

    /// Does `work` on the writer's thread, outside any transaction.
    pub(crate) fn on_writer<T: Send + 'static>(
        &self,
        operation: &'static str,
        work: impl FnOnce(&mut Connection) -> Worked<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = mpsc::sync_channel(1);
        let place = self.inner.place.clone();
        let work = move |connection: Result<&mut Connection, StoreError>| {
            let done = connection.and_then(|open| work(open).map_err(|stop| place.explain(operation, stop)));
            // The caller waits below and cannot have gone.
            let _ = answer.send(done);
        };
        self.writer(operation)?.ask(operation, Job::Work(Box::new(work)))?;
        answered.recv().unwrap_or(Err(StoreError::Closed { operation }))
    }

    /// Does `work` on one unchanging view of the database.
    pub(crate) fn read<T: Send + 'static>(
        &self,
        operation: &'static str,
        work: impl FnOnce(&Connection) -> Worked<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let in_one_view = |connection: &mut Connection| {
            let view = connection.transaction()?;
            work(&view)
        };
        match &self.inner.reading {
            Reading::ThroughWriter => self.on_writer(operation, in_one_view),
            Reading::Pool(pool) => {
                let read = pool.with(in_one_view).map_err(|stop| self.inner.place.explain(operation, stop));
                read.inspect_err(|error| self.note_damage(error))
            }
        }
    }
}

fn in_transaction<T>(
    connection: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> Worked<T>,
) -> Worked<T> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done = work(&transaction)?;
    transaction.commit()?;
    Ok(done)
}

fn leave_mark(connection: &mut Connection, folder: &Path) -> Worked<LiveMark> {
    let lock = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mark = LiveMark::leave(folder).map_err(|source| StoreError::from_io(OPEN, folder, source))?;
    lock.commit()?;
    Ok(mark)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use tempfile::TempDir;

    use super::*;

    #[test]
    fn a_reader_does_not_wait_for_a_write_under_way() {
        let folder = TempDir::new().unwrap();
        let store = HistoryStore::open(folder.path()).unwrap();
        store.settings().set("key", &"before").unwrap();
        let (begun, has_begun) = mpsc::channel();
        let (release, released) = mpsc::channel();
        let writing = store.clone();
        let writer = thread::spawn(move || {
            writing.write("test", move |rows| {
                crate::rows::change(rows, "UPDATE settings SET value = '\"after\"'", ())?;
                begun.send(()).unwrap();
                released.recv().unwrap();
                Ok(())
            })
        });
        has_begun.recv().unwrap();

        let during = store.settings().get::<String>("key").unwrap();
        release.send(()).unwrap();
        writer.join().unwrap().unwrap();

        assert_eq!(during.as_deref(), Some("before"));
        assert_eq!(store.settings().get::<String>("key").unwrap().as_deref(), Some("after"));
    }

    #[test]
    fn a_write_that_fails_leaves_nothing_behind() {
        let store = HistoryStore::in_memory().unwrap();

        let failed = store.write("test", |rows| {
            crate::rows::change(rows, "INSERT INTO settings VALUES ('key', '1')", ())?;
            Err::<(), _>(StoreError::not_found("thing", 1).into())
        });

        assert!(matches!(failed, Err(StoreError::NotFound { what: "thing", .. })), "{failed:?}");
        assert_eq!(store.settings().get::<u32>("key").unwrap(), None);
    }
}
