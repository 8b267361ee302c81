//! The offline engine: the built-in tracer behind the same contract as any model.
//!
//! It says what it sees as `thinking`, types one `create_file` call per picture in small pieces, and answers
//! the results with one sentence. Preview, history, cancel and export know no difference.

mod styles;
mod typing;
mod work;

use std::pin::pin;
use std::sync::Arc;

use async_stream::try_stream;
use facsimile_agent::{
    AssetId, Continuation, ErrorKind, ExecutedToolCall, Failure, NativeTurn, OutputBudget, ProjectId,
    ProviderSession, ProviderTurn, SessionError, StopReason, StreamEvent, TokenUsage, Tool, ToolArguments,
    ToolCall, ToolChoice, TurnEstimate, TurnStream, UserMessage, tools,
};
use facsimile_store::HistoryStore;
use facsimile_vision::{Layout, Raster, Tracer};
use futures::StreamExt;
use serde_json::{Value, json};

use crate::run::request::Typing;
pub(crate) use styles::separate_styles;
use work::{Seen, Traced};
pub(crate) use work::{StopOnDrop, finding, keep_page};

/// What a trace starts from.
pub(crate) struct TraceInput {
    /// The picture's name, for people.
    pub(crate) name: String,
    /// Its content's name.
    pub(crate) asset: AssetId,
    /// Its pixels.
    pub(crate) raster: Raster,
}

/// A conversation with the tracer.
pub(crate) struct TraceSession {
    tracer: Arc<Tracer>,
    store: HistoryStore,
    project: ProjectId,
    layout: Layout,
    /// What is still to be traced; empty once it was.
    inputs: Arc<[TraceInput]>,
    typing: Typing,
    /// What was found, one sentence per picture.
    findings: Vec<String>,
    is_traced: bool,
    failed_calls: Vec<String>,
}

impl TraceSession {
    pub(crate) fn new(
        tracer: Arc<Tracer>,
        store: HistoryStore,
        project: ProjectId,
        layout: Layout,
        inputs: Vec<TraceInput>,
        typing: Typing,
    ) -> Self {
        Self {
            tracer,
            store,
            project,
            layout,
            inputs: inputs.into(),
            typing,
            findings: Vec::new(),
            is_traced: false,
            failed_calls: Vec::new(),
        }
    }

    /// The reply that traces.
    fn trace(&mut self) -> TurnStream<'_> {
        Box::pin(try_stream! {
            let mut calls = Vec::new();
            for index in 0..self.inputs.len() {
                let path = page_path(index);
                let mut traced: Option<Traced> = None;
                {
                    let job = work::start((&self.tracer, &self.store), (self.project, self.layout), &self.inputs, index);
                    let mut job = pin!(job);
                    while let Some(seen) = job.next().await {
                        match seen {
                            Seen::Progress(line) => yield StreamEvent::Thinking(line),
                            Seen::Page(page) => traced = Some(*page),
                            Seen::Failed(failure) => Err(SessionError::fatal(failure))?,
                        }
                    }
                }
                let Some(traced) = traced else { Err(broke_off())? };
                self.findings.push(traced.finding);
                let id = format!("trace-{}", index + 1);
                let arguments = json!({ "path": path, "content": traced.html });
                let mut pieces = pin!(typing::pieces(arguments.to_string(), self.typing));
                while let Some(json) = pieces.next().await {
                    let name = tools::CreateFile::NAME.to_owned();
                    yield StreamEvent::ToolArguments { call_id: id.clone(), name, json };
                }
                let Value::Object(arguments) = arguments else { Err(broke_off())? };
                calls.push(ToolCall {
                    id,
                    name: tools::CreateFile::NAME.to_owned(),
                    arguments: ToolArguments::Json(arguments),
                });
            }
            self.is_traced = true;
            yield StreamEvent::TurnEnded(ProviderTurn {
                text: String::new(),
                native: NativeTurn(json!({ "traced": calls.len() })),
                tool_calls: calls,
                usage: TokenUsage::default(),
                stop: StopReason::ToolCalls,
            });
        })
    }

    /// The reply that says what was done.
    fn report(&mut self) -> TurnStream<'_> {
        let text = match self.failed_calls.as_slice() {
            [] => self.findings.join("\n"),
            failed => format!("The page could not be written: {}", failed.join("; ")),
        };
        let ended = StreamEvent::TurnEnded(ProviderTurn {
            text: text.clone(),
            tool_calls: Vec::new(),
            usage: TokenUsage::default(),
            stop: StopReason::Finished,
            native: NativeTurn(json!({ "said": text })),
        });
        Box::pin(futures::stream::iter([Ok(StreamEvent::Text(text)), Ok(ended)]))
    }
}

impl ProviderSession for TraceSession {
    fn stream_turn(&mut self, _choice: ToolChoice, _budget: OutputBudget) -> TurnStream<'_> {
        if self.is_traced { self.report() } else { self.trace() }
    }

    fn append_tool_results(
        &mut self,
        _turn: NativeTurn,
        results: Vec<ExecutedToolCall>,
        _then: Option<UserMessage>,
    ) -> Result<(), SessionError> {
        let failed = results.iter().filter(|executed| !executed.result.ok);
        self.failed_calls.extend(
            failed.filter_map(|executed| executed.result.result["error"].as_str().map(str::to_owned)),
        );
        Ok(())
    }

    fn append_user(&mut self, _message: UserMessage) -> Result<(), SessionError> {
        let failure = Failure::new(ErrorKind::NoModel, "changing a page by words needs a model")
            .with_next_step("Add a key, or give a new screenshot to trace");
        Err(SessionError::fatal(failure))
    }

    fn estimate(&self, _budget: OutputBudget) -> TurnEstimate {
        TurnEstimate::free()
    }

    fn can_double_output(&self) -> bool {
        false
    }

    fn set_continuation(&mut self, _continuation: Continuation) {}

    fn total_cost_usd(&self) -> Option<f64> {
        Some(0.0)
    }
}

/// The first picture is the page; further ones become pages beside it.
fn page_path(index: usize) -> String {
    match index {
        0 => "index.html".to_owned(),
        index => format!("page-{}.html", index + 1),
    }
}

fn broke_off() -> SessionError {
    let failure = Failure::new(ErrorKind::Unknown, "the tracer stopped before the page was complete")
        .with_next_step("Try again");
    SessionError::fatal(failure)
}
