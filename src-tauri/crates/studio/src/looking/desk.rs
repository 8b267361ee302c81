//! Files laid out to be photographed, beside the run they belong to: nobody else sees them there.

use std::sync::Arc;

use facsimile_agent::{ProjectFiles, ProjectId, ProjectPath, RunId, VariantIndex};
use facsimile_store::StoredAsset;

use crate::camera::page_address;
use crate::preview::{PreviewFiles, PreviewSource, Shown};
use crate::{Studio, tasks};

const ONLY: VariantIndex = VariantIndex(0);

/// Files of a project as they are at one moment.
pub(super) struct PageOnDesk {
    studio: Studio,
    project: ProjectId,
    files: ProjectFiles,
    /// Stands in their addresses.
    run: RunId,
}

impl PageOnDesk {
    pub(super) fn new(studio: &Studio, project: ProjectId, files: ProjectFiles) -> Self {
        Self { studio: studio.clone(), project, files, run: RunId::fresh() }
    }

    pub(super) fn address_of(&self, page: &ProjectPath) -> String {
        page_address(self.run, ONLY, page)
    }

    /// Whether a file that is no text is there.
    pub(super) fn is_kept(&self, path: &ProjectPath) -> bool {
        let named = path.as_str().strip_prefix("assets/").and_then(|name| name.split_once('.'));
        let asset = named.and_then(|(digits, extension)| self.asset_of(digits, extension));
        asset.is_some()
            || self.studio.store().tasks().at_path(self.project, path.as_str()).is_ok_and(|at| at.is_some())
    }

    fn asset_of(&self, digits: &str, extension: &str) -> Option<StoredAsset> {
        let asset = self.studio.store().assets().find_in_project(self.project, digits).ok()??;
        (asset.extension == extension).then_some(asset)
    }

    fn shown(&self) -> Shown {
        Shown::Variant(self.run, ONLY)
    }

    pub(super) fn into_source(self) -> PreviewSource {
        PreviewSource::new(Arc::new(self))
    }
}

impl PreviewFiles for PageOnDesk {
    fn has(&self, shown: Shown) -> bool {
        shown == self.shown()
    }

    fn file(&self, shown: Shown, path: &ProjectPath) -> Option<Arc<str>> {
        self.files.read(path).filter(|_| self.has(shown)).map(Arc::from)
    }

    fn asset(&self, _shown: Shown, digits: &str, extension: &str) -> Option<Vec<u8>> {
        let asset = self.asset_of(digits, extension)?;
        self.studio
            .store()
            .assets()
            .read(&asset.id)
            .inspect_err(|error| tracing::warn!(%error, "a photographed page lacks an asset"))
            .ok()
    }

    fn bytes(&self, _shown: Shown, path: &ProjectPath) -> Option<Vec<u8>> {
        tasks::result_at(self.studio.store(), self.project, path.as_str())
            .inspect_err(|error| tracing::warn!(%error, "a photographed page lacks the result of a task"))
            .ok()
            .flatten()
    }
}
