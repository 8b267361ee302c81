//! What runs spend: reserved before it is caused, then settled or released, exactly once each.

mod variants;

use std::collections::HashSet;

use facsimile_agent::{ProjectId, RunId};
use rusqlite::{Connection, OptionalExtension, Row, Transaction};

use crate::error::{StoreError, Worked};
use crate::history::HistoryStore;
use crate::rows::{all, as_column, change, count, found, now_ms, parsed};

pub use variants::{SpentByVariant, VariantSpent, request_key};

/// Billionths: sums of amounts must come out even.
const NANOS_PER_USD: f64 = 1e9;
const SUMS: &str = "coalesce(sum(reserved_nanos), 0) AS reserved, coalesce(sum(settled_nanos), 0) AS settled,
    coalesce(sum(released_nanos), 0) AS released,
    coalesce(sum(CASE state WHEN 'open' THEN reserved_nanos ELSE 0 END), 0) AS open";

/// What became of the wish to reserve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reserved {
    /// The amount is held, now or since an earlier call with the same key.
    Held,
    /// The entry was settled or released before; nothing changed.
    Closed,
    /// The cap does not allow it; nothing changed.
    CapReached,
}

/// Sums over entries, in billionths of a dollar: `reserved = settled + released + open`, always.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// All that was ever held.
    pub reserved_nanos: u64,
    /// What was really spent.
    pub settled_nanos: u64,
    /// What was given back.
    pub released_nanos: u64,
    /// What is held now.
    pub open_nanos: u64,
}

impl Spent {
    /// What was really spent, in dollars.
    pub fn settled_usd(&self) -> f64 {
        self.settled_nanos as f64 / NANOS_PER_USD
    }

    /// What is held now, in dollars.
    pub fn open_usd(&self) -> f64 {
        self.open_nanos as f64 / NANOS_PER_USD
    }
}

/// The spend ledger. An entry is named by its run and a key of the caller's, such as [`request_key`] or a task's id;
/// saying the same thing twice changes nothing, and the first of settling and releasing counts.
#[derive(Debug)]
pub struct Ledger<'a> {
    pub(crate) store: &'a HistoryStore,
}

impl Ledger<'_> {
    /// Holds an amount for something that will cost, unless settled and held together would pass the cap; a cap
    /// of 0 is none. An open entry can be raised this way and never shrinks.
    pub fn reserve(&self, run: RunId, key: &str, usd: f64, cap_usd: f64) -> Result<Reserved, StoreError> {
        let key = key.to_owned();
        self.store.write("reserve an amount", move |rows| reserve(rows, run, &key, nanos(usd), cap_usd))
    }

    /// Puts the true cost in the place of what was held; `false` if the entry was closed before. What was not
    /// reserved is settled all the same: it has been spent.
    pub fn settle(&self, run: RunId, key: &str, usd: f64) -> Result<bool, StoreError> {
        let key = key.to_owned();
        self.store.write("settle an amount", move |rows| settle(rows, run, &key, nanos(usd)))
    }

    /// Gives back what was held; `false` if there is no open entry.
    pub fn release(&self, run: RunId, key: &str) -> Result<bool, StoreError> {
        let key = key.to_owned();
        self.store.write("release an amount", move |rows| release(rows, run, &key))
    }

    /// Like [`reserve`](Self::reserve) without a cap, handed to the writer without waiting. A failure is logged
    /// and fails nobody.
    pub fn note_reserved(&self, run: RunId, key: &str, usd: f64) {
        let key = key.to_owned();
        self.note("reserve an amount", move |rows| reserve(rows, run, &key, nanos(usd), 0.0).map(drop));
    }

    /// Like [`settle`](Self::settle), handed to the writer without waiting. A failure is logged and fails nobody.
    pub fn note_settled(&self, run: RunId, key: &str, usd: f64) {
        let key = key.to_owned();
        self.note("settle an amount", move |rows| settle(rows, run, &key, nanos(usd)).map(drop));
    }

    /// Like [`release`](Self::release), handed to the writer without waiting. A failure is logged and fails
    /// nobody.
    pub fn note_released(&self, run: RunId, key: &str) {
        let key = key.to_owned();
        self.note("release an amount", move |rows| release(rows, run, &key).map(drop));
    }

    /// The sums of a run.
    pub fn of_run(&self, run: RunId) -> Result<Spent, StoreError> {
        self.store.read("read the ledger", move |connection| of_run(connection, run))
    }

    /// One entry of a run; `None` where nothing was reserved or settled under the key.
    pub fn of_entry(&self, run: RunId, key: &str) -> Result<Option<Spent>, StoreError> {
        let key = key.to_owned();
        self.store.read("read the ledger", move |connection| {
            let sql = format!("SELECT {SUMS} FROM ledger WHERE run = ?1 AND key = ?2 HAVING count(*) > 0");
            let entry = connection.prepare_cached(&sql)?.query_row((run.to_string(), key), spent);
            Ok(entry.optional()?)
        })
    }

    /// The sums of a project.
    pub fn of_project(&self, project: ProjectId) -> Result<Spent, StoreError> {
        self.store.read("read the ledger", move |connection| {
            let sql = format!("SELECT {SUMS} FROM ledger WHERE project = ?1");
            Ok(connection.prepare_cached(&sql)?.query_row([project.to_string()], spent)?)
        })
    }

    fn note(
        &self,
        operation: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> Worked<()> + Send + 'static,
    ) {
        if let Err(error) = self.store.write_unwatched(operation, work) {
            tracing::error!(%error, "the ledger misses a fact");
        }
    }
}

