//! The states of a run and of a variant.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Where a run or a variant stands. Exactly one terminal state is ever reached, and it never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// Recorded, not begun.
    Queued,
    /// A request or a tool is under way.
    Running,
    /// Between two attempts at the same request.
    Waiting,
    /// Ended with files.
    Succeeded,
    /// Ended by the model without files: a question, a refusal.
    NoOutput,
    /// Ended at a round or time limit; files are kept.
    StoppedAtLimit,
    /// Ended at the spend cap; files are kept.
    BudgetExceeded,
    /// Ended by the user; files are kept.
    Cancelled,
    /// Ended by an error; files are kept.
    Failed,
    /// Found unfinished at start-up: the program had been killed.
    Interrupted,
}

impl RunStatus {
    /// The order in which unsuccessful variants decide the state of their run.
    const PRECEDENCE: [RunStatus; 6] = [
        RunStatus::Cancelled,
        RunStatus::BudgetExceeded,
        RunStatus::StoppedAtLimit,
        RunStatus::Interrupted,
        RunStatus::Failed,
        RunStatus::NoOutput,
    ];

    /// Whether nothing follows this state.
    pub fn is_terminal(self) -> bool {
        !matches!(self, RunStatus::Queued | RunStatus::Running | RunStatus::Waiting)
    }

    /// The wire and storage name, as in `"stopped_at_limit"`.
    pub fn as_str(self) -> &'static str {
        match self {
            RunStatus::Queued => "queued",
            RunStatus::Running => "running",
            RunStatus::Waiting => "waiting",
            RunStatus::Succeeded => "succeeded",
            RunStatus::NoOutput => "no_output",
            RunStatus::StoppedAtLimit => "stopped_at_limit",
            RunStatus::BudgetExceeded => "budget_exceeded",
            RunStatus::Cancelled => "cancelled",
            RunStatus::Failed => "failed",
            RunStatus::Interrupted => "interrupted",
        }
    }

    /// Reads the storage name back.
    pub fn parse(name: &str) -> Option<Self> {
        const ALL: [RunStatus; 10] = [
            RunStatus::Queued,
            RunStatus::Running,
            RunStatus::Waiting,
            RunStatus::Succeeded,
            RunStatus::NoOutput,
            RunStatus::StoppedAtLimit,
            RunStatus::BudgetExceeded,
            RunStatus::Cancelled,
            RunStatus::Failed,
            RunStatus::Interrupted,
        ];
        ALL.into_iter().find(|status| status.as_str() == name)
    }

    /// The state of a run whose variants all ended: succeeded if any did, else the first by precedence.
    pub fn of_run(variants: &[RunStatus]) -> RunStatus {
        if variants.contains(&RunStatus::Succeeded) {
            return RunStatus::Succeeded;
        }
        Self::PRECEDENCE.into_iter().find(|status| variants.contains(status)).unwrap_or(RunStatus::Failed)
    }
}

#[cfg(test)]
mod tests {
    use super::RunStatus::*;
    use super::*;

    #[test]
    fn a_run_succeeds_when_any_variant_did_and_else_takes_the_first_by_precedence() {
        assert_eq!(RunStatus::of_run(&[Failed, Succeeded]), Succeeded);
        assert_eq!(RunStatus::of_run(&[NoOutput, Failed, StoppedAtLimit]), StoppedAtLimit);
        assert_eq!(RunStatus::of_run(&[NoOutput, Cancelled, BudgetExceeded]), Cancelled);
    }

    #[test]
    fn names_read_back_as_written_and_agree_with_the_wire() {
        for status in [Queued, Waiting, NoOutput, StoppedAtLimit, BudgetExceeded, Interrupted] {
            assert_eq!(RunStatus::parse(status.as_str()), Some(status));
            assert_eq!(serde_json::to_value(status).unwrap(), status.as_str());
        }
    }
}
