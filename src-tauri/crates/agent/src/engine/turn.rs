//! One reply: what the model says, thinks and types, shown as it comes.

use std::collections::HashMap;

use futures::StreamExt;
use serde_json::json;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::Progress;
use super::limits::{MAX_EVENT_BYTES, MAX_ROUND_BYTES, STALL_TIMEOUT};
use super::meter::Meter;
use super::preview::{CallPreview, Draft, Show};
use super::screen::Screen;
use crate::error::{ErrorKind, Failure};
use crate::event::{AgentEvent, EventSink};
use crate::ids::EventId;
use crate::session::{
    OutputBudget, ProviderSession, ProviderTurn, SessionError, StopReason, StreamEvent, ToolChoice,
};
use crate::tool::ToolContext;

/// Why a turn did not end.
#[derive(Debug)]
pub(super) enum TurnStopped {
    /// The user stopped the variant.
    Cancelled,
    /// The run's time is up.
    Deadline,
    /// The run's money is spent.
    Budget,
    /// The session failed.
    Failed(SessionError),
}

/// What an attempt at a turn put on the screen.
pub(super) struct Attempt {
    /// The event of what is said.
    assistant: EventId,
    /// The event of what is thought.
    thinking: EventId,
    /// The calls, in the order they began.
    previews: Vec<(String, CallPreview)>,
    by_call: HashMap<String, usize>,
    /// The events that were sent.
    shown: Vec<EventId>,
    bytes: usize,
}

impl Attempt {
    pub(super) fn new(cx: &ToolContext) -> Self {
        Self {
            assistant: EventId::fresh("assistant", cx.variant),
            thinking: EventId::fresh("thinking", cx.variant),
            previews: Vec::new(),
            by_call: HashMap::new(),
            shown: Vec::new(),
            bytes: 0,
        }
    }

    /// Streams one reply.
    pub(super) async fn stream(
        &mut self,
        session: &mut dyn ProviderSession,
        request: (ToolChoice, OutputBudget),
        (deadline, meter): (Option<Instant>, &mut Meter),
        cx: &ToolContext,
        screen: &mut Screen,
        sink: &mut dyn EventSink,
    ) -> Result<ProviderTurn, TurnStopped> {
        let mut stream = session.stream_turn(request.0, request.1);
        let mut stall = Instant::now() + STALL_TIMEOUT;
        loop {
            let frame = self.previews.iter().filter_map(|(_, preview)| preview.due()).min();
            let next = tokio::select! {
                biased;
                () = cx.cancel.cancelled() => return Err(TurnStopped::Cancelled),
                () = until(deadline) => return Err(TurnStopped::Deadline),
                next = timeout_at(stall, stream.next()) => next.map_err(|_| TurnStopped::Failed(stalled()))?,
                () = until(frame) => {
                    let mut show = Show { screen, files: &cx.files, sink };
                    for (_, preview) in &mut self.previews {
                        preview.show_due(Instant::now(), &mut show);
                    }
                    continue;
                }
            };
            stall = Instant::now() + STALL_TIMEOUT;
            match next {
                Some(Ok(StreamEvent::TurnEnded(turn))) => return Ok(turn),
                Some(Ok(event)) => {
                    let is_paid = meter.streamed(text_of(&event));
                    self.take(event, cx, screen, sink).map_err(TurnStopped::Failed)?;
                    is_paid.map_err(|_| TurnStopped::Budget)?;
                }
                Some(Err(error)) => return Err(TurnStopped::Failed(error)),
                None => return Err(TurnStopped::Failed(ended_early())),
            }
        }
    }

