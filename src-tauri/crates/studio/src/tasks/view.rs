//! Tasks as the window shows them: a card each.

use std::collections::HashMap;

use facsimile_agent::{ProjectId, RunId, TaskId, VariantIndex};
use facsimile_store::{Run, Task, TaskFailure, TaskPrice, TaskResult, VariantSpent};
use serde::Serialize;
use ts_rs::TS;

use super::TaskWatch;
use super::costs::{OptionCost, cost_by_now, cost_of};
use crate::error::StudioError;
use crate::studio::Studio;

/// A task on its card.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(optional_fields)]
pub struct TaskView {
    /// Its id.
    pub id: TaskId,
    /// The task that first had these results: a second try takes its place.
    pub place: String,
    /// The design.
    pub project_id: ProjectId,
    /// The run that wanted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// The variant that wanted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant_index: Option<VariantIndex>,
    /// Which tool ordered it.
    pub kind: String,
    /// What it makes.
    pub title: String,
    /// The names of its stages, in order.
    pub stages: Vec<String>,
    /// The stage it is in; empty before the first.
    pub stage: String,
    /// `queued`, `running`, `succeeded`, `failed` or `cancelled`.
    #[ts(type = "'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'")]
    pub state: &'static str,
    /// How many pieces are done.
    pub done: u32,
    /// How many there are.
    pub total: u32,
    /// Something to tell beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// Why it went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<TaskErrorView>,
    /// Its results, in order.
    pub results: Vec<TaskResultView>,
    /// What it cost, or what is held for it while it goes on, in dollars; none where nobody knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// What the option that wanted it has cost by now, this task and all others included; none while it is at work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub option_cost: Option<OptionCost>,
    /// When it was recorded, in Unix milliseconds.
    pub created_at_ms: i64,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at_ms: Option<i64>,
}

/// Why a task went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(optional_fields)]
pub struct TaskErrorView {
    /// To branch on: a kind of failure, or `interrupted`.
    pub code: String,
    /// What happened.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_step: Option<String>,
}

/// One result of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(optional_fields)]
pub struct TaskResultView {
    /// Where pages find it.
    pub path: String,
    /// A `data:` address; none until it is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thumbnail: Option<String>,
}

impl Studio {
    /// Every change of a task from now on, whether its run goes on or not.
    pub fn watch_tasks(&self) -> TaskWatch {
        self.bulletin().watch()
    }

    /// Stops a task; one that has ended stays as it is.
    pub fn cancel_task(&self, project: ProjectId, task: TaskId) -> Result<(), StudioError> {
        Ok(self.tasks().cancel(project, task)?)
    }

    /// Does a task again that failed or was stopped, under the same paths and at today's price.
    pub fn retry_task(&self, project: ProjectId, task: TaskId) -> Result<TaskView, StudioError> {
        let old = self.tasks().last_try(project, task)?;
        let missing = old.results.iter().filter(|result| result.asset.is_none()).count();
        let results = u32::try_from(missing).unwrap_or(u32::MAX);
        let cap_usd = self.spend_cap_usd()?;
        let expected = self.makers().expected_usd(&old.kind, results).filter(|_| missing > 0);
        let price = expected.map(|usd| TaskPrice { reserve_usd: usd.unwrap_or(0.0), cap_usd });
        let begun = self.tasks().retry(project, task, price)?;
        self.task_view(begun)
    }

    /// The cards of a project's tasks, oldest first.
    pub fn task_views(&self, project: ProjectId) -> Result<Vec<TaskView>, StudioError> {
        self.store().projects().get(project)?;
        let spent = self.store().ledger().by_variant(project)?;
        let runs: HashMap<_, _> = self.runs_of(project)?.into_iter().map(|run| (run.id, run)).collect();
        let tasks = self.store().tasks().of_project(project)?.into_iter();
        let view = |task: Task| {
            let option = task.made_by.and_then(|made_by| {
                let run = runs.get(&made_by.0)?;
                option_cost(run, made_by.1, spent.get(&made_by).copied().unwrap_or_default())
            });
            self.view_of(task, option)
        };
        tasks.map(view).collect()
    }

    /// A task's card. Blocks to make the pictures small.
    pub fn task_view(&self, task: Task) -> Result<TaskView, StudioError> {
        let option = match task.made_by {
            Some((run, variant)) => {
                let spent = self.store().ledger().of_variant(run, variant)?;
                option_cost(&self.store().runs().get(run)?, variant, spent)
            }
            None => None,
        };
        self.view_of(task, option)
    }

    fn view_of(&self, task: Task, option_cost: Option<OptionCost>) -> Result<TaskView, StudioError> {
        let cost_usd = cost_of(self.store(), &task)?;
        let place = place_of(&task);
        let results = task.results.iter().map(|result| self.result_view(result)).collect();
        let (run_id, variant_index) = task.made_by.unzip();
        Ok(TaskView {
            id: task.id,
            place,
            project_id: task.project,
            run_id,
            variant_index,
            kind: task.kind,
            title: task.title,
            stages: task.stages,
            stage: task.progress.stage,
            state: task.state.as_str(),
            done: task.progress.done,
            total: task.progress.total,
            notice: task.progress.notice,
            error: task.error.map(error_view),
            results,
            cost_usd,
            option_cost,
            created_at_ms: task.created_at_ms,
            ended_at_ms: task.ended_at_ms,
        })
    }

    fn result_view(&self, result: &TaskResult) -> TaskResultView {
        let thumbnail =
            result.asset.as_ref().map(|asset| self.thumbnails().card_address(self.store(), asset));
        TaskResultView { path: result.path.clone(), thumbnail: thumbnail.filter(|made| !made.is_empty()) }
    }
}

/// What an option has cost by now; none while it is at work, and where its model has no price.
fn option_cost(run: &Run, index: VariantIndex, spent: VariantSpent) -> Option<OptionCost> {
    let variant = run.variants.iter().find(|variant| variant.index == index)?;
    let usd = cost_by_now(variant, spent);
    (variant.state.is_terminal() && (usd.is_some() || spent.has_unpriced)).then_some(OptionCost { usd })
}

/// The id in its first path, which tries share.
fn place_of(task: &Task) -> String {
    let own = task.id.to_string();
    let first = task.results.first().and_then(|result| result.path.strip_prefix("assets/task-"));
    first.and_then(|name| name.rsplit_once('-')).map_or(own, |(id, _)| id.to_owned())
}

fn error_view(failure: TaskFailure) -> TaskErrorView {
    TaskErrorView { code: failure.kind, message: failure.message, next_step: failure.next_step }
}
