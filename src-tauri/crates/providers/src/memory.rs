//! What was learnt of endpoints while the program runs, shared by all sessions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::optional::{Omitted, OptionalField};

/// Sessions that wait for the same endpoint come back this far apart.
const STAGGER: Duration = Duration::from_millis(750);

/// An endpoint and one of its models.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) address: String,
    pub(crate) model: String,
}

/// The fields that endpoints refused, and until when they want to be left alone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory(Arc<Mutex<Remembered>>);

#[derive(Debug, Default)]
struct Remembered {
    omitted: HashMap<Place, Omitted>,
    closed_until: HashMap<String, Instant>,
}

impl Memory {
    fn with<T>(&self, look: impl FnOnce(&mut Remembered) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The fields that are not to be sent there.
    pub(crate) fn omitted(&self, place: &Place) -> Omitted {
        self.with(|held| held.omitted.get(place).cloned().unwrap_or_default())
    }

    /// Remembers that a field is refused there.
    pub(crate) fn omit(&self, place: &Place, field: OptionalField) {
        self.with(|held| {
            held.omitted.entry(place.clone()).or_default().insert(field);
        });
    }

    /// Remembers that an endpoint takes nothing until then.
    pub(crate) fn close_until(&self, address: &str, until: Instant) {
        self.with(|held| {
            let closed = held.closed_until.entry(address.to_owned()).or_insert(until);
            *closed = (*closed).max(until);
        });
    }

    /// The time at which a session may ask there; `None` if it may at once. Each that has to wait gets a time
    /// of its own.
    pub(crate) fn slot(&self, address: &str, now: Instant) -> Option<Instant> {
        self.with(|held| {
            let closed = held.closed_until.get_mut(address)?;
            if *closed <= now {
                held.closed_until.remove(address);
                return None;
            }
            *closed += STAGGER;
            Some(*closed)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_wait_for_an_endpoint_come_back_one_after_the_other() {
        let (memory, now) = (Memory::default(), Instant::now());
        let until = now + Duration::from_secs(8);
        memory.close_until("a", until);
        memory.close_until("a", now);
        let slots = [memory.slot("a", now), memory.slot("a", now), memory.slot("b", now)];
        assert_eq!(slots, [Some(until + STAGGER), Some(until + STAGGER * 2), None]);
        assert_eq!(memory.slot("a", until + STAGGER * 2), None);
    }

    #[test]
    fn a_refused_field_is_remembered_for_its_model_alone() {
        let memory = Memory::default();
        let place = |model: &str| Place { address: "a".to_owned(), model: model.to_owned() };
        memory.omit(&place("m"), OptionalField::Strict);
        let omitted = [memory.omitted(&place("m")), memory.omitted(&place("n"))];
        assert_eq!(omitted, [Omitted::from([OptionalField::Strict]), Omitted::new()]);
    }
}
