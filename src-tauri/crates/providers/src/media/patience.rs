//! How long one picture may take, from its order to its bytes.

use std::future::Future;

use facsimile_agent::{ErrorKind, Failure};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{NotMade, Pace};

/// Ends every wait for one picture: when it is stopped, or when the time for all of it is over.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience<'a> {
    cancel: &'a CancellationToken,
    until: Instant,
    who: &'static str,
}

impl<'a> Patience<'a> {
    /// The patience with a picture that is ordered now.
    pub(super) fn from_now(pace: Pace, who: &'static str, cancel: &'a CancellationToken) -> Self {
        Self { cancel, until: Instant::now() + pace.total, who }
    }

    /// The outcome of the work, unless the stop or the end of the time comes first.
    pub(super) async fn with<T>(self, work: impl Future<Output = T>) -> Result<T, NotMade> {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(NotMade::Cancelled),
            () = tokio::time::sleep_until(self.until) => Err(timed_out(self.who)),
            done = work => Ok(done),
        }
    }
}

fn timed_out(who: &str) -> NotMade {
    let failure = Failure::new(ErrorKind::Stalled, format!("{who} did not finish the picture in time"));
    NotMade::Failed(failure.with_next_step("Try again, or choose a faster image model in Settings"))
}
