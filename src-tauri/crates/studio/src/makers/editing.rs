//! Changed pictures, by a service.

use facsimile_agent::ports::EditOrder;
use facsimile_agent::{AssetId, ErrorKind, Failure};
use facsimile_providers::media::{EditWish, PictureMaker};
use facsimile_store::{HistoryStore, Task, TaskEnd, TaskFailure};
use futures::FutureExt;
use futures::future::BoxFuture;

use super::pieces::Bench;
use super::{Makers, Purpose, beside, unreadable};
use crate::tasks::{Pool, TaskHand, TaskWork};

/// Does the tasks of `edit_image`.
pub(super) struct Editing {
    pub(super) makers: Makers,
}

impl TaskWork for Editing {
    fn kind(&self) -> &'static str {
        Purpose::Edit.kind()
    }

    fn pool(&self, task: &Task) -> Pool {
        self.makers.pool(Purpose::Edit, task)
    }

    fn stages(&self, task: &Task) -> Vec<String> {
        self.makers.stages(Purpose::Edit).unwrap_or_else(|| task.stages.clone())
    }

    fn work(&self, task: Task, hand: TaskHand) -> BoxFuture<'static, TaskEnd> {
        let makers = self.makers.clone();
        async move {
            let order: EditOrder = match serde_json::from_value(task.inputs.clone()) {
                Ok(order) => order,
                Err(error) => return TaskEnd::Failed(TaskFailure::from(unreadable(&task, &error))),
            };
            let Some(model) = makers.model_of(Purpose::Edit, &task) else {
                let failure = Failure::new(ErrorKind::NoModel, "changing pictures needs an image model")
                    .with_next_step("Switch image generation on and add a key in Settings");
                return TaskEnd::Failed(TaskFailure::from(failure));
            };
            let bench = Bench::new(makers, task, hand);
            let (store, cancel) = (bench.makers.inner.store.clone(), bench.hand.cancel().clone());
            let make = |_: usize, maker: PictureMaker| {
                let (store, order, cancel) = (store.clone(), order.clone(), cancel.clone());
                async move {
                    let pictures = pictures(store, order.images).await?;
                    let EditOrder { prompt, aspect_ratio, .. } = order;
                    maker.edit(&EditWish { pictures, prompt, aspect_ratio }, &cancel).await
                }
            };
            bench.at_service(Purpose::Edit, model, make).await
        }
        .boxed()
    }
}

/// The bytes of pictures, in their order.
pub(super) async fn pictures(store: HistoryStore, images: Vec<AssetId>) -> Result<Vec<Vec<u8>>, Failure> {
    beside(move || images.iter().map(|image| picture(&store, image)).collect()).await
}

/// The bytes of a picture.
pub(super) fn picture(store: &HistoryStore, image: &AssetId) -> Result<Vec<u8>, Failure> {
    store.assets().read(image).map_err(|error| Failure::new(ErrorKind::Storage, error.to_string()))
}
