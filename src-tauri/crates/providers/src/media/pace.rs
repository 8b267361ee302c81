//! How long is waited for pictures.

use std::time::Duration;

/// The pauses between questions, and when to give up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// The first pause.
    pub first: Duration,
    /// The longest pause.
    pub longest: Duration,
    /// The whole time for one picture.
    pub total: Duration,
    /// The first pause before a request that failed is sent again; it doubles.
    pub retry: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            first: Duration::from_millis(500),
            longest: Duration::from_secs(3),
            total: Duration::from_secs(180),
            retry: Duration::from_millis(500),
        }
    }
}

impl Pace {
    /// The pauses in their order.
    pub(super) fn pauses(self) -> impl Iterator<Item = Duration> {
        std::iter::successors(Some(self.first), move |pause| Some((*pause * 3 / 2).min(self.longest)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_the_longest() {
        let pauses: Vec<_> = Pace::default().pauses().take(7).map(|pause| pause.as_millis()).collect();
        assert_eq!(pauses, [500, 750, 1125, 1687, 2531, 3000, 3000]);
    }
}