    fn take(
        &mut self,
        event: StreamEvent,
        cx: &ToolContext,
        screen: &mut Screen,
        sink: &mut dyn EventSink,
    ) -> Result<(), SessionError> {
        let size = text_of(&event).len();
        self.bytes += size;
        if size > MAX_EVENT_BYTES || self.bytes > MAX_ROUND_BYTES {
            return Err(too_large());
        }
        match event {
            StreamEvent::Text(text) if !text.is_empty() => {
                let event_id = self.remember(self.assistant.clone());
                sink.emit(AgentEvent::Assistant { event_id, text });
            }
            StreamEvent::Thinking(text) if !text.is_empty() => {
                let event_id = self.remember(self.thinking.clone());
                sink.emit(AgentEvent::Thinking { event_id, text });
            }
            StreamEvent::ToolArguments { call_id, name, json } => {
                let index = self.index_of(&call_id, &name, cx);
                let preview = &mut self.previews[index].1;
                preview.push(&json, Instant::now(), &mut Show { screen, files: &cx.files, sink });
                let thought = preview.take_thought();
                let started = preview.is_started().then(|| preview.event_id.clone());
                started.map(|id| self.remember(id));
                if !thought.is_empty() {
                    let event_id = self.remember(self.thinking.clone());
                    sink.emit(AgentEvent::Thinking { event_id, text: thought });
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn remember(&mut self, id: EventId) -> EventId {
        if !self.shown.contains(&id) {
            self.shown.push(id.clone());
        }
        id
    }

    fn index_of(&mut self, call_id: &str, name: &str, cx: &ToolContext) -> usize {
        if let Some(index) = self.by_call.get(call_id) {
            return *index;
        }
        let preview = CallPreview::new(EventId::fresh("tool", cx.variant), name);
        self.previews.push((call_id.to_owned(), preview));
        self.by_call.insert(call_id.to_owned(), self.previews.len() - 1);
        self.previews.len() - 1
    }

    /// The preview of a call, made now if its arguments were never streamed.
    pub(super) fn preview(&mut self, call_id: &str, name: &str, cx: &ToolContext) -> &mut CallPreview {
        let index = self.index_of(call_id, name, cx);
        &mut self.previews[index].1
    }

    /// The events this attempt has sent.
    pub(super) fn shown(&self) -> &[EventId] {
        &self.shown
    }

    /// Ends what was begun on the screen and is not among the calls of the finished turn.
    pub(super) fn close_strays(&mut self, turn: &ProviderTurn, run: &mut Progress<'_>) {
        let is_made = |id: &str| turn.tool_calls.iter().any(|call| call.id == id);
        let why = match turn.stop {
            StopReason::Truncated => "cut at the output limit; what was written is kept",
            _ => "the call was begun and never made",
        };
        let strays = self.previews.iter().filter(|(id, preview)| preview.is_started() && !is_made(id));
        for (_, preview) in strays {
            let (event_id, name) = (preview.event_id.clone(), preview.name().to_owned());
            if turn.stop != StopReason::Truncated {
                run.screen.take_back(&event_id, &run.cx.files, run.sink);
            }
            let output = json!({ "error": why });
            run.sink.emit(AgentEvent::ToolResult { event_id, name, ok: false, output });
        }
    }

    /// Keeps the files that were being typed when the attempt stopped.
    pub(super) fn keep_drafts(
        &mut self,
        cx: &mut ToolContext,
        screen: &mut Screen,
        sink: &mut dyn EventSink,
    ) {
        for (_, preview) in &mut self.previews {
            let draft = preview.show_rest(Instant::now(), &mut Show { screen, files: &cx.files, sink });
            let Some(Draft { path, is_finished }) = draft else { continue };
            let text = screen.text(&path).to_owned();
            if text.is_empty() {
                // Of the file only its wrapping had come.
                continue;
            }
            cx.files.write(path.clone(), text);
            if is_finished {
                cx.finish_file(&path);
            } else {
                cx.leave_unfinished(path);
            }
        }
    }
}

/// What of an event was written by the model.
fn text_of(event: &StreamEvent) -> &str {
    match event {
        StreamEvent::Text(text) | StreamEvent::Thinking(text) => text,
        StreamEvent::ToolArguments { json, .. } => json,
        StreamEvent::Alive | StreamEvent::TurnEnded(_) => "",
    }
}

/// Waits until then; without a time, for ever.
pub(super) async fn until(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

fn stalled() -> SessionError {
    let seconds = STALL_TIMEOUT.as_secs();
    let message = format!("nothing arrived from the model for {seconds} seconds");
    SessionError::retryable(
        Failure::new(ErrorKind::Stalled, message).with_next_step("Check the connection and try again"),
    )
}

fn ended_early() -> SessionError {
    let message = "the model's reply broke off before its end";
    SessionError::retryable(Failure::new(ErrorKind::StreamEndedEarly, message).with_next_step("Try again"))
}

fn too_large() -> SessionError {
    let message = "the model's reply is larger than any page: more than 16 MiB at once or 64 MiB in all";
    SessionError::fatal(Failure::new(ErrorKind::Protocol, message).with_next_step("Try another model"))
}