pub(crate) fn of_run(connection: &Connection, run: RunId) -> Worked<Spent> {
    let sql = format!("SELECT {SUMS} FROM ledger WHERE run = ?1");
    Ok(connection.prepare_cached(&sql)?.query_row([run.to_string()], spent)?)
}

/// Whether nothing is left of the cap.
pub(crate) fn is_spent(rows: &Transaction<'_>, run: RunId, cap_usd: f64) -> Worked<bool> {
    let Spent { settled_nanos, open_nanos, .. } = of_run(rows, run)?;
    Ok(cap_usd > 0.0 && settled_nanos.saturating_add(open_nanos) >= nanos(cap_usd))
}

pub(crate) fn reserve(
    rows: &Transaction<'_>,
    run: RunId,
    key: &str,
    wanted: u64,
    cap_usd: f64,
) -> Worked<Reserved> {
    let entry = entry(rows, run, key)?;
    let held = match entry {
        Some(Entry { is_open: false, .. }) => return Ok(Reserved::Closed),
        Some(Entry { reserved, .. }) => reserved,
        None => 0,
    };
    let more = wanted.saturating_sub(held);
    let Spent { settled_nanos, open_nanos, .. } = of_run(rows, run)?;
    let total = settled_nanos.saturating_add(open_nanos).saturating_add(more);
    // What costs nothing is never too much, even when the cap is passed already.
    if more > 0 && cap_usd > 0.0 && total > nanos(cap_usd) {
        return Ok(Reserved::CapReached);
    }
    if entry.is_some() {
        let sql = "UPDATE ledger SET reserved_nanos = ?3 WHERE run = ?1 AND key = ?2";
        change(rows, sql, (run.to_string(), key, as_column(held.saturating_add(more))))?;
    } else {
        open(rows, run, key, wanted)?;
    }
    Ok(Reserved::Held)
}

pub(crate) fn settle(rows: &Transaction<'_>, run: RunId, key: &str, spent: u64) -> Worked<bool> {
    let reserved = match entry(rows, run, key)? {
        Some(Entry { is_open: false, .. }) => return Ok(false),
        Some(Entry { reserved, .. }) => reserved,
        None => {
            open(rows, run, key, spent)?;
            spent
        }
    };
    // More than was held is held for the moment in which it is spent: the sums stay even.
    let reserved = reserved.max(spent);
    let sql = "UPDATE ledger SET state = 'settled', reserved_nanos = ?3, settled_nanos = ?4,
               released_nanos = ?3 - ?4, closed_at_ms = ?5 WHERE run = ?1 AND key = ?2";
    change(rows, sql, (run.to_string(), key, as_column(reserved), as_column(spent), now_ms()))?;
    Ok(true)
}

pub(crate) fn release(rows: &Transaction<'_>, run: RunId, key: &str) -> Worked<bool> {
    let sql = "UPDATE ledger SET state = 'released', released_nanos = reserved_nanos, closed_at_ms = ?3
               WHERE run = ?1 AND key = ?2 AND state = 'open'";
    Ok(change(rows, sql, (run.to_string(), key, now_ms()))? == 1)
}

/// Gives back all that runs of dead processes still hold.
pub(crate) fn release_of_dead(rows: &Transaction<'_>, living: &HashSet<String>) -> Worked<()> {
    let sql =
        "SELECT runs.id, opener, key FROM ledger JOIN runs ON runs.id = run WHERE ledger.state = 'open'";
    let open =
        all(rows, sql, (), |row| Ok((parsed(row, 0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?)))?;
    for (run, opener, key) in open {
        if !living.contains(&opener) {
            release(rows, run, &key)?;
        }
    }
    Ok(())
}

struct Entry {
    is_open: bool,
    reserved: u64,
}

fn entry(connection: &Connection, run: RunId, key: &str) -> Worked<Option<Entry>> {
    let sql = "SELECT state = 'open' AS is_open, reserved_nanos FROM ledger WHERE run = ?1 AND key = ?2";
    let entry = connection.prepare_cached(sql)?.query_row((run.to_string(), key), |row| {
        Ok(Entry { is_open: row.get("is_open")?, reserved: count(row, "reserved_nanos")? })
    });
    Ok(entry.optional()?)
}

fn open(rows: &Transaction<'_>, run: RunId, key: &str, reserved: u64) -> Worked<()> {
    let id = run.to_string();
    let sql = "SELECT project FROM runs WHERE id = ?1";
    let project: String = found(rows, "run", &id, sql, [&id], |row| row.get(0))?;
    let sql = "INSERT INTO ledger (project, run, key, state, reserved_nanos, opened_at_ms)
               VALUES (?1, ?2, ?3, 'open', ?4, ?5)";
    change(rows, sql, (project, id, key, as_column(reserved), now_ms())).map(drop)
}

fn spent(row: &Row<'_>) -> rusqlite::Result<Spent> {
    Ok(Spent {
        reserved_nanos: count(row, "reserved")?,
        settled_nanos: count(row, "settled")?,
        released_nanos: count(row, "released")?,
        open_nanos: count(row, "open")?,
    })
}

/// Rounded up: a cap must not be passed by fractions. What is no amount counts as nothing, and no amount is so
/// large that a sum of them could overflow a column.
pub(crate) fn nanos(usd: f64) -> u64 {
    const MOST_NANOS: f64 = 1e15;
    (usd * NANOS_PER_USD - 1e-6).ceil().clamp(0.0, MOST_NANOS) as u64
}
