//! Where a preview's files come from.

use std::sync::Arc;

use facsimile_agent::{ProjectFiles, ProjectPath, RunId, VariantIndex};

use crate::Studio;
use crate::run::folded_files;
use crate::tasks;

/// The files a preview shows. An implementor gives, for a variant that has ended with a version, that version,
/// and for one that works the texts shown so far; and assets of the run's own project only.
pub trait PreviewFiles: Send + Sync {
    /// Whether there is such a variant at all.
    fn has_variant(&self, run: RunId, variant: VariantIndex) -> bool;

    /// A text file. Where a variant has pages but no `index.html`, that path gives its main page.
    fn file(&self, run: RunId, variant: VariantIndex, path: &ProjectPath) -> Option<Arc<str>>;

    /// The bytes of the asset that pages name `assets/<digits>.<extension>`.
    fn asset(&self, run: RunId, digits: &str, extension: &str) -> Option<Vec<u8>>;

    /// A file that is no text and no asset: the result of a task, or whatever lies in a folder on disk.
    fn bytes(&self, _run: RunId, _variant: VariantIndex, _path: &ProjectPath) -> Option<Vec<u8>> {
        None
    }
}

impl PreviewFiles for Studio {
    fn has_variant(&self, run: RunId, variant: VariantIndex) -> bool {
        let run = self.store().runs().get(run);
        run.is_ok_and(|run| run.variants.iter().any(|known| known.index == variant))
    }

    fn file(&self, run: RunId, variant: VariantIndex, path: &ProjectPath) -> Option<Arc<str>> {
        let files = match self.files_of(run, variant) {
            Ok((_, files)) => files,
            // It still works, or ended without a version: what it has shown counts.
            Err(_) => {
                let (snapshot, _) = self.attach(run).ok()?;
                folded_files(snapshot.events.iter().map(AsRef::as_ref), variant)
            }
        };
        file_or_main_page(&files, path)
    }

    fn asset(&self, run: RunId, digits: &str, extension: &str) -> Option<Vec<u8>> {
        let project = self.store().runs().get(run).ok()?.project;
        let assets = self.store().assets();
        let asset = assets.find_in_project(project, digits).ok()??;
        if asset.extension != extension {
            return None;
        }
        assets.read(&asset.id).inspect_err(|error| tracing::warn!(%error, "a preview lacks an asset")).ok()
    }

    fn bytes(&self, run: RunId, _variant: VariantIndex, path: &ProjectPath) -> Option<Vec<u8>> {
        let project = self.store().runs().get(run).ok()?.project;
        tasks::result_at(self.store(), project, path.as_str())
            .inspect_err(|error| tracing::warn!(%error, "a preview lacks the result of a task"))
            .ok()
            .flatten()
    }
}

fn file_or_main_page(files: &ProjectFiles, path: &ProjectPath) -> Option<Arc<str>> {
    let text = files.read(path).or_else(|| {
        let (main, text) = files.main_page().filter(|_| *path == ProjectPath::index())?;
        matches!(main.extension(), Some("html" | "htm")).then_some(text)
    });
    text.map(Arc::from)
}
