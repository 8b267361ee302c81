//! Looking at pages: their pictures through the shell's camera, and how close they come to their screenshots.

mod desk;
pub(crate) mod ports;
pub(crate) mod readings;
pub(crate) mod scoring;

use std::sync::Arc;

use facsimile_agent::{ProjectFiles, ProjectId, ProjectPath};

use crate::Studio;
use crate::camera::{Camera, Detail, ShotRequest, ShotResult};
use desk::PageOnDesk;

/// A view is made no narrower and no wider.
const WIDTHS_PX: std::ops::RangeInclusive<u32> = 50..=8000;

/// Photographs pages of one project.
#[derive(Clone)]
pub(crate) struct Lens {
    camera: Arc<dyn Camera>,
    studio: Studio,
    project: ProjectId,
}

impl Lens {
    /// A lens for the pages of a project; `None` where nothing can take pictures.
    pub(crate) fn of(studio: &Studio, project: ProjectId) -> Option<Self> {
        let camera = studio.camera()?;
        Some(Self { camera, studio: studio.clone(), project })
    }

    /// Takes a picture of a page among these files; blocks until it is there.
    pub(crate) fn shoot(
        &self,
        files: ProjectFiles,
        page: &ProjectPath,
        width_px: u32,
        detail: Detail,
    ) -> ShotResult {
        let desk = PageOnDesk::new(&self.studio, self.project, files);
        let path = desk.address_of(page);
        let source = desk.into_source();
        let serve = Arc::new(move |path: &str| source.respond(path));
        self.camera.shoot(ShotRequest { serve, path, width_px, detail })
    }
}
