//! Where a preview's files come from.

use std::sync::Arc;

use facsimile_agent::{ProjectFiles, ProjectId, ProjectPath, RunId};

use super::address::{Pictured, Shown};
use crate::Studio;
use crate::error::StudioError;
use crate::run::folded_files;
use crate::tasks;

/// The files a preview shows. An implementor gives, for a variant that has ended with a version, that version,
/// and for one that works the texts shown so far; and assets of the same project only.
pub trait PreviewFiles: Send + Sync {
    /// Whether there is such a variant or version at all.
    fn has(&self, shown: Shown) -> bool;

    /// A text file. Where there are pages but no `index.html`, that path gives the main page.
    fn file(&self, shown: Shown, path: &ProjectPath) -> Option<Arc<str>>;

    /// The bytes of the asset that pages name `assets/<digits>.<extension>`.
    fn asset(&self, shown: Shown, digits: &str, extension: &str) -> Option<Vec<u8>>;

    /// A file that is no text and no asset: the result of a task, or whatever lies in a folder on disk.
    fn bytes(&self, _shown: Shown, _path: &ProjectPath) -> Option<Vec<u8>> {
        None
    }

    /// The small picture of a project or a version, as PNG.
    fn thumbnail(&self, _of: Pictured) -> Option<Vec<u8>> {
        None
    }
}

impl PreviewFiles for Studio {
    fn has(&self, shown: Shown) -> bool {
        match shown {
            Shown::Variant(run, variant) => {
                let run = self.store().runs().get(run);
                run.is_ok_and(|run| run.variants.iter().any(|known| known.index == variant))
            }
            Shown::Version(version) => self.store().versions().get(version).is_ok(),
        }
    }

    fn file(&self, shown: Shown, path: &ProjectPath) -> Option<Arc<str>> {
        let files = match shown {
            Shown::Variant(run, variant) => match self.files_of(run, variant) {
                Ok((_, files)) => files,
                // It still works, or ended without a version: what it has shown counts.
                Err(_) => {
                    let (snapshot, _) = self.attach(run).ok()?;
                    folded_files(snapshot.events.iter().map(AsRef::as_ref), variant)
                }
            },
            Shown::Version(version) => self.store().versions().files(version).ok()?.into_iter().collect(),
        };
        file_or_main_page(&files, path)
    }

    fn asset(&self, shown: Shown, digits: &str, extension: &str) -> Option<Vec<u8>> {
        let assets = self.store().assets();
        let asset = assets.find_in_project(project_of(self, shown)?, digits).ok()??;
        if asset.extension != extension {
            return None;
        }
        assets.read(&asset.id).inspect_err(|error| tracing::warn!(%error, "a preview lacks an asset")).ok()
    }

    fn bytes(&self, shown: Shown, path: &ProjectPath) -> Option<Vec<u8>> {
        tasks::result_at(self.store(), project_of(self, shown)?, path.as_str())
            .inspect_err(|error| tracing::warn!(%error, "a preview lacks the result of a task"))
            .ok()
            .flatten()
    }

    fn thumbnail(&self, of: Pictured) -> Option<Vec<u8>> {
        let png = match of {
            Pictured::Project(project) => self.project_thumbnail(project),
            Pictured::Version(version) => self.version_thumbnail(version),
        };
        png.inspect_err(|error| tracing::warn!(%error, "a list lacks a picture")).ok().flatten()
    }
}

impl Studio {
    /// A run of the project to which something shown belongs: its own, or the latest where a version is shown.
    pub fn run_behind(&self, shown: Shown) -> Result<Option<RunId>, StudioError> {
        match shown {
            Shown::Variant(run, _) => Ok(Some(run)),
            Shown::Version(version) => {
                let project = self.store().versions().get(version)?.project;
                Ok(self.runs_of(project)?.last().map(|run| run.id))
            }
        }
    }
}

/// The project that something shown belongs to.
fn project_of(studio: &Studio, shown: Shown) -> Option<ProjectId> {
    match shown {
        Shown::Variant(run, _) => Some(studio.store().runs().get(run).ok()?.project),
        Shown::Version(version) => Some(studio.store().versions().get(version).ok()?.project),
    }
}

fn file_or_main_page(files: &ProjectFiles, path: &ProjectPath) -> Option<Arc<str>> {
    let text = files.read(path).or_else(|| {
        let (main, text) = files.main_page().filter(|_| *path == ProjectPath::index())?;
        main.is_page().then_some(text)
    });
    text.map(Arc::from)
}
