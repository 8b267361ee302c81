//! The round loop.

mod attempt;
pub mod limits;
mod preview;
mod screen;
mod turn;

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use attempt::Retries;
use limits::{FRAME, Limits};
use preview::Show;
use screen::Screen;
use turn::{Attempt, TurnStopped, until};

use crate::error::{ErrorKind, Failure};
use crate::event::{AgentEvent, EngineNote, EventSink, RoundReport};
use crate::ids::EventId;
use crate::project::{ProjectPath, html};
use crate::session::{
    ExecutedToolCall, OutputBudget, ProviderSession, ProviderTurn, StopReason, TokenUsage, ToolArguments,
    ToolCall, ToolChoice,
};
use crate::status::RunStatus;
use crate::tool::{ToolContext, ToolExecutionResult, ToolRegistry};

/// Runs one variant: asks, shows, executes, asks again, until the model is done or a limit is reached.
pub struct AgentEngine {
    /// The tools there are.
    pub registry: Arc<ToolRegistry>,
    /// How long it may run.
    pub limits: Limits,
}

/// How a variant ended. Its files are in the [`ToolContext`] it ran on, whatever the state.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// A terminal state.
    pub status: RunStatus,
    /// What the model said last.
    pub message: String,
    /// What went wrong, for `failed`.
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

impl Ending {
    fn with(status: RunStatus) -> Self {
        Self { status, failure: None }
    }

    fn failed(failure: Failure) -> Self {
        Self { status: RunStatus::Failed, failure: Some(failure) }
    }
}

impl From<TurnStopped> for Ending {
    fn from(stopped: TurnStopped) -> Self {
        match stopped {
            TurnStopped::Cancelled => Ending::with(RunStatus::Cancelled),
            TurnStopped::Deadline => Ending::with(RunStatus::StoppedAtLimit),
            TurnStopped::Failed(error) => Ending::failed(error.failure),
        }
    }
}

/// What a run carries from round to round.
struct Progress<'a> {
    cx: &'a mut ToolContext,
    sink: &'a mut dyn EventSink,
    screen: Screen,
    rounds: u32,
    usage: TokenUsage,
    message: String,
}

