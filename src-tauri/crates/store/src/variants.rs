//! One to four attempts of a run, each with its own engine, files and end.

use facsimile_agent::{
    ErrorKind, Failure, ProjectId, ProjectPath, RunId, RunStatus, VariantIndex, VersionId,
};
use rusqlite::{Connection, Row, Transaction};
use serde_json::Value;

use crate::error::Worked;
use crate::rows::{all, as_column, change, count, found, json, parsed_if_set, status};
use crate::versions::{self, NewVersion, VersionKind};

const COLUMNS: &str = "idx, engine, state, error_kind, error_message, error_next_step, rounds, tokens, \
                       cost_usd, elapsed_ms, version";

/// One variant of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// Which of the run's variants.
    pub index: VariantIndex,
    /// What did the work, such as a model's name.
    pub engine: String,
    /// Where it stands.
    pub state: RunStatus,
    /// Why it did not succeed, if there is a reason to tell.
    pub error: Option<Failure>,
    /// How many model replies it took.
    pub rounds: u32,
    /// Tokens, as the provider counted them; null if nobody did.
    pub tokens: Value,
    /// The price, if it is known.
    pub cost_usd: Option<f64>,
    /// How long it took.
    pub elapsed_ms: u64,
    /// What it ended with.
    pub version: Option<VersionId>,
}

/// How a variant ended.
#[derive(Debug, Clone, PartialEq)]
pub struct VariantEnd {
    /// The terminal state.
    pub state: RunStatus,
    /// Why it did not succeed, if there is a reason to tell.
    pub error: Option<Failure>,
    /// How many model replies it took.
    pub rounds: u32,
    /// Tokens, as the provider counted them; null if nobody did.
    pub tokens: Value,
    /// The price, if it is known.
    pub cost_usd: Option<f64>,
    /// How long it took.
    pub elapsed_ms: u64,
    /// What its version is called in the history.
    pub label: String,
    /// The files it ended with; without any there is no version.
    pub files: Vec<(ProjectPath, String)>,
}

impl VariantEnd {
    /// An end in a state, with nothing counted yet.
    pub fn in_state(state: RunStatus) -> Self {
        Self {
            state,
            error: None,
            rounds: 0,
            tokens: Value::Null,
            cost_usd: None,
            elapsed_ms: 0,
            label: String::new(),
            files: Vec::new(),
        }
    }
}

/// What became of the wish to end a variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndedVariant {
    /// False if it had ended before; then nothing was changed.
    pub recorded: bool,
    /// The version it has.
    pub version: Option<VersionId>,
}

pub(crate) fn insert(rows: &Transaction<'_>, run: RunId, engines: &[String]) -> Worked<()> {
    for (index, engine) in engines.iter().enumerate() {
        let sql = "INSERT INTO variants (run, idx, engine, state) VALUES (?1, ?2, ?3, ?4)";
        let row = (run.to_string(), as_column(index as u64), engine, RunStatus::Queued.as_str());
        change(rows, sql, row)?;
    }
    Ok(())
}

/// Where a variant stands.
pub(crate) fn state_of(connection: &Connection, run: RunId, index: VariantIndex) -> Worked<RunStatus> {
    let id = format!("{index} of run {run}");
    let sql = "SELECT state FROM variants WHERE run = ?1 AND idx = ?2";
    found(connection, "variant", &id, sql, (run.to_string(), index.0), |row| status(row, 0))
}

/// Moves a variant to a state, unless it has ended; says whether it did.
pub(crate) fn set_state(
    rows: &Transaction<'_>,
    run: RunId,
    index: VariantIndex,
    to: RunStatus,
) -> Worked<bool> {
    if state_of(rows, run, index)?.is_terminal() {
        return Ok(false);
    }
    let sql = "UPDATE variants SET state = ?3 WHERE run = ?1 AND idx = ?2";
    change(rows, sql, (run.to_string(), index.0, to.as_str()))?;
    Ok(true)
}

/// Ends a variant and keeps its files.
pub(crate) fn end(
    rows: &Transaction<'_>,
    run: RunId,
    index: VariantIndex,
    end: VariantEnd,
) -> Worked<EndedVariant> {
    let (project, parent) = origin_of(rows, run)?;
    if !set_state(rows, run, index, end.state)? {
        let sql = "SELECT version FROM variants WHERE run = ?1 AND idx = ?2";
        let run = run.to_string();
        let version = found(rows, "variant", &run, sql, (&run, index.0), |row| parsed_if_set(row, 0))?;
        return Ok(EndedVariant { recorded: false, version });
    }
    let sql = "UPDATE variants SET error_kind = ?3, error_message = ?4, error_next_step = ?5, rounds = ?6,
               tokens = ?7, cost_usd = ?8, elapsed_ms = ?9 WHERE run = ?1 AND idx = ?2";
    let kind = end.error.as_ref().map(|error| error.kind.as_str());
    let message = end.error.as_ref().map(|error| error.message.as_str());
    let next_step = end.error.as_ref().and_then(|error| error.next_step.as_deref());
    let (tokens, elapsed_ms) = (end.tokens.to_string(), as_column(end.elapsed_ms));
    let row =
        (run.to_string(), index.0, kind, message, next_step, end.rounds, tokens, end.cost_usd, elapsed_ms);
    change(rows, sql, row)?;
    if end.files.is_empty() {
        return Ok(EndedVariant { recorded: true, version: None });
    }
    let version = versions::insert(
        rows,
        &NewVersion {
            project,
            parent,
            made_by: Some((run, index)),
            label: end.label,
            kind: VersionKind::Result,
            files: end.files,
        },
    )?;
    Ok(EndedVariant { recorded: true, version: Some(version) })
}

/// The variants of a run, in order.
pub(crate) fn of_run(connection: &Connection, run: RunId) -> Worked<Vec<Variant>> {
    let sql = format!("SELECT {COLUMNS} FROM variants WHERE run = ?1 ORDER BY idx");
    all(connection, &sql, [run.to_string()], variant)
}

/// The design of a run, and the version its turn started from.
pub(crate) fn origin_of(connection: &Connection, run: RunId) -> Worked<(ProjectId, Option<VersionId>)> {
    let sql =
        "SELECT runs.project, parent_version FROM runs JOIN turns ON turns.id = turn WHERE runs.id = ?1";
    let run = run.to_string();
    found(connection, "run", &run, sql, [&run], |row| {
        Ok((crate::rows::parsed(row, 0)?, parsed_if_set(row, 1)?))
    })
}

fn variant(row: &Row<'_>) -> rusqlite::Result<Variant> {
    Ok(Variant {
        index: VariantIndex(row.get("idx")?),
        engine: row.get("engine")?,
        state: status(row, "state")?,
        error: failure(row)?,
        rounds: row.get("rounds")?,
        tokens: json(row, "tokens")?,
        cost_usd: row.get("cost_usd")?,
        elapsed_ms: count(row, "elapsed_ms")?,
        version: parsed_if_set(row, "version")?,
    })
}

fn failure(row: &Row<'_>) -> rusqlite::Result<Option<Failure>> {
    let Some(name) = row.get::<_, Option<String>>("error_kind")? else { return Ok(None) };
    // A later program may know kinds that this one does not.
    let kind = serde_json::from_value(Value::String(name)).unwrap_or(ErrorKind::Unknown);
    let failure = Failure::new(kind, row.get::<_, String>("error_message")?);
    let next_step: Option<String> = row.get("error_next_step")?;
    Ok(Some(match next_step {
        Some(step) => failure.with_next_step(step),
        None => failure,
    }))
}
