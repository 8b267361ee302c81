//! The history of a project: a tree of versions, and a way through it that can be walked back and forth.
//!
//! - Every version is kept. Opening, branching and restoring add; nothing here removes or changes one.
//! - One version is **open**. What comes next (a run's result, an edit, a restored version) becomes its child and is
//!   opened in its place. Opening an older version and going on from it is branching; nothing else is needed.
//! - Each change of the open version is a **step**. Undo and redo walk along the steps, without limit and across
//!   restarts; they change no version. A step taken after undoing takes the place of the undone ones: what those
//!   had opened stays in the tree and can be opened there.
//! - The first step stays: undoing all of them gives the bytes the project began with.
//! - Labels, scores and settings are not part of the way.

mod view;

use std::path::Path;

use facsimile_agent::{ProjectFiles, ProjectId, ProjectPath, VersionId};
use facsimile_store::{NewVersion, Pins, Score, Standing, StoreError, Version, VersionKind};
use serde::Serialize;
use similar::TextDiff;
use ts_rs::TS;

use crate::error::StudioError;
use crate::export::{Exported, Exporter};
use crate::projects::name_of;
use crate::studio::Studio;
pub use view::{HistoryView, MakerView, StandingView, VersionView};

/// A version as the history shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryEntry {
    /// The version.
    pub version: Version,
    /// What it holds fast beside its files.
    pub pins: Pins,
    /// How faithful it is, if it was measured.
    pub score: Option<Score>,
}

/// The history of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// Every version, oldest first; their parents make the tree.
    pub entries: Vec<HistoryEntry>,
    /// The open version, and how far undo and redo go.
    pub standing: Standing,
}

/// What differs between two versions in one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct FileDifference {
    /// The file.
    pub path: ProjectPath,
    /// A unified diff with three lines of context; a file that only one of them has differs in all its lines.
    pub diff: String,
}

/// Lines of context around a change.
const CONTEXT_LINES: usize = 3;

impl Studio {
    /// Every version of a project, and where it stands.
    pub fn history(&self, project: ProjectId) -> Result<History, StudioError> {
        let store = self.store();
        let mut scores: std::collections::HashMap<_, _> =
            store.scores().of_project(project)?.into_iter().collect();
        let versions = store.versions().with_pins(project)?;
        let entries = versions.into_iter().map(|(version, pins)| {
            let score = scores.remove(&version.id);
            HistoryEntry { version, pins, score }
        });
        Ok(History { entries: entries.collect(), standing: store.steps().standing(project)? })
    }

    /// The open version of a project with its files; `None` before the first version.
    pub fn open_version(&self, project: ProjectId) -> Result<Option<(Version, ProjectFiles)>, StudioError> {
        let Some(id) = self.store().steps().standing(project)?.version else { return Ok(None) };
        Ok(Some((self.store().versions().get(id)?, self.version_files(project, id)?)))
    }

    /// The files of any version of a project, open or not.
    pub fn version_files(&self, project: ProjectId, id: VersionId) -> Result<ProjectFiles, StudioError> {
        self.require_version(project, id)?;
        Ok(self.store().versions().files(id)?.into_iter().collect())
    }

    /// Writes the files of a version into a folder.
    pub fn export_version(
        &self,
        project: ProjectId,
        id: VersionId,
        folder: &Path,
    ) -> Result<Exported, StudioError> {
        let files = self.version_files(project, id)?;
        let exporter = Exporter::new(self.store().clone());
        Ok(exporter.write(&exporter.plan(project, &files)?, folder)?)
    }

    /// Opens any version, as a step. What is done next branches from it.
    pub fn step_to(&self, project: ProjectId, id: VersionId) -> Result<Standing, StudioError> {
        Ok(self.store().steps().take(project, id)?)
    }

    /// Keeps files as a child of the open version and opens it, as a step: an edit by hand. Files like the open
    /// version's add nothing.
    pub fn keep_edit(
        &self,
        project: ProjectId,
        label: &str,
        files: &ProjectFiles,
    ) -> Result<VersionId, StudioError> {
        let store = self.store();
        let parent = store.steps().standing(project)?.version;
        if let Some(open) = parent
            && self.version_files(project, open)? == *files
        {
            return Ok(open);
        }
        let files = files.iter().map(|(path, text)| (path.clone(), text.to_owned())).collect();
        let (label, kind) = (label.to_owned(), VersionKind::Result);
        Ok(store.versions().add_open(NewVersion { project, parent, made_by: None, label, kind, files })?)
    }

    /// Makes a new version, a child of the open one, with the files and the place in the conversation of an older
    /// one, and opens it, as a step. Restoring what is open already adds nothing.
    pub fn restore(&self, project: ProjectId, id: VersionId) -> Result<VersionId, StudioError> {
        Ok(self.store().versions().restore(project, id)?)
    }

    /// Goes one step back, if there is one, and says what is open now.
    pub fn undo(&self, project: ProjectId) -> Result<Standing, StudioError> {
        Ok(self.store().steps().undo(project)?)
    }

    /// Goes one undone step forward again, if there is one, and says what is open now.
    pub fn redo(&self, project: ProjectId) -> Result<Standing, StudioError> {
        Ok(self.store().steps().redo(project)?)
    }

    /// What differs from one version to another, file by file; equal files are left out.
    pub fn compare(
        &self,
        project: ProjectId,
        from: VersionId,
        to: VersionId,
    ) -> Result<Vec<FileDifference>, StudioError> {
        let (old, new) = (self.version_files(project, from)?, self.version_files(project, to)?);
        let mut paths: Vec<_> = old.iter().chain(new.iter()).map(|(path, _)| path.clone()).collect();
        paths.sort();
        paths.dedup();
        let differences = paths.into_iter().filter_map(|path| {
            let (before, after) = (old.read(&path).unwrap_or_default(), new.read(&path).unwrap_or_default());
            let diff = TextDiff::from_lines(before, after)
                .unified_diff()
                .context_radius(CONTEXT_LINES)
                .header(path.as_str(), path.as_str())
                .to_string();
            (before != after).then_some(FileDifference { path, diff })
        });
        Ok(differences.collect())
    }

    /// Gives a version another name in the history; an empty one takes the name away.
    pub fn label_version(&self, project: ProjectId, id: VersionId, label: &str) -> Result<(), StudioError> {
        self.require_version(project, id)?;
        let label = match label.trim() {
            "" => String::new(),
            named => name_of(named)?,
        };
        Ok(self.store().versions().rename(id, &label)?)
    }

    fn require_version(&self, project: ProjectId, id: VersionId) -> Result<(), StudioError> {
        // A foreign id is unknown.
        match self.store().versions().get(id)?.project == project {
            true => Ok(()),
            false => Err(StoreError::NotFound { what: "version", id: id.to_string() }.into()),
        }
    }
}
