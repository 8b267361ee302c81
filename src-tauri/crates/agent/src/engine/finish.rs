//! How a variant ends.

use super::limits::MAX_ROUNDS_ALIKE;
use super::turn::TurnStopped;
use super::{Ending, Progress};
use crate::error::{ErrorKind, Failure};
use crate::ids::EventId;
use crate::project::{ProjectPath, html};
use crate::session::{ProviderTurn, StopReason};
use crate::status::RunStatus;

/// A limit other than the money's, which has a state of its own.
pub(super) enum LimitReached {
    /// So many rounds were taken.
    Rounds(u32),
    Time,
    /// The model does the same again and again.
    Repeating,
}

impl Ending {
    pub(super) fn at_limit(limit: LimitReached) -> Self {
        let (message, next_step) = match limit {
            LimitReached::Rounds(rounds) => (
                format!("the model has taken all {rounds} rounds that it may take"),
                "Go on from what is there, or allow more rounds",
            ),
            LimitReached::Time => (
                "the time that the run may take is over".to_owned(),
                "Go on from what is there, or allow more time",
            ),
            LimitReached::Repeating => (
                format!("the model did the same {MAX_ROUNDS_ALIKE} times in a row, and nothing changed"),
                "Say it in other words, or choose another model",
            ),
        };
        let failure = Failure::new(ErrorKind::Unknown, message).with_next_step(next_step);
        Self { status: RunStatus::StoppedAtLimit, failure: Some(failure) }
    }

    pub(super) fn with(status: RunStatus) -> Self {
        Self { status, failure: None }
    }

    pub(super) fn failed(failure: Failure) -> Self {
        Self { status: RunStatus::Failed, failure: Some(failure) }
    }

    /// A page that is only half there is never called done.
    pub(super) fn truncated() -> Self {
        let failure = Failure::new(ErrorKind::Truncated, "the model's reply was cut at its output limit")
            .with_next_step("Try a model with a larger output limit; what was written is kept");
        Self::failed(failure)
    }

    pub(super) fn malformed() -> Self {
        let failure = Failure::new(ErrorKind::Protocol, "the model's tool calls cannot be read")
            .with_next_step("Try again or choose another model; what was built is kept");
        Self::failed(failure)
    }
}

impl From<TurnStopped> for Ending {
    fn from(stopped: TurnStopped) -> Self {
        match stopped {
            TurnStopped::Cancelled => Ending::with(RunStatus::Cancelled),
            TurnStopped::Deadline => Ending::at_limit(LimitReached::Time),
            TurnStopped::Budget => Ending::with(RunStatus::BudgetExceeded),
            TurnStopped::Failed(error) => Ending::failed(error.failure),
        }
    }
}

/// Ends a run whose last reply had no calls: changed files win, else a page in the reply where there was no file yet,
/// else the reply is all.
pub(super) fn finish(turn: &ProviderTurn, run: &mut Progress<'_>) -> Ending {
    let was_refused = matches!(turn.stop, StopReason::Refused | StopReason::Blocked);
    if !was_refused {
        keep_page(&turn.text, run);
    }
    match turn.stop {
        StopReason::Blocked => {
            let failure = Failure::new(ErrorKind::Blocked, "the provider's filter stopped the reply")
                .with_next_step("Change the request or try another model");
            Ending::failed(failure)
        }
        _ if run.cx.files == run.before => Ending::with(RunStatus::NoOutput),
        _ if !run.cx.unfinished.is_empty() => Ending::truncated(),
        _ => Ending::with(RunStatus::Succeeded),
    }
}

/// Makes the page in a reply the project's page, if there is one and no file yet. Gives its path.
pub(super) fn keep_page(reply: &str, run: &mut Progress<'_>) -> Option<ProjectPath> {
    if !run.cx.files.is_empty() {
        return None;
    }
    let page = html::page_in_reply(reply)?;
    let path = ProjectPath::index();
    let id = EventId::fresh("files", run.cx.variant);
    run.screen.replace(&id, &path, page, run.sink);
    run.cx.files.write(path.clone(), page.to_owned());
    Some(path)
}
