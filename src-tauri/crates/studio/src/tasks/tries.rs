//! Another try at a task that did not end well.

use std::sync::PoisonError;

use facsimile_agent::{ProjectId, TaskId};
use facsimile_store::{NewTask, Task, TaskPrice, TaskState};

use super::{TaskDesk, TaskRefused};

impl TaskDesk {
    /// Does a task again that failed or was stopped: a new one, whose results appear under the same paths, those among
    /// them that are there already. What it may cost is told anew: the cap may have been raised.
    pub fn retry(
        &self,
        project: ProjectId,
        id: TaskId,
        price: Option<TaskPrice>,
    ) -> Result<Task, TaskRefused> {
        // Two clicks are one.
        let _turn = self.inner.retrying.lock().unwrap_or_else(PoisonError::into_inner);
        let old = self.last_try(project, id)?;
        let stages = self.inner.works.get(old.kind.as_str()).map_or_else(Vec::new, |work| work.stages(&old));
        let Task { made_by, kind, title, progress, inputs, results, .. } = old;
        let (paths, kept): (Vec<_>, Vec<_>) =
            results.into_iter().map(|result| (result.path, result.asset)).unzip();
        let (id, total) = (TaskId::fresh(), progress.total);
        self.record(NewTask { id, project, made_by, kind, title, stages, total, inputs, paths, price }, kept)
    }

    /// The latest try at the results of a task, if it failed or was stopped.
    pub(crate) fn last_try(&self, project: ProjectId, id: TaskId) -> Result<Task, TaskRefused> {
        let tasks = self.inner.store.tasks();
        let task = tasks.get(project, id)?;
        let latest = match task.results.first().map(|result| result.path.clone()) {
            Some(path) => {
                let is_try = |other: &Task| other.results.first().is_some_and(|result| result.path == path);
                tasks.of_project(project)?.into_iter().rev().find(is_try).unwrap_or(task)
            }
            None => task,
        };
        match latest.state {
            TaskState::Failed | TaskState::Cancelled => Ok(latest),
            _ => Err(TaskRefused::NothingToRetry),
        }
    }
}
