//! What a variant's requests hold and cost, written down as it happens.

use facsimile_agent::{RunId, SpendBook, VariantIndex};
use facsimile_store::{HistoryStore, request_key};

/// The part of the spend ledger that one variant writes. Facts are handed to the store's writer without waiting for it.
pub(crate) struct VariantLedger {
    store: HistoryStore,
    run: RunId,
    variant: VariantIndex,
}

impl VariantLedger {
    pub(crate) fn new(store: HistoryStore, run: RunId, variant: VariantIndex) -> Self {
        Self { store, run, variant }
    }

    fn key(&self, entry: u64) -> String {
        request_key(self.variant, entry)
    }
}

impl SpendBook for VariantLedger {
    fn reserved(&self, entry: u64, usd: f64) {
        self.store.ledger().note_reserved(self.run, &self.key(entry), usd);
    }

    fn settled(&self, entry: u64, usd: f64) {
        self.store.ledger().note_settled(self.run, &self.key(entry), usd);
    }

    fn released(&self, entry: u64) {
        self.store.ledger().note_released(self.run, &self.key(entry));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use facsimile_agent::SpendCap;
    use facsimile_store::{NewRun, NewTurn, RunTurn, Spent, TurnKind};
    use serde_json::json;

    use super::*;

    /// S-60 and S-61 in a run: the cap refuses before anything is caused, and the ledger has every fact once.
    #[test]
    fn what_the_requests_of_a_run_hold_and_cost_stands_in_the_ledger() {
        let store = HistoryStore::in_memory().unwrap();
        let project = store.projects().create("Shop").unwrap();
        let turn = NewTurn { kind: TurnKind::Create, instruction: String::new(), parent_version: None };
        let engines = vec!["model".to_owned()];
        let new = NewRun { project, turn: RunTurn::New(turn), request: json!({}), engines };
        let run = store.runs().begin(new).unwrap().run;
        let cap =
            SpendCap::of_usd(1.0).kept_in(Arc::new(VariantLedger::new(store.clone(), run, VariantIndex(0))));

        cap.reserve(0.5).unwrap().settle(0.25);
        drop(cap.reserve(0.5).unwrap());
        let refused = cap.reserve(0.8).is_err();
        let open = cap.reserve(0.75).unwrap();
        store.flush().unwrap();
        let while_open = store.ledger().of_run(run).unwrap();
        open.settle(0.8);

        let spent = |reserved: u64, settled: u64, released: u64, open: u64| Spent {
            reserved_nanos: reserved * 10_000_000,
            settled_nanos: settled * 10_000_000,
            released_nanos: released * 10_000_000,
            open_nanos: open * 10_000_000,
        };
        assert!(refused);
        assert_eq!(while_open, spent(175, 25, 75, 75));
        assert_eq!(store.ledger().of_run(run).unwrap(), spent(180, 105, 75, 0));
    }
}
