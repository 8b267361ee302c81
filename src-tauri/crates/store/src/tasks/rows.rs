//! Tasks as rows.

use std::collections::HashSet;

use facsimile_agent::{AssetId, ProjectId, RunId, TaskId, VariantIndex};
use rusqlite::{Connection, OptionalExtension, Row, Transaction};
use serde_json::Value;

use super::{BegunTask, NewTask, Task, TaskEnd, TaskFailure, TaskPrice, TaskProgress, TaskResult, TaskState};
use crate::error::{StoreError, Worked};
use crate::ledger::{self, Reserved};
use crate::projects;
use crate::rows::{all, as_column, asset_id, change, found, json, now_ms, parsed, parsed_if_set, unreadable};

const COLUMNS: &str = "id, project, run, variant, kind, title, stages, stage, state, done, total, notice, \
                       inputs, result, error_kind, error_message, error_next_step, created_at_ms, \
                       updated_at_ms, ended_at_ms";
const OPEN: &str = "id = ?1 AND project = ?2 AND state IN ('queued', 'running')";

pub(super) fn insert(rows: &Transaction<'_>, new: &NewTask, opener: &str) -> Worked<BegunTask> {
    projects::require(rows, new.project)?;
    let id = new.id.to_string();
    if rows.prepare_cached("SELECT 1 FROM tasks WHERE id = ?1")?.exists([&id])? {
        return Ok(BegunTask::Known);
    }
    let mut ledger_key = None;
    if let Some(((run, _), TaskPrice { reserve_usd, cap_usd })) = new.made_by.zip(new.price) {
        let key = format!("task-{id}");
        let wanted = ledger::nanos(reserve_usd);
        // Of a price that nobody knows nothing can be held: it is begun only while there is money left.
        let is_spent = wanted == 0 && ledger::is_spent(rows, run, cap_usd)?;
        if is_spent || ledger::reserve(rows, run, &key, wanted, cap_usd)? == Reserved::CapReached {
            return Ok(BegunTask::CapReached);
        }
        ledger_key = Some(key);
    }
    let sql = "INSERT INTO tasks (id, project, run, variant, kind, title, stages, stage, state, total,
                   inputs, ledger_key, opener, created_at_ms, updated_at_ms)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?13, 'queued', ?8, ?9, ?10, ?11, ?12, ?12)";
    let (run, variant) = new.made_by.unzip();
    let stages = Value::from(new.stages.clone()).to_string();
    let made_by = (run.map(|run: RunId| run.to_string()), variant.map(|variant: VariantIndex| variant.0));
    let row = (
        &id,
        new.project.to_string(),
        made_by.0,
        made_by.1,
        &new.kind,
        &new.title,
        stages,
        new.total,
        new.inputs.to_string(),
        ledger_key,
        opener,
        now_ms(),
        // It waits for its turn in the first stage.
        new.stages.first().map_or("", String::as_str),
    );
    change(rows, sql, row)?;
    for (place, path) in new.paths.iter().enumerate() {
        let sql = "INSERT INTO task_assets (task, position, path) VALUES (?1, ?2, ?3)";
        change(rows, sql, (&id, as_column(place as u64), path))?;
    }
    Ok(BegunTask::Queued)
}

pub(super) fn start(rows: &Transaction<'_>, project: ProjectId, id: TaskId) -> Worked<bool> {
    get(rows, project, id)?;
    let sql = "UPDATE tasks SET state = 'running', updated_at_ms = ?3
               WHERE id = ?1 AND project = ?2 AND state = 'queued'";
    Ok(change(rows, sql, (id.to_string(), project.to_string(), now_ms()))? == 1)
}

pub(super) fn progress(
    rows: &Transaction<'_>,
    project: ProjectId,
    id: TaskId,
    progress: &TaskProgress,
) -> Worked<bool> {
    get(rows, project, id)?;
    let sql = format!(
        "UPDATE tasks SET stage = ?3, done = ?4, total = ?5, notice = ?6, updated_at_ms = ?7 WHERE {OPEN}"
    );
    let TaskProgress { stage, done, total, notice } = progress;
    let row = (id.to_string(), project.to_string(), stage, done, total, notice, now_ms());
    Ok(change(rows, &sql, row)? == 1)
}

