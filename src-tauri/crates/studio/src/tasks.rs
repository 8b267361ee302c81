//! Long jobs beside the conversation: a record before the work, two pools, one end.
//!
//! A [`TaskDesk`] holds the [`TaskWork`] of every kind. It records a task with its result paths, lets it work when its
//! pool has room, and writes down its end once, whoever else calls for one. What came of it outlives the program; what
//! was interrupted can be tried again under the same paths.

mod bulletin;
mod costs;
mod hand;
mod purse;
mod results;
mod tries;
mod view;

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use facsimile_agent::{AssetId, ErrorKind, Failure, ProjectId, RunId, SpendCap, TaskId, VariantIndex};
use facsimile_store::{BegunTask, HistoryStore, NewTask, StoreError, Task, TaskEnd, TaskFailure, TaskPrice};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::{Notify, Semaphore, watch};
use tokio_util::sync::CancellationToken;

pub(crate) use bulletin::Bulletin;
pub use bulletin::TaskWatch;
pub use costs::OptionCost;
pub(crate) use costs::cost_by_now;
pub use hand::TaskHand;
use purse::{Held, Purses};
pub(crate) use results::{result_at, result_paths};
pub use view::{TaskErrorView, TaskResultView, TaskView};

/// Remote jobs at a time.
const SLOW_AT_ONCE: usize = 4;
/// Local jobs at a time: they take a core each.
const FAST_AT_ONCE: usize = 2;
/// A task that shows no progress for this long has stalled.
const PATIENCE: Duration = Duration::from_secs(180);
/// A work that was stopped has this long to tell its service so.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Where a task waits for its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pool {
    /// Work on this machine.
    Fast,
    /// Work at a service.
    Slow,
}

/// Does the tasks of one kind.
///
/// An implementor promises to stop when the hand says so, to show progress while it works, and to need nothing but the
/// task's inputs: after a restart they are all that is left.
pub trait TaskWork: Send + Sync + 'static {
    /// Which tasks it does.
    fn kind(&self) -> &'static str;

    /// Where they wait.
    fn pool(&self, task: &Task) -> Pool;

    /// The stages of a task that is done again: another may do it now.
    fn stages(&self, task: &Task) -> Vec<String> {
        task.stages.clone()
    }

    /// Does one of them.
    fn work(&self, task: Task, hand: TaskHand) -> BoxFuture<'static, TaskEnd>;
}

/// A task somebody wants done.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskOrder {
    /// The design.
    pub project: ProjectId,
    /// The variant that wants it.
    pub made_by: Option<(RunId, VariantIndex)>,
    /// Which work does it.
    pub kind: &'static str,
    /// What a card calls it.
    pub title: String,
    /// The names of its stages.
    pub stages: Vec<String>,
    /// How many results it has.
    pub results: u32,
    /// What it works with.
    pub inputs: Value,
    /// What it may cost.
    pub price: Option<TaskPrice>,
}

/// Why a task was not begun.
#[derive(Debug, thiserror::Error)]
pub enum TaskRefused {
    /// Nobody does such tasks.
    #[error("there is no work of the kind {0}; update the program")]
    NoSuchKind(String),
    /// Its price does not fit under the cap of the run.
    #[error("the spend cap of the run does not allow it; raise it in Settings")]
    CapReached,
    /// It goes on, or went well.
    #[error("the task did not fail, so there is nothing to try again")]
    NothingToRetry,
    /// It could not be read or recorded.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl TaskRefused {
    /// The kind, to branch on.
    pub fn kind(&self) -> ErrorKind {
        match self {
            TaskRefused::NoSuchKind(_) | TaskRefused::NothingToRetry => ErrorKind::BadRequest,
            TaskRefused::CapReached => ErrorKind::NoCredit,
            TaskRefused::Store(_) => ErrorKind::Storage,
        }
    }
}

