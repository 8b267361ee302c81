//! What one request costs while it is being answered.

use crate::spend::{
    CHARS_PER_TOKEN, CapReached, RESERVED_OUTPUT_TOKENS, Reservation, SpendCap, TurnEstimate,
};

/// The money held for one request.
pub(super) struct Meter {
    estimate: TurnEstimate,
    reservation: Reservation,
    chars: u64,
}

impl Meter {
    /// Reserves what the request may cost. Without a known price there is nothing to reserve, and the cap
    /// cannot bind.
    pub(super) fn open(cap: &SpendCap, estimate: TurnEstimate) -> Result<Self, CapReached> {
        let reservation = cap.reserve(estimate.reserved_usd().unwrap_or(0.0))?;
        Ok(Self { estimate, reservation, chars: 0 })
    }

    /// Counts what was streamed and holds more where it is more than was reserved for.
    pub(super) fn streamed(&mut self, text: &str) -> Result<(), CapReached> {
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
    pub(super) fn settle(self, before_usd: Option<f64>, after_usd: Option<f64>) {
        let counted = after_usd.map(|after| after - before_usd.unwrap_or(0.0));
        let estimated = match self.chars {
            0 => Some(0.0),
            chars => self.estimate.usd_with_output(chars / CHARS_PER_TOKEN),
        };
        self.reservation.settle(counted.filter(|usd| *usd > 0.0).or(estimated).unwrap_or(0.0));
    }
}
