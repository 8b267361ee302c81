//! Runs: the execution of turns, each with its variants.

use facsimile_agent::{ProjectId, RunId, RunStatus, TurnId, VariantIndex};
use rusqlite::{Connection, Row, Transaction};
use serde_json::Value;

use crate::batch::RefusalOf;
use crate::error::{StoreError, Worked};
use crate::history::HistoryStore;
use crate::projects;
use crate::rows::{all, change, found, json, now_ms, parsed, status};
use crate::turns::{self, NewTurn};
use crate::variants::{self, EndedVariant, Variant, VariantEnd};

const COLUMNS: &str = "id, project, turn, request, state, started_at_ms, ended_at_ms";

/// The turn a run executes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunTurn {
    /// One that begins with the run.
    New(NewTurn),
    /// One that is executed again or goes on.
    Again(TurnId),
}

/// A run to be recorded before its first request.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRun {
    /// The design.
    pub project: ProjectId,
    /// The turn.
    pub turn: RunTurn,
    /// What the window asked for, as it came.
    pub request: Value,
    /// What does the work, one name per variant.
    pub engines: Vec<String>,
}

/// The ids of a recorded run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BegunRun {
    /// The run.
    pub run: RunId,
    /// Its turn.
    pub turn: TurnId,
}

/// One run with its variants.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Its id.
    pub id: RunId,
    /// The design.
    pub project: ProjectId,
    /// The turn it executes.
    pub turn: TurnId,
    /// What the window asked for.
    pub request: Value,
    /// Where it stands.
    pub state: RunStatus,
    /// When it began.
    pub started_at_ms: i64,
    /// When it ended.
    pub ended_at_ms: Option<i64>,
    /// Its variants, in order.
    pub variants: Vec<Variant>,
}

/// The runs.
#[derive(Debug)]
pub struct Runs<'a> {
    pub(crate) store: &'a HistoryStore,
}

impl Runs<'_> {
    /// Records a run with its turn and its variants, all queued, in one transaction.
    pub fn begin(&self, run: NewRun) -> Result<BegunRun, StoreError> {
        let opener = self.store.opener();
        self.store.write("record a run", move |rows| {
            projects::touch(rows, run.project)?;
            let turn = match &run.turn {
                RunTurn::New(turn) => turns::insert(rows, run.project, turn)?,
                RunTurn::Again(turn) => existing_turn(rows, run.project, *turn)?,
            };
            let id = RunId::fresh();
            let sql = "INSERT INTO runs (id, project, turn, request, state, opener, started_at_ms)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            let (project, request) = (run.project.to_string(), run.request.to_string());
            let state = RunStatus::Queued.as_str();
            change(rows, sql, (id.to_string(), project, turn.to_string(), request, state, opener, now_ms()))?;
            variants::insert(rows, id, &run.engines)?;
            Ok(BegunRun { run: id, turn })
        })
    }

    /// Moves a run to a state that is not terminal; `false` if it had ended, and then nothing changes.
    pub fn set_state(&self, run: RunId, state: RunStatus) -> Result<bool, StoreError> {
        self.store.write("save the state of a run", move |rows| set_state(rows, run, state))
    }

    /// Moves a variant to a state; `false` if it had ended, and then nothing changes.
    pub fn set_variant_state(
        &self,
        run: RunId,
        index: VariantIndex,
        state: RunStatus,
    ) -> Result<bool, StoreError> {
        self.store
            .write("save the state of a variant", move |rows| variants::set_state(rows, run, index, state))
    }

    /// Ends a variant and keeps its files as a version, in one transaction. A second end changes nothing.
    pub fn finish_variant(
        &self,
        run: RunId,
        index: VariantIndex,
        end: VariantEnd,
    ) -> Result<EndedVariant, StoreError> {
        self.store.write("save the end of a variant", move |rows| variants::end(rows, run, index, end))
    }

    /// Ends a run; `false` if it had ended before, and then nothing changes. Refused events of the run are told
    /// of here, after the state has been saved.
    pub fn finish(&self, run: RunId, state: RunStatus) -> Result<bool, StoreError> {
        let recorded = self.store.write("save the end of a run", move |rows| set_state(rows, run, state))?;
        self.store.flush_events(RefusalOf::Run(run))?;
        Ok(recorded)
    }

    /// One run.
    pub fn get(&self, run: RunId) -> Result<Run, StoreError> {
        self.store.read("read a run", move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM runs WHERE id = ?1");
            let id = run.to_string();
            let run = found(connection, "run", &id, &sql, [&id], without_variants)?;
            with_variants(connection, run)
        })
    }

    /// The runs of a design, oldest first.
    pub fn of_project(&self, project: ProjectId) -> Result<Vec<Run>, StoreError> {
        self.store.read("list the runs of a project", move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM runs WHERE project = ?1 ORDER BY nth");
            let runs = all(connection, &sql, [project.to_string()], without_variants)?;
            runs.into_iter().map(|run| with_variants(connection, run)).collect()
        })
    }
}

/// Moves a run to a state, unless it has ended; says whether it did.
pub(crate) fn set_state(rows: &Transaction<'_>, run: RunId, to: RunStatus) -> Worked<bool> {
    let id = run.to_string();
    let now = found(rows, "run", &id, "SELECT state FROM runs WHERE id = ?1", [&id], |row| status(row, 0))?;
    if now.is_terminal() {
        return Ok(false);
    }
    let ended_at_ms = to.is_terminal().then(now_ms);
    change(
        rows,
        "UPDATE runs SET state = ?2, ended_at_ms = ?3 WHERE id = ?1",
        (id, to.as_str(), ended_at_ms),
    )?;
    Ok(true)
}

fn existing_turn(rows: &Transaction<'_>, project: ProjectId, turn: TurnId) -> Worked<TurnId> {
    let id = turn.to_string();
    let sql = "SELECT 1 FROM turns WHERE id = ?1 AND project = ?2";
    found(rows, "turn", &id, sql, (&id, project.to_string()), |_| Ok(turn))
}

fn with_variants(connection: &Connection, run: Run) -> Worked<Run> {
    let variants = variants::of_run(connection, run.id)?;
    Ok(Run { variants, ..run })
}

fn without_variants(row: &Row<'_>) -> rusqlite::Result<Run> {
    Ok(Run {
        id: parsed(row, "id")?,
        project: parsed(row, "project")?,
        turn: parsed(row, "turn")?,
        request: json(row, "request")?,
        state: status(row, "state")?,
        started_at_ms: row.get("started_at_ms")?,
        ended_at_ms: row.get("ended_at_ms")?,
        variants: Vec::new(),
    })
}