/// Two works of one kind, or one that the program cannot start with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there are two works of the kind {0}")]
pub struct DuplicateWork(pub &'static str);

/// Hears of every change of a task.
pub type TaskListener = Arc<dyn Fn(&Task) + Send + Sync>;

/// The tasks of the program. Cheap to clone.
#[derive(Clone)]
pub struct TaskDesk {
    inner: Arc<Inner>,
}

struct Inner {
    store: HistoryStore,
    runtime: Handle,
    works: HashMap<&'static str, Arc<dyn TaskWork>>,
    fast: Semaphore,
    slow: Semaphore,
    patience: Duration,
    listener: TaskListener,
    live: Mutex<HashMap<TaskId, Live>>,
    /// Held while a change is read and told: nobody hears of an older state after a newer one.
    telling: Mutex<()>,
    /// Held while a task is tried again: nobody tries it twice at once.
    retrying: Mutex<()>,
    purses: Purses,
    /// Counts the changes of all tasks, for who waits for one.
    changes: watch::Sender<u64>,
}

/// A task that goes on.
struct Live {
    cancel: CancellationToken,
    /// What it holds of the money of its run.
    held: Option<Held>,
}

impl TaskDesk {
    /// A desk with these works, which tells the listener of every change.
    pub fn new(
        store: HistoryStore,
        runtime: Handle,
        works: Vec<Arc<dyn TaskWork>>,
        listener: TaskListener,
    ) -> Result<Self, DuplicateWork> {
        let mut by_kind = HashMap::new();
        for work in works {
            if let Some(other) = by_kind.insert(work.kind(), work) {
                return Err(DuplicateWork(other.kind()));
            }
        }
        let inner = Inner {
            store,
            runtime,
            works: by_kind,
            fast: Semaphore::new(FAST_AT_ONCE),
            slow: Semaphore::new(SLOW_AT_ONCE),
            patience: PATIENCE,
            listener,
            live: Mutex::default(),
            telling: Mutex::default(),
            retrying: Mutex::default(),
            purses: Purses::default(),
            changes: watch::Sender::default(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Records a task and has it done. Its result paths are known at once.
    pub fn begin(&self, order: TaskOrder) -> Result<Task, TaskRefused> {
        let id = TaskId::fresh();
        let paths = (1..=order.results).map(|number| format!("assets/task-{id}-{number}.png")).collect();
        let TaskOrder { project, made_by, kind, title, stages, results, inputs, price } = order;
        let (kind, total) = (kind.to_owned(), results);
        let new = NewTask { id, project, made_by, kind, title, stages, total, inputs, paths, price };
        self.record(new, Vec::new())
    }

    /// Stops a task. One that has ended stays as it is.
    pub fn cancel(&self, project: ProjectId, id: TaskId) -> Result<(), StoreError> {
        let ended = self.inner.store.tasks().end(project, id, TaskEnd::Cancelled)?;
        if let Some(live) = self.live().get(&id) {
            live.cancel.cancel();
        }
        if ended {
            self.tell(project, id);
        }
        Ok(())
    }

    /// A task, when it has ended or after this time.
    pub async fn ended_or_after(
        &self,
        project: ProjectId,
        id: TaskId,
        at_most: Duration,
    ) -> Result<Task, StoreError> {
        let mut changes = self.inner.changes.subscribe();
        let deadline = tokio::time::Instant::now() + at_most;
        loop {
            let task = self.inner.store.tasks().get(project, id)?;
            let is_late = tokio::time::Instant::now() >= deadline;
            if task.state.is_terminal() || is_late {
                return Ok(task);
            }
            // A desk that is gone tells nothing; then the time decides.
            let _ = tokio::time::timeout_at(deadline, changes.changed()).await;
        }
    }

    /// Waits until a task has ended.
    pub(crate) async fn ended(&self, project: ProjectId, id: TaskId) {
        const LONG: Duration = Duration::from_secs(60 * 60);
        // A task that cannot be read any more was deleted with its project.
        while let Ok(task) = self.ended_or_after(project, id, LONG).await
            && !task.state.is_terminal()
        {}
    }

    /// From now on tasks of a run hold their prices of this money.
    pub(crate) fn open_purse(&self, run: RunId, money: &SpendCap) {
        self.inner.purses.open(run, money);
    }

    /// The run has ended; what its tasks still hold stays held.
    pub(crate) fn close_purse(&self, run: RunId) {
        self.inner.purses.close(run);
    }

    /// Records a task and has it done, with the results that are there already.
    fn record(&self, new: NewTask, kept: Vec<Option<AssetId>>) -> Result<Task, TaskRefused> {
        let work = self.inner.works.get(new.kind.as_str());
        let work = Arc::clone(work.ok_or_else(|| TaskRefused::NoSuchKind(new.kind.clone()))?);
        let (project, id) = (new.project, new.id);
        let tasks = self.inner.store.tasks();
        // The run's own account knows what its open requests hold; the ledger hears of that late.
        let held = self.inner.purses.hold(&new).map_err(|_| TaskRefused::CapReached)?;
        if tasks.begin(new)? == BegunTask::CapReached {
            return Err(TaskRefused::CapReached);
        }
        for (place, asset) in kept.iter().enumerate() {
            if let Some(asset) = asset
                && let Err(error) = tasks.keep_result(project, id, place, asset)
            {
                tracing::warn!(%error, "a result is made again");
            }
        }
        let task = tasks.get(project, id)?;
        let cancel = CancellationToken::new();
        self.live().insert(id, Live { cancel: cancel.clone(), held });
        self.tell(project, id);
        let (desk, begun) = (self.clone(), task.clone());
        self.inner.runtime.spawn(async move { desk.carry_out(work, begun, cancel).await });
        Ok(task)
    }

    async fn carry_out(self, work: Arc<dyn TaskWork>, task: Task, cancel: CancellationToken) {
        let (project, id) = (task.project, task.id);
        let pool = match work.pool(&task) {
            Pool::Fast => &self.inner.fast,
            Pool::Slow => &self.inner.slow,
        };
        let _permit = tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            // The pools are never closed; without a permit the work goes on all the same.
            permit = pool.acquire() => permit.ok(),
        };
        let end =
            if cancel.is_cancelled() { TaskEnd::Cancelled } else { self.worked(work, task, &cancel).await };
        // Who panicked may still listen for the stop.
        cancel.cancel();
        self.finish(project, id, end);
        self.live().remove(&id);
    }

    async fn worked(&self, work: Arc<dyn TaskWork>, task: Task, cancel: &CancellationToken) -> TaskEnd {
        let (project, id) = (task.project, task.id);
        match self.inner.store.tasks().start(project, id) {
            Ok(true) => self.tell(project, id),
            // It was stopped before its turn came.
            Ok(false) => return TaskEnd::Cancelled,
            Err(error) => return failed(ErrorKind::Storage, &error.to_string()),
        }
        let stirred = Arc::new(Notify::new());
        let hand = TaskHand {
            desk: self.clone(),
            project,
            id,
            cancel: cancel.clone(),
            stirred: Arc::clone(&stirred),
        };
        let mut working = AssertUnwindSafe(work.work(task, hand)).catch_unwind();
        let end = loop {
            tokio::select! {
                biased;
                () = cancel.cancelled() => break TaskEnd::Cancelled,
                ended = &mut working => {
                    let panicked = |_| failed(ErrorKind::Unknown, "the program met an error of its own");
                    return ended.unwrap_or_else(panicked);
                }
                () = stirred.notified() => {}
                () = tokio::time::sleep(self.inner.patience) => {
                    let seconds = self.inner.patience.as_secs();
                    break failed(ErrorKind::Stalled, &format!("nothing happened for {seconds} seconds"));
                }
            }
        };
        // The end stands before the work hears of it, so that nothing it does then counts.
        self.finish(project, id, end.clone());
        cancel.cancel();
        // What it still says is said to its service.
        let _ = tokio::time::timeout(LAST_WORDS, working).await;
        end
    }

    /// Writes an end down; the first one counts.
    fn finish(&self, project: ProjectId, id: TaskId, end: TaskEnd) {
        let cost_usd = match &end {
            TaskEnd::Succeeded { cost_usd, .. } => Some(*cost_usd),
            TaskEnd::Failed(_) | TaskEnd::Cancelled => None,
        };
        match self.inner.store.tasks().end(project, id, end) {
            Ok(true) => {
                let held = self.live().get_mut(&id).and_then(|live| live.held.take());
                if let Some((held, cost_usd)) = held.zip(cost_usd) {
                    held.settle(cost_usd);
                }
                self.tell(project, id);
            }
            Ok(false) => {}
            Err(error) => tracing::error!(%error, "the end of a task could not be saved"),
        }
    }

    fn tell(&self, project: ProjectId, id: TaskId) {
        let _turn = self.inner.telling.lock().unwrap_or_else(PoisonError::into_inner);
        match self.inner.store.tasks().get(project, id) {
            Ok(task) => (self.inner.listener)(&task),
            Err(error) => tracing::warn!(%error, "a change of a task could not be told"),
        }
        self.inner.changes.send_modify(|count| *count += 1);
    }

    fn live(&self) -> MutexGuard<'_, HashMap<TaskId, Live>> {
        self.inner.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end of a task that went wrong.
fn failed(kind: ErrorKind, message: &str) -> TaskEnd {
    TaskEnd::Failed(TaskFailure::from(Failure::new(kind, message).with_next_step("Try again")))
}
