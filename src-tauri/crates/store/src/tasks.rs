//! Long jobs, such as making pictures: a record before the work, and one final state.

mod rows;

use facsimile_agent::{AssetId, ErrorKind, Failure, ProjectId, RunId, TaskId, VariantIndex};
use serde_json::Value;

use crate::error::StoreError;
use crate::history::HistoryStore;

pub(crate) use rows::fail_interrupted;

/// Where a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskState {
    /// It waits for its turn.
    Queued,
    /// It works.
    Running,
    /// It is done.
    Succeeded,
    /// It went wrong.
    Failed,
    /// Somebody stopped it.
    Cancelled,
}

impl TaskState {
    const ALL: [TaskState; 5] = [
        TaskState::Queued,
        TaskState::Running,
        TaskState::Succeeded,
        TaskState::Failed,
        TaskState::Cancelled,
    ];

    /// The wire and storage name.
    pub fn as_str(self) -> &'static str {
        match self {
            TaskState::Queued => "queued",
            TaskState::Running => "running",
            TaskState::Succeeded => "succeeded",
            TaskState::Failed => "failed",
            TaskState::Cancelled => "cancelled",
        }
    }

    /// The state of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }

    /// Whether nothing can follow it.
    pub fn is_terminal(self) -> bool {
        matches!(self, TaskState::Succeeded | TaskState::Failed | TaskState::Cancelled)
    }
}

/// What a task may cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TaskPrice {
    /// What is held for it; 0 where nobody knows what it costs.
    pub reserve_usd: f64,
    /// What its run may spend in all; 0 is no cap.
    pub cap_usd: f64,
}

/// A task to be recorded before its work begins.
#[derive(Debug, Clone, PartialEq)]
pub struct NewTask {
    /// Its id, made by the caller: result paths hold it.
    pub id: TaskId,
    /// The design.
    pub project: ProjectId,
    /// The variant that wants it.
    pub made_by: Option<(RunId, VariantIndex)>,
    /// Which tool finds it again.
    pub kind: String,
    /// What a card calls it.
    pub title: String,
    /// The names of its stages, in order.
    pub stages: Vec<String>,
    /// How many pieces there are to do.
    pub total: u32,
    /// What it works with, to be tried again.
    pub inputs: Value,
    /// Where pages will find its results.
    pub paths: Vec<String>,
    /// What it may cost; `None` if it is free. A task without a run reserves nothing.
    pub price: Option<TaskPrice>,
}

/// What became of the wish to record a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BegunTask {
    /// It is recorded, and its amount is held.
    Queued,
    /// It was recorded before; nothing changed.
    Known,
    /// The cap of its run does not allow it; nothing was recorded.
    CapReached,
}

/// How far a task is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskProgress {
    /// The stage it is in.
    pub stage: String,
    /// How many pieces are done.
    pub done: u32,
    /// How many there are.
    pub total: u32,
    /// Something to tell beside it.
    pub notice: Option<String>,
}

/// Why a task went wrong. The kind is one of [`ErrorKind`]'s names, or `interrupted` after a crash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskFailure {
    /// To branch on.
    pub kind: String,
    /// What happened.
    pub message: String,
    /// What to do about it.
    pub next_step: Option<String>,
}

impl From<Failure> for TaskFailure {
    fn from(failure: Failure) -> Self {
        Self {
            kind: failure.kind.as_str().to_owned(),
            message: failure.message,
            next_step: failure.next_step,
        }
    }
}

impl TaskFailure {
    /// The failure as the rest of the program knows it.
    pub fn failure(&self) -> Failure {
        let kind = serde_json::from_value(Value::String(self.kind.clone())).unwrap_or(ErrorKind::Unknown);
        let failure = Failure::new(kind, self.message.clone());
        match &self.next_step {
            Some(step) => failure.with_next_step(step.clone()),
            None => failure,
        }
    }
}

/// How a task ended.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskEnd {
    /// It is done.
    Succeeded {
        /// What came of it, as its tool understands it.
        result: Value,
        /// The assets of its paths, by their places; a piece that failed has none.
        assets: Vec<(usize, AssetId)>,
        /// What it really cost; `None` for what was reserved.
        cost_usd: Option<f64>,
    },
    /// It went wrong.
    Failed(TaskFailure),
    /// Somebody stopped it.
    Cancelled,
}

