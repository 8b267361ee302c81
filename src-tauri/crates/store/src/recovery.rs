//! After a crash: what was still going on is marked as interrupted.

use std::collections::HashSet;

use facsimile_agent::{ProjectId, RunId, RunStatus, TurnId, VariantIndex};
use rusqlite::Transaction;

use crate::error::{StoreError, Worked};
use crate::history::HistoryStore;
use crate::liveness::living_others;
use crate::rows::{all, count, parsed};
use crate::{runs, variants};

/// A run that was found unfinished, as it stands now. Its events are not ended yet: that is the caller's part,
/// from `last_seq` on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterruptedRun {
    /// The run.
    pub run: RunId,
    /// The design.
    pub project: ProjectId,
    /// The turn it executed.
    pub turn: TurnId,
    /// Its state now: interrupted, or succeeded if a variant had been finished in time.
    pub state: RunStatus,
    /// The number of the last saved event; 0 if there is none.
    pub last_seq: u64,
    /// The variants that were cut off.
    pub interrupted: Vec<VariantIndex>,
    /// The states of all variants as they stand now, in order.
    pub variants: Vec<(VariantIndex, RunStatus)>,
}

impl HistoryStore {
    /// Marks as interrupted all that is still going on, except in other processes that are alive. For start-up,
    /// before the first run; gives the runs concerned, oldest first.
    pub fn recover_interrupted(&self) -> Result<Vec<InterruptedRun>, StoreError> {
        let operation = "recover interrupted runs";
        let (marks, own) = (self.folder("live"), self.opener());
        self.write(operation, move |rows| {
            let living = match marks {
                Some(folder) => living_others(&folder, &own)
                    .map_err(|source| StoreError::from_io(operation, folder, source))?,
                None => HashSet::new(),
            };
            let sql = "SELECT id, project, turn, opener,
                           (SELECT coalesce(max(seq), 0) FROM events WHERE run = runs.id) AS last_seq
                       FROM runs WHERE ended_at_ms IS NULL ORDER BY nth";
            let unended = all(rows, sql, (), |row| {
                let run = InterruptedRun {
                    run: parsed(row, "id")?,
                    project: parsed(row, "project")?,
                    turn: parsed(row, "turn")?,
                    state: RunStatus::Interrupted,
                    last_seq: count(row, "last_seq")?,
                    interrupted: Vec::new(),
                    variants: Vec::new(),
                };
                Ok((row.get::<_, String>("opener")?, run))
            })?;
            let dead = unended.into_iter().filter(|(opener, _)| !living.contains(opener));
            dead.map(|(_, run)| interrupt(rows, run)).collect()
        })
    }
}

fn interrupt(rows: &Transaction<'_>, run: InterruptedRun) -> Worked<InterruptedRun> {
    let mut variants = Vec::new();
    let mut interrupted = Vec::new();
    for variant in variants::of_run(rows, run.run)? {
        if variants::set_state(rows, run.run, variant.index, RunStatus::Interrupted)? {
            interrupted.push(variant.index);
            variants.push((variant.index, RunStatus::Interrupted));
        } else {
            variants.push((variant.index, variant.state));
        }
    }
    let states: Vec<_> = variants.iter().map(|(_, state)| *state).collect();
    let state = if states.is_empty() { RunStatus::Interrupted } else { RunStatus::of_run(&states) };
    runs::set_state(rows, run.run, state)?;
    Ok(InterruptedRun { state, interrupted, variants, ..run })
}
