//! Pictures that projects were given.

use facsimile_agent::{AssetId, InputId, ProjectId};
use rusqlite::{Row, Transaction};

use crate::error::{StoreError, Worked};
use crate::history::HistoryStore;
use crate::projects;
use crate::rows::{all, as_column, asset_id, change, count, found, now_ms, parsed, parsed_if_set};

const COLUMNS: &str = "id, project, name, asset, mime, width, height, bytes, position";

/// A picture to be kept as an input; its bytes are a stored asset.
#[derive(Debug, Clone)]
pub struct NewInput {
    /// What the user calls it, such as a file name.
    pub name: String,
    /// Its bytes.
    pub asset: AssetId,
    /// The type of the bytes.
    pub mime: String,
    /// Its width.
    pub width_px: u32,
    /// Its height.
    pub height_px: u32,
    /// How long the bytes are.
    pub bytes: u64,
}

/// One input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Its id.
    pub id: InputId,
    /// The design it belongs to; `None` until it is attached to one.
    pub project: Option<ProjectId>,
    /// What the user calls it.
    pub name: String,
    /// Its bytes.
    pub asset: AssetId,
    /// The type of the bytes.
    pub mime: String,
    /// Its width.
    pub width_px: u32,
    /// Its height.
    pub height_px: u32,
    /// How long the bytes are.
    pub bytes: u64,
    /// Its place among the inputs of the design, from 0.
    pub position: u32,
}

/// The inputs.
#[derive(Debug)]
pub struct Inputs<'a> {
    pub(crate) store: &'a HistoryStore,
}

impl Inputs<'_> {
    /// Keeps an input that belongs to no design yet.
    pub fn add(&self, input: NewInput) -> Result<InputId, StoreError> {
        self.store.write("save an input", move |rows| {
            let hash = input.asset.as_str();
            found(rows, "asset", hash, "SELECT 1 FROM assets WHERE sha256 = ?1", [hash], |_| Ok(()))?;
            let id = InputId::fresh();
            let sql = "INSERT INTO inputs
                       (id, name, asset, mime, width, height, bytes, position, created_at_ms)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8)";
            let bytes = as_column(input.bytes);
            let NewInput { name, mime, width_px, height_px, .. } = &input;
            change(rows, sql, (id.to_string(), name, hash, mime, width_px, height_px, bytes, now_ms()))?;
            Ok(id)
        })
    }

    /// Gives inputs to a design, behind those it has, in the given order. An input that belongs to another
    /// design already is copied to this one under a new id; the ids in this design are returned.
    pub fn attach(&self, ids: &[InputId], project: ProjectId) -> Result<Vec<InputId>, StoreError> {
        let ids = ids.to_vec();
        self.store.write("attach inputs", move |rows| attach(rows, &ids, project))
    }

    /// The inputs of a design, in order.
    pub fn of_project(&self, project: ProjectId) -> Result<Vec<Input>, StoreError> {
        self.store.read("list the inputs of a project", move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM inputs WHERE project = ?1 ORDER BY position, nth");
            all(connection, &sql, [project.to_string()], input)
        })
    }

    /// One input.
    pub fn get(&self, id: InputId) -> Result<Input, StoreError> {
        self.store.read("read an input", move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM inputs WHERE id = ?1");
            found(connection, "input", &id.to_string(), &sql, [id.to_string()], input)
        })
    }

    /// Forgets an input; its bytes go with the next sweep if nothing else needs them.
    pub fn remove(&self, id: InputId) -> Result<(), StoreError> {
        self.store.write("remove an input", move |rows| {
            match change(rows, "DELETE FROM inputs WHERE id = ?1", [id.to_string()])? {
                0 => Err(StoreError::not_found("input", id).into()),
                _ => Ok(()),
            }
        })
    }
}

pub(crate) fn attach(rows: &Transaction<'_>, ids: &[InputId], project: ProjectId) -> Worked<Vec<InputId>> {
    projects::touch(rows, project)?;
    let project = project.to_string();
    let next = "(SELECT coalesce(max(position) + 1, 0) FROM inputs WHERE project = ?2)";
    let take = format!(
        "UPDATE inputs SET position = CASE WHEN project IS NULL THEN {next} ELSE position END, project = ?2
         WHERE id = ?1 AND (project IS NULL OR project = ?2)"
    );
    let copy = format!(
        "INSERT INTO inputs (id, project, name, asset, mime, width, height, bytes, position, created_at_ms)
         SELECT ?3, ?2, name, asset, mime, width, height, bytes, {next}, ?4 FROM inputs WHERE id = ?1"
    );
    let mut attached = Vec::with_capacity(ids.len());
    for &id in ids {
        if change(rows, &take, (id.to_string(), &project))? == 1 {
            attached.push(id);
            continue;
        }
        let fresh = InputId::fresh();
        if change(rows, &copy, (id.to_string(), &project, fresh.to_string(), now_ms()))? == 0 {
            return Err(StoreError::not_found("input", id).into());
        }
        attached.push(fresh);
    }
    Ok(attached)
}

fn input(row: &Row<'_>) -> rusqlite::Result<Input> {
    Ok(Input {
        id: parsed(row, "id")?,
        project: parsed_if_set(row, "project")?,
        name: row.get("name")?,
        asset: asset_id(row, "asset")?,
        mime: row.get("mime")?,
        width_px: row.get("width")?,
        height_px: row.get("height")?,
        bytes: count(row, "bytes")?,
        position: row.get("position")?,
    })
}
