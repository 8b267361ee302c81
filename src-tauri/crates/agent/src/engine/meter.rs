//! What one request costs while it is being answered.

use crate::spend::{
    CHARS_PER_TOKEN, CapReached, RESERVED_OUTPUT_TOKENS, Reservation, SpendCap, TurnEstimate,
};

/// The money held for one request.
#[derive(Debug)]
pub struct Meter {
    estimate: TurnEstimate,
    reservation: Reservation,
    chars: u64,
}

impl Meter {
    /// Reserves what the request may cost. Without a known price there is nothing to reserve, and the cap
    /// cannot bind, unless the other side names its costs afterwards: then it binds once it is reached.
    pub fn open(
        cap: &SpendCap,
        estimate: TurnEstimate,
        cost_so_far_usd: Option<f64>,
    ) -> Result<Self, CapReached> {
        let has_costs = cost_so_far_usd.is_some_and(|usd| usd > 0.0);
        if estimate.price.is_none() && has_costs && cap.is_reached() {
            return Err(CapReached);
        }
        let reservation = cap.reserve(estimate.reserved_usd().unwrap_or(0.0))?;
        Ok(Self { estimate, reservation, chars: 0 })
    }

    /// Counts what was streamed and holds more where it is more than was reserved for.
    pub fn streamed(&mut self, text: &str) -> Result<(), CapReached> {
        self.chars += text.chars().count() as u64;
        let tokens = self.chars / CHARS_PER_TOKEN;
        if tokens <= self.estimate.max_output_tokens.min(RESERVED_OUTPUT_TOKENS) {
            return Ok(());
        }
        match self.estimate.usd_with_output(tokens) {
            Some(usd) => self.reservation.extend_to(usd),
            None => Ok(()),
        }
    }

    /// Settles what the conversation's cost grew by; where nobody counted, what the estimate says of the text
    /// that came.
    pub fn settle(self, before_usd: Option<f64>, after_usd: Option<f64>) {
        let counted = after_usd.map(|after| after - before_usd.unwrap_or(0.0));
        let estimated = match self.chars {
            0 => Some(0.0),
            chars => self.estimate.usd_with_output(chars / CHARS_PER_TOKEN),
        };
        self.reservation.settle(counted.filter(|usd| *usd > 0.0).or(estimated).unwrap_or(0.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spend::UsdPerMillion;

    #[test]
    fn without_a_price_the_cap_binds_only_by_the_costs_that_were_named() {
        let (cap, unpriced) = (SpendCap::of_usd(1.0), TurnEstimate { price: None, ..TurnEstimate::free() });
        Meter::open(&cap, unpriced, None).unwrap().settle(None, Some(1.5));
        assert_eq!(cap.settled_usd(), 1.5);
        let opened = [None, Some(0.0), Some(1.5)].map(|cost| Meter::open(&cap, unpriced, cost).is_ok());
        assert_eq!(opened, [true, true, false]);
    }

    #[test]
    fn what_was_streamed_is_settled_where_nobody_counted_it() {
        let cap = SpendCap::none();
        let price = Some(UsdPerMillion { input: 1.0, output: 1.0 });
        let estimate = TurnEstimate { input_tokens: 500_000, max_output_tokens: 9, price };
        Meter::open(&cap, estimate, Some(0.0)).unwrap().settle(Some(0.0), Some(0.0));
        assert_eq!(cap.settled_usd(), 0.0);
        let mut meter = Meter::open(&cap, estimate, Some(0.0)).unwrap();
        meter.streamed(&"x".repeat(1_500_000)).unwrap();
        assert_eq!(cap.reserved_usd(), 1.0);
        meter.settle(Some(0.0), Some(0.0));
        assert_eq!((cap.settled_usd(), cap.reserved_usd()), (1.0, 0.0));
    }
}
