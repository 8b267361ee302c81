//! Pictures without their background: by a service, or on this machine where the background is flat.

use facsimile_agent::ports::CutOutOrder;
use facsimile_agent::{ErrorKind, Failure};
use facsimile_providers::media::PictureMaker;
use facsimile_store::{Task, TaskEnd, TaskFailure};
use facsimile_vision::Raster;
use facsimile_vision::matte::without_background;
use futures::FutureExt;
use futures::future::BoxFuture;

use super::editing::{picture, pictures};
use super::pieces::Bench;
use super::{Makers, Purpose, unreadable};
use crate::tasks::{Pool, TaskHand, TaskWork};

/// Does the tasks of `remove_background`.
pub(super) struct CuttingOut {
    pub(super) makers: Makers,
}

impl TaskWork for CuttingOut {
    fn kind(&self) -> &'static str {
        Purpose::CutOut.kind()
    }

    fn pool(&self, _task: &Task) -> Pool {
        self.makers.pool(Purpose::CutOut)
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
            let Some(model) = bench.makers.service_model(Purpose::CutOut) else {
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

fn nothing_ordered() -> Failure {
    Failure::new(ErrorKind::BadRequest, "the task has more results than were ordered")
}

/// A picture without its background, as a PNG.
pub(super) fn cut_out_here(bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let refused = |error: &dyn std::fmt::Display| Failure::new(ErrorKind::BadImage, error.to_string());
    let raster = Raster::decode(bytes).map_err(|error| refused(&error))?;
    let cutout = without_background(&raster).map_err(|error| refused(&error))?;
    cutout.to_png().map_err(|error| refused(&error))
}
