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
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::{blocking, sorry};
use crate::makers::{FAILED, PIECES};
use crate::tasks::{self, TaskDesk};

type Untold = Arc<Mutex<BTreeSet<TaskId>>>;

/// The board of a variant.
pub(super) struct VariantBoard {
    desk: TaskDesk,
    store: HistoryStore,
    project: ProjectId,
    made_by: (RunId, VariantIndex),
    cap_usd: f64,
    cancel: CancellationToken,
    longest_wait: Duration,
    /// The tasks whose end was not told yet.
    untold: Untold,
}

impl VariantBoard {
    pub(super) fn new(
        desk: TaskDesk,
        store: HistoryStore,
        project: ProjectId,
        made_by: (RunId, VariantIndex),
        cap_usd: f64,
    ) -> Self {
        let (cancel, untold) = (CancellationToken::new(), Untold::default());
        Self { desk, store, project, made_by, cap_usd, cancel, longest_wait: Duration::MAX, untold }
    }

    /// The same, which lets nobody wait longer than this.
    pub(super) fn waiting_at_most(self, longest_wait: Duration) -> Self {
        Self { longest_wait, ..self }
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
        let (desk, cancel, untold) = (self.desk.clone(), self.cancel.clone(), Arc::clone(&self.untold));
        let runtime = Handle::current();
        // All of it even where nobody waits for it any more: a task that was begun is never left alone.
        blocking(move || {
            let task = desk.begin(order).map_err(|refused| sorry(&refused))?;
            let (project, id) = (task.project, task.id);
            untold.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
            // Whoever stops the variant stops what it has ordered.
            runtime.spawn(async move {
                tokio::select! {
                    () = cancel.cancelled() => stop(&desk, project, id),
                    _ = desk.ended(project, id) => {}
                }
            });
            Ok(task)
        })
        .await
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
            let at_most = at_most.min(self.longest_wait);
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
                let (store, project) = (self.store.clone(), self.project);
                let read = move || store.tasks().get(project, id).map_err(|error| sorry(&error));
                let news = match blocking(read).await {
                    Ok(task) => self.news(task).await,
                    Err(failure) => Err(failure),
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

#[cfg(test)]
mod tests {
    use facsimile_store::{NewRun, NewTurn, RunTurn, TaskEnd, TurnKind};
    use serde_json::Value;
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;
    use crate::tasks::{Pool, TaskHand, TaskWork};

    /// Works for ever.
    struct Endless;

    impl TaskWork for Endless {
        fn kind(&self) -> &'static str {
            "endless"
        }

        fn pool(&self, _task: &Task) -> Pool {
            Pool::Slow
        }

        fn work(&self, _task: Task, _hand: TaskHand) -> BoxFuture<'static, TaskEnd> {
            std::future::pending().boxed()
        }
    }

    #[tokio::test]
    async fn a_task_stops_with_its_variant_even_where_nobody_waited_for_its_begin() {
        let store = HistoryStore::in_memory().unwrap();
        let project = store.projects().create("Lamps").unwrap();
        let turn = NewTurn { kind: TurnKind::Create, instruction: String::new(), parent_version: None };
        let (turn, engines) = (RunTurn::New(turn), vec!["offline".to_owned()]);
        let run = NewRun { project, turn, request: Value::Null, engines };
        let made_by = (store.runs().begin(run).unwrap().run, VariantIndex(0));
        let (sender, mut told) = unbounded_channel();
        let listener = Arc::new(move |task: &Task| {
            // The test may have heard enough.
            let _ = sender.send(task.state);
        });
        let desk =
            TaskDesk::new(store.clone(), Handle::current(), vec![Arc::new(Endless)], listener).unwrap();
        let cancel = CancellationToken::new();
        let board = VariantBoard::new(desk, store, project, made_by, 0.0).stopped_by(cancel.clone());
        let (title, stages, inputs) = (String::new(), Vec::new(), Value::Null);
        let order = TaskOrder { kind: "endless", title, stages, results: 1, inputs, expected_usd: Some(0.0) };
        {
            let mut begun = board.start(order);
            let _ = futures::poll!(&mut begun);
        }
        cancel.cancel();
        while told.recv().await.unwrap() != TaskState::Cancelled {}
        let standings: Vec<_> = board.untold().await.into_iter().map(|news| news.standing).collect();
        assert_eq!(standings, [TaskStanding::Cancelled]);
    }
}
