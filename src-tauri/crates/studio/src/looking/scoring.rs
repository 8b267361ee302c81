//! The score of a version: its page as photographed against the screenshot it was made from.

use facsimile_agent::{AssetId, InputId, ProjectId, RunId, RunStatus, VariantIndex, VersionId};
use facsimile_store::{Run, TurnKind};
use facsimile_vision::{Raster, Watch};
use serde_json::json;

use super::readings::{facts_of, kept_facts};
use super::{Lens, WIDTHS_PX};
use crate::Studio;
use crate::camera::Detail;
use crate::error::StudioError;
use crate::inputs::InputRefused;
use crate::measuring::{Measurement, MeasuringFailed, Reference, SeenPage};
use crate::run::origin::is_traced;

/// A picture that a page is to become.
#[derive(Debug, Clone)]
pub(crate) struct Screenshot {
    /// What the person calls it.
    pub(crate) name: String,
    /// Its bytes.
    pub(crate) asset: AssetId,
}

/// What an earlier measurement is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Earlier {
    Stands,
    Replaced,
}

/// Why a version has no score.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoScore {
    #[error(transparent)]
    Studio(#[from] StudioError),
    #[error(transparent)]
    Camera(#[from] crate::camera::CameraError),
    #[error(transparent)]
    Measuring(#[from] MeasuringFailed),
}

impl Studio {
    /// The score of a finished option, measured now if it never was; blocks for seconds then. `None` where there is
    /// nothing to measure: no camera, no screenshot, no page, or a measurement that failed, which is logged.
    pub fn score(&self, run: RunId, variant: VariantIndex) -> Option<f64> {
        self.score_or_log(run, variant, Earlier::Stands)
    }

    /// The score of a finished option whose page looks different now, though its files are the same.
    pub fn score_again(&self, run: RunId, variant: VariantIndex) -> Option<f64> {
        self.score_or_log(run, variant, Earlier::Replaced)
    }

    fn score_or_log(&self, run: RunId, variant: VariantIndex, earlier: Earlier) -> Option<f64> {
        // One at a time: the machine is needed by whoever still works.
        let _turn = self.measuring_turn();
        self.scored(run, variant, earlier).unwrap_or_else(|error| {
            tracing::warn!(%run, %error, "an option was not measured");
            None
        })
    }

    fn scored(&self, run: RunId, variant: VariantIndex, earlier: Earlier) -> Result<Option<f64>, NoScore> {
        let stored = self.store().runs().get(run).map_err(StudioError::from)?;
        let ended = stored.variants.iter().find(|ended| ended.index == variant && is_whole(ended.state));
        let Some(version) = ended.and_then(|ended| ended.version) else { return Ok(None) };
        if earlier == Earlier::Stands
            && let Some(score) = self.store().scores().get(version).map_err(StudioError::from)?
        {
            return Ok(Some(score.score));
        }
        let screenshot = self.first_screenshot_of(&stored)?;
        self.measured_version(stored.project, version, screenshot)
    }

    /// The score of a version that was made by hand, if there is a screenshot behind it; blocks for seconds. A
    /// measurement that failed is logged.
    pub fn score_by_hand(&self, project: ProjectId, version: VersionId) -> Option<f64> {
        let _turn = self.measuring_turn();
        let scored = self
            .screenshot_behind(version)
            .map_err(NoScore::from)
            .and_then(|screenshot| self.measured_version(project, version, screenshot));
        scored.unwrap_or_else(|error| {
            tracing::warn!(%version, %error, "a version was not measured");
            None
        })
    }

    fn measured_version(
        &self,
        project: ProjectId,
        version: VersionId,
        screenshot: Option<Screenshot>,
    ) -> Result<Option<f64>, NoScore> {
        let (Some(lens), Some(screenshot)) = (Lens::of(self, project), screenshot) else { return Ok(None) };
        let files = self.version_files(project, version)?;
        let Some((page, _)) = files.main_page() else { return Ok(None) };
        let page = page.clone();
        let measured = self.reference(project, &screenshot)?.measured(|width_px| {
            lens.shoot(files, &page, width_px, Detail::Textless).map_err(NoScore::from)
        })?;
        let parts = json!({ "parts": measured.parts, "ssim": measured.pixels.ssim, "deltaE": measured.pixels.delta_e });
        self.store().scores().set(version, measured.score, parts).map_err(StudioError::from)?;
        Ok(Some(measured.score))
    }

    /// The width that the pages of a run were made for: their screenshot's, as near as a view can be made. `None` where
    /// there is none.
    pub fn page_width_px(&self, run: RunId) -> Option<u32> {
        let width = || {
            let stored = self.store().runs().get(run)?;
            self.width_of(stored.project, self.first_screenshot_of(&stored)?)
        };
        let width = width().inspect_err(|error| tracing::warn!(%run, %error, "a screenshot has no width"));
        width.ok().flatten()
    }

    /// The width that the page of a version made by hand was once made for, found in the same way.
    pub fn version_width_px(&self, project: ProjectId, version: VersionId) -> Option<u32> {
        let width = self
            .screenshot_behind(version)
            .and_then(|screenshot| self.width_of(project, screenshot))
            .inspect_err(|error| tracing::warn!(%version, %error, "a screenshot has no width"));
        width.ok().flatten()
    }

    fn width_of(
        &self,
        project: ProjectId,
        screenshot: Option<Screenshot>,
    ) -> Result<Option<u32>, StudioError> {
        let Some(Screenshot { name, asset }) = screenshot else { return Ok(None) };
        // A dense screenshot has more pixels than its page, which only reading tells; nobody waits for that here.
        if let Some(facts) = kept_facts(self.store(), project, &asset) {
            return Ok(Some(within_views(facts.width)));
        }
        let bytes = self.store().assets().read(&asset)?;
        let raster = Raster::decode(&bytes).map_err(|source| InputRefused::Picture { name, source })?;
        Ok(Some(within_views(raster.width())))
    }

    /// A screenshot of a project and what was read of it, once.
    pub(crate) fn reference(
        &self,
        project: ProjectId,
        screenshot: &Screenshot,
    ) -> Result<Reference, StudioError> {
        let Screenshot { name, asset } = screenshot;
        let bytes = self.store().assets().read(asset)?;
        let raster =
            Raster::decode(&bytes).map_err(|source| InputRefused::Picture { name: name.clone(), source })?;
        let tracer = self.tracer()?;
        let facts = facts_of(self.store(), project, asset, &raster, &tracer, &mut Watch::silent())?;
        Ok(Reference::new(&facts, raster))
    }

    /// The picture that the page of a run was first made from, and is to look like however often it is changed.
    fn first_screenshot_of(&self, run: &Run) -> Result<Option<Screenshot>, StudioError> {
        let turn = self.store().turns().get(run.turn)?.request;
        match (turn.kind, turn.parent_version) {
            // What is given with a change is seldom what the page is to become.
            (TurnKind::Modify, Some(parent)) if !is_traced(run) => self.screenshot_behind(parent),
            _ => self.screenshot_in(run),
        }
    }

    /// The picture that the page of a version was first made from.
    pub(crate) fn screenshot_behind(&self, version: VersionId) -> Result<Option<Screenshot>, StudioError> {
        let first = self.first_run_behind(version)?;
        first.map_or(Ok(None), |run| self.screenshot_in(&run))
    }

    /// The first picture that a run was given.
    fn screenshot_in(&self, run: &Run) -> Result<Option<Screenshot>, StudioError> {
        let id = run.request["inputIds"][0].as_str().and_then(|id| id.parse::<InputId>().ok());
        let input = id.map(|id| self.store().inputs().get(id)).transpose()?;
        Ok(input.map(|input| Screenshot { name: input.name, asset: input.asset }))
    }
}

impl Reference {
    /// The width of the page it shows, or as near to it as a view can be made.
    pub(crate) fn view_width_px(&self) -> u32 {
        within_views(self.width_px())
    }

    /// Measures a page that is photographed at the screenshot's own width.
    pub(crate) fn measured(
        &self,
        shoot: impl FnOnce(u32) -> Result<crate::camera::Shot, NoScore>,
    ) -> Result<Measurement, NoScore> {
        let shot = shoot(self.view_width_px())?;
        Ok(self.compared(SeenPage::of(&shot))?.measurement)
    }
}

/// The nearest width that a view can be made.
fn within_views(width_px: u32) -> u32 {
    width_px.clamp(*WIDTHS_PX.start(), *WIDTHS_PX.end())
}

/// Whether an option has ended with a page that is worth measuring.
fn is_whole(state: RunStatus) -> bool {
    matches!(state, RunStatus::Succeeded | RunStatus::StoppedAtLimit | RunStatus::BudgetExceeded)
}