impl AgentEngine {
    /// Runs the conversation in `session` to its end, over the files in `cx`.
    pub async fn run(
        &self,
        session: &mut dyn ProviderSession,
        cx: &mut ToolContext,
        sink: &mut dyn EventSink,
    ) -> Outcome {
        let screen = Screen::showing(&cx.files);
        let mut run =
            Progress { cx, sink, screen, rounds: 0, usage: TokenUsage::default(), message: String::new() };
        let ending = loop {
            if let Some(ending) = self.round(session, &mut run).await {
                break ending;
            }
        };
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

    /// One reply and the execution of its calls. Gives the ending if it was the last.
    async fn round(&self, session: &mut dyn ProviderSession, run: &mut Progress<'_>) -> Option<Ending> {
        if run.cx.cancel.is_cancelled() {
            return Some(Ending::with(RunStatus::Cancelled));
        }
        if run.rounds >= self.limits.max_rounds {
            return Some(Ending::with(RunStatus::StoppedAtLimit));
        }
        run.rounds += 1;
        run.sink.note(EngineNote::RoundStarted { round: run.rounds });
        let (turn, mut attempt) = match self.reply(session, run).await {
            Ok(reply) => reply,
            Err(ending) => return Some(ending),
        };
        if !turn.text.trim().is_empty() {
            run.message.clone_from(&turn.text);
        }
        if turn.stop == StopReason::Truncated {
            attempt.keep_drafts(&mut run.cx.files, &mut run.screen, run.sink);
            let failure = Failure::new(ErrorKind::Truncated, "the model's reply was cut at its output limit")
                .with_next_step("Try a model with a larger output limit; what was written is kept");
            return Some(Ending::failed(failure));
        }
        if turn.tool_calls.is_empty() {
            return Some(finish(&turn, run));
        }
        let (results, stopped) = self.execute_calls(&turn.tool_calls, &mut attempt, run).await;
        if let Err(error) = session.append_tool_results(turn.native, results, None) {
            return Some(Ending::failed(error.failure));
        }
        stopped.map(Ending::from)
    }

    /// Has the session reply, asking again where that may help.
    async fn reply(
        &self,
        session: &mut dyn ProviderSession,
        run: &mut Progress<'_>,
    ) -> Result<(ProviderTurn, Attempt), Ending> {
        let started = Instant::now();
        let mut retries = Retries::starting(started);
        loop {
            let mut attempt = Attempt::new(run.cx);
            let request = (ToolChoice::Auto, OutputBudget::Usual);
            let streamed = attempt
                .stream(session, request, self.limits.deadline, run.cx, &mut run.screen, run.sink)
                .await;
            let stopped = match streamed {
                Ok(turn) => {
                    run.usage += turn.usage;
                    run.sink.note(EngineNote::RoundEnded(RoundReport {
                        round: run.rounds,
                        usage: turn.usage,
                        total_cost_usd: session.total_cost_usd(),
                        elapsed_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
                        retries: retries.failed,
                    }));
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
                attempt.keep_drafts(&mut run.cx.files, &mut run.screen, run.sink);
                return Err(stopped.into());
            };
            let pause_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
            run.sink.note(EngineNote::Waiting { failure: error.failure.clone(), pause_ms });
            let waited = tokio::select! {
                () = run.cx.cancel.cancelled() => Err(TurnStopped::Cancelled),
                () = until(self.limits.deadline) => Err(TurnStopped::Deadline),
                () = sleep(pause) => Ok(()),
            };
            if let Err(stopped) = waited {
                attempt.keep_drafts(&mut run.cx.files, &mut run.screen, run.sink);
                return Err(stopped.into());
            }
            if was_seen {
                run.sink.note(EngineNote::AttemptReplaced { replaces: attempt.shown().to_vec() });
            }
        }
    }

    /// Executes the calls of a turn in order, one result for each, whatever happens.
    async fn execute_calls(
        &self,
        calls: &[ToolCall],
        attempt: &mut Attempt,
        run: &mut Progress<'_>,
    ) -> (Vec<ExecutedToolCall>, Option<TurnStopped>) {
        let mut results = Vec::with_capacity(calls.len());
        let mut stopped: Option<TurnStopped> = None;
        let mut done: HashMap<(String, String), usize> = HashMap::new();
        for (index, call) in calls.iter().enumerate() {
            let key = (call.name.clone(), fingerprint(&call.arguments));
            let result = match (&stopped, done.get(&key)) {
                (Some(TurnStopped::Deadline), _) => {
                    ToolExecutionResult::not_run("the time limit was reached")
                }
                (Some(_), _) => ToolExecutionResult::not_run("cancelled"),
                (None, Some(first)) => same_call_again(first + 1),
                (None, None) => match self.execute(call, attempt, run).await {
                    Ok(result) => result,
                    Err(why) => {
                        let why = stopped.insert(why);
                        let reason = if matches!(why, TurnStopped::Deadline) {
                            "the time limit was reached"
                        } else {
                            "cancelled"
                        };
                        ToolExecutionResult::not_run(reason)
                    }
                },
            };
            let event_id = self.announce(call, attempt, run);
            for path in &result.changed {
                let text = run.cx.files.read(path).unwrap_or_default();
                run.screen.complete(&event_id, path, text, run.sink);
            }
            let (name, ok, output) = (call.name.clone(), result.ok, result.summary.clone());
            run.sink.emit(AgentEvent::ToolResult { event_id, name, ok, output });
            done.entry(key).or_insert(index);
            results.push(ExecutedToolCall { call: call.clone(), result });
        }
        (results, stopped)
    }

    /// Sends the call's `ToolStart` unless its typing already did.
    fn announce(&self, call: &ToolCall, attempt: &mut Attempt, run: &mut Progress<'_>) -> EventId {
        let preview = attempt.preview(&call.id, &call.name, run.cx);
        preview.start_with(shown_arguments(&call.arguments), run.sink);
        preview.event_id.clone()
    }

    /// Shows what is left of the typing and executes the call.
    async fn execute(
        &self,
        call: &ToolCall,
        attempt: &mut Attempt,
        run: &mut Progress<'_>,
    ) -> Result<ToolExecutionResult, TurnStopped> {
        self.announce(call, attempt, run);
        let preview = attempt.preview(&call.id, &call.name, run.cx);
        for piece in preview.paced_pieces() {
            preview.show(
                &piece,
                Instant::now(),
                &mut Show { screen: &mut run.screen, files: &run.cx.files, sink: run.sink },
            );
            tokio::select! {
                () = run.cx.cancel.cancelled() => break,
                () = sleep(FRAME) => {}
            }
        }
        // A page that is complete is kept even if the user stops at this very moment: only tools that have
        // not begun are left out.
        if run.cx.cancel.is_cancelled() {
            attempt.keep_drafts(&mut run.cx.files, &mut run.screen, run.sink);
            return Err(TurnStopped::Cancelled);
        }
        let cancel = run.cx.cancel.clone();
        tokio::select! {
            biased;
            result = self.registry.run(call, run.cx) => Ok(result),
            () = cancel.cancelled() => Err(TurnStopped::Cancelled),
            () = until(self.limits.deadline) => Err(TurnStopped::Deadline),
        }
    }
}

/// Ends a run whose last reply had no calls: files win, else a page in the reply, else the reply is all.
fn finish(turn: &ProviderTurn, run: &mut Progress<'_>) -> Ending {
    let was_refused = matches!(turn.stop, StopReason::Refused | StopReason::Blocked);
    if run.cx.files.is_empty()
        && !was_refused
        && let Some(page) = html::page_in_reply(&turn.text)
    {
        let path = ProjectPath::index();
        let id = EventId::fresh("files", run.cx.variant);
        run.screen.replace(&id, &path, page, run.sink);
        run.cx.files.write(path, page.to_owned());
    }
    match turn.stop {
        StopReason::Blocked => {
            let failure = Failure::new(ErrorKind::Blocked, "the provider's filter stopped the reply")
                .with_next_step("Change the request or try another model");
            Ending::failed(failure)
        }
        _ if run.cx.files.is_empty() => Ending::with(RunStatus::NoOutput),
        _ => Ending::with(RunStatus::Succeeded),
    }
}

fn same_call_again(first: usize) -> ToolExecutionResult {
    let notice =
        json!({ "notice": format!("the same call was made as call {first} of this reply; it ran once") });
    ToolExecutionResult::done(notice.clone(), notice)
}

fn fingerprint(arguments: &ToolArguments) -> String {
    match arguments {
        ToolArguments::Json(object) => Value::Object(object.clone()).to_string(),
        ToolArguments::Malformed { raw, .. } => raw.clone(),
    }
}

/// Arguments as the window shows them: long texts cut.
fn shown_arguments(arguments: &ToolArguments) -> Value {
    match arguments {
        ToolArguments::Json(object) => {
            let short = object.iter().map(|(key, value)| (key.clone(), shortened(value)));
            Value::Object(short.collect())
        }
        ToolArguments::Malformed { raw, .. } => {
            json!({ "INVALID_JSON": shortened(&Value::from(raw.as_str())) })
        }
    }
}

fn shortened(value: &Value) -> Value {
    match value {
        Value::String(text) => match text.char_indices().nth(limits::START_PREVIEW_CHARS) {
            Some((end, _)) => Value::from(format!("{}…", &text[..end])),
            None => value.clone(),
        },
        Value::Array(items) => Value::Array(items.iter().take(20).map(shortened).collect()),
        Value::Object(object) => {
            Value::Object(object.iter().map(|(k, v)| (k.clone(), shortened(v))).collect())
        }
        other => other.clone(),
    }
}
