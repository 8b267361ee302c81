//! What each model reply of a variant took.

use facsimile_agent::{RunId, VariantIndex};
use rusqlite::Row;
use serde_json::Value;

use crate::error::StoreError;
use crate::history::HistoryStore;
use crate::rows::{all, as_column, change, count, found, json};

/// One model reply and the execution of its tool calls, as counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// Which reply of the variant, counted from 1.
    pub round: u32,
    /// Tokens, as the provider counted them.
    pub usage: Value,
    /// The price, if it is known.
    pub cost_usd: Option<f64>,
    /// How long the round took.
    pub elapsed_ms: u64,
    /// How many attempts failed before the one that counted.
    pub retries: u32,
    /// Which wording of the prompts was used.
    pub prompt_version: String,
}

/// The rounds of variants.
#[derive(Debug)]
pub struct Rounds<'a> {
    pub(crate) store: &'a HistoryStore,
}

impl Rounds<'_> {
    /// Records a round; recording the same one again replaces it.
    pub fn add(&self, run: RunId, variant: VariantIndex, round: Round) -> Result<(), StoreError> {
        self.store.write("save a round", move |rows| {
            let run = run.to_string();
            found(
                rows,
                "run",
                &run,
                "SELECT 1 FROM variants WHERE run = ?1 AND idx = ?2",
                (&run, variant.0),
                |_| Ok(()),
            )?;
            let sql = "INSERT OR REPLACE INTO rounds
                       (run, idx, round, usage, cost_usd, elapsed_ms, retries, prompt_version)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
            let Round { round, usage, cost_usd, elapsed_ms, retries, prompt_version } = round;
            let elapsed_ms = as_column(elapsed_ms);
            let row =
                (run, variant.0, round, usage.to_string(), cost_usd, elapsed_ms, retries, prompt_version);
            change(rows, sql, row).map(drop)
        })
    }

    /// The rounds of one variant, in order.
    pub fn of_variant(&self, run: RunId, variant: VariantIndex) -> Result<Vec<Round>, StoreError> {
        self.store.read("read the rounds of a variant", move |connection| {
            let sql = "SELECT round, usage, cost_usd, elapsed_ms, retries, prompt_version
                       FROM rounds WHERE run = ?1 AND idx = ?2 ORDER BY round";
            all(connection, sql, (run.to_string(), variant.0), round)
        })
    }
}

fn round(row: &Row<'_>) -> rusqlite::Result<Round> {
    Ok(Round {
        round: row.get("round")?,
        usage: json(row, "usage")?,
        cost_usd: row.get("cost_usd")?,
        elapsed_ms: count(row, "elapsed_ms")?,
        retries: row.get("retries")?,
        prompt_version: row.get("prompt_version")?,
    })
}
