//! What tasks hold of the money of runs that go on.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use facsimile_agent::{CapReached, Reservation, RunId, SpendCap};
use facsimile_store::NewTask;

/// The money of the runs that go on.
#[derive(Default)]
pub(super) struct Purses {
    open: Mutex<HashMap<RunId, SpendCap>>,
}

impl Purses {
    pub(super) fn open(&self, run: RunId, money: &SpendCap) {
        self.with(|open| open.insert(run, money.without_book()));
    }

    pub(super) fn close(&self, run: RunId) {
        self.with(|open| open.remove(&run));
    }

    /// Holds the price of a task, if its run goes on and it has a price.
    pub(super) fn hold(&self, task: &NewTask) -> Result<Option<Held>, CapReached> {
        let Some((price, (run, _))) = task.price.zip(task.made_by) else { return Ok(None) };
        let money = self.with(|open| open.get(&run).cloned());
        let Some(money) = money else { return Ok(None) };
        // Of a price that nobody knows nothing can be held: it is begun only while there is money left.
        if price.reserve_usd <= 0.0 && money.is_reached() {
            return Err(CapReached);
        }
        let reservation = money.reserve(price.reserve_usd)?;
        Ok(Some(Held { reservation, usd: price.reserve_usd }))
    }

    fn with<T>(&self, look: impl FnOnce(&mut HashMap<RunId, SpendCap>) -> T) -> T {
        look(&mut self.open.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The price of a task, held of the money of its run. Dropped, it is given back.
pub(super) struct Held {
    reservation: Reservation,
    usd: f64,
}

impl Held {
    /// Puts the true cost in its place; what was held where nobody knows it.
    pub(super) fn settle(self, cost_usd: Option<f64>) {
        self.reservation.settle(cost_usd.unwrap_or(self.usd));
    }
}
