//! What a run may spend, and what its requests and tools hold of it.
//!
//! One [`SpendCap`] is shared by all variants of a run. Whoever is about to cause a cost reserves it first and
//! settles the reservation when the true cost is known; a reservation that is dropped is given back.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// What a run may spend unless the user says otherwise, in dollars.
pub const DEFAULT_CAP_USD: f64 = 5.0;
/// Output that is reserved before a request, however much more the model may write.
pub const RESERVED_OUTPUT_TOKENS: u64 = 16_000;
/// Characters that are taken for one token while nobody has counted them.
pub const CHARS_PER_TOKEN: u64 = 3;

/// Amounts are whole: sums of reservations must come out even.
const NANOS_PER_USD: f64 = 1e9;

/// Where facts about money are written down. An implementor promises to return at once and to fail nobody: what it
/// cannot write it keeps to itself. An entry is named by its number within the run.
pub trait SpendBook: Send + Sync {
    /// So much is held for an entry in all.
    fn reserved(&self, entry: u64, usd: f64);
    /// An entry has cost this.
    fn settled(&self, entry: u64, usd: f64);
    /// An entry has cost nothing.
    fn released(&self, entry: u64);
}

/// The money of one run. Clones share it.
#[derive(Clone)]
pub struct SpendCap {
    account: Arc<Mutex<Account>>,
    book: Option<Arc<dyn SpendBook>>,
}

impl fmt::Debug for SpendCap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpendCap").field("account", &self.account).finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct Account {
    /// `None`: no cap.
    cap_nanos: Option<u64>,
    settled_nanos: u64,
    reserved_nanos: u64,
    /// How many entries there were.
    entries: u64,
}

/// A cost that the cap does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the spend cap of the run is reached; raise it in Settings or with --max-cost and go on")]
pub struct CapReached;

impl SpendCap {
    /// A cap in dollars; 0 means that there is none.
    pub fn of_usd(cap_usd: f64) -> Self {
        let cap_nanos = (cap_usd > 0.0).then(|| nanos(cap_usd));
        Self { account: Arc::new(Mutex::new(Account { cap_nanos, ..Account::default() })), book: None }
    }

    /// Writes every reservation, settling and release down as well.
    pub fn kept_in(self, book: Arc<dyn SpendBook>) -> Self {
        Self { book: Some(book), ..self }
    }

    /// The same money for costs that are written down elsewhere.
    pub fn without_book(&self) -> Self {
        Self { account: Arc::clone(&self.account), book: None }
    }

    /// No cap at all.
    pub fn none() -> Self {
        Self::of_usd(0.0)
    }

    /// Holds an amount back, or says that the cap does not allow it.
    pub fn reserve(&self, usd: f64) -> Result<Reservation, CapReached> {
        let entry = self.with(|account| {
            account.entries += 1;
            account.entries
        });
        let mut reservation = Reservation { cap: self.clone(), entry, held_nanos: 0, noted_nanos: 0 };
        reservation.extend_to(usd)?;
        Ok(reservation)
    }

    /// Whether the whole cap is spent or held.
    pub fn is_reached(&self) -> bool {
        self.with(|account| {
            let total = account.settled_nanos.saturating_add(account.reserved_nanos);
            account.cap_nanos.is_some_and(|cap| total >= cap)
        })
    }

    /// What was settled so far, in dollars.
    pub fn settled_usd(&self) -> f64 {
        self.with(|account| account.settled_nanos as f64 / NANOS_PER_USD)
    }

    /// What is held by open reservations, in dollars.
    pub fn reserved_usd(&self) -> f64 {
        self.with(|account| account.reserved_nanos as f64 / NANOS_PER_USD)
    }

