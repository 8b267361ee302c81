//! After a crash: what was still going on is ended, in one transaction, so that a second crash loses nothing.

use std::collections::HashSet;

use facsimile_agent::{ProjectId, ProjectPath, RunId, RunStatus, TurnId, VariantIndex};
use rusqlite::Transaction;

use crate::error::{StoreError, Worked};
use crate::events::{self, StoredEvent};
use crate::history::HistoryStore;
use crate::liveness::living_others;
use crate::rows::{all, count, parsed};
use crate::versions::{self, NewVersion, VersionKind};
use crate::{batch, ledger, runs, tasks, variants};

/// A run that was found unfinished, as it stands after the recovery.
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

/// What is kept of an interrupted run, by somebody who can read its events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Closing {
    /// The files that cut-off variants had shown.
    pub drafts: Vec<(VariantIndex, Vec<(ProjectPath, String)>)>,
    /// The events that end the run, numbered on from its last one.
    pub events: Vec<(u64, String)>,
}

impl HistoryStore {
    /// Marks as interrupted all that is still going on, except in other processes that are alive, without keeping
    /// drafts or ending events. Gives the runs concerned, oldest first.
    pub fn recover_interrupted(&self) -> Result<Vec<InterruptedRun>, StoreError> {
        self.recover_interrupted_with(|_, _| Closing::default())
    }

    /// Ends all that is still going on, except in other processes that are alive: variants and runs become
    /// interrupted and keep what `close` makes of their events, tasks become failed, what was reserved is given
    /// back. For start-up, before the first run. All of it happens at once or not at all.
    pub fn recover_interrupted_with(
        &self,
        close: impl Fn(&InterruptedRun, &[StoredEvent]) -> Closing + Send + 'static,
    ) -> Result<Vec<InterruptedRun>, StoreError> {
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
            let interrupted =
                dead.map(|(_, run)| interrupt(rows, run, &close)).collect::<Worked<Vec<_>>>()?;
            tasks::fail_interrupted(rows, &living)?;
            ledger::release_of_dead(rows, &living)?;
            Ok(interrupted)
        })
    }
}

fn interrupt(
    rows: &Transaction<'_>,
    run: InterruptedRun,
    close: &impl Fn(&InterruptedRun, &[StoredEvent]) -> Closing,
) -> Worked<InterruptedRun> {
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
    let run = InterruptedRun { state, interrupted, variants, ..run };
    let Closing { drafts, events } = close(&run, &events::since(rows, run.run, 0)?);
    let parent = variants::origin_of(rows, run.run)?.1;
    for (index, files) in drafts {
        let draft = NewVersion {
            project: run.project,
            parent,
            made_by: Some((run.run, index)),
            label: "Draft".to_owned(),
            kind: VersionKind::Draft,
            files,
        };
        versions::insert(rows, &draft)?;
    }
    if let (_, Some(refused)) = batch::insert(rows, run.run, run.last_seq + 1, &events)? {
        return Err(refused.into());
    }
    runs::set_state(rows, run.run, state)?;
    Ok(run)
}