impl TaskEnd {
    /// The state it leads to.
    pub fn state(&self) -> TaskState {
        match self {
            TaskEnd::Succeeded { .. } => TaskState::Succeeded,
            TaskEnd::Failed(_) => TaskState::Failed,
            TaskEnd::Cancelled => TaskState::Cancelled,
        }
    }
}

/// One result of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskResult {
    /// Where pages find it.
    pub path: String,
    /// Its bytes; `None` until they are there.
    pub asset: Option<AssetId>,
}

/// One task.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// Its id.
    pub id: TaskId,
    /// The design.
    pub project: ProjectId,
    /// The variant that wanted it.
    pub made_by: Option<(RunId, VariantIndex)>,
    /// Which tool finds it again.
    pub kind: String,
    /// What a card calls it.
    pub title: String,
    /// The names of its stages.
    pub stages: Vec<String>,
    /// Where it stands.
    pub state: TaskState,
    /// How far it is.
    pub progress: TaskProgress,
    /// What it works with.
    pub inputs: Value,
    /// What came of it; null until it succeeded.
    pub result: Value,
    /// Its results, in order.
    pub results: Vec<TaskResult>,
    /// Why it went wrong.
    pub error: Option<TaskFailure>,
    /// When it was recorded.
    pub created_at_ms: i64,
    /// When something in it last changed.
    pub updated_at_ms: i64,
    /// When it ended.
    pub ended_at_ms: Option<i64>,
}

/// The tasks. Each is looked up together with its project: a foreign id is unknown. A terminal state is final: what
/// comes after it answers `false`, changes nothing and settles nothing.
#[derive(Debug)]
pub struct Tasks<'a> {
    pub(crate) store: &'a HistoryStore,
}

impl Tasks<'_> {
    /// Records a task and reserves its amount, in one transaction.
    pub fn begin(&self, task: NewTask) -> Result<BegunTask, StoreError> {
        let opener = self.store.opener();
        self.store.write("record a task", move |transaction| rows::insert(transaction, &task, &opener))
    }

    /// Moves a queued task to running.
    pub fn start(&self, project: ProjectId, id: TaskId) -> Result<bool, StoreError> {
        self.store.write("start a task", move |transaction| rows::start(transaction, project, id))
    }

    /// Records how far a task is.
    pub fn progress(
        &self,
        project: ProjectId,
        id: TaskId,
        progress: TaskProgress,
    ) -> Result<bool, StoreError> {
        self.store.write("save the progress of a task", move |transaction| {
            rows::progress(transaction, project, id, &progress)
        })
    }

    /// Puts the bytes of one result where pages look for it, before the whole task is done.
    pub fn keep_result(
        &self,
        project: ProjectId,
        id: TaskId,
        place: usize,
        asset: &AssetId,
    ) -> Result<bool, StoreError> {
        let asset = asset.clone();
        self.store.write("save a result of a task", move |transaction| {
            rows::keep_result(transaction, project, id, place, &asset)
        })
    }

    /// Ends a task and settles or releases its amount, in one transaction.
    pub fn end(&self, project: ProjectId, id: TaskId, end: TaskEnd) -> Result<bool, StoreError> {
        self.store
            .write("save the end of a task", move |transaction| rows::end(transaction, project, id, &end))
    }

    /// One task of a project.
    pub fn get(&self, project: ProjectId, id: TaskId) -> Result<Task, StoreError> {
        self.store.read("read a task", move |connection| rows::get(connection, project, id))
    }

    /// The tasks of a project, oldest first.
    pub fn of_project(&self, project: ProjectId) -> Result<Vec<Task>, StoreError> {
        self.store
            .read("list the tasks of a project", move |connection| rows::of_project(connection, project))
    }

    /// The task of a project whose result pages find at this path, and the asset if it is there.
    pub fn at_path(
        &self,
        project: ProjectId,
        path: &str,
    ) -> Result<Option<(TaskId, Option<AssetId>)>, StoreError> {
        let path = path.to_owned();
        self.store.read("find a task", move |connection| rows::at_path(connection, project, &path))
    }
}
