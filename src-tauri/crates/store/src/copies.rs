//! A project as rows that can travel: into an archive, and back in under fresh ids.
//!
//! What a deletion of the project would take is what the copy holds, so that a table that is added later comes
//! along by its foreign keys alone.

mod schema;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;

use facsimile_agent::{AssetId, ProjectId};
use rusqlite::types::Value as Cell;
use rusqlite::{Connection, Transaction, params_from_iter};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::assets::{AssetFiles, Assets, sha256_hex};
use crate::error::{StoreError, Worked};
use crate::history::HistoryStore;
use crate::migrations::schema_of;
use crate::rows::{all, change, now_ms};
use schema::{Owned, Table};

const IMPORT: &str = "take a project in";
/// What was paid belongs to the project it was paid in.
const SPENDING: &str = "ledger";
const UUID_LENGTH: usize = 36;

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

fn put_contents(rows: &Transaction<'_>, copy: &ProjectCopy, source: &mut Source) -> Worked<()> {
    for hash in &copy.contents {
        let text = match source {
            Source::Kept => continue,
            Source::Rehearsal => Vec::new(),
            Source::Given(bytes) => given(bytes, CopiedBytes::Text(hash))?,
        };
        String::from_utf8(text)
            .map_err(|_| bad("a file is no text"))
            .map(|text| change(rows, "INSERT OR IGNORE INTO contents VALUES (?1, ?2)", (hash, text)))??;
    }
    Ok(())
}

fn put_assets(
    rows: &Transaction<'_>,
    files: &AssetFiles,
    copy: &ProjectCopy,
    source: &mut Source,
) -> Worked<()> {
    for asset in &copy.assets {
        let path_is_plain = asset.extension.bytes().all(|b| b.is_ascii_alphanumeric());
        if !path_is_plain || asset.extension.is_empty() || asset.extension.len() > 8 {
            return Err(bad("an asset has no plain extension").into());
        }
        match source {
            Source::Kept => continue,
            Source::Rehearsal => {}
            Source::Given(bytes) => {
                let bytes = given(bytes, CopiedBytes::Asset(&asset.sha256))?;
                if bytes.len() as u64 != asset.bytes {
                    return Err(bad("an asset has another length than it says").into());
                }
                files
                    .keep(&asset.sha256, &bytes)
                    .map_err(|source| StoreError::from_io(IMPORT, files.path(&asset.sha256), source))?;
            }
        }
        let sql = "INSERT INTO assets (sha256, mime, extension, bytes, width, height, created_at_ms, put_at_ms)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7) ON CONFLICT (sha256) DO UPDATE SET put_at_ms = ?7";
        let CopiedAsset { sha256, mime, extension, width, height, .. } = asset;
        let bytes = crate::rows::as_column(asset.bytes);
        change(rows, sql, (sha256.as_str(), mime, extension, bytes, width, height, now_ms()))?;
    }
    Ok(())
}

fn given(bytes: &mut BytesOf<'static>, wanted: CopiedBytes<'_>) -> Worked<Vec<u8>> {
    let given = bytes(wanted).map_err(|error| bad(error.to_string()))?;
    match sha256_hex(&given) == wanted.hash() {
        true => Ok(given),
        false => Err(bad("what a file holds is not what its name says").into()),
    }
}

fn put_rows(rows: &Transaction<'_>, copy: &ProjectCopy) -> Worked<ProjectId> {
    let owned = Owned::of(rows)?;
    if let Some(table) = copy.unended() {
        return Err(bad(format!("it holds {table} that have not ended")).into());
    }
    if let Some(unknown) = copy.tables.keys().find(|name| owned.table(name).is_none()) {
        return Err(bad(format!("nobody knows {unknown:?}")).into());
    }
    let fresh = fresh_ids(copy)?;
    let [project] = copy.tables.get("projects").map(Vec::as_slice).unwrap_or_default() else {
        return Err(bad("it does not hold one project").into());
    };
    let project = fresh.of(project.get("id"))?.parse().map_err(|_| bad("an id is none"))?;
    for table in owned.tables() {
        for row in copy.tables.get(&table.name).into_iter().flatten() {
            put_row(rows, table, row, &fresh, copy)?;
        }
    }
    Ok(project)
}

