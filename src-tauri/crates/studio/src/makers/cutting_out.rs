//! Pictures without their background: by a service, or on this machine where the background is flat.

use facsimile_agent::ports::CutOutOrder;
use facsimile_agent::{ErrorKind, Failure};
use facsimile_providers::media::PictureMaker;
use facsimile_store::{Task, TaskEnd, TaskFailure};
use facsimile_vision::Raster;
use facsimile_vision::matte::{Cutout, without_background};
use futures::FutureExt;
use futures::future::BoxFuture;

use super::editing::{picture, pictures};
use super::pieces::Bench;
use super::{Makers, Purpose, nothing_ordered, unreadable};
use crate::tasks::{Pool, TaskHand, TaskWork};

/// Does the tasks of `remove_background`.
pub(super) struct CuttingOut {
    pub(super) makers: Makers,
}

impl TaskWork for CuttingOut {
    fn kind(&self) -> &'static str {
        Purpose::CutOut.kind()
    }

    fn pool(&self, task: &Task) -> Pool {
        self.makers.pool(Purpose::CutOut, task)
    }

    fn stages(&self, task: &Task) -> Vec<String> {
        self.makers.stages(Purpose::CutOut).unwrap_or_else(|| task.stages.clone())
    }

    fn work(&self, task: Task, hand: TaskHand) -> BoxFuture<'static, TaskEnd> {
        let makers = self.makers.clone();
        async move {
            let order: CutOutOrder = match serde_json::from_value(task.inputs.clone()) {
                Ok(order) => order,
                Err(error) => return TaskEnd::Failed(TaskFailure::from(unreadable(&task, &error))),
            };
            let bench = Bench::new(makers, task, hand);
            let store = bench.makers.inner.store.clone();
            let Some(model) = bench.makers.model_of(Purpose::CutOut, &bench.task) else {
                let make = move |at: usize| {
                    let image = order.images.get(at).ok_or_else(nothing_ordered)?;
                    cut_out_here(&picture(&store, image)?)
                };
                return bench.here(make).await;
            };
            let cancel = bench.hand.cancel().clone();
            let make = |at: usize, maker: PictureMaker| {
                let (store, image, cancel) = (store.clone(), order.images.get(at).cloned(), cancel.clone());
                async move {
                    let image = image.ok_or_else(nothing_ordered)?;
                    let bytes = pictures(store, vec![image]).await?.pop().ok_or_else(nothing_ordered)?;
                    maker.remove_background(&bytes, &cancel).await
                }
            };
            bench.at_service(Purpose::CutOut, model, make).await
        }
        .boxed()
    }
}

/// A picture without its background, as a PNG.
pub(super) fn cut_out_here(bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let refused = |error: &dyn std::fmt::Display| Failure::new(ErrorKind::BadImage, error.to_string());
    // On white, what is transparent would pass for a background, and white parts for holes.
    let as_it_is = Cutout::decode(bytes).map_err(|error| refused(&error))?;
    if as_it_is.has_clear_edges() {
        return as_it_is.to_png().map_err(|error| refused(&error));
    }
    drop(as_it_is);
    let raster = Raster::decode(bytes).map_err(|error| refused(&error))?;
    let cutout = without_background(&raster).map_err(|error| refused(&error))?;
    cutout.to_png().map_err(|error| refused(&error))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use image::{ImageFormat, Rgba, RgbaImage};

    use super::*;

    /// A blue disc with a white square in it, as WebP or PNG.
    fn disc(outside: Rgba<u8>, format: ImageFormat) -> (RgbaImage, Vec<u8>) {
        let disc = RgbaImage::from_fn(40, 40, |x, y| {
            let is_inside = (x as f32 - 19.5).hypot(y as f32 - 19.5) < 18.0;
            match (is_inside, (15..25).contains(&x) && (15..25).contains(&y)) {
                (false, _) => outside,
                (true, true) => Rgba([255; 4]),
                (true, false) => Rgba([20, 60, 160, 255]),
            }
        });
        let mut file = Cursor::new(Vec::new());
        disc.write_to(&mut file, format).unwrap();
        (disc, file.into_inner())
    }

    fn cut_out(file: &[u8]) -> RgbaImage {
        image::load_from_memory(&cut_out_here(file).unwrap()).unwrap().into_rgba8()
    }

    #[test]
    fn a_picture_without_a_background_keeps_its_white_parts() {
        for format in [ImageFormat::Png, ImageFormat::WebP] {
            let (clear, file) = disc(Rgba([0; 4]), format);
            assert!(cut_out(&file) == clear, "{format:?}");
        }
        let (_, on_white) = disc(Rgba([255; 4]), ImageFormat::Png);
        let opacity = |x, y| cut_out(&on_white).get_pixel(x, y).0[3];
        assert_eq!([opacity(0, 0), opacity(8, 20), opacity(20, 20)], [0, 255, 0]);
    }
}
