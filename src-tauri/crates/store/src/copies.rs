//! A project as rows that can travel: into an archive, and back in under fresh ids.
//!
//! What a deletion of the project would take is what the copy holds, so that a table that is added later comes
//! along by its foreign keys alone.

mod arrival;
mod schema;

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use facsimile_agent::{AssetId, ProjectId, ProjectPath};
use rusqlite::Connection;
use rusqlite::types::Value as Cell;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::assets::Assets;
use crate::error::{StoreError, Worked};
use crate::history::HistoryStore;
use crate::migrations::schema_of;
use crate::rows::{all, change, now_ms};
use arrival::{put_assets, put_contents, put_rows};
use schema::Owned;

const IMPORT: &str = "take a project in";
/// What was paid belongs to the project it was paid in.
const SPENDING: &str = "ledger";

/// Every row of one project, by table, in the order they were made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProjectCopy {
    /// The schema the rows were read from.
    pub schema: u32,
    /// The rows.
    pub tables: BTreeMap<String, Vec<Map<String, Value>>>,
    /// The assets the rows name.
    pub assets: Vec<CopiedAsset>,
    /// The hashes of the texts the rows name.
    pub contents: BTreeSet<String>,
}

/// An asset that a copied row names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopiedAsset {
    /// The hash of its bytes.
    pub sha256: AssetId,
    /// Its type.
    pub mime: String,
    /// The extension of its name in pages.
    pub extension: String,
    /// How long it is.
    pub bytes: u64,
    /// Width of a picture.
    pub width: Option<u32>,
    /// Height of a picture.
    pub height: Option<u32>,
}

/// Bytes that a copy names and does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopiedBytes<'a> {
    /// The text with this hash.
    Text(&'a str),
    /// The asset with this hash.
    Asset(&'a AssetId),
}

impl CopiedBytes<'_> {
    /// The hash of the bytes.
    pub fn hash(&self) -> &str {
        match self {
            Self::Text(hash) => hash,
            Self::Asset(id) => id.as_str(),
        }
    }
}

/// Gives the bytes that a copy names.
pub type BytesOf<'a> = Box<dyn FnMut(CopiedBytes<'_>) -> io::Result<Vec<u8>> + Send + 'a>;

/// Where the bytes of a copy come from.
enum Source {
    /// The same store has them.
    Kept,
    /// Nobody will look at them.
    Rehearsal,
    Given(BytesOf<'static>),
}

/// Projects that go out and come in.
#[derive(Debug)]
pub struct Copies<'a> {
    pub(crate) store: &'a HistoryStore,
}

impl Copies<'_> {
    /// Everything that is kept of a project; refused while something in it is still being done.
    pub fn take(&self, project: ProjectId) -> Result<ProjectCopy, StoreError> {
        self.store.read("copy a project", move |connection| {
            crate::projects::require(connection, project)?;
            let copy = take(connection, project)?;
            match copy.unended() {
                Some(table) => Err(StoreError::Unfinished { table: table.to_owned() }.into()),
                None => Ok(copy),
            }
        })
    }

    /// The bytes that a copy names.
    pub fn bytes(&self, of: CopiedBytes<'_>) -> Result<Vec<u8>, StoreError> {
        match of {
            CopiedBytes::Asset(id) => self.store.assets().read(id),
            CopiedBytes::Text(hash) => {
                let hash = hash.to_owned();
                self.store.read("read a file", move |connection| {
                    let sql = "SELECT CAST(text AS TEXT) FROM contents WHERE sha256 = ?1";
                    let text = crate::rows::found(connection, "file", &hash, sql, [&hash], |row| {
                        row.get::<_, String>(0)
                    })?;
                    Ok(text.into_bytes())
                })
            }
        }
    }

    /// A second project with everything the first one holds, under another name. What was paid stays where it was
    /// paid.
    pub fn duplicate(&self, project: ProjectId, name: &str) -> Result<ProjectId, StoreError> {
        let mut copy = self.take(project)?;
        copy.tables.remove(SPENDING);
        self.put(copy, Some(name.to_owned()), Source::Kept)
    }

    /// Takes a copy in as a new project, in one transaction: all of it or nothing. `bytes` is asked for what the
    /// copy names; what does not have the hash it is named by is refused.
    pub fn import(&self, copy: ProjectCopy, bytes: BytesOf<'static>) -> Result<ProjectId, StoreError> {
        let memory = HistoryStore::in_memory()?;
        let rehearsed = memory.copies().put(copy.clone(), None, Source::Rehearsal)?;
        read_back(&memory, rehearsed).map_err(|error| bad(error.to_string()))?;
        let assets: Vec<_> = copy.assets.iter().map(|asset| asset.sha256.clone()).collect();
        let taken = self.put(copy, None, Source::Given(bytes));
        if taken.is_err() {
            // Files that were written before the transaction was given up have no row; the cause is what counts.
            let _ = Assets { store: self.store }.remove_files_without_row(assets);
        }
        taken
    }

    fn put(
        &self,
        copy: ProjectCopy,
        name: Option<String>,
        mut source: Source,
    ) -> Result<ProjectId, StoreError> {
        let files = self.store.asset_files().clone();
        self.store.write(IMPORT, move |rows| {
            if copy.schema > schema_of(rows)? {
                return Err(StoreError::NewerCopy.into());
            }
            rows.execute_batch("PRAGMA defer_foreign_keys = ON")?;
            put_contents(rows, &copy, &mut source)?;
            put_assets(rows, &files, &copy, &mut source)?;
            let project = put_rows(rows, &copy)?;
            let sql = "UPDATE projects SET name = coalesce(?2, name), updated_at_ms = ?3 WHERE id = ?1";
            change(rows, sql, (project.to_string(), name, now_ms()))?;
            Ok(project)
        })
    }
}

