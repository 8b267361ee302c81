//! What tasks cost.

use facsimile_agent::{ProjectId, RunId, VariantIndex};
use facsimile_store::{HistoryStore, Spent, StoreError, Task, TaskState};

/// What a task cost.
enum Cost {
    Nothing,
    Usd(f64),
    /// A service made it and did not say.
    Unknown,
}

fn cost(store: &HistoryStore, task: &Task) -> Result<Cost, StoreError> {
    let Some((run, _)) = task.made_by else { return Ok(Cost::Nothing) };
    Ok(match store.ledger().of_entry(run, &format!("task-{}", task.id))? {
        None => Cost::Nothing,
        Some(Spent { reserved_nanos: 0, settled_nanos: 0, .. }) => Cost::Unknown,
        Some(spent) => Cost::Usd(spent.settled_usd() + spent.open_usd()),
    })
}

/// What a task cost, or what is held for it while it goes on; `None` where it is free or nobody knows.
pub(super) fn cost_of(store: &HistoryStore, task: &Task) -> Result<Option<f64>, StoreError> {
    Ok(match cost(store, task)? {
        Cost::Usd(usd) => Some(usd),
        Cost::Nothing | Cost::Unknown => None,
    })
}

/// What the tasks of a variant have cost so far; `None` where nobody knows. What cannot be read counts as nothing: the
/// ledger has it all the same.
pub(crate) fn paid_usd(
    store: &HistoryStore,
    project: ProjectId,
    made_by: (RunId, VariantIndex),
) -> Option<f64> {
    let tasks = store.tasks().of_project(project).unwrap_or_default();
    let own = tasks.iter().filter(|task| task.made_by == Some(made_by) && task.state.is_terminal());
    own.map(|task| match cost(store, task) {
        Ok(Cost::Usd(usd)) => Some(usd),
        Ok(Cost::Unknown) if task.state == TaskState::Succeeded => None,
        Ok(Cost::Nothing | Cost::Unknown) | Err(_) => Some(0.0),
    })
    .sum()
}
