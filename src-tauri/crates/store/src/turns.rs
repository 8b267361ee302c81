//! What was asked for and what came of it: the modification history that the model's memory is made from.

use std::str::FromStr;

use facsimile_agent::{ProjectId, ProjectPath, TurnId, VersionId};
use rusqlite::types::{ToSql, ToSqlOutput};
use rusqlite::{Row, Transaction};

use crate::error::{StoreError, Worked};
use crate::history::HistoryStore;
use crate::rows::{all, change, found, json, now_ms, parsed, parsed_if_set};

const COLUMNS: &str = "id, project, kind, parent_version, instruction, assistant_text, touched_files, \
                       intent_category, awaiting_reply, diff, created_at_ms";

/// Whether a turn starts a design or changes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnKind {
    /// From inputs to a page.
    Create,
    /// From a page to another.
    Modify,
}

impl TurnKind {
    /// The storage name.
    pub fn as_str(self) -> &'static str {
        match self {
            TurnKind::Create => "create",
            TurnKind::Modify => "modify",
        }
    }
}

/// A name that no kind has.
#[derive(Debug, thiserror::Error)]
#[error("unknown kind {0}")]
pub struct UnknownKind(pub(crate) String);

impl FromStr for TurnKind {
    type Err = UnknownKind;
    fn from_str(name: &str) -> Result<Self, UnknownKind> {
        let kinds = [TurnKind::Create, TurnKind::Modify];
        kinds.into_iter().find(|kind| kind.as_str() == name).ok_or_else(|| UnknownKind(name.to_owned()))
    }
}

impl ToSql for TurnKind {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.as_str().into())
    }
}

/// What a user asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTurn {
    /// Create or modify.
    pub kind: TurnKind,
    /// The words of the user.
    pub instruction: String,
    /// The version it starts from.
    pub parent_version: Option<VersionId>,
}

/// What came of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TurnResult {
    /// The model's last words.
    pub assistant_text: String,
    /// The files that changed.
    pub touched_files: Vec<ProjectPath>,
    /// What the router took the request for.
    pub intent_category: Option<String>,
    /// Whether the reply asks something back.
    pub awaiting_reply: bool,
    /// What changed in the touched files.
    pub diff: String,
}

/// One turn of a design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Its id.
    pub id: TurnId,
    /// The design.
    pub project: ProjectId,
    /// What was asked for.
    pub request: NewTurn,
    /// What came of it; empty while it runs.
    pub result: TurnResult,
    /// When it was asked for.
    pub created_at_ms: i64,
}

/// The turns.
#[derive(Debug)]
pub struct Turns<'a> {
    pub(crate) store: &'a HistoryStore,
}

impl Turns<'_> {
    /// Records what came of a turn.
    pub fn finish(&self, id: TurnId, result: TurnResult) -> Result<(), StoreError> {
        self.store.write("save a turn", move |rows| {
            let files: Vec<_> = result.touched_files.iter().map(ProjectPath::as_str).collect();
            let sql = "UPDATE turns SET assistant_text = ?2, touched_files = ?3, intent_category = ?4,
                       awaiting_reply = ?5, diff = ?6 WHERE id = ?1";
            let files = serde_json::Value::from(files).to_string();
            let TurnResult { assistant_text, intent_category, awaiting_reply, diff, .. } = result;
            let row = (id.to_string(), assistant_text, files, intent_category, awaiting_reply, diff);
            match change(rows, sql, row)? {
                0 => Err(StoreError::not_found("turn", id).into()),
                _ => Ok(()),
            }
        })
    }

    /// One turn.
    pub fn get(&self, id: TurnId) -> Result<Turn, StoreError> {
        self.store.read("read a turn", move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM turns WHERE id = ?1");
            found(connection, "turn", &id.to_string(), &sql, [id.to_string()], turn)
        })
    }

    /// The turns of a design, oldest first.
    pub fn of_project(&self, project: ProjectId) -> Result<Vec<Turn>, StoreError> {
        self.store.read("list the turns of a project", move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM turns WHERE project = ?1 ORDER BY nth");
            all(connection, &sql, [project.to_string()], turn)
        })
    }

    /// The turns that the model may be told of, oldest first: those since the memory was last cleared.
    pub fn remembered(&self, project: ProjectId) -> Result<Vec<Turn>, StoreError> {
        self.store.read("list the turns of a project", move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM turns WHERE project = ?1 AND nth > coalesce(
                     (SELECT cleared.nth FROM projects JOIN turns AS cleared ON cleared.id = memory_from_turn
                      WHERE projects.id = ?1), 0) ORDER BY nth"
            );
            all(connection, &sql, [project.to_string()], turn)
        })
    }
}

pub(crate) fn insert(rows: &Transaction<'_>, project: ProjectId, new: &NewTurn) -> Worked<TurnId> {
    if let Some(parent) = new.parent_version {
        let (project, parent) = (project.to_string(), parent.to_string());
        let sql = "SELECT 1 FROM versions WHERE id = ?1 AND project = ?2";
        found(rows, "version", &parent, sql, (&parent, project), |_| Ok(()))?;
    }
    let id = TurnId::fresh();
    let sql = "INSERT INTO turns (id, project, kind, parent_version, instruction, created_at_ms)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let parent = new.parent_version.map(|version| version.to_string());
    change(rows, sql, (id.to_string(), project.to_string(), new.kind, parent, &new.instruction, now_ms()))?;
    Ok(id)
}

fn turn(row: &Row<'_>) -> rusqlite::Result<Turn> {
    Ok(Turn {
        id: parsed(row, "id")?,
        project: parsed(row, "project")?,
        request: NewTurn {
            kind: parsed(row, "kind")?,
            instruction: row.get("instruction")?,
            parent_version: parsed_if_set(row, "parent_version")?,
        },
        result: TurnResult {
            assistant_text: row.get("assistant_text")?,
            touched_files: json(row, "touched_files")?,
            intent_category: row.get("intent_category")?,
            awaiting_reply: row.get("awaiting_reply")?,
            diff: row.get("diff")?,
        },
        created_at_ms: row.get("created_at_ms")?,
    })
}
