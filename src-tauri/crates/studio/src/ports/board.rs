//! The tasks of one variant, as its tools see them.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use facsimile_agent::ports::{
    ImageOrigin, PieceState, TaskBoard, TaskNews, TaskOrder, TaskPiece, TaskStanding, VisibleImage,
};
use facsimile_agent::{ErrorKind, Failure, ProjectId, ProjectPath, RunId, TaskId, ToolFailure, VariantIndex};
use facsimile_store::{HistoryStore, StoreError, Task, TaskPrice, TaskResult, TaskState};
use facsimile_vision::Raster;
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::{blocking, sorry};
use crate::makers::{FAILED, PIECES};
use crate::tasks::{self, TaskDesk};

/// The board of a variant.
pub(super) struct VariantBoard {
    desk: TaskDesk,
    store: HistoryStore,
    project: ProjectId,
    made_by: (RunId, VariantIndex),
    cap_usd: f64,
    cancel: CancellationToken,
    /// The tasks whose end was not told yet.
    untold: Mutex<BTreeSet<TaskId>>,
}

impl VariantBoard {
    pub(super) fn new(
        desk: TaskDesk,
        store: HistoryStore,
        project: ProjectId,
        made_by: (RunId, VariantIndex),
        cap_usd: f64,
    ) -> Self {
        let (cancel, untold) = (CancellationToken::new(), Mutex::default());
        Self { desk, store, project, made_by, cap_usd, cancel, untold }
    }

    /// The same, whose tasks stop with this.
    pub(super) fn stopped_by(self, cancel: CancellationToken) -> Self {
        Self { cancel, ..self }
    }

    fn untold_ids(&self) -> MutexGuard<'_, BTreeSet<TaskId>> {
        self.untold.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what there is to tell; an end that is told here is not told again.
    async fn news(&self, task: Task) -> Result<TaskNews, ToolFailure> {
        let (id, store) = (task.id, self.store.clone());
        let news = blocking(move || news_of(&store, task)).await?;
        if news.standing.is_final() {
            self.untold_ids().remove(&id);
        }
        Ok(news)
    }

    async fn begin(&self, order: TaskOrder) -> Result<Task, ToolFailure> {
        let TaskOrder { kind, title, stages, results, inputs, expected_usd } = order;
        // What costs nothing has no price; what costs nobody knows how much has one of 0.
        let price = expected_usd.is_none_or(|usd| usd > 0.0).then(|| expected_usd.unwrap_or(0.0));
        let order = tasks::TaskOrder {
            project: self.project,
            made_by: Some(self.made_by),
            kind,
            title,
            stages,
            results,
            inputs,
            price: price.map(|reserve_usd| TaskPrice { reserve_usd, cap_usd: self.cap_usd }),
        };
        let desk = self.desk.clone();
        let task = blocking(move || desk.begin(order).map_err(|refused| sorry(&refused))).await?;
        self.untold_ids().insert(task.id);
        // Whoever stops the variant stops what it has ordered.
        let (desk, cancel, project, id) = (self.desk.clone(), self.cancel.clone(), self.project, task.id);
        tokio::spawn(async move {
            tokio::select! {
                () = cancel.cancelled() => stop(&desk, project, id),
                _ = desk.ended(project, id) => {}
            }
        });
        Ok(task)
    }
}

impl TaskBoard for VariantBoard {
    fn start(&self, order: TaskOrder) -> BoxFuture<'_, Result<TaskNews, ToolFailure>> {
        async move {
            let task = self.begin(order).await?;
            self.news(task).await
        }
        .boxed()
    }

    fn wait(&self, task: TaskId, at_most: Duration) -> BoxFuture<'_, Result<TaskNews, ToolFailure>> {
        async move {
            let unknown = |error: StoreError| match error {
                StoreError::NotFound { .. } => ToolFailure::new(format!("there is no task {task}")),
                error => sorry(&error),
            };
            let task = self.desk.ended_or_after(self.project, task, at_most).await.map_err(unknown)?;
            self.news(task).await
        }
        .boxed()
    }

    fn untold(&self) -> BoxFuture<'_, Vec<TaskNews>> {
        async move {
            let ids: Vec<_> = self.untold_ids().iter().copied().collect();
            let mut untold = Vec::new();
            for id in ids {
                let news = match self.store.tasks().get(self.project, id) {
                    Ok(task) => self.news(task).await,
                    Err(error) => Err(sorry(&error)),
                };
                match news {
                    Ok(news) => untold.push(news),
                    Err(failure) => tracing::warn!(failure.message, "a task was not told of"),
                }
            }
            untold
        }
        .boxed()
    }

    fn cancel(&self, task: TaskId) {
        stop(&self.desk, self.project, task);
    }
}

fn stop(desk: &TaskDesk, project: ProjectId, task: TaskId) {
    if let Err(error) = desk.cancel(project, task) {
        tracing::warn!(%error, "a task was not stopped");
    }
}

fn news_of(store: &HistoryStore, task: Task) -> Result<TaskNews, ToolFailure> {
    let standing = match task.state {
        TaskState::Queued => TaskStanding::Queued,
        TaskState::Running => TaskStanding::Running,
        TaskState::Succeeded => TaskStanding::Succeeded,
        TaskState::Cancelled => TaskStanding::Cancelled,
        TaskState::Failed => TaskStanding::Failed(task.error.as_ref().map_or_else(
            || Failure::new(ErrorKind::Unknown, "it went wrong"),
            facsimile_store::TaskFailure::failure,
        )),
    };
    let pieces = task.results.iter().enumerate().map(|(at, result)| {
        let path = ProjectPath::parse(&result.path).map_err(|error| sorry(&error))?;
        Ok(TaskPiece { state: piece_state(store, &task, at, result, &path)?, path })
    });
    Ok(TaskNews {
        id: task.id,
        kind: task.kind.clone(),
        title: task.title.clone(),
        pieces: pieces.collect::<Result<_, ToolFailure>>()?,
        standing,
        notice: task.progress.notice,
    })
}

fn piece_state(
    store: &HistoryStore,
    task: &Task,
    at: usize,
    result: &TaskResult,
    path: &ProjectPath,
) -> Result<PieceState, ToolFailure> {
    let Some(asset) = &result.asset else {
        let why = match task.state {
            TaskState::Queued | TaskState::Running => return Ok(PieceState::Awaited),
            TaskState::Cancelled => "it was stopped",
            TaskState::Failed => task.error.as_ref().map_or("it went wrong", |error| error.message.as_str()),
            TaskState::Succeeded => {
                let told = task.result.pointer(&format!("/{PIECES}/{at}/{FAILED}"));
                told.and_then(serde_json::Value::as_str).unwrap_or("it did not come")
            }
        };
        return Ok(PieceState::Failed(why.to_owned()));
    };
    let stored = store.assets().get(asset).map_err(|error| sorry(&error))?;
    let bytes: Arc<[u8]> = store.assets().read(asset).map_err(|error| sorry(&error))?.into();
    let (width_px, height_px) = match stored.size_px {
        Some(size) => size,
        None => {
            let raster = Raster::decode(&bytes).map_err(|error| sorry(&error))?;
            (raster.width(), raster.height())
        }
    };
    Ok(PieceState::There(VisibleImage {
        name: path.as_str().rsplit('/').next().unwrap_or_default().to_owned(),
        origin: ImageOrigin::Asset(path.clone()),
        asset: asset.clone(),
        mime: stored.mime,
        bytes,
        width_px,
        height_px,
        is_animated: false,
    }))
}
