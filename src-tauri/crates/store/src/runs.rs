//! Runs: the execution of turns, each with its variants.

use facsimile_agent::{InputId, ProjectId, RunId, RunStatus, TurnId, VariantIndex};
use rusqlite::{Connection, Row, Transaction};
use serde_json::Value;

use crate::batch::RefusalOf;
use crate::error::{StoreError, Worked};
use crate::history::HistoryStore;
use crate::rows::{all, change, found, json, now_ms, parsed, status};
use crate::turns::{self, NewTurn};
use crate::variants::{self, EndedVariant, Variant, VariantEnd};
use crate::{inputs, projects, steps};

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

/// Where a run belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InProject {
    /// In a project that is there.
    Existing(ProjectId),
    /// In one that is made for it.
    New {
        /// What it is called.
        name: String,
    },
}

/// A run to be recorded together with its project and inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct RunStart {
    /// Where it belongs.
    pub place: InProject,
    /// What the project is given for it.
    pub inputs: Vec<InputId>,
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
        self.store.write("record a run", move |rows| insert(rows, &run, opener))
    }

    /// Records a run together with what it stands in: a new project if there is none, and its inputs. All of it in
    /// one transaction, so that no project is ever left without the run it was made for.
    pub fn begin_with(&self, start: RunStart) -> Result<(ProjectId, BegunRun), StoreError> {
        let opener = self.store.opener();
        self.store.write("record a run", move |rows| {
            let RunStart { place, inputs, turn, request, engines } = start;
            let project = match place {
                InProject::New { name } => projects::insert(rows, &name)?,
                InProject::Existing(project) => project,
            };
            inputs::attach(rows, &inputs, project)?;
            let begun = insert(rows, &NewRun { project, turn, request, engines }, opener)?;
            Ok((project, begun))
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

fn insert(rows: &Transaction<'_>, run: &NewRun, opener: String) -> Worked<BegunRun> {
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
}

/// Moves a run to a state, unless it has ended; says whether it did. The result of a run that ends is opened.
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
    if to.is_terminal() {
        steps::take_result(rows, run)?;
    }
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
