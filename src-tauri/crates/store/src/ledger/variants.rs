//! What each variant of a run has cost.

use std::collections::HashMap;

use facsimile_agent::{ProjectId, RunId, VariantIndex};
use rusqlite::Row;

use super::{Ledger, NANOS_PER_USD};
use crate::error::StoreError;
use crate::rows::{all, count, parsed};

/// What one variant has cost: its requests, whatever else it asked its model, and its tasks, those that outlive it and
/// second tries included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VariantSpent {
    /// What was really spent.
    pub settled_nanos: u64,
    /// Whether something was done for it at a price that nobody knows.
    pub has_unpriced: bool,
}

impl VariantSpent {
    /// What was really spent, in dollars.
    pub fn settled_usd(&self) -> f64 {
        self.settled_nanos as f64 / NANOS_PER_USD
    }
}

/// What the variants of a project have cost; one that is missing has cost nothing.
pub type SpentByVariant = HashMap<(RunId, VariantIndex), VariantSpent>;

/// The key of an entry for a request of a variant: it tells whose request it was.
pub fn request_key(variant: VariantIndex, entry: u64) -> String {
    format!("request-{}-{entry}", variant.0)
}

// A task that succeeded without an amount was done at a price that nobody knows.
const OF_TASKS: &str = "SELECT tasks.run, tasks.variant, settled_nanos,
        tasks.state = 'succeeded' AND reserved_nanos = 0 AND settled_nanos = 0 AS is_unpriced
    FROM tasks JOIN ledger ON ledger.run = tasks.run AND ledger.key = tasks.ledger_key";
const SUMS: &str =
    "coalesce(sum(settled_nanos), 0) AS settled, coalesce(max(is_unpriced), 0) AS has_unpriced";

impl Ledger<'_> {
    /// What a variant has cost so far. It is read where facts are written, so that every fact that was noted before is
    /// in it, and looks at the entries of this variant alone.
    pub fn of_variant(&self, run: RunId, variant: VariantIndex) -> Result<VariantSpent, StoreError> {
        let key = keys_of(run, variant);
        self.store.on_writer("read the ledger", move |connection| {
            Ok(connection.prepare_cached(&of_variant())?.query_row(key, spent)?)
        })
    }

    /// What the variants of a project have cost so far.
    pub fn by_variant(&self, project: ProjectId) -> Result<SpentByVariant, StoreError> {
        self.store.read("read the ledger", move |connection| {
            let rows = all(connection, &by_variant(), [project.to_string()], |row| {
                Ok(((parsed(row, 0)?, VariantIndex(row.get(1)?)), spent(row)?))
            })?;
            Ok(rows.into_iter().collect())
        })
    }
}

fn of_variant() -> String {
    format!(
        "SELECT {SUMS} FROM (
            SELECT run, ?2, settled_nanos, 0 AS is_unpriced FROM ledger WHERE run = ?1 AND key >= ?3 AND key < ?4
            UNION ALL {OF_TASKS} WHERE tasks.run = ?1 AND tasks.variant = ?2)"
    )
}

/// Run, variant, and the span of the keys of its requests: from `request-0-` to before `request-0.`, which is the next
/// name that can follow.
fn keys_of(run: RunId, variant: VariantIndex) -> (String, u8, String, String) {
    let VariantIndex(index) = variant;
    (run.to_string(), index, format!("request-{index}-"), format!("request-{index}."))
}

fn by_variant() -> String {
    // The number stands between the first line and the second.
    format!(
        "SELECT run, variant, {SUMS} FROM (
            SELECT run, CAST(substr(key, 9) AS INTEGER) AS variant, settled_nanos, 0 AS is_unpriced
                FROM ledger WHERE project = ?1 AND key GLOB 'request-*-*'
            UNION ALL {OF_TASKS} WHERE tasks.project = ?1)
         GROUP BY run, variant"
    )
}

fn spent(row: &Row<'_>) -> rusqlite::Result<VariantSpent> {
    Ok(VariantSpent { settled_nanos: count(row, "settled")?, has_unpriced: row.get("has_unpriced")? })
}

#[cfg(test)]
mod tests {
    use crate::history::HistoryStore;

    use super::*;

    #[test]
    fn no_sum_looks_at_a_row_of_another_run_or_project() {
        let store = HistoryStore::in_memory().unwrap();
        let plans = store.read("plan", |connection| {
            let told = |row: &Row<'_>| row.get::<_, String>("detail");
            let key = keys_of(RunId::fresh(), VariantIndex(0));
            let one = all(connection, &format!("EXPLAIN QUERY PLAN {}", of_variant()), key, told)?;
            let plan = format!("EXPLAIN QUERY PLAN {}", by_variant());
            let many = all(connection, &plan, [ProjectId::fresh().to_string()], told)?;
            Ok([one, many])
        });
        for plan in plans.unwrap() {
            let tables = |how: &str| {
                let named = |line: &&String| {
                    ["ledger", "tasks"].iter().any(|table| line.starts_with(&format!("{how} {table}")))
                };
                plan.iter().filter(named).count()
            };
            assert_eq!((tables("SEARCH"), tables("SCAN")), (3, 0), "{plan:#?}");
        }
    }
}
