//! How long the agent may run and how much it may take.

use std::time::Duration;

use tokio::time::Instant;

/// Rounds of a run that creates a page.
pub const MAX_CREATE_ROUNDS: u32 = 30;
/// Rounds of a run that changes one.
pub const MAX_MODIFY_ROUNDS: u32 = 100;
/// One streamed event may hold this much; more is no reply any more.
pub const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;
/// All events of one reply.
pub const MAX_ROUND_BYTES: usize = 64 * 1024 * 1024;
/// A stream without a byte for this long has stalled.
pub const STALL_TIMEOUT: Duration = Duration::from_secs(120);
/// Attempts at a request beyond the first, while it has shown nothing.
pub const MAX_RETRIES_UNSEEN: u32 = 4;
/// Attempts beyond the first once something was shown.
pub const MAX_RETRIES_SEEN: u32 = 1;
/// The first pause before another attempt; each further one doubles.
pub const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The first pause where the other side has too much to do and does not say for how long.
pub const FIRST_PAUSE_WHEN_BUSY: Duration = Duration::from_secs(2);
/// No pause of our own choice is longer.
pub const MAX_PAUSE: Duration = Duration::from_secs(8);
/// All attempts at one request together.
pub const MAX_RETRY_TIME: Duration = Duration::from_secs(180);
/// Rounds in a row whose calls nobody can read, beyond the first.
pub const MAX_MALFORMED_RETRIES: u32 = 2;
/// Rounds in a row with the same calls, the same results and the same files.
pub const MAX_ROUNDS_ALIKE: u32 = 8;
/// Requests in a row for the rest of a file that the output limit cut.
pub const MAX_CONTINUATIONS: u32 = 3;
/// Instructions in a row that send the model back to work.
pub const MAX_HOOKS_IN_A_ROW: u32 = 5;
/// Text goes to the screen at most once in this time.
pub const FRAME: Duration = Duration::from_millis(16);
/// Less new text than this waits for more.
pub const MIN_APPEND_CHARS: usize = 40;
/// A call that arrived whole is shown in at most this many appends …
pub const MAX_WHOLE_APPENDS: usize = 18;
/// … of at least this many characters.
pub const MIN_WHOLE_APPEND_CHARS: usize = 200;
/// Characters of a file shown with the start of a call.
pub const START_PREVIEW_CHARS: usize = 200;

/// The limits of one run. Its money is in the tools' context, since the variants of the run share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Rounds until the variant stops with what it has.
    pub max_rounds: u32,
    /// When the run stops with what it has.
    pub deadline: Option<Instant>,
}

impl Limits {
    /// The limits of a run that creates a page.
    pub fn of_create() -> Self {
        Self { max_rounds: MAX_CREATE_ROUNDS, deadline: None }
    }

    /// The limits of a run that changes one.
    pub fn of_modify() -> Self {
        Self { max_rounds: MAX_MODIFY_ROUNDS, deadline: None }
    }
}
