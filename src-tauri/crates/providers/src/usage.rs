//! What a conversation has used and cost.

use facsimile_agent::TokenUsage;
use serde_json::Value;

use crate::pricing::Pricing;

/// A count in a vendor's usage, 0 where it is missing or strange.
pub(crate) fn count(value: &Value, path: &str) -> u64 {
    value.pointer(path).and_then(Value::as_u64).unwrap_or(0)
}

/// The running total of one conversation.
#[derive(Debug)]
pub struct Ledger {
    pricing: Pricing,
    priced_usd: f64,
    replies: u32,
    unpriced: u32,
}

impl Ledger {
    /// Nothing used yet, at these prices.
    pub fn new(pricing: Pricing) -> Self {
        Self { pricing, priced_usd: 0.0, replies: 0, unpriced: 0 }
    }

    /// Adds a reply. A price the server itself names wins over the table.
    pub fn add(&mut self, usage: TokenUsage, named_usd: Option<f64>) {
        self.replies += 1;
        let named_usd = named_usd.filter(|cost| cost.is_finite() && *cost >= 0.0);
        match named_usd.or_else(|| self.pricing.cost_usd(usage)) {
            Some(cost) => self.priced_usd += cost,
            None => self.unpriced += 1,
        }
    }

    /// The prices for an estimate of a request with this much input.
    pub fn prices(&self, input_tokens: u64) -> Option<facsimile_agent::UsdPerMillion> {
        self.pricing.estimate(input_tokens)
    }

    /// The cost so far; `None` where a price is missing.
    pub fn total_usd(&self) -> Option<f64> {
        let is_unknown = match self.replies {
            0 => matches!(self.pricing, Pricing::Unknown),
            _ => self.unpriced > 0,
        };
        (!is_unknown).then_some(self.priced_usd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ten_tokens() -> TokenUsage {
        TokenUsage { input: 10, ..TokenUsage::default() }
    }

    #[test]
    fn a_missing_price_is_unknown_and_never_zero() {
        let mut ledger = Ledger::new(Pricing::Unknown);
        assert_eq!(ledger.total_usd(), None);
        ledger.add(ten_tokens(), Some(0.5));
        assert_eq!(ledger.total_usd(), Some(0.5));
        ledger.add(ten_tokens(), None);
        assert_eq!(ledger.total_usd(), None);
    }

    #[test]
    fn what_runs_on_this_machine_costs_nothing() {
        let mut ledger = Ledger::new(Pricing::Free);
        ledger.add(ten_tokens(), Some(f64::NAN));
        assert_eq!(ledger.total_usd(), Some(0.0));
    }
}
