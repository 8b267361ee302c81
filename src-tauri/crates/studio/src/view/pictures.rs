//! The small pictures of lists: of a project what is open in it, of a version its page.

use facsimile_agent::{AssetId, ProjectFiles, ProjectId, RunStatus, VersionId};
use facsimile_store::{NewAsset, ProjectSummary};
use facsimile_vision::Raster;

use super::{ProjectCard, thumbnails};
use crate::camera::version_address;
use crate::error::StudioError;
use crate::inputs::InputRefused;
use crate::studio::Studio;

/// As many digits of a hash as tell a picture from the one it replaces.
const STAMP_DIGITS: usize = 16;

impl Studio {
    /// Where the page of a version stands in the preview scheme, if it has one.
    pub fn page_of_version(&self, version: VersionId) -> Result<Option<String>, StudioError> {
        let files: ProjectFiles = self.store().versions().files(version)?.into_iter().collect();
        let page = files.main_page().map(|(page, _)| page).filter(|page| page.is_page());
        Ok(page.map(|page| version_address(version, page)))
    }

    /// Keeps a picture of a version's page; its project shows it while the version is open.
    pub fn keep_picture(&self, version: VersionId, png: &[u8]) -> Result<(), StudioError> {
        let shot = Raster::decode(png).map_err(InputRefused::of_thumbnail)?;
        let small = thumbnails::top_of(&shot).to_png().map_err(InputRefused::of_thumbnail)?;
        let asset = self.store().assets().put(NewAsset::new(small, "image/png", "png"))?;
        Ok(self.store().versions().set_picture(version, &asset.id)?)
    }

    /// The picture of a project as PNG, if it has one.
    pub fn project_thumbnail(&self, project: ProjectId) -> Result<Option<Vec<u8>>, StudioError> {
        Ok(self.project_picture(project)?.map(|asset| self.card_of(&asset)))
    }

    /// The picture of a version's page as PNG, if one was taken.
    pub fn version_thumbnail(&self, version: VersionId) -> Result<Option<Vec<u8>>, StudioError> {
        Ok(self.store().versions().picture(version)?.map(|asset| self.card_of(&asset)))
    }

    pub(super) fn project_card(&self, summary: &ProjectSummary) -> Result<ProjectCard, StudioError> {
        let project = &summary.project;
        let picture = self.project_picture(project.id)?;
        Ok(ProjectCard {
            id: project.id,
            name: project.name.clone(),
            updated_at_ms: project.updated_at_ms,
            thumbnail: picture.map(|asset| thumbnail_path("project", project.id, &asset)),
            state: summary.latest_state().unwrap_or(RunStatus::NoOutput),
        })
    }

    /// What stands for a project: its open version's page, else what was kept for it, else its first screenshot.
    fn project_picture(&self, id: ProjectId) -> Result<Option<AssetId>, StudioError> {
        let store = self.store();
        let open = store.steps().standing(id)?.version;
        if let Some(asset) = open.map(|version| store.versions().picture(version)).transpose()?.flatten() {
            return Ok(Some(asset));
        }
        let kept = store.projects().get(id)?.thumbnail;
        Ok(match kept {
            Some(asset) => Some(asset),
            None => store.inputs().of_project(id)?.first().map(|input| input.asset.clone()),
        })
    }

    fn card_of(&self, asset: &AssetId) -> Vec<u8> {
        self.thumbnails().card(self.store(), asset).to_vec()
    }
}

/// The path of a small picture in the preview scheme; another picture has another path.
pub(crate) fn thumbnail_path(kind: &str, id: impl std::fmt::Display, asset: &AssetId) -> String {
    let stamp: String = asset.as_str().chars().take(STAMP_DIGITS).collect();
    format!("/thumbnail/{kind}/{id}?v={stamp}")
}
