//! Measures a page against its screenshot: the screenshot is read here, the page was seen by a camera.

use std::path::Path;

use facsimile_vision::fidelity::{Geometry, Reading, Side, design2code, difference_map, measure};
use facsimile_vision::{Facts, ImageRefused, Raster, Tracer, Watch};

use crate::camera::Shot;
use crate::error::StudioError;
use crate::inputs::{self, InputRefused};

pub use facsimile_vision::fidelity::{Design2Code, Measurement, design2code_candidate};

/// What a camera saw of a page.
#[derive(Debug, Clone, Copy)]
pub struct SeenPage<'a> {
    /// Its picture.
    pub png: &'a [u8],
    /// What is where on it, as JSON in the field names of [`Geometry`].
    pub geometry: &'a str,
    /// Its picture without text.
    pub textless_png: Option<&'a [u8]>,
}

/// A screenshot that was read: its lines, its boxes and its pixels at the page's size.
pub struct Reference {
    geometry: Geometry,
    picture: Raster,
}

/// A screenshot that can be read, which takes seconds.
pub struct Unread {
    raster: Raster,
}

impl Unread {
    /// A screenshot file.
    pub fn of_file(path: &Path) -> Result<Self, StudioError> {
        let (name, bytes) = inputs::read_file(path)?;
        let raster = Raster::decode(&bytes).map_err(|source| InputRefused::Picture { name, source })?;
        Ok(Self { raster })
    }

    /// Reads it.
    pub fn read(self) -> Result<Reference, StudioError> {
        let facts = Tracer::new()?.trace(&self.raster, &mut Watch::silent())?;
        Ok(Reference::new(&facts, self.raster))
    }
}

/// How a page compares with its screenshot.
pub struct Compared<'a> {
    /// The numbers and the reasons.
    pub measurement: Measurement,
    reference: &'a Raster,
    page: Raster,
}

/// Why a page could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasuringFailed {
    /// The camera's picture cannot be read.
    #[error("the page's picture cannot be read ({0}); take it again")]
    Picture(#[source] ImageRefused),
    /// The camera's geometry cannot be read.
    #[error("the page's geometry cannot be read ({0}); take its picture again")]
    Geometry(#[source] serde_json::Error),
}

impl<'a> SeenPage<'a> {
    /// What a shot shows; one without geometry shows no page.
    pub fn of(shot: &'a Shot) -> Self {
        Self {
            png: &shot.png,
            geometry: shot.geometry.as_deref().unwrap_or_default(),
            textless_png: shot.textless_png.as_deref(),
        }
    }

    fn geometry(&self) -> Result<Geometry, MeasuringFailed> {
        serde_json::from_str(self.geometry).map_err(MeasuringFailed::Geometry)
    }
}

impl Reference {
    /// A screenshot and what was read of it.
    pub fn new(facts: &Facts, raster: Raster) -> Self {
        // A dense screenshot has more pixels than the page it shows.
        Self { geometry: Geometry::from(facts), picture: raster.at_size(facts.width, facts.height) }
    }

    /// The width of the page it shows.
    pub fn width_px(&self) -> u32 {
        self.picture.width()
    }

    /// The numbers of Design2Code for a page that was made ready for them.
    pub fn design2code(&self, page: SeenPage) -> Result<Design2Code, MeasuringFailed> {
        Ok(design2code(&self.geometry, &page.geometry()?))
    }

    /// Compares a page with it.
    pub fn compared(&self, page: SeenPage) -> Result<Compared<'_>, MeasuringFailed> {
        let geometry = page.geometry()?;
        let decoded = |png: &[u8]| Raster::decode(png).map_err(MeasuringFailed::Picture);
        let seen = decoded(page.png)?;
        let textless = page.textless_png.map(decoded).transpose()?;
        let mut side = Side::new(&geometry, seen.pixels());
        if let Some(textless) = &textless {
            side = side.with_textless(textless.pixels());
        }
        let measurement = measure(Side::new(&self.geometry, self.picture.pixels()), side, Reading::Ocr);
        Ok(Compared { measurement, reference: &self.picture, page: seen })
    }
}

impl Compared<'_> {
    /// Where the two differ, as an encoded picture.
    pub fn map_png(&self) -> Result<Vec<u8>, MeasuringFailed> {
        let map = difference_map(self.reference.pixels(), self.page.pixels());
        let (width, height) = map.dimensions();
        let raster = Raster::from_rgb(width, height, map.into_raw());
        raster.map_or(Ok(Vec::new()), |raster| raster.to_png().map_err(MeasuringFailed::Picture))
    }
}
