use super::TracedAsset;
use super::crop::Crops;
use crate::raster::Raster;
use crate::trace::facts::Facts;
use crate::trace::layout::Area;

/// Gives a picture's bytes and file name ending a path.
pub(super) type AssetPath<'a> = &'a dyn Fn(&[u8], &str) -> String;

/// The pictures that a page shows.
pub(super) struct Pictures<'a> {
    crops: Crops,
    asset_path: AssetPath<'a>,
    pub(super) assets: Vec<TracedAsset>,
}

impl<'a> Pictures<'a> {
    pub(super) fn of(facts: &Facts, raster: &Raster, asset_path: AssetPath<'a>) -> Self {
        Self { crops: Crops::of(facts, raster), asset_path, assets: Vec::new() }
    }

    /// The path of a picture cut out of the screenshot.
    pub(super) fn cut(&mut self, area: Area) -> Option<String> {
        let crop = self.crops.cut(area)?;
        let path = (self.asset_path)(&crop.bytes, crop.extension);
        if self.assets.iter().all(|asset| asset.path != path) {
            self.assets.push(TracedAsset {
                path: path.clone(),
                bytes: crop.bytes,
                mime: crop.mime,
                width: crop.width,
                height: crop.height,
                place: [area.x, area.y, area.w, area.h],
            });
        }
        Some(path)
    }
}
