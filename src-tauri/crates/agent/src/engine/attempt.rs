//! Asking again after a failed request.

use std::time::Duration;

use tokio::time::Instant;

use super::limits::{
    FIRST_PAUSE, FIRST_PAUSE_WHEN_BUSY, MAX_PAUSE, MAX_RETRIES_SEEN, MAX_RETRIES_UNSEEN, MAX_RETRY_TIME,
};
use crate::error::ErrorKind;
use crate::session::SessionError;

/// The failed attempts at one request.
pub(super) struct Retries {
    first: Instant,
    pub(super) failed: u32,
}

impl Retries {
    pub(super) fn starting(now: Instant) -> Self {
        Self { first: now, failed: 0 }
    }

    /// How long to wait before the next attempt; `None` when there is to be none.
    pub(super) fn pause(&mut self, error: &SessionError, was_seen: bool, now: Instant) -> Option<Duration> {
        let most = if was_seen { MAX_RETRIES_SEEN } else { MAX_RETRIES_UNSEEN };
        if !error.retryable || self.failed >= most {
            return None;
        }
        let first = match error.kind() {
            ErrorKind::RateLimit | ErrorKind::Overloaded => FIRST_PAUSE_WHEN_BUSY,
            _ => FIRST_PAUSE,
        };
        let backoff = (first * 2_u32.pow(self.failed)).min(MAX_PAUSE);
        // Up to a quarter more, so that variants which failed together do not come back together.
        let jitter =
            backoff.mul_f64(f64::from(uuid::Uuid::now_v7().as_u128() as u16) / f64::from(u16::MAX) / 4.0);
        let asked = error.retry_after_ms.map(Duration::from_millis);
        let pause = asked.unwrap_or(backoff + jitter);
        self.failed += 1;
        (now + pause <= self.first + MAX_RETRY_TIME).then_some(pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Failure;

    fn overloaded() -> SessionError {
        SessionError::retryable(Failure::new(ErrorKind::Overloaded, "busy"))
    }

    #[test]
    fn an_unseen_request_is_tried_four_times_more_with_growing_pauses() {
        let now = Instant::now();
        let offline = SessionError::retryable(Failure::new(ErrorKind::Network, "gone"));
        for (error, expected) in [(overloaded(), [2, 4, 8, 8]), (offline, [1, 2, 4, 8])] {
            let mut retries = Retries::starting(now);
            let pauses: Vec<_> = std::iter::from_fn(|| retries.pause(&error, false, now)).collect();
            let within = pauses.iter().zip(expected).all(|(pause, seconds)| {
                let least = Duration::from_secs(seconds);
                *pause >= least && *pause <= least.mul_f64(1.25)
            });
            assert!(pauses.len() == 4 && within, "{pauses:?}");
        }
    }

    #[test]
    fn a_request_that_showed_something_is_tried_once_more() {
        let now = Instant::now();
        let mut retries = Retries::starting(now);
        assert!(retries.pause(&overloaded(), true, now).is_some());
        assert!(retries.pause(&overloaded(), true, now).is_none());
    }

    #[test]
    fn what_the_other_side_asked_for_is_obeyed_within_three_minutes() {
        let now = Instant::now();
        let asking = |ms| SessionError { retry_after_ms: Some(ms), ..overloaded() };
        assert_eq!(Retries::starting(now).pause(&asking(7_000), false, now), Some(Duration::from_secs(7)));
        assert_eq!(Retries::starting(now).pause(&asking(181_000), false, now), None);
    }

    #[test]
    fn an_error_that_repetition_cannot_mend_is_final() {
        let now = Instant::now();
        let error = SessionError::fatal(Failure::new(ErrorKind::BadKey, "no"));
        assert_eq!(Retries::starting(now).pause(&error, false, now), None);
    }
}
