//! What tasks cost.

use facsimile_agent::RunStatus;
use facsimile_store::{HistoryStore, Spent, StoreError, Task, Variant, VariantSpent};
use serde::Serialize;
use ts_rs::TS;

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

/// What an option has cost by now.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct OptionCost {
    /// In dollars; none where nobody knows one of the prices.
    pub usd: Option<f64>,
}

/// What a variant that has ended has cost by now: what it had cost at its end, and what its tasks have cost since.
/// None where that is not known in full.
pub(crate) fn cost_by_now(variant: &Variant, spent: VariantSpent) -> Option<f64> {
    if spent.has_unpriced {
        return None;
    }
    let spent_usd = spent.settled_usd();
    match variant.cost_usd {
        // Older records do not tell whose requests they hold.
        Some(at_end_usd) => Some(at_end_usd.max(spent_usd)),
        // Nobody summed it up where the program was killed.
        None => (variant.state == RunStatus::Interrupted && spent_usd > 0.0).then_some(spent_usd),
    }
}