fn put_row(
    rows: &Transaction<'_>,
    table: &Table,
    row: &Map<String, Value>,
    fresh: &FreshIds,
    copy: &ProjectCopy,
) -> Worked<()> {
    let mut cells = Vec::with_capacity(row.len());
    for (column, value) in row {
        if !table.copied_columns().any(|known| known == column) {
            return Err(bad(format!("nobody knows {column:?} of {}", table.name)).into());
        }
        let parent = table.references().find(|(from, _)| from == column).map(|(_, parent)| parent);
        let cell = match (value, parent) {
            (Value::Null, _) => Cell::Null,
            (Value::String(hash), Some("contents")) if copy.contents.contains(hash) => hash.clone().into(),
            (Value::String(hash), Some("assets"))
                if copy.assets.iter().any(|asset| asset.sha256.as_str() == hash) =>
            {
                hash.clone().into()
            }
            (_, Some("contents" | "assets")) => {
                return Err(bad(format!("a row of {} names a file that is not there", table.name)).into());
            }
            (Value::String(_), Some(_)) if column != "nth" => fresh.of(Some(value))?.to_owned().into(),
            (Value::String(_), None) if column == "id" => fresh.of(Some(value))?.to_owned().into(),
            (Value::String(text), _) => fresh.within(text).into(),
            (Value::Number(number), _) => match number.as_i64() {
                Some(whole) => whole.into(),
                None => number.as_f64().unwrap_or_default().into(),
            },
            (Value::Bool(_) | Value::Array(_) | Value::Object(_), _) => {
                return Err(bad(format!("{column:?} of {} is no cell", table.name)).into());
            }
        };
        cells.push((column.as_str(), cell));
    }
    let columns: Vec<_> = cells.iter().map(|(column, _)| *column).collect();
    let places: Vec<_> = (1..=cells.len()).map(|at| format!("?{at}")).collect();
    let sql =
        format!("INSERT INTO {} ({}) VALUES ({})", table.name, columns.join(", "), places.join(", "));
    let put = change(rows, &sql, params_from_iter(cells.into_iter().map(|(_, cell)| cell)));
    put.map(drop).map_err(|stop| match stop {
        crate::error::Stop::Sql(error) if is_refused(&error) => {
            bad(format!("a row of {} does not fit: {error}", table.name)).into()
        }
        other => other,
    })
}

fn is_refused(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{ConstraintViolation, TooBig, TypeMismatch};
    matches!(error.sqlite_error_code(), Some(ConstraintViolation | TypeMismatch | TooBig))
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

/// The id that each id of a copy gets here.
struct FreshIds(HashMap<String, String>);

fn fresh_ids(copy: &ProjectCopy) -> Worked<FreshIds> {
    let mut fresh = HashMap::new();
    for id in copy.tables.values().flatten().filter_map(|row| row.get("id")) {
        let is_id = |id: &&str| uuid::Uuid::try_parse(id).is_ok_and(|read| read.to_string() == **id);
        let id = id.as_str().filter(is_id).ok_or_else(|| bad("an id is none"))?;
        if fresh.insert(id.to_owned(), uuid::Uuid::now_v7().to_string()).is_some() {
            return Err(bad("two rows have one id").into());
        }
    }
    Ok(FreshIds(fresh))
}

impl FreshIds {
    fn of(&self, id: Option<&Value>) -> Worked<&str> {
        let fresh = id.and_then(Value::as_str).and_then(|id| self.0.get(id));
        Ok(fresh.map(String::as_str).ok_or_else(|| bad("a row points outside of the project"))?)
    }

    /// A text in which every old id is the fresh one: requests and events name ids inside JSON.
    fn within(&self, text: &str) -> String {
        let mut fresh = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(dash) = rest.find('-') {
            let id = dash.checked_sub(8).and_then(|start| rest.get(start..start + UUID_LENGTH));
            match id.and_then(|id| self.0.get(id)) {
                Some(new) => {
                    fresh.push_str(&rest[..dash - 8]);
                    fresh.push_str(new);
                    rest = &rest[dash - 8 + UUID_LENGTH..];
                }
                None => {
                    fresh.push_str(&rest[..=dash]);
                    rest = &rest[dash + 1..];
                }
            }
        }
        fresh.push_str(rest);
        fresh
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
        }
    }
    for version in store.versions().of_project(project)? {
        store.versions().files(version.id)?;
    }
    match store.damage()?.first() {
        None => Ok(()),
        Some(damage) => Err(bad(damage.clone())),
    }
}
