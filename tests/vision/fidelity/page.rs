//! A page as the meter sees it.

use facsimile_vision::Raster;
use facsimile_vision::fidelity::{Geometry, Side};
use image::RgbImage;

#[derive(Clone)]
pub struct Page {
    pub geometry: Geometry,
    pub pixels: RgbImage,
    /// What is left when the text is hidden, where that was painted.
    pub textless: Option<RgbImage>,
}

impl Page {
    pub fn of(geometry: &[u8], picture: &[u8]) -> Self {
        let geometry = serde_json::from_slice(geometry).unwrap();
        Self { geometry, pixels: Raster::decode(picture).unwrap().pixels().clone(), textless: None }
    }

    pub fn side(&self) -> Side<'_> {
        let side = Side::new(&self.geometry, &self.pixels);
        self.textless.as_ref().map_or(side, |textless| side.with_textless(textless))
    }
}
