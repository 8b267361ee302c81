//! The round loop.

mod attempt;
mod calls;
mod cut;
mod finish;
pub mod hooks;
mod late;
pub mod limits;
mod meter;
mod preview;
mod repeating;
mod reply;
mod screen;
mod turn;

use std::sync::Arc;

use finish::LimitReached;
use hooks::{LoopState, StopHook, ToolUse};
use late::News;
use limits::{Limits, MAX_HOOKS_IN_A_ROW, MAX_MALFORMED_RETRIES};
pub use meter::Meter;
use repeating::Repeating;
use screen::Screen;
use turn::{TurnStopped, until};

use crate::error::Failure;
use crate::event::{EngineNote, EventSink};
use crate::ids::EventId;
use crate::message::UserMessage;
use crate::project::ProjectFiles;
use crate::session::{ProviderSession, ProviderTurn, StopReason, TokenUsage, ToolArguments, ToolChoice};
use crate::status::RunStatus;
use crate::tool::{ToolContext, ToolRegistry};

/// Runs one variant: asks, shows, executes, asks again, until the model is done or a limit is reached.
pub struct AgentEngine {
    /// The tools there are.
    pub registry: Arc<ToolRegistry>,
    /// How long it may run.
    pub limits: Limits,
    /// What may keep the model from stopping, asked in order.
    pub hooks: Vec<Arc<dyn StopHook>>,
    /// Whether the first round has to call a tool, where the model can be made to.
    pub first_choice: ToolChoice,
}

/// How a variant ended. Its files are in the [`ToolContext`] it ran on, whatever the state.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// A terminal state.
    pub status: RunStatus,
    /// What the model said last.
    pub message: String,
    /// What went wrong, for `failed`, or which limit was reached, for `stopped_at_limit`.
    pub failure: Option<Failure>,
    /// Rounds begun.
    pub rounds: u32,
    /// Tokens of all rounds.
    pub usage: TokenUsage,
    /// What the conversation cost; `None` where no price is known.
    pub cost_usd: Option<f64>,
}

/// How the loop was left.
struct Ending {
    status: RunStatus,
    failure: Option<Failure>,
}

/// What a run carries from round to round.
struct Progress<'a> {
    cx: &'a mut ToolContext,
    sink: &'a mut dyn EventSink,
    screen: Screen,
    before: ProjectFiles,
    rounds: u32,
    usage: TokenUsage,
    message: String,
    tools: Vec<ToolUse>,
    /// What the next request asks for.
    choice: ToolChoice,
    /// Rounds in a row whose calls nobody can read.
    malformed: u32,
    /// Requests in a row for the rest of a file.
    continuations: u32,
    /// Instructions of hooks in a row.
    instructions: u32,
    repeating: Repeating,
}

impl AgentEngine {
    /// An engine with these tools and limits that stops when the model does.
    pub fn new(registry: Arc<ToolRegistry>, limits: Limits) -> Self {
        Self { registry, limits, hooks: Vec::new(), first_choice: ToolChoice::Auto }
    }

    /// Asks a hook before the model may stop, after those that were added earlier.
    pub fn hooked(mut self, hook: Arc<dyn StopHook>) -> Self {
        self.hooks.push(hook);
        self
    }

    /// Runs the conversation in `session` to its end, over the files in `cx`.
    pub async fn run(
        &self,
        session: &mut dyn ProviderSession,
        cx: &mut ToolContext,
        sink: &mut dyn EventSink,
    ) -> Outcome {
        let mut run = Progress {
            screen: Screen::showing(&cx.files),
            before: cx.files.clone(),
            cx,
            sink,
            rounds: 0,
            usage: TokenUsage::default(),
            message: String::new(),
            tools: Vec::new(),
            choice: self.first_choice,
            malformed: 0,
            continuations: 0,
            instructions: 0,
            repeating: Repeating::default(),
        };
        let ending = loop {
            if let Err(ending) = self.round(session, &mut run).await {
                break ending;
            }
        };
        late::leave(&mut run, ending.status).await;
        let id = EventId::fresh("files", run.cx.variant);
        run.screen.settle(&id, &run.cx.files, run.sink);
        Outcome {
            status: ending.status,
            message: run.message,
            failure: ending.failure,
            rounds: run.rounds,
            usage: run.usage,
            cost_usd: session.total_cost_usd(),
        }
    }

