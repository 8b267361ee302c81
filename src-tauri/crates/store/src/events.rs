//! The recorded events of runs: what a window replays.

use facsimile_agent::RunId;
use rusqlite::Connection;

use crate::batch::Appended;
use crate::error::{StoreError, Worked};
use crate::history::HistoryStore;
use crate::rows::{all, as_column, count};

/// One event as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    /// Its place in the run, counted from 1 without gaps.
    pub seq: u64,
    /// Its wire form.
    pub json: String,
}

/// The events of runs.
#[derive(Debug)]
pub struct Events<'a> {
    pub(crate) store: &'a HistoryStore,
}

impl Events<'_> {
    /// Hands events to the writer and returns at once; they are saved together with others within a tenth of a
    /// second. They must continue the run's numbers. Whether they are saved is what
    /// [`flush`](HistoryStore::flush) and the end of the run say.
    pub fn append(&self, run: RunId, events: Vec<(u64, String)>) -> Result<(), StoreError> {
        self.store.append(Appended { run, events })
    }

    /// The saved events after `seq`, in order; 0 gives all.
    pub fn since(&self, run: RunId, seq: u64) -> Result<Vec<StoredEvent>, StoreError> {
        self.store.read("read the events of a run", move |connection| since(connection, run, seq))
    }

    /// The number of the last saved event; 0 if there is none.
    pub fn last_seq(&self, run: RunId) -> Result<u64, StoreError> {
        self.store.read("read the events of a run", move |connection| {
            let sql = "SELECT coalesce(max(seq), 0) FROM events WHERE run = ?1";
            Ok(connection.prepare_cached(sql)?.query_row([run.to_string()], |row| count(row, 0))?)
        })
    }
}

pub(crate) fn since(connection: &Connection, run: RunId, seq: u64) -> Worked<Vec<StoredEvent>> {
    let sql = "SELECT seq, json FROM events WHERE run = ?1 AND seq > ?2 ORDER BY seq";
    all(connection, sql, (run.to_string(), as_column(seq)), |row| {
        Ok(StoredEvent { seq: count(row, "seq")?, json: row.get("json")? })
    })
}
