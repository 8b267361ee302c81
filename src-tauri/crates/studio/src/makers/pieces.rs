//! The pieces of a task, made several at a time and kept as they come.

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use facsimile_agent::ports::TaskStage;
use facsimile_agent::{ErrorKind, Failure};
use facsimile_providers::media::{MadePicture, NotMade, PictureMaker, PictureModel};
use facsimile_store::{NewAsset, Task, TaskEnd, TaskFailure};
use facsimile_vision::matte::Cutout;
use facsimile_vision::{PictureFormat, Raster};
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::sync::SemaphorePermit;

use super::progress::{Progress, Remark};
use super::{Makers, Purpose, SERVICE_AT_ONCE, beside};
use crate::tasks::TaskHand;

/// The key under which a result says why a piece did not come.
pub(crate) const FAILED: &str = "failed";
/// The key of the pieces in a result.
pub(crate) const PIECES: &str = "pieces";

/// Who waits for a slot says so this often.
const WAITING: Duration = Duration::from_secs(60);

/// A task while it is worked on.
pub(super) struct Bench {
    pub(super) makers: Makers,
    pub(super) task: Task,
    pub(super) hand: TaskHand,
    pub(super) notice: Remark,
    progress: Progress,
}

/// What came of one piece.
type Outcome = Result<MadePicture, NotMade>;

impl Bench {
    pub(super) fn new(makers: Makers, task: Task, hand: TaskHand) -> Self {
        let notice = Remark::default();
        let progress = Progress::of(&task.results, hand.clone(), notice.clone());
        Self { makers, task, hand, notice, progress }
    }

    /// Has a service make every piece.
    pub(super) async fn at_service<M, F>(&self, purpose: Purpose, model: PictureModel, make: M) -> TaskEnd
    where
        M: Fn(usize, PictureMaker) -> F,
        F: Future<Output = Outcome>,
    {
        let maker = match self.makers.maker(model).await {
            Ok(maker) => maker,
            Err(failure) => return TaskEnd::Failed(TaskFailure::from(failure)),
        };
        // What fails for every picture alike is not asked for again and again.
        let hopeless: Mutex<Option<Failure>> = Mutex::default();
        let usd_each = self.makers.usd_each(purpose, &model);
        let piece = |at: usize| {
            let progress = self.progress.clone();
            let maker = maker.clone().telling(move |stage| progress.is_at(at, stage));
            let (making, hopeless) = (make(at, maker), &hopeless);
            async move {
                let _slot = self.slot().await;
                if let Some(failure) = hopeless.lock().unwrap_or_else(PoisonError::into_inner).clone() {
                    return Err(NotMade::Failed(failure));
                }
                let made = making.await;
                if let Err(NotMade::Failed(failure)) = &made
                    && matches!(failure.kind, ErrorKind::BadKey | ErrorKind::NoAccess | ErrorKind::NoCredit)
                {
                    *hopeless.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure.clone());
                }
                made.map(|made| MadePicture { cost_usd: made.cost_usd.or(usd_each), ..made })
            }
        };
        self.all(SERVICE_AT_ONCE, piece).await
    }

    /// A place at the services. Whoever waits for one is not stuck, however long the others take.
    async fn slot(&self) -> Option<SemaphorePermit<'_>> {
        let mut acquiring = pin!(self.makers.inner.slots.acquire());
        loop {
            tokio::select! {
                biased;
                // The slots are never closed; without one the work would go on all the same.
                slot = &mut acquiring => {
                    // The time it has for its work begins now.
                    self.hand.waits();
                    return slot.ok();
                }
                () = tokio::time::sleep(WAITING) => self.hand.waits(),
            }
        }
    }

    /// Has this machine make every piece, one at a time.
    pub(super) async fn here<M>(&self, make: M) -> TaskEnd
    where
        M: Fn(usize) -> Result<Vec<u8>, Failure> + Send + Sync + 'static,
    {
        let make = Arc::new(make);
        let piece = |at: usize| {
            let make = Arc::clone(&make);
            async move {
                self.progress.is_at(at, TaskStage::BeingMade);
                let bytes = beside(move || make(at)).await?;
                Ok(MadePicture { mime: "image/png", bytes, cost_usd: Some(0.0) })
            }
        };
        self.all(1, piece).await
    }

    async fn all<M, F>(&self, at_once: usize, piece: M) -> TaskEnd
    where
        M: Fn(usize) -> F,
        F: Future<Output = Outcome>,
    {
        let count = self.task.results.len();
        self.progress.show();
        let is_there = |at: &usize| self.task.results[*at].asset.is_some();
        let pieces = (0..count).filter(|at| !is_there(at)).map(|at| {
            let making = piece(at);
            async move { (at, self.kept(at, making.await).await) }
        });
        let mut making = futures::stream::iter(pieces).buffer_unordered(at_once);
        // What an earlier try has made was paid for then.
        let paid = |at: usize| is_there(&at).then_some(Ok(Some(0.0)));
        let mut ends: Vec<Option<Result<Option<f64>, NotMade>>> = (0..count).map(paid).collect();
        while let Some((at, end)) = making.next().await {
            ends[at] = Some(end);
            self.progress.has_ended(at);
        }
        ended(ends.into_iter().flatten().collect())
    }

    /// Puts what was made where pages look for it; gives its cost.
    async fn kept(&self, at: usize, made: Outcome) -> Result<Option<f64>, NotMade> {
        let MadePicture { bytes, cost_usd, .. } = made?;
        self.progress.is_at(at, TaskStage::Placing);
        let (hand, label) = (self.hand.clone(), self.task.title.clone());
        let keep = move || {
            let asset = as_png(bytes)?;
            hand.keep(at, &label, asset).map_err(|error| Failure::new(ErrorKind::Storage, error.to_string()))
        };
        beside(keep).await?;
        Ok(cost_usd)
    }
}