    /// One reply and the execution of its calls. The ending stands in the place of an error.
    async fn round(&self, session: &mut dyn ProviderSession, run: &mut Progress<'_>) -> Result<(), Ending> {
        if run.cx.cancel.is_cancelled() {
            return Err(Ending::with(RunStatus::Cancelled));
        }
        if run.rounds >= self.limits.max_rounds {
            return Err(Ending::at_limit(LimitReached::Rounds(self.limits.max_rounds)));
        }
        run.rounds += 1;
        run.sink.note(EngineNote::RoundStarted { round: run.rounds });
        let (turn, mut attempt) = self.reply(session, run).await?;
        run.choice = ToolChoice::Auto;
        attempt.close_strays(&turn, run);
        if !turn.text.trim().is_empty() {
            run.message.clone_from(&turn.text);
        }
        if turn.stop == StopReason::Truncated {
            return cut::ask_for_rest(&turn, session, run).await;
        }
        if turn.tool_calls.is_empty() {
            return self.after_words(turn, session, run).await;
        }
        run.instructions = 0;
        let is_malformed = |arguments: &ToolArguments| matches!(arguments, ToolArguments::Malformed { .. });
        let are_malformed = turn.tool_calls.iter().all(|call| is_malformed(&call.arguments));
        run.malformed = if are_malformed { run.malformed + 1 } else { 0 };
        let (results, stopped) = self.execute_calls(&turn.tool_calls, &mut attempt, run).await;
        let news = if stopped.is_none() { News::of(run.cx).await.told() } else { None };
        let goes_nowhere = run.repeating.goes_nowhere(&results, &run.cx.files, news.as_ref());
        let appended = session.append_tool_results(turn.native, results, news);
        appended.map_err(|error| Ending::failed(error.failure))?;
        if let Some(stopped) = stopped {
            return Err(stopped.into());
        }
        if run.malformed > MAX_MALFORMED_RETRIES {
            return Err(Ending::malformed());
        }
        if goes_nowhere {
            return Err(Ending::at_limit(LimitReached::Repeating));
        }
        cut::end_if_whole(session, run);
        Ok(())
    }

    /// A reply without calls ends the run, unless a file is unfinished or a hook wants more.
    async fn after_words(
        &self,
        turn: ProviderTurn,
        session: &mut dyn ProviderSession,
        run: &mut Progress<'_>,
    ) -> Result<(), Ending> {
        if matches!(turn.stop, StopReason::Refused | StopReason::Blocked) {
            return Err(finish::finish(&turn, run));
        }
        if !run.cx.unfinished.is_empty() {
            return cut::insist(turn, session, run).await;
        }
        let instruction = self.instruction(&turn, run).await?;
        let news = News::of(run.cx).await;
        let message = match instruction {
            Some(instruction) => {
                run.choice = ToolChoice::Required;
                Some(news.told_after(UserMessage::text(instruction)))
            }
            None if news.have_failures() && run.instructions < MAX_HOOKS_IN_A_ROW => news.told(),
            None => return Err(finish::finish(&turn, run)),
        };
        run.instructions += 1;
        let appended = session.append_tool_results(turn.native, Vec::new(), message);
        appended.map_err(|error| Ending::failed(error.failure))
    }

    /// What the first hook that wants more says.
    async fn instruction(
        &self,
        turn: &ProviderTurn,
        run: &mut Progress<'_>,
    ) -> Result<Option<String>, Ending> {
        if run.instructions >= MAX_HOOKS_IN_A_ROW {
            return Ok(None);
        }
        let state = LoopState {
            before: &run.before,
            files: &run.cx.files,
            tools: &run.tools,
            reply: &turn.text,
            rounds: run.rounds,
            in_a_row: run.instructions,
        };
        for hook in &self.hooks {
            let asked = tokio::select! {
                instruction = hook.instruction(state) => instruction,
                () = run.cx.cancel.cancelled() => return Err(TurnStopped::Cancelled.into()),
                () = until(self.limits.deadline) => return Err(TurnStopped::Deadline.into()),
            };
            if let Some(instruction) = &asked {
                run.sink.note(EngineNote::SentBack { instruction: instruction.clone() });
                return Ok(asked);
            }
            if let Some(outcome) = hook.outcome() {
                run.sink.note(EngineNote::Checked { outcome });
            }
        }
        Ok(None)
    }
}
