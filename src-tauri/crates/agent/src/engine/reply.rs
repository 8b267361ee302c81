//! Having the session reply, asking again where that may help.

use tokio::time::{Instant, sleep};

use super::attempt::Retries;
use super::limits::MAX_MALFORMED_RETRIES;
use super::meter::Meter;
use super::turn::{Attempt, TurnStopped, until};
use super::{AgentEngine, Ending, Progress};
use crate::error::ErrorKind;
use crate::event::{EngineNote, RoundReport};
use crate::session::{OutputBudget, ProviderSession, ProviderTurn, StopReason, TokenUsage};

/// What a round took until its reply was complete.
struct Taken {
    usage: TokenUsage,
    failed: u32,
}

impl AgentEngine {
    /// Has the session reply and reports what that took.
    pub(super) async fn reply(
        &self,
        session: &mut dyn ProviderSession,
        run: &mut Progress<'_>,
    ) -> Result<(ProviderTurn, Attempt), Ending> {
        let started = Instant::now();
        let mut taken = Taken { usage: TokenUsage::default(), failed: 0 };
        let reply = self.readable_reply(session, run, &mut taken).await;
        if reply.is_ok() || taken.usage != TokenUsage::default() {
            run.sink.note(EngineNote::RoundEnded(RoundReport {
                round: run.rounds,
                usage: taken.usage,
                total_cost_usd: session.total_cost_usd(),
                elapsed_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
                retries: taken.failed,
            }));
        }
        reply
    }

    /// A reply that was cut is asked for once more with twice the room, one that nobody can read twice more.
    /// Neither enters the history; the files that were being typed are kept.
    async fn readable_reply(
        &self,
        session: &mut dyn ProviderSession,
        run: &mut Progress<'_>,
        taken: &mut Taken,
    ) -> Result<(ProviderTurn, Attempt), Ending> {
        let mut budget = OutputBudget::Usual;
        let mut cut = None;
        loop {
            let (turn, mut attempt) = match (self.ask(session, budget, run, taken).await, cut.take()) {
                (Ok(reply), _) => reply,
                // The model allows less than was believed: the first try has to do.
                (Err(TurnStopped::Failed(error)), Some(first)) if error.kind() == ErrorKind::BadRequest => {
                    return Ok(first);
                }
                (Err(stopped), _) => return Err(stopped.into()),
            };
            match turn.stop {
                StopReason::MalformedCall => {
                    run.malformed += 1;
                    if run.malformed > MAX_MALFORMED_RETRIES {
                        return Err(Ending::malformed());
                    }
                    replace(&attempt, run);
                }
                StopReason::Truncated => {
                    attempt.keep_drafts(run.cx, &mut run.screen, run.sink);
                    if budget == OutputBudget::Doubled || !session.can_double_output() {
                        return Ok((turn, attempt));
                    }
                    budget = OutputBudget::Doubled;
                    replace(&attempt, run);
                    cut = Some((turn, attempt));
                }
                _ => return Ok((turn, attempt)),
            }
            taken.failed += 1;
        }
    }

    /// Sends one request, again where a failure may be gone at the next try. No tool of the round has run.
    async fn ask(
        &self,
        session: &mut dyn ProviderSession,
        budget: OutputBudget,
        run: &mut Progress<'_>,
        taken: &mut Taken,
    ) -> Result<(ProviderTurn, Attempt), TurnStopped> {
        let mut retries = Retries::starting(Instant::now());
        loop {
            let mut attempt = Attempt::new(run.cx);
            let cost_before = session.total_cost_usd();
            let meter = Meter::open(&run.cx.spend, session.estimate(budget), cost_before);
            let mut meter = meter.map_err(|_| TurnStopped::Budget)?;
            let bounds = (self.limits.deadline, &mut meter);
            let request = (run.choice, budget);
            let streamed = attempt.stream(session, request, bounds, run.cx, &mut run.screen, run.sink).await;
            meter.settle(cost_before, session.total_cost_usd());
            let stopped = match streamed {
                Ok(turn) => {
                    run.usage += turn.usage;
                    taken.usage += turn.usage;
                    return Ok((turn, attempt));
                }
                Err(stopped) => stopped,
            };
            let was_seen = !attempt.shown().is_empty();
            let pause = match &stopped {
                TurnStopped::Failed(error) => {
                    retries.pause(error, was_seen, Instant::now()).map(|p| (p, error))
                }
                _ => None,
            };
            let Some((pause, error)) = pause else {
                attempt.keep_drafts(run.cx, &mut run.screen, run.sink);
                return Err(stopped);
            };
            taken.failed += 1;
            let pause_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
            run.sink.note(EngineNote::Waiting { failure: error.failure.clone(), pause_ms });
            let waited = tokio::select! {
                () = run.cx.cancel.cancelled() => Err(TurnStopped::Cancelled),
                () = until(self.limits.deadline) => Err(TurnStopped::Deadline),
                () = sleep(pause) => Ok(()),
            };
            if let Err(stopped) = waited {
                attempt.keep_drafts(run.cx, &mut run.screen, run.sink);
                return Err(stopped);
            }
            replace(&attempt, run);
        }
    }
}

/// Says that what an attempt showed no longer counts.
fn replace(attempt: &Attempt, run: &mut Progress<'_>) {
    if !attempt.shown().is_empty() {
        run.sink.note(EngineNote::AttemptReplaced { replaces: attempt.shown().to_vec() });
    }
}