/// A picture as the PNG that its path promises.
fn as_png(bytes: Vec<u8>) -> Result<NewAsset, Failure> {
    let no_picture = |error: facsimile_vision::ImageRefused| {
        Failure::new(ErrorKind::Protocol, format!("what was made is no picture: {error}"))
            .with_next_step("Try again")
    };
    let raster = Raster::decode(&bytes).map_err(no_picture)?;
    let png = match raster.format() {
        PictureFormat::Png => bytes,
        // With what is transparent in it.
        _ => Cutout::decode(&bytes).and_then(|picture| picture.to_png()).map_err(no_picture)?,
    };
    Ok(NewAsset::new(png, "image/png", "png").sized_px(raster.width(), raster.height()))
}

/// Some pieces are a success, which says why the others are missing.
fn ended(pieces: Vec<Result<Option<f64>, NotMade>>) -> TaskEnd {
    let is_made = |piece: &Result<_, _>| piece.is_ok();
    if !pieces.iter().any(is_made) {
        let failure = pieces.into_iter().find_map(|piece| match piece {
            Err(NotMade::Failed(failure)) => Some(failure),
            _ => None,
        });
        return failure.map_or(TaskEnd::Cancelled, |failure| TaskEnd::Failed(TaskFailure::from(failure)));
    }
    let cost_usd = pieces.iter().flatten().copied().sum::<Option<f64>>();
    let told: Vec<Value> = pieces
        .iter()
        .map(|piece| match piece {
            Ok(_) => json!({}),
            Err(error) => json!({ FAILED: error.to_string() }),
        })
        .collect();
    TaskEnd::Succeeded { result: json!({ PIECES: told }), assets: Vec::new(), cost_usd }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use facsimile_store::HistoryStore;
    use image::{ImageFormat, Rgba, RgbaImage};

    use super::*;

    #[test]
    fn what_a_service_leaves_transparent_stays_so_as_a_png() {
        let made = RgbaImage::from_fn(4, 4, |x, _| Rgba([9, 99, 200, if x < 2 { 0 } else { 255 }]));
        let mut file = Cursor::new(Vec::new());
        made.write_to(&mut file, ImageFormat::WebP).unwrap();
        let store = HistoryStore::in_memory().unwrap();
        let asset = store.assets().put(as_png(file.into_inner()).unwrap()).unwrap();
        let kept = image::load_from_memory(&store.assets().read(&asset.id).unwrap()).unwrap();
        assert_eq!(kept.into_rgba8(), made);
    }
}
