//! Pictures found in a screenshot and cut out of it, on this machine.

use std::sync::Arc;

use facsimile_agent::ToolFailure;
use facsimile_agent::ports::{BoxInThousandths, BoxPx, Candidate, Cutting, Segmenter, VisibleImage};
use facsimile_vision::Raster;
use facsimile_vision::cutting::{CandidateKind, PixelBox, Segments, cut};
use futures::FutureExt;
use futures::future::BoxFuture;

use super::{blocking, sorry};

/// Cuts with the local segmenter.
pub(super) struct Cutter;

impl Segmenter for Cutter {
    fn candidates(&self, image: &VisibleImage) -> BoxFuture<'_, Result<Vec<Candidate>, ToolFailure>> {
        let bytes = Arc::clone(&image.bytes);
        let look = move || {
            let raster = Raster::decode(&bytes).map_err(|error| sorry(&error))?;
            let mut found: Vec<_> = Segments::of(&raster).candidates();
            found.sort_by_key(|candidate| (candidate.area.y, candidate.area.x));
            let candidates = found.into_iter().map(|candidate| Candidate {
                place: place_of(candidate.area),
                kind: match candidate.kind {
                    CandidateKind::Photo => "photo",
                    CandidateKind::Icon => "icon",
                    CandidateKind::Logo => "logo",
                    CandidateKind::Picture => "picture",
                },
            });
            Ok(candidates.collect())
        };
        blocking(look).boxed()
    }

    fn cut(
        &self,
        image: &VisibleImage,
        rough: Vec<BoxInThousandths>,
    ) -> BoxFuture<'_, Result<Vec<Option<Cutting>>, ToolFailure>> {
        let bytes = Arc::clone(&image.bytes);
        let cut_out = move || {
            let raster = Raster::decode(&bytes).map_err(|error| sorry(&error))?;
            let segments = Segments::of(&raster);
            let piece = |BoxInThousandths(rough): BoxInThousandths| {
                let rough = PixelBox::from_thousandths(rough, raster.width(), raster.height());
                let Some(place) = rough.and_then(|rough| segments.snap(rough)) else { return Ok(None) };
                let cutout = cut(&raster, place);
                let png = cutout.to_png().map_err(|error| sorry(&error))?;
                let has_alpha = !cutout.is_opaque();
                Ok(Some(Cutting { place: place_of(place), png: png.into(), has_alpha }))
            };
            rough.into_iter().map(piece).collect()
        };
        blocking(cut_out).boxed()
    }
}

fn place_of(area: PixelBox) -> BoxPx {
    BoxPx { x: area.x, y: area.y, width: area.width, height: area.height }
}
