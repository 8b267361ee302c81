//! A picture traced on its own, outside any project.

use std::path::Path;

use facsimile_agent::{ProjectFiles, ProjectPath};
use facsimile_store::{HistoryStore, NewAsset};
use facsimile_vision::{Facts, Layout, Raster, TracedPage, Tracer, Watch, emit};

use crate::error::StudioError;
use crate::export::{ExportPlan, Exported, Exporter, PlannedFile};
use crate::inputs::{self, InputRefused};
use crate::offline::{finding, separate_styles};

/// What was measured in a picture and the page made of it.
pub struct TracedPicture {
    name: String,
    facts: Facts,
    raster: Raster,
}

impl TracedPicture {
    /// Traces a file.
    pub fn of_file(path: &Path) -> Result<Self, StudioError> {
        let (name, bytes) = inputs::read_file(path)?;
        let raster =
            Raster::decode(&bytes).map_err(|source| InputRefused::Picture { name: name.clone(), source })?;
        let facts = Tracer::new()?.trace(&raster, &mut Watch::silent())?;
        Ok(Self { name, facts, raster })
    }

    /// What was measured.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The facts as JSON.
    pub fn facts_json(&self) -> String {
        // Facts hold numbers, texts and lists only: there is nothing in them that JSON cannot say.
        serde_json::to_string(&self.facts).unwrap_or_default()
    }

    /// What was found, in one sentence.
    pub fn finding(&self) -> String {
        finding(&self.name, &self.facts)
    }

    /// Writes the page into a folder.
    pub fn write(&self, folder: &Path) -> Result<Exported, StudioError> {
        // Names come from the store alone, so that a traced page names its pictures as a project would.
        let store = HistoryStore::in_memory()?;
        let named = |bytes: &[u8], extension: &str| {
            let asset = NewAsset::new(bytes.to_vec(), "application/octet-stream", extension);
            store.assets().put(asset).map(|stored| stored.path_in_page).unwrap_or_default()
        };
        let TracedPage { html, assets } = emit(&self.facts, &self.raster, Layout::Flowing, &named);
        let mut files = ProjectFiles::new();
        match separate_styles(&html, "styles.css") {
            Some((html, css)) => {
                files.write(ProjectPath::index(), html);
                files.write(ProjectPath::stylesheet(), css);
            }
            None => files.write(ProjectPath::index(), html),
        }
        let mut plan = ExportPlan::default();
        plan.files.extend(
            files
                .iter()
                .map(|(path, text)| PlannedFile { path: path.clone(), bytes: text.as_bytes().to_vec() }),
        );
        for asset in assets {
            if let Ok(path) = ProjectPath::parse(&asset.path) {
                plan.files.push(PlannedFile { path, bytes: asset.bytes });
            }
        }
        plan.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Exporter::new(store).write(&plan, folder)?)
    }
}
