//! New pictures, by a service.

use facsimile_agent::ports::{GenerateOrder, WishedPicture};
use facsimile_agent::{ErrorKind, Failure};
use facsimile_providers::media::{PictureMaker, PictureWish};
use facsimile_store::{Task, TaskEnd, TaskFailure};
use futures::FutureExt;
use futures::future::BoxFuture;

use super::pieces::Bench;
use super::{Makers, Purpose, unreadable};
use crate::tasks::{Pool, TaskHand, TaskWork};

/// Does the tasks of `generate_images`.
pub(super) struct Generating {
    pub(super) makers: Makers,
}

impl TaskWork for Generating {
    fn kind(&self) -> &'static str {
        Purpose::Generate.kind()
    }

    fn pool(&self, _task: &Task) -> Pool {
        self.makers.pool(Purpose::Generate)
    }

    fn work(&self, task: Task, hand: TaskHand) -> BoxFuture<'static, TaskEnd> {
        let makers = self.makers.clone();
        async move {
            let order: GenerateOrder = match serde_json::from_value(task.inputs.clone()) {
                Ok(order) => order,
                Err(error) => return TaskEnd::Failed(TaskFailure::from(unreadable(&task.inputs, &error))),
            };
            let bench = Bench { makers, task, hand };
            match bench.makers.service_model(Purpose::Generate) {
                Some(model) => {
                    let cancel = bench.hand.cancel().clone();
                    let make = |at: usize, maker: PictureMaker| {
                        let (wish, cancel) = (order.pictures.get(at).map(wish_of), cancel.clone());
                        async move {
                            let wish = wish.ok_or_else(nothing_ordered)?;
                            maker.generate(&wish, &cancel).await
                        }
                    };
                    bench.at_service(Purpose::Generate, model, make).await
                }
                None => TaskEnd::Failed(TaskFailure::from(super::editing::no_service())),
            }
        }
        .boxed()
    }
}

fn nothing_ordered() -> Failure {
    Failure::new(ErrorKind::BadRequest, "the task has more results than were ordered")
}

fn wish_of(wished: &WishedPicture) -> PictureWish {
    PictureWish {
        prompt: wished.prompt.clone(),
        width: wished.width_px,
        height: wished.height_px,
        is_transparent: wished.is_transparent,
    }
}
