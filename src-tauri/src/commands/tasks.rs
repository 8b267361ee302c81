//! Long jobs: their cards, stopping them and trying them again.

use facsimile_agent::{ProjectId, TaskId};
use facsimile_studio::Studio;
use facsimile_studio::tasks::TaskView;
use tauri::State;

use super::with_studio;
use crate::error::CommandError;

/// The tasks of a project, oldest first.
#[tauri::command]
pub async fn list_tasks(
    studio: State<'_, Studio>,
    project_id: ProjectId,
) -> Result<Vec<TaskView>, CommandError> {
    with_studio(&studio, move |studio| studio.task_views(project_id)).await
}

/// Stops a task.
#[tauri::command]
pub async fn cancel_task(
    studio: State<'_, Studio>,
    project_id: ProjectId,
    task_id: TaskId,
) -> Result<(), CommandError> {
    with_studio(&studio, move |studio| studio.cancel_task(project_id, task_id)).await
}

/// Does a task again that failed or was stopped.
#[tauri::command]
pub async fn retry_task(
    studio: State<'_, Studio>,
    project_id: ProjectId,
    task_id: TaskId,
) -> Result<TaskView, CommandError> {
    with_studio(&studio, move |studio| studio.retry_task(project_id, task_id)).await
}