impl ProjectCopy {
    /// The table of a row that says it has not ended yet.
    fn unended(&self) -> Option<&str> {
        let is_open = |row: &Map<String, Value>| row.get("ended_at_ms").is_some_and(Value::is_null);
        self.tables.iter().find(|(_, rows)| rows.iter().any(is_open)).map(|(table, _)| table.as_str())
    }
}

fn bad(detail: impl Into<String>) -> StoreError {
    StoreError::BadCopy { detail: detail.into() }
}

fn take(connection: &Connection, project: ProjectId) -> Worked<ProjectCopy> {
    let owned = Owned::of(connection)?;
    let mut copy = ProjectCopy {
        schema: schema_of(connection)?,
        tables: BTreeMap::new(),
        assets: Vec::new(),
        contents: BTreeSet::new(),
    };
    let mut assets = BTreeSet::new();
    for table in owned.tables() {
        let sql = owned.select(table);
        let rows = all(connection, &sql, [project.to_string()], |row| {
            let cells = table.copied_columns().enumerate();
            cells.map(|(at, column)| Ok((column.to_owned(), as_json(row.get(at)?)))).collect()
        })?;
        for row in &rows {
            let row: &Map<String, Value> = row;
            for (column, parent) in table.references() {
                let Some(Value::String(hash)) = row.get(column) else { continue };
                match parent {
                    "assets" => drop(assets.insert(hash.clone())),
                    "contents" => drop(copy.contents.insert(hash.clone())),
                    _ => {}
                }
            }
        }
        copy.tables.insert(table.name.clone(), rows);
    }
    for hash in assets {
        let sql = "SELECT sha256, mime, extension, bytes, width, height FROM assets WHERE sha256 = ?1";
        copy.assets.extend(all(connection, sql, [hash], |row| {
            Ok(CopiedAsset {
                sha256: crate::rows::asset_id(row, "sha256")?,
                mime: row.get("mime")?,
                extension: row.get("extension")?,
                bytes: crate::rows::count(row, "bytes")?,
                width: row.get("width")?,
                height: row.get("height")?,
            })
        })?);
    }
    Ok(copy)
}

fn as_json(cell: Cell) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Integer(whole) => whole.into(),
        Cell::Real(real) => real.into(),
        Cell::Text(text) => text.into(),
        // Bytes lie in `contents`, which travels as files.
        Cell::Blob(_) => Value::Null,
    }
}

/// Reads a project as the program will, so that nothing comes in that cannot be shown.
fn read_back(store: &HistoryStore, project: ProjectId) -> Result<(), StoreError> {
    store.projects().list()?;
    store.inputs().of_project(project)?;
    store.turns().of_project(project)?;
    store.assets().of_project(project)?;
    for run in store.runs().of_project(project)? {
        store.events().since(run.id, 0)?;
        for variant in &run.variants {
            store.rounds().of_variant(run.id, variant.index)?;
            store.messages().of_variant(run.id, variant.index)?;
        }
    }
    store.tasks().of_project(project)?;
    store.ledger().of_project(project)?;
    store.scores().of_project(project)?;
    store.steps().way(project)?;
    store.steps().standing(project)?;
    store.versions().of_project(project)?;
    // Only the paths: a rehearsal has no texts.
    store.read(IMPORT, |connection| {
        let paths = all(connection, "SELECT path FROM version_files", (), |row| row.get::<_, String>(0))?;
        match paths.iter().find(|path| ProjectPath::parse(path).is_err()) {
            None => Ok(()),
            Some(_) => Err(bad("a file has a path that no project has").into()),
        }
    })?;
    match store.damage()?.first() {
        None => Ok(()),
        Some(damage) => Err(bad(damage.clone())),
    }
}
