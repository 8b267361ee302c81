//! What tokens cost.

use facsimile_agent::{TokenUsage, UsdPerMillion};
use serde::{Deserialize, Serialize};

/// Dollars per million tokens of one model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Price {
    /// Input that no cache was asked for.
    pub input: f64,
    /// Input read from the cache.
    pub cache_read: Option<f64>,
    /// Input written to the cache.
    pub cache_write: Option<f64>,
    /// Output, reasoning included.
    pub output: f64,
}

/// Prices that hold for a whole request once its input passes a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LongInput {
    /// The threshold in tokens.
    pub above: u64,
    /// Input, in dollars per million tokens.
    pub input: f64,
    /// Output, in dollars per million tokens.
    pub output: f64,
}

/// What is known of a conversation's prices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pricing {
    /// From the table.
    Known(Price, Option<LongInput>),
    /// It runs on this machine.
    Free,
    /// Nobody knows: shown as unknown, never as 0.
    Unknown,
}

impl Pricing {
    /// The cost of a reply; `None` where a price that it needs is missing.
    pub fn cost_usd(&self, usage: TokenUsage) -> Option<f64> {
        let (price, long) = match self {
            Pricing::Known(price, long) => (price, long),
            Pricing::Free => return Some(0.0),
            Pricing::Unknown => return None,
        };
        let step = long.filter(|long| usage.all_input() > long.above);
        // Cache prices follow the input's: the tables give them for the lower step only.
        let (input, output, factor) = match step {
            Some(long) => (long.input, long.output, long.input / price.input),
            None => (price.input, price.output, 1.0),
        };
        let part = |tokens: u64, price: Option<f64>| match tokens {
            0 => Some(0.0),
            tokens => Some(tokens as f64 * price? / 1e6),
        };
        Some(
            part(usage.input, Some(input))?
                + part(usage.cached_read, price.cache_read.map(|price| price * factor))?
                + part(usage.cached_write, price.cache_write.map(|price| price * factor))?
                + part(usage.output, Some(output))?,
        )
    }

    /// The prices of plain input and output for a request with this much input; `None` where nobody knows them.
    pub fn estimate(&self, input_tokens: u64) -> Option<UsdPerMillion> {
        let (input, output) = match self {
            Pricing::Known(_, Some(long)) if input_tokens > long.above => (long.input, long.output),
            Pricing::Known(price, _) => (price.input, price.output),
            Pricing::Free => (0.0, 0.0),
            Pricing::Unknown => return None,
        };
        Some(UsdPerMillion { input, output })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: Price = Price { input: 2.0, cache_read: Some(0.2), cache_write: None, output: 10.0 };

    fn usage(input: u64, cached_read: u64, cached_write: u64, output: u64) -> TokenUsage {
        TokenUsage { input, cached_read, cached_write, output, reasoning: 5 }
    }

    #[test]
    fn every_kind_of_token_has_its_price() {
        let pricing = Pricing::Known(PRICE, None);
        assert_eq!(pricing.cost_usd(usage(1_000_000, 500_000, 0, 100_000)), Some(2.0 + 0.1 + 1.0));
    }

    #[test]
    fn a_price_that_is_missing_makes_the_cost_unknown() {
        assert_eq!(Pricing::Known(PRICE, None).cost_usd(usage(0, 0, 1, 0)), None);
        assert_eq!(Pricing::Unknown.cost_usd(usage(0, 0, 0, 0)), None);
    }

    #[test]
    fn long_input_is_dearer_as_a_whole() {
        let pricing = Pricing::Known(PRICE, Some(LongInput { above: 100, input: 4.0, output: 15.0 }));
        let cost = pricing.cost_usd(usage(50, 51, 0, 1)).unwrap();
        assert!((cost - (50.0 * 4.0 + 51.0 * 0.4 + 15.0) / 1e6).abs() < 1e-12, "{cost}");
    }

    #[test]
    fn an_estimate_knows_the_step_and_is_unknown_without_a_price() {
        let pricing = Pricing::Known(PRICE, Some(LongInput { above: 100, input: 4.0, output: 15.0 }));
        let of = |input, output| Some(UsdPerMillion { input, output });
        assert_eq!([pricing.estimate(100), pricing.estimate(101)], [of(2.0, 10.0), of(4.0, 15.0)]);
        assert_eq!([Pricing::Free.estimate(9), Pricing::Unknown.estimate(9)], [of(0.0, 0.0), None]);
    }
}
