//! Long jobs as tools see them.

use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::Value;

use super::media::VisibleImage;
use crate::error::Failure;
use crate::ids::TaskId;
use crate::project::ProjectPath;
use crate::tool::{Making, ToolFailure};

/// Where a picture of a task is on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TaskStage {
    /// It waits for its turn.
    Waiting,
    /// Its order goes to the service.
    Sending,
    /// Somebody makes it.
    BeingMade,
    /// It comes back from the service.
    Downloading,
    /// It is put where pages look for it.
    Placing,
}

impl TaskStage {
    /// The stages of pictures that are made like this, in their order.
    pub fn of(making: Making) -> &'static [TaskStage] {
        use TaskStage::{BeingMade, Downloading, Placing, Sending, Waiting};
        match making {
            Making::Local => &[Waiting, BeingMade, Placing],
            Making::Service { .. } => &[Waiting, Sending, BeingMade, Downloading, Placing],
        }
    }

    /// What a card calls it.
    pub fn name(self) -> &'static str {
        match self {
            TaskStage::Waiting => "Waiting",
            TaskStage::Sending => "Sending",
            TaskStage::BeingMade => "Being made",
            TaskStage::Downloading => "Downloading",
            TaskStage::Placing => "Placing",
        }
    }

    /// What a card calls the stages of pictures that are made like this.
    pub fn names(making: Making) -> Vec<String> {
        Self::of(making).iter().map(|stage| stage.name().to_owned()).collect()
    }
}

/// A job somebody wants done.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskOrder {
    /// Which work does it: the name of the tool that orders it.
    pub kind: &'static str,
    /// What a card calls it.
    pub title: String,
    /// The names of its stages.
    pub stages: Vec<String>,
    /// How many results it has.
    pub results: u32,
    /// What it works with. Nothing else is left after a restart, so pictures are named by their asset ids.
    pub inputs: Value,
    /// What it is expected to cost; `None` where nobody knows, 0 for work on this machine.
    pub expected_usd: Option<f64>,
}

/// How far a task is.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskStanding {
    /// It waits for its turn.
    Queued,
    /// It works.
    Running,
    /// Every result is there, or as many as could be made.
    Succeeded,
    /// It went wrong.
    Failed(Failure),
    /// It was stopped.
    Cancelled,
}

impl TaskStanding {
    /// Whether it will not change any more.
    pub fn is_final(&self) -> bool {
        !matches!(self, TaskStanding::Queued | TaskStanding::Running)
    }
}

/// One result of a task. Its path is known before the picture is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskPiece {
    /// Where pages find it; a placeholder is shown there until it is done.
    pub path: ProjectPath,
    /// How far it is.
    pub state: PieceState,
}

/// How far one result of a task is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PieceState {
    /// It is still being made.
    Awaited,
    /// It is there: the picture, whose origin is the asset at the piece's path.
    There(VisibleImage),
    /// It will not come, with the reason in words for the model.
    Failed(String),
}

/// What is known of a task.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskNews {
    /// Which task.
    pub id: TaskId,
    /// Which work does it.
    pub kind: String,
    /// What its card calls it.
    pub title: String,
    /// How far it is.
    pub standing: TaskStanding,
    /// Its results in the order they were asked for.
    pub pieces: Vec<TaskPiece>,
    /// Something to know about the results, such as that they are placeholders.
    pub notice: Option<String>,
}

/// Has long jobs done beside the conversation, for one variant of a run.
///
/// An implementor promises that a row stands before the work starts, that an end is final, and that what a job may cost
/// is reserved from the run's cap and settled or released once.
pub trait TaskBoard: Send + Sync {
    /// Records a job and has it done.
    fn start(&self, order: TaskOrder) -> BoxFuture<'_, Result<TaskNews, ToolFailure>>;

    /// What is known of a task at its end, or after this time. A task of another project is unknown.
    fn wait(&self, task: TaskId, at_most: Duration) -> BoxFuture<'_, Result<TaskNews, ToolFailure>>;

    /// The tasks of this variant whose end was not yet given by [`wait`](Self::wait) or this: those that ended since,
    /// once, and those that go on, each time.
    fn untold(&self) -> BoxFuture<'_, Vec<TaskNews>>;

    /// Stops a task; one that has ended stays as it is.
    fn cancel(&self, task: TaskId);
}
