//! New pictures: by a service, or placeholders of the right size in the colours of the page.

use facsimile_agent::ports::{GenerateOrder, WishedPicture};
use facsimile_agent::{ErrorKind, Failure, ProjectId};
use facsimile_providers::media::{MadePicture, PictureMaker, PictureVendor, PictureWish};
use facsimile_store::{HistoryStore, Task, TaskEnd, TaskFailure};
use facsimile_vision::Raster;
use facsimile_vision::placeholder::{Backdrop, Placeholder, palette_of};
use futures::FutureExt;
use futures::future::BoxFuture;

use super::cutting_out::cut_out_here;
use super::pieces::Bench;
use super::progress::Remark;
use super::{Makers, Purpose, beside, nothing_ordered, unreadable};
use crate::tasks::{Pool, TaskHand, TaskWork};

/// What a card and a model read beside placeholders.
const PLACEHOLDERS: &str = "These are placeholders: there is no key for an image model.";

/// What makes a ground that can be taken away.
const PLAIN_GROUND: &str = "isolated on a plain white background";
/// What a card and a model read where that did not help.
const WITH_GROUND: &str = "Some pictures kept their background: it is not plain enough to be taken away.";

/// Does the tasks of `generate_images`.
pub(super) struct Generating {
    pub(super) makers: Makers,
}

impl TaskWork for Generating {
    fn kind(&self) -> &'static str {
        Purpose::Generate.kind()
    }

    fn pool(&self, task: &Task) -> Pool {
        self.makers.pool(Purpose::Generate, task)
    }

    fn stages(&self, task: &Task) -> Vec<String> {
        self.makers.stages(Purpose::Generate).unwrap_or_else(|| task.stages.clone())
    }

    fn work(&self, task: Task, hand: TaskHand) -> BoxFuture<'static, TaskEnd> {
        let makers = self.makers.clone();
        async move {
            let order: GenerateOrder = match serde_json::from_value(task.inputs.clone()) {
                Ok(order) => order,
                Err(error) => return TaskEnd::Failed(TaskFailure::from(unreadable(&task, &error))),
            };
            let bench = Bench::new(makers, task, hand);
            match bench.makers.model_of(Purpose::Generate, &bench.task) {
                Some(model) => {
                    let cancel = bench.hand.cancel().clone();
                    let make = |at: usize, maker: PictureMaker| {
                        let (wish, cancel) = (order.pictures.get(at).map(wish_of), cancel.clone());
                        let notice = bench.notice.clone();
                        async move {
                            let wish = wish.ok_or_else(nothing_ordered)?;
                            // Only there can a model be asked for what can be seen through.
                            if !wish.is_transparent || model.vendor == PictureVendor::OpenAi {
                                return maker.generate(&wish, &cancel).await;
                            }
                            let prompt = format!("{}, {PLAIN_GROUND}", wish.prompt);
                            let made = maker.generate(&PictureWish { prompt, ..wish }, &cancel).await?;
                            Ok(cut_free(made, &notice).await)
                        }
                    };
                    bench.at_service(Purpose::Generate, model, make).await
                }
                None => {
                    let (store, project) = (bench.makers.inner.store.clone(), bench.task.project);
                    let colors = beside(move || Ok(colors_of(&store, project))).await.unwrap_or_default();
                    let make = move |at: usize| {
                        let wish = order.pictures.get(at).ok_or_else(nothing_ordered)?;
                        stand_in(wish, &colors)
                    };
                    bench.notice.is(PLACEHOLDERS);
                    bench.here(make).await
                }
            }
        }
        .boxed()
    }
}

/// The picture without its ground, where that is as plain as it was asked for.
async fn cut_free(made: MadePicture, notice: &Remark) -> MadePicture {
    let bytes = made.bytes.clone();
    match beside(move || cut_out_here(&bytes)).await {
        Ok(bytes) => MadePicture { mime: "image/png", bytes, ..made },
        Err(_) => {
            notice.is(WITH_GROUND);
            made
        }
    }
}

fn wish_of(wished: &WishedPicture) -> PictureWish {
    PictureWish {
        prompt: wished.prompt.clone(),
        width: wished.width_px,
        height: wished.height_px,
        is_transparent: wished.is_transparent,
    }
}

fn stand_in(wish: &WishedPicture, colors: &[[u8; 3]]) -> Result<Vec<u8>, Failure> {
    let backdrop = if wish.is_transparent { Backdrop::Clear } else { Backdrop::Filled };
    let placeholder =
        Placeholder::new(&wish.prompt, wish.width_px, wish.height_px).in_colors(colors).on(backdrop);
    placeholder.to_png().map_err(|error| Failure::new(ErrorKind::Unknown, error.to_string()))
}

/// The colours of the page: those of the first picture it is made from. Without one they are neutral.
fn colors_of(store: &HistoryStore, project: ProjectId) -> Vec<[u8; 3]> {
    let inputs = store.inputs().of_project(project).unwrap_or_default();
    let picture = inputs.first().and_then(|input| store.assets().read(&input.asset).ok());
    picture.and_then(|bytes| Raster::decode(&bytes).ok()).map(|page| palette_of(&page)).unwrap_or_default()
}
