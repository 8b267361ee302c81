//! Events on their way to the disk: gathered for a moment, then saved in one transaction.

use std::collections::HashMap;
use std::mem;
use std::time::{Duration, Instant};

use facsimile_agent::RunId;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};

use crate::error::{StoreError, Worked};
use crate::rows::as_column;

const LONGEST_WAIT: Duration = Duration::from_millis(100);
const WAIT_AFTER_FAILURE: Duration = Duration::from_secs(1);
const LARGEST_BATCH_BYTES: usize = 4 * 1024 * 1024;

/// One call's worth of events.
pub(crate) struct Appended {
    pub(crate) run: RunId,
    pub(crate) events: Vec<(u64, String)>,
}

/// Events that are not on disk yet, and the refusals nobody has heard of yet.
#[derive(Default)]
pub(crate) struct Batch {
    waiting: Vec<Appended>,
    bytes: usize,
    due: Option<Instant>,
    refused: Vec<(RunId, StoreError)>,
}

impl Batch {
    /// Takes events in; they are due a moment after the first of them.
    pub(crate) fn push(&mut self, appended: Appended) {
        self.bytes += appended.events.iter().map(|(_, json)| json.len()).sum::<usize>();
        self.waiting.push(appended);
        let due = Instant::now() + LONGEST_WAIT;
        self.due.get_or_insert(due);
        if self.bytes > LARGEST_BATCH_BYTES {
            self.due = Some(Instant::now());
        }
    }

    /// When the events must be saved; `None` while there are none.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Saves what waits. What the disk refuses stays and is tried again; what can never be saved is dropped and
    /// its refusal kept.
    pub(crate) fn save(&mut self, connection: &mut Connection) -> Worked<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let saved = save_in_one_transaction(connection, &self.waiting);
        if saved.is_err() {
            // A full or locked disk stays so for a while; large batches must not spin on it.
            self.bytes = 0;
            self.due = Some(Instant::now() + WAIT_AFTER_FAILURE);
        }
        for (run, error) in saved? {
            tracing::warn!(%error, "events were refused");
            self.refused.push((run, error));
        }
        self.waiting.clear();
        self.bytes = 0;
        self.due = None;
        Ok(())
    }

    /// Hands over the first refusal, for one run or for any, and forgets it.
    pub(crate) fn take_refusal(&mut self, of: RefusalOf) -> Result<(), StoreError> {
        let concerned = |run: RunId| match of {
            RefusalOf::Any => true,
            RefusalOf::Run(wanted) => run == wanted,
        };
        let (taken, left) =
            mem::take(&mut self.refused).into_iter().partition::<Vec<_>, _>(|(run, _)| concerned(*run));
        self.refused = left;
        taken.into_iter().next().map_or(Ok(()), |(_, error)| Err(error))
    }
}

/// Whose refused events are asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RefusalOf {
    Any,
    Run(RunId),
}

fn save_in_one_transaction(
    connection: &mut Connection,
    waiting: &[Appended],
) -> Worked<Vec<(RunId, StoreError)>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut next_seqs = HashMap::new();
    let mut refused = Vec::new();
    for Appended { run, events } in waiting {
        let next = match next_seqs.get(run) {
            Some(next) => *next,
            None => next_seq(&transaction, *run)?,
        };
        let Some(next) = next else {
            refused.push((*run, StoreError::not_found("run", run)));
            continue;
        };
        let (next, refusal) = insert(&transaction, *run, next, events)?;
        next_seqs.insert(*run, Some(next));
        refused.extend(refusal.map(|error| (*run, error)));
    }
    transaction.commit()?;
    Ok(refused)
}

fn next_seq(transaction: &Transaction<'_>, run: RunId) -> Worked<Option<u64>> {
    let last: Option<Option<u64>> = transaction
        .prepare_cached("SELECT (SELECT max(seq) FROM events WHERE run = runs.id) FROM runs WHERE id = ?1")?
        .query_row([run.to_string()], |row| row.get::<_, Option<i64>>(0))
        .optional()?
        .map(|last| last.and_then(|seq| u64::try_from(seq).ok()));
    Ok(last.map(|seq| seq.unwrap_or(0) + 1))
}

/// Inserts events as long as they follow each other, and gives the number that comes next.
pub(crate) fn insert(
    transaction: &Transaction<'_>,
    run: RunId,
    mut next: u64,
    events: &[(u64, String)],
) -> Worked<(u64, Option<StoreError>)> {
    let run_text = run.to_string();
    let mut statement =
        transaction.prepare_cached("INSERT INTO events (run, seq, json) VALUES (?1, ?2, ?3)")?;
    for (seq, json) in events {
        if *seq != next {
            return Ok((next, Some(StoreError::EventOrder { run, expected: next, got: *seq })));
        }
        statement.execute((&run_text, as_column(*seq), json))?;
        next += 1;
    }
    Ok((next, None))
}

#[cfg(test)]
mod tests {
    use facsimile_agent::ProjectId;

    use super::*;
    use crate::connection::open_writing;
    use crate::place::Place;

    fn connection_with_run(run: RunId) -> Connection {
        let connection = open_writing(&Place::Memory, Duration::ZERO).unwrap();
        let (project, run) = (ProjectId::fresh().to_string(), run.to_string());
        connection
            .execute(
                "INSERT INTO projects (id, name, created_at_ms, updated_at_ms) VALUES (?1, '', 0, 0)",
                [&project],
            )
            .unwrap();
        connection.execute("INSERT INTO turns (id, project, kind, instruction, created_at_ms) VALUES ('t', ?1, 'create', '', 0)", [&project]).unwrap();
        connection.execute("INSERT INTO runs (id, project, turn, request, state, opener, started_at_ms) VALUES (?1, ?2, 't', 'null', 'running', '', 0)", [run, project]).unwrap();
        connection
    }

    fn seqs(connection: &Connection) -> Vec<i64> {
        crate::rows::all(connection, "SELECT seq FROM events ORDER BY seq", (), |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_batch_is_saved_whole_or_stays_whole_until_the_fault_is_gone() {
        let run = RunId::fresh();
        let mut connection = connection_with_run(run);
        connection
            .execute_batch("CREATE TRIGGER fault BEFORE INSERT ON events WHEN new.seq = 5 BEGIN SELECT RAISE(ABORT, 'fault'); END")
            .unwrap();
        let mut batch = Batch::default();
        for first in [1, 4, 7] {
            batch.push(Appended {
                run,
                events: (first..first + 3).map(|seq| (seq, "{}".to_owned())).collect(),
            });
        }

        let refused = batch.save(&mut connection).is_err();
        let (saved_at_fault, is_due_again) = (seqs(&connection), batch.due().is_some());
        connection.execute_batch("DROP TRIGGER fault").unwrap();
        batch.save(&mut connection).unwrap();

        assert_eq!((refused, saved_at_fault, is_due_again), (true, vec![], true));
        assert_eq!((seqs(&connection), batch.due()), ((1..=9).collect(), None));
    }

    #[test]
    fn a_batch_is_due_a_tenth_of_a_second_after_its_first_event_however_many_follow() {
        let run = RunId::fresh();
        let mut batch = Batch::default();
        let before = Instant::now();
        batch.push(Appended { run, events: vec![(1, "{}".to_owned())] });
        let first_due = batch.due().unwrap();
        batch.push(Appended { run, events: vec![(2, "{}".to_owned())] });

        assert_eq!(batch.due(), Some(first_due));
        assert!((before + LONGEST_WAIT..=Instant::now() + LONGEST_WAIT).contains(&first_due));
    }
}
