//! What versions hold fast beside their files: their place in the conversation, and their assets.

use std::collections::{BTreeSet, HashMap};

use facsimile_agent::{AssetId, ProjectId, RunId, TurnId, VariantIndex, VersionId};
use rusqlite::{Connection, Row, Transaction};

use super::{NewVersion, Version, version};
use crate::error::Worked;
use crate::rows::{all, as_column, asset_id, change, count, found, parsed, parsed_if_set};
use crate::{assets, messages};

/// What a version holds fast beside its files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pins {
    /// The last turn it knows of.
    pub turn: Option<TurnId>,
    /// The variant whose conversation led to it; one made by hand goes on from its parent's.
    pub conversation: Option<(RunId, VariantIndex)>,
    /// How many messages of that conversation it knows of.
    pub messages: u64,
    /// The assets that its files name, in the order of their hashes. They stay as long as the version does.
    pub assets: Vec<AssetId>,
}

/// A variant's version stands where its conversation stands; one made by hand stands where its parent stood.
pub(super) fn pin_conversation(rows: &Transaction<'_>, id: VersionId, new: &NewVersion) -> Worked<()> {
    let Some((run, variant)) = new.made_by else {
        return match new.parent {
            Some(parent) => copy_conversation(rows, id, parent),
            None => Ok(()),
        };
    };
    let run = run.to_string();
    let messages = messages::count_of(rows, &run, variant.0)?;
    let sql = "UPDATE versions SET talk_run = ?2, talk_variant = ?3, messages = ?4,
                   turn = (SELECT runs.turn FROM runs WHERE runs.id = ?2) WHERE id = ?1";
    change(rows, sql, (id.to_string(), run, variant.0, as_column(messages))).map(drop)
}

pub(super) fn copy_conversation(rows: &Transaction<'_>, to: VersionId, from: VersionId) -> Worked<()> {
    let sql = "UPDATE versions SET (turn, talk_run, talk_variant, messages) =
                   (SELECT turn, talk_run, talk_variant, messages FROM versions WHERE id = ?2) WHERE id = ?1";
    change(rows, sql, (to.to_string(), from.to_string())).map(drop)
}

pub(super) fn pin_assets(rows: &Transaction<'_>, id: VersionId, new: &NewVersion) -> Worked<()> {
    let named: BTreeSet<&str> = new.files.iter().flat_map(|(_, text)| named_assets(text)).collect();
    for prefix in named {
        // Only what the project has: a page may name anything.
        let sql = "INSERT OR IGNORE INTO version_assets (version, asset)
                   SELECT ?1, sha256 FROM assets WHERE sha256 >= ?2 AND sha256 < ?2 || 'g' AND (
                       EXISTS (SELECT 1 FROM project_assets AS link WHERE link.asset = sha256 AND link.project = ?3)
                       OR EXISTS (SELECT 1 FROM inputs WHERE inputs.asset = sha256 AND inputs.project = ?3)
                       OR EXISTS (SELECT 1 FROM version_assets AS pin JOIN versions ON versions.id = pin.version
                                  WHERE pin.asset = sha256 AND versions.project = ?3))";
        change(rows, sql, (id.to_string(), prefix, new.project.to_string()))?;
    }
    Ok(())
}

/// The first sixteen digits of every asset that a text names as `assets/<16 hex>.`.
fn named_assets(text: &str) -> impl Iterator<Item = &str> {
    const FOLDER: &str = "assets/";
    text.match_indices(FOLDER).filter_map(move |(at, _)| {
        let prefix = text.get(at + FOLDER.len()..at + FOLDER.len() + 16)?;
        assets::is_page_prefix(prefix).then_some(prefix)
    })
}

pub(super) fn conversation(connection: &Connection, id: VersionId) -> Worked<Pins> {
    let sql = "SELECT turn, talk_run, talk_variant, messages FROM versions WHERE id = ?1";
    found(connection, "version", &id.to_string(), sql, [id.to_string()], place)
}

pub(super) fn of(connection: &Connection, id: VersionId) -> Worked<Pins> {
    let sql = "SELECT asset FROM version_assets WHERE version = ?1 ORDER BY asset";
    let assets = all(connection, sql, [id.to_string()], |row| asset_id(row, 0))?;
    Ok(Pins { assets, ..conversation(connection, id)? })
}

/// The versions of a project with their pins, oldest first.
pub(super) fn of_project(connection: &Connection, project: ProjectId) -> Worked<Vec<(Version, Pins)>> {
    let sql = "SELECT version, asset FROM version_assets JOIN versions ON id = version
               WHERE project = ?1 ORDER BY version, asset";
    let mut assets: HashMap<VersionId, Vec<AssetId>> = HashMap::new();
    for (version, asset) in
        all(connection, sql, [project.to_string()], |row| Ok((parsed(row, 0)?, asset_id(row, 1)?)))?
    {
        assets.entry(version).or_default().push(asset);
    }
    let sql = "SELECT * FROM versions
               WHERE project = ?1 ORDER BY nth";
    let mut found = all(connection, sql, [project.to_string()], |row| Ok((version(row)?, place(row)?)))?;
    for (version, pins) in &mut found {
        pins.assets = assets.remove(&version.id).unwrap_or_default();
    }
    Ok(found)
}

fn place(row: &Row<'_>) -> rusqlite::Result<Pins> {
    let run = parsed_if_set(row, "talk_run")?;
    let variant: Option<u8> = row.get("talk_variant")?;
    Ok(Pins {
        turn: parsed_if_set(row, "turn")?,
        conversation: run.zip(variant.map(VariantIndex)),
        messages: count(row, "messages")?,
        assets: Vec::new(),
    })
}
