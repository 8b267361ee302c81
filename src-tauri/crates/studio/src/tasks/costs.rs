//! What tasks cost.

use facsimile_agent::{ProjectId, RunId, VariantIndex};
use facsimile_store::{HistoryStore, StoreError, Task};

/// What a task cost, or what is held for it while it goes on; `None` where nobody knows.
pub(super) fn cost_of(store: &HistoryStore, task: &Task) -> Result<Option<f64>, StoreError> {
    let Some((run, _)) = task.made_by else { return Ok(None) };
    let spent = store.ledger().of_entry(run, &format!("task-{}", task.id))?;
    Ok(spent.map(|spent| spent.settled_usd() + spent.open_usd()))
}

/// What the tasks of a variant have cost so far, as far as anybody knows. What cannot be read counts as nothing: the
/// ledger has it all the same.
pub(crate) fn paid_usd(store: &HistoryStore, project: ProjectId, made_by: (RunId, VariantIndex)) -> f64 {
    let tasks = store.tasks().of_project(project).unwrap_or_default();
    let own = tasks.iter().filter(|task| task.made_by == Some(made_by) && task.state.is_terminal());
    own.filter_map(|task| cost_of(store, task).ok().flatten()).sum()
}
