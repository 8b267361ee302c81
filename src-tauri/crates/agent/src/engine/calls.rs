//! The execution of a reply's tool calls.

use std::collections::HashMap;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::hooks::ToolUse;
use super::limits::{FRAME, START_PREVIEW_CHARS};
use super::preview::Show;
use super::turn::{Attempt, TurnStopped, until};
use super::{AgentEngine, Progress};
use crate::event::AgentEvent;
use crate::ids::EventId;
use crate::session::{ExecutedToolCall, ToolArguments, ToolCall};
use crate::tool::ToolExecutionResult;

impl AgentEngine {
    /// Executes the calls of a turn in order, one result for each, whatever happens.
    pub(super) async fn execute_calls(
        &self,
        calls: &[ToolCall],
        attempt: &mut Attempt,
        run: &mut Progress<'_>,
    ) -> (Vec<ExecutedToolCall>, Option<TurnStopped>) {
        let mut results = Vec::with_capacity(calls.len());
        let mut stopped: Option<TurnStopped> = None;
        let mut done: HashMap<(String, String), Done> = HashMap::new();
        for (index, call) in calls.iter().enumerate() {
            let key = (call.name.clone(), fingerprint(&call.arguments));
            let shown_as = shown_as(calls, index);
            let result = match (&stopped, done.get(&key)) {
                (Some(why), _) => not_run(why),
                (None, Some(first)) => same_call_again(*first),
                (None, None) => match self.execute(call, &shown_as, attempt, run).await {
                    Ok(result) => result,
                    Err(why) => not_run(stopped.insert(why)),
                },
            };
            let used = ToolUse { name: call.name.clone(), ok: result.ok, changed: result.changed.clone() };
            run.tools.push(used);
            let event_id = self.announce(call, &shown_as, attempt, run);
            for path in &result.changed {
                let text = run.cx.files.read(path).unwrap_or_default();
                run.screen.complete(&event_id, path, text, run.sink);
            }
            if !result.ok {
                // What was typed and not written does not stay on the screen; what later calls typed does.
                run.screen.take_back(&event_id, &run.cx.files, run.sink);
            }
            let (name, ok, output) = (call.name.clone(), result.ok, result.summary.clone());
            run.sink.emit(AgentEvent::ToolResult { event_id, name, ok, output });
            done.entry(key).or_insert(Done { number: index + 1, ok });
            results.push(ExecutedToolCall { call: call.clone(), result });
        }
        (results, stopped)
    }

    /// Sends the call's `ToolStart` unless its typing already did.
    fn announce(
        &self,
        call: &ToolCall,
        shown_as: &str,
        attempt: &mut Attempt,
        run: &mut Progress<'_>,
    ) -> EventId {
        let preview = attempt.preview(shown_as, &call.name, run.cx);
        preview.start_with(shown_arguments(&call.arguments), run.sink);
        preview.event_id.clone()
    }

    /// Shows what is left of the typing and executes the call.
    async fn execute(
        &self,
        call: &ToolCall,
        shown_as: &str,
        attempt: &mut Attempt,
        run: &mut Progress<'_>,
    ) -> Result<ToolExecutionResult, TurnStopped> {
        self.announce(call, shown_as, attempt, run);
        let preview = attempt.preview(shown_as, &call.name, run.cx);
        for piece in preview.paced_pieces(&run.cx.files) {
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
            attempt.keep_drafts(run.cx, &mut run.screen, run.sink);
            return Err(TurnStopped::Cancelled);
        }
        let cancel = run.cx.cancel.clone();
        let before = (run.cx.files.clone(), run.cx.unfinished.clone());
        let stopped = tokio::select! {
            biased;
            result = self.registry.run(call, run.cx) => return Ok(result),
            () = cancel.cancelled() => TurnStopped::Cancelled,
            () = until(self.limits.deadline) => TurnStopped::Deadline,
        };
        // It may have been in the middle of a change.
        (run.cx.files, run.cx.unfinished) = before;
        Err(stopped)
    }
}

/// The id under which a call is shown: its own, unless an earlier call of the reply has it already.
fn shown_as(calls: &[ToolCall], index: usize) -> String {
    let id = &calls[index].id;
    let is_taken = calls[..index].iter().any(|earlier| earlier.id == *id);
    if is_taken { format!("{id}#{index}") } else { id.clone() }
}

fn not_run(why: &TurnStopped) -> ToolExecutionResult {
    ToolExecutionResult::not_run(match why {
        TurnStopped::Deadline => "the time limit was reached",
        TurnStopped::Budget => "the spend cap was reached",
        TurnStopped::Cancelled | TurnStopped::Failed(_) => "cancelled",
    })
}

/// A call of this reply that was executed.
#[derive(Debug, Clone, Copy)]
struct Done {
    /// Counted from 1.
    number: usize,
    ok: bool,
}

/// The second result of a call: it ended as the first did.
fn same_call_again(first: Done) -> ToolExecutionResult {
    let number = first.number;
    let notice =
        json!({ "notice": format!("the same call was made as call {number} of this reply; it ran once") });
    ToolExecutionResult { ok: first.ok, ..ToolExecutionResult::done(notice.clone(), notice) }
}

/// The same for the same arguments, in whatever order they were written.
pub(super) fn fingerprint(arguments: &ToolArguments) -> String {
    match arguments {
        ToolArguments::Json(object) => {
            let mut arguments = Value::Object(object.clone());
            arguments.sort_all_objects();
            arguments.to_string()
        }
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
        Value::String(text) => match text.char_indices().nth(START_PREVIEW_CHARS) {
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