    fn with<T>(&self, look: impl FnOnce(&mut Account) -> T) -> T {
        look(&mut self.account.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Default for SpendCap {
    fn default() -> Self {
        Self::of_usd(DEFAULT_CAP_USD)
    }
}

/// An amount held back for a cost that is not known yet.
#[derive(Debug)]
#[must_use = "a reservation that is dropped is given back at once"]
pub struct Reservation {
    cap: SpendCap,
    entry: u64,
    held_nanos: u64,
    /// What the book knows of.
    noted_nanos: u64,
}

impl Reservation {
    /// Holds this much in all, or says that the cap does not allow it and keeps what is held. It never shrinks.
    pub fn extend_to(&mut self, usd: f64) -> Result<(), CapReached> {
        let more = nanos(usd).saturating_sub(self.held_nanos);
        self.cap.with(|account| {
            let total = account.settled_nanos.saturating_add(account.reserved_nanos).saturating_add(more);
            // What costs nothing is never too much, even when the cap is passed already.
            if more > 0 && account.cap_nanos.is_some_and(|cap| total > cap) {
                return Err(CapReached);
            }
            account.reserved_nanos = account.reserved_nanos.saturating_add(more);
            Ok(())
        })?;
        self.held_nanos += more;
        // A stream extends by every piece: the book hears of doublings.
        if self.held_nanos > self.noted_nanos.saturating_mul(2) {
            self.noted_nanos = self.held_nanos;
            self.note(|book, entry| book.reserved(entry, usd));
        }
        Ok(())
    }

    /// Puts the true cost in the place of what was held.
    pub fn settle(mut self, usd: f64) {
        self.cap.with(|account| {
            account.settled_nanos = account.settled_nanos.saturating_add(nanos(usd));
        });
        if self.noted_nanos > 0 || nanos(usd) > 0 {
            self.note(|book, entry| book.settled(entry, usd));
        }
        // What follows is no release.
        self.noted_nanos = 0;
    }

    fn note(&self, fact: impl FnOnce(&dyn SpendBook, u64)) {
        if let Some(book) = &self.cap.book {
            fact(book.as_ref(), self.entry);
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let held = self.held_nanos;
        self.cap.with(|account| account.reserved_nanos = account.reserved_nanos.saturating_sub(held));
        if self.noted_nanos > 0 {
            self.note(|book, entry| book.released(entry));
        }
    }
}

/// Rounded up: a cap must not be passed by fractions. What is no amount counts as nothing.
fn nanos(usd: f64) -> u64 {
    (usd * NANOS_PER_USD - 1e-6).ceil().max(0.0) as u64
}

/// Dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UsdPerMillion {
    /// Of plain input.
    pub input: f64,
    /// Of output, reasoning included.
    pub output: f64,
}

/// What the next request will take, before it is sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TurnEstimate {
    /// The whole conversation, tools and prompt.
    pub input_tokens: u64,
    /// The most the model may write.
    pub max_output_tokens: u64,
    /// What it costs; `None` where nobody knows.
    pub price: Option<UsdPerMillion>,
}

impl TurnEstimate {
    /// A request that costs nothing.
    pub fn free() -> Self {
        let price = Some(UsdPerMillion { input: 0.0, output: 0.0 });
        Self { input_tokens: 0, max_output_tokens: 0, price }
    }

    /// What is reserved before the request; `None` without a price.
    pub fn reserved_usd(&self) -> Option<f64> {
        self.usd_with_output(self.max_output_tokens.min(RESERVED_OUTPUT_TOKENS))
    }

    /// The cost if the model writes this much; `None` without a price.
    pub fn usd_with_output(&self, output_tokens: u64) -> Option<f64> {
        let UsdPerMillion { input, output } = self.price?;
        Some((self.input_tokens as f64 * input + output_tokens as f64 * output) / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_would_cross_the_cap_is_refused_and_what_was_held_comes_back() {
        let cap = SpendCap::of_usd(1.0);
        let first = cap.reserve(0.6).unwrap();
        assert_eq!(cap.reserve(0.5).err(), Some(CapReached));
        first.settle(0.2);
        assert_eq!((cap.settled_usd(), cap.reserved_usd()), (0.2, 0.0));
        let mut second = cap.reserve(0.5).unwrap();
        assert_eq!(second.extend_to(0.9), Err(CapReached));
        assert_eq!(second.extend_to(0.8), Ok(()));
        drop(second);
        assert_eq!((cap.settled_usd(), cap.reserved_usd()), (0.2, 0.0));
    }

    #[derive(Default)]
    struct Lines(Mutex<Vec<String>>);

    impl SpendBook for Lines {
        fn reserved(&self, entry: u64, usd: f64) {
            self.0.lock().unwrap().push(format!("{entry} holds {usd}"));
        }
        fn settled(&self, entry: u64, usd: f64) {
            self.0.lock().unwrap().push(format!("{entry} cost {usd}"));
        }
        fn released(&self, entry: u64) {
            self.0.lock().unwrap().push(format!("{entry} let go"));
        }
    }

    #[test]
    fn a_book_hears_of_every_entry_once_and_of_extensions_when_they_have_doubled() {
        let book = Arc::new(Lines::default());
        let cap = SpendCap::of_usd(10.0).kept_in(Arc::clone(&book) as Arc<dyn SpendBook>);
        let mut first = cap.reserve(1.0).unwrap();
        (2..=20).for_each(|tenths| first.extend_to(1.0 + f64::from(tenths) / 10.0).unwrap());
        drop(cap.reserve(2.0).unwrap());
        assert_eq!(cap.reserve(9.0).err(), Some(CapReached));
        first.settle(1.5);
        drop(cap.reserve(0.0).unwrap());
        cap.reserve(0.0).unwrap().settle(0.25);

        let lines = book.0.lock().unwrap().join(", ");
        assert_eq!(lines, "1 holds 1, 1 holds 2.1, 2 holds 2, 2 let go, 1 cost 1.5, 5 cost 0.25");
    }

    #[test]
    fn nothing_is_capped_by_zero_and_what_costs_nothing_is_never_refused() {
        assert!(SpendCap::none().reserve(1e6).is_ok());
        let cap = SpendCap::of_usd(0.1);
        cap.reserve(0.1).unwrap().settle(3.0);
        assert!(cap.reserve(0.0).is_ok() && cap.reserve(1e-9).is_err());
    }

    #[test]
    fn a_request_reserves_its_input_and_at_most_sixteen_thousand_tokens_of_output() {
        let price = Some(UsdPerMillion { input: 2.0, output: 10.0 });
        let estimate = TurnEstimate { input_tokens: 500_000, max_output_tokens: 50_000, price };
        assert_eq!(estimate.reserved_usd(), Some(1.16));
        assert_eq!(TurnEstimate { max_output_tokens: 1_000, ..estimate }.reserved_usd(), Some(1.01));
        assert_eq!(TurnEstimate { price: None, ..estimate }.reserved_usd(), None);
    }

    #[derive(Debug, Clone)]
    enum Act {
        Reserve(u32),
        Extend(prop::sample::Index, u32),
        Settle(prop::sample::Index, u32),
        Release(prop::sample::Index),
    }

    fn act() -> impl Strategy<Value = Act> {
        let which = any::<prop::sample::Index>();
        prop_oneof![
            (0..2_000_000_u32).prop_map(Act::Reserve),
            (which.clone(), 0..2_000_000_u32).prop_map(|(i, n)| Act::Extend(i, n)),
            (which.clone(), 0..2_000_000_u32).prop_map(|(i, n)| Act::Settle(i, n)),
            which.prop_map(Act::Release),
        ]
    }

    proptest! {
        #[test]
        fn whatever_happens_the_account_is_what_is_open_and_settled_and_the_cap_holds_for_reservations(
            acts in proptest::collection::vec(act(), 0..60),
        ) {
            let micros = |n: u32| f64::from(n) / 1e6;
            let cap = SpendCap::of_usd(3.0);
            let (mut open, mut settled) = (Vec::<(Reservation, u64)>::new(), 0_u64);
            for act in acts {
                match act {
                    Act::Reserve(n) => {
                        let before = settled + open.iter().map(|(_, held)| held).sum::<u64>();
                        let reserved = cap.reserve(micros(n));
                        prop_assert_eq!(reserved.is_ok(), n == 0 || before + u64::from(n) <= 3_000_000);
                        open.extend(reserved.ok().map(|reservation| (reservation, u64::from(n))));
                    }
                    Act::Extend(at, n) if !open.is_empty() => {
                        let at = at.index(open.len());
                        let (reservation, held) = &mut open[at];
                        if reservation.extend_to(micros(n)).is_ok() {
                            *held = (*held).max(u64::from(n));
                        }
                    }
                    Act::Settle(at, n) if !open.is_empty() => {
                        let at = at.index(open.len());
                        open.swap_remove(at).0.settle(micros(n));
                        settled += u64::from(n);
                    }
                    Act::Release(at) if !open.is_empty() => {
                        let at = at.index(open.len());
                        drop(open.swap_remove(at));
                    }
                    _ => {}
                }
                let held: u64 = open.iter().map(|(_, held)| held).sum();
                let account = |usd: f64| (usd * 1e6).round() as u64;
                prop_assert_eq!((account(cap.settled_usd()), account(cap.reserved_usd())), (settled, held));
            }
        }
    }
}