pub(super) fn keep_result(
    rows: &Transaction<'_>,
    project: ProjectId,
    id: TaskId,
    place: usize,
    asset: &AssetId,
) -> Worked<bool> {
    if get(rows, project, id)?.state.is_terminal() {
        return Ok(false);
    }
    set_asset(rows, id, place, asset)?;
    Ok(true)
}

fn set_asset(rows: &Transaction<'_>, id: TaskId, place: usize, asset: &AssetId) -> Worked<()> {
    let hash = asset.as_str();
    found(rows, "asset", hash, "SELECT 1 FROM assets WHERE sha256 = ?1", [hash], |_| Ok(()))?;
    let sql = "UPDATE task_assets SET asset = ?3 WHERE task = ?1 AND position = ?2";
    match change(rows, sql, (id.to_string(), as_column(place as u64), hash))? {
        0 => Err(StoreError::not_found("result of the task", place).into()),
        _ => Ok(()),
    }
}

pub(super) fn end(rows: &Transaction<'_>, project: ProjectId, id: TaskId, end: &TaskEnd) -> Worked<bool> {
    if get(rows, project, id)?.state.is_terminal() {
        return Ok(false);
    }
    let (result, error) = match end {
        TaskEnd::Succeeded { result, assets, .. } => {
            assets.iter().try_for_each(|(place, asset)| set_asset(rows, id, *place, asset))?;
            (result.to_string(), None)
        }
        TaskEnd::Failed(failure) => (Value::Null.to_string(), Some(failure)),
        TaskEnd::Cancelled => (Value::Null.to_string(), None),
    };
    pay(rows, id, end);
    let sql = "UPDATE tasks SET state = ?2, result = ?3, error_kind = ?4, error_message = ?5,
                   error_next_step = ?6, updated_at_ms = ?7, ended_at_ms = ?7 WHERE id = ?1";
    let row = (
        id.to_string(),
        end.state().as_str(),
        result,
        error.map(|failure| &failure.kind),
        error.map(|failure| &failure.message),
        error.and_then(|failure| failure.next_step.as_ref()),
        now_ms(),
    );
    change(rows, sql, row)?;
    Ok(true)
}

/// Settles or releases what the task holds. The end of a task is never lost for the sake of the ledger.
fn pay(rows: &Transaction<'_>, id: TaskId, end: &TaskEnd) {
    let paid = || -> Worked<()> {
        let sql = "SELECT ledger.run, ledger.key, reserved_nanos FROM tasks
                   JOIN ledger ON ledger.run = tasks.run AND ledger.key = ledger_key WHERE tasks.id = ?1";
        let held = rows.prepare_cached(sql)?.query_row([id.to_string()], |row| {
            Ok((
                parsed(row, "run")?,
                row.get::<_, String>("key")?,
                crate::rows::count(row, "reserved_nanos")?,
            ))
        });
        let Some((run, key, reserved)) = held.optional()? else { return Ok(()) };
        match end {
            TaskEnd::Succeeded { cost_usd, .. } => {
                ledger::settle(rows, run, &key, cost_usd.map_or(reserved, ledger::nanos)).map(drop)
            }
            TaskEnd::Failed(_) | TaskEnd::Cancelled => ledger::release(rows, run, &key).map(drop),
        }
    };
    if let Err(stop) = paid() {
        tracing::error!(?stop, "the ledger misses the end of a task");
    }
}

