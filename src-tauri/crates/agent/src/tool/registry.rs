//! Every tool of the program, by name.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::time::Duration;

use futures::FutureExt;
use serde_json::{Value, json};

use super::schema::{UnknownField, parameters_of, unknown_fields};
use super::{Capabilities, Effect, Tool, ToolContext, ToolExecutionResult, ToolFailure, ToolSpec};
use crate::session::{ToolArguments, ToolCall};

/// A made-up name is repeated to the model up to here.
const MAX_NAME_CHARS: usize = 100;
/// What is said of a wrong value may repeat it, up to here.
const MAX_MISTAKE_CHARS: usize = 200;
/// Of arguments that nobody can read this much is repeated, around the place where they go wrong.
const MAX_MALFORMED_BYTES: usize = 64 * 1024;
/// Made-up arguments are named up to this many.
const MAX_UNKNOWN_SHOWN: usize = 20;

/// The tools, looked up by name. Built once at start-up.
#[derive(Default)]
pub struct ToolRegistry {
    tools: BTreeMap<&'static str, Registered>,
    order: Vec<&'static str>,
}

/// Two tools of one name: a mistake in the program that must show at start-up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two tools are called {0}; every tool needs a name of its own")]
pub struct DuplicateTool(pub &'static str);

/// A tool with its arguments' schema, which is worked out once.
struct Registered {
    tool: Box<dyn ErasedTool>,
    parameters: Value,
}

type Execution<'a> = Pin<Box<dyn Future<Output = Result<ToolExecutionResult, ToolFailure>> + Send + 'a>>;

trait ErasedTool: Send + Sync {
    fn offered(&self, to: &Capabilities) -> bool;
    fn spec(&self, to: &Capabilities, parameters: &Value) -> ToolSpec;
    fn timeout(&self) -> Duration;
    fn run<'a>(&'a self, arguments: Value, cx: &'a mut ToolContext) -> Execution<'a>;
}

impl<T: Tool> ErasedTool for T {
    fn offered(&self, to: &Capabilities) -> bool {
        (T::EFFECT == Effect::Reads || !to.is_read_only) && Tool::offered(self, to)
    }

    fn spec(&self, to: &Capabilities, parameters: &Value) -> ToolSpec {
        ToolSpec { name: T::NAME, description: self.description(to), parameters: parameters.clone() }
    }

    fn timeout(&self) -> Duration {
        T::TIMEOUT
    }

    fn run<'a>(&'a self, arguments: Value, cx: &'a mut ToolContext) -> Execution<'a> {
        Box::pin(async move {
            let input = serde_path_to_error::deserialize(arguments)
                .map_err(|error| wrong_arguments(T::NAME, &error))?;
            Tool::run(self, input, cx).await
        })
    }
}

impl ToolRegistry {
    /// No tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool.
    pub fn with<T: Tool>(mut self, tool: T) -> Result<Self, DuplicateTool> {
        let registered = Registered { tool: Box::new(tool), parameters: parameters_of::<T::Input>() };
        if self.tools.insert(T::NAME, registered).is_some() {
            return Err(DuplicateTool(T::NAME));
        }
        self.order.push(T::NAME);
        Ok(self)
    }

    /// What is offered to a run with these capabilities, in the order of registration.
    pub fn specs(&self, capabilities: &Capabilities) -> Vec<ToolSpec> {
        self.offered(capabilities).map(|held| held.tool.spec(capabilities, &held.parameters)).collect()
    }

    /// What is offered beside that while a cut file is being continued.
    pub fn continuation_specs(&self, capabilities: &Capabilities) -> Vec<ToolSpec> {
        let usual = Capabilities { is_continuation: false, ..capabilities.clone() };
        let continuing = Capabilities { is_continuation: true, ..capabilities.clone() };
        let added = self.offered(&continuing).filter(|held| !held.tool.offered(&usual));
        added.map(|held| held.tool.spec(&continuing, &held.parameters)).collect()
    }

    fn offered<'a>(&'a self, to: &'a Capabilities) -> impl Iterator<Item = &'a Registered> {
        self.order.iter().filter_map(|name| self.tools.get(name)).filter(|held| held.tool.offered(to))
    }

    /// Executes a call. Whatever goes wrong, a panic included, becomes a result that the model can read.
    pub async fn run(&self, call: &ToolCall, cx: &mut ToolContext) -> ToolExecutionResult {
        let arguments = match &call.arguments {
            ToolArguments::Json(object) => Value::Object(object.clone()),
            ToolArguments::Malformed { raw, position } => return malformed(raw, *position),
        };
        let capabilities = cx.capabilities.clone();
        let Some(Registered { tool, parameters }) = self.tools.get(call.name.as_str()) else {
            let shown: String = call.name.chars().take(MAX_NAME_CHARS).collect();
            return self.unknown(format!("unknown tool: {shown}"), &capabilities);
        };
        let ignored = naming(&unknown_fields(parameters, &arguments, MAX_UNKNOWN_SHOWN));
        if !tool.offered(&capabilities) {
            let why = format!("{} is not available now", call.name);
            return self.unknown(why, &capabilities);
        }
        // A tool that panics or is stopped may have left the files half changed, and numbered pictures that nobody is
        // told of.
        let before = (cx.files.clone(), cx.unfinished.clone(), cx.media.clone());
        let work = AssertUnwindSafe(tool.run(arguments, cx)).catch_unwind();
        let failure = match tokio::time::timeout(tool.timeout(), work).await {
            Ok(Ok(outcome)) => return with_ignored(outcome.unwrap_or_else(Into::into), ignored),
            Ok(Err(_)) => format!("{} stopped by an internal error; nothing was changed", call.name),
            Err(_) => {
                let seconds = tool.timeout().as_secs();
                format!(
                    "{} was stopped after {seconds} s; nothing was changed. Ask for less at once",
                    call.name
                )
            }
        };
        (cx.files, cx.unfinished, cx.media) = before;
        ToolFailure::new(failure).into()
    }

    fn unknown(&self, why: String, capabilities: &Capabilities) -> ToolExecutionResult {
        let known: Vec<_> = self.specs(capabilities).into_iter().map(|spec| spec.name).collect();
        ToolFailure::new(why).with_detail(json!({ "tools": known })).into()
    }
}

/// Says which argument is wrong and how.
fn wrong_arguments(name: &str, error: &serde_path_to_error::Error<serde_json::Error>) -> ToolFailure {
    let place = error.path().to_string();
    let place = if place == "." { String::new() } else { format!("{place}: ") };
    let what = error.inner().to_string();
    let shown: String = what.chars().take(MAX_MISTAKE_CHARS).collect();
    let rest = if shown.len() < what.len() { "…" } else { "" };
    ToolFailure::new(format!("arguments of {name}: {place}{shown}{rest}"))
}

/// Arguments that mean nothing here, and those that are known where they stand.
fn naming(unknown: &[UnknownField<'_>]) -> Option<Value> {
    let places: Vec<_> = unknown.iter().map(|field| field.place(MAX_NAME_CHARS)).collect();
    let mut known: Vec<_> = unknown.iter().flat_map(UnknownField::known_places).collect();
    let mut told = BTreeSet::new();
    known.retain(|place| told.insert(place.clone()));
    (!places.is_empty()).then(|| json!({ "ignored": places, "known": known }))
}

/// Tells of the arguments that mean nothing here. They do not make a call fail: what is wanted is mostly plain, and
/// a large file would have to be written again.
fn with_ignored(mut outcome: ToolExecutionResult, ignored: Option<Value>) -> ToolExecutionResult {
    if let (Some(ignored), Some(result)) = (ignored, outcome.result.as_object_mut()) {
        result.insert("unknown_arguments".to_owned(), ignored);
    }
    outcome
}

fn malformed(raw: &str, position: usize) -> ToolExecutionResult {
    let error = "the arguments are not a JSON object";
    let mut result = json!({ "error": error, "INVALID_JSON": raw, "position": position });
    if raw.len() > MAX_MALFORMED_BYTES {
        let from = raw.floor_char_boundary(position.saturating_sub(MAX_MALFORMED_BYTES / 2));
        let to = raw.floor_char_boundary(from + MAX_MALFORMED_BYTES);
        result["INVALID_JSON"] = json!(raw[from..to]);
        result["cut"] = json!(format!("bytes {from} to {to} of {}", raw.len()));
    }
    ToolExecutionResult {
        ok: false,
        result,
        summary: json!({ "error": error, "position": position }),
        images: Vec::new(),
        changed: Vec::new(),
    }
}