/// Fails every task that nobody living works on, and releases what it holds; gives how many there were.
pub(crate) fn fail_interrupted(rows: &Transaction<'_>, living: &HashSet<String>) -> Worked<usize> {
    let sql = "SELECT id, project, opener FROM tasks WHERE ended_at_ms IS NULL ORDER BY nth";
    let open = all(rows, sql, (), |row| Ok((parsed(row, 0)?, parsed(row, 1)?, row.get::<_, String>(2)?)))?;
    let dead: Vec<_> = open.into_iter().filter(|(_, _, opener)| !living.contains(opener)).collect();
    for (id, project, _) in &dead {
        let failure = TaskFailure {
            kind: "interrupted".to_owned(),
            message: "The program was closed before this was done.".to_owned(),
            next_step: Some("Try again".to_owned()),
        };
        end(rows, *project, *id, &TaskEnd::Failed(failure))?;
    }
    Ok(dead.len())
}

pub(super) fn get(connection: &Connection, project: ProjectId, id: TaskId) -> Worked<Task> {
    let sql = format!("SELECT {COLUMNS} FROM tasks WHERE id = ?1 AND project = ?2");
    let id = id.to_string();
    let task = found(connection, "task", &id, &sql, (&id, project.to_string()), task)?;
    with_results(connection, task)
}

pub(super) fn of_project(connection: &Connection, project: ProjectId) -> Worked<Vec<Task>> {
    let sql = format!("SELECT {COLUMNS} FROM tasks WHERE project = ?1 ORDER BY nth");
    let tasks = all(connection, &sql, [project.to_string()], task)?;
    tasks.into_iter().map(|task| with_results(connection, task)).collect()
}

pub(super) fn at_path(
    connection: &Connection,
    project: ProjectId,
    path: &str,
) -> Worked<Option<(TaskId, Option<AssetId>)>> {
    let sql = "SELECT tasks.id, asset FROM task_assets JOIN tasks ON tasks.id = task
               WHERE path = ?1 AND project = ?2 ORDER BY asset IS NULL, tasks.nth DESC LIMIT 1";
    let mut statement = connection.prepare_cached(sql)?;
    let row =
        statement.query_row((path, project.to_string()), |row| Ok((parsed(row, 0)?, asset_if_set(row, 1)?)));
    Ok(row.optional()?)
}

fn with_results(connection: &Connection, task: Task) -> Worked<Task> {
    let sql = "SELECT path, asset FROM task_assets WHERE task = ?1 ORDER BY position";
    let results = all(connection, sql, [task.id.to_string()], |row| {
        Ok(TaskResult { path: row.get(0)?, asset: asset_if_set(row, 1)? })
    })?;
    Ok(Task { results, ..task })
}

fn asset_if_set(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<AssetId>> {
    row.get::<_, Option<String>>(column)?.map(|_| asset_id(row, column)).transpose()
}

fn task(row: &Row<'_>) -> rusqlite::Result<Task> {
    let run: Option<RunId> = parsed_if_set(row, "run")?;
    let variant: Option<u8> = row.get("variant")?;
    let state: String = row.get("state")?;
    let error_kind: Option<String> = row.get("error_kind")?;
    let error = match error_kind {
        Some(kind) => Some(TaskFailure {
            kind,
            message: row.get("error_message")?,
            next_step: row.get("error_next_step")?,
        }),
        None => None,
    };
    Ok(Task {
        id: parsed(row, "id")?,
        project: parsed(row, "project")?,
        made_by: run.zip(variant.map(VariantIndex)),
        kind: row.get("kind")?,
        title: row.get("title")?,
        stages: json(row, "stages")?,
        state: TaskState::parse(&state).ok_or_else(|| unreadable(format!("unknown state {state}")))?,
        progress: TaskProgress {
            stage: row.get("stage")?,
            done: row.get("done")?,
            total: row.get("total")?,
            notice: row.get("notice")?,
        },
        inputs: json(row, "inputs")?,
        result: json(row, "result")?,
        results: Vec::new(),
        error,
        created_at_ms: row.get("created_at_ms")?,
        updated_at_ms: row.get("updated_at_ms")?,
        ended_at_ms: row.get("ended_at_ms")?,
    })
}
