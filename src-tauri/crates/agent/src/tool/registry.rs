//! Every tool of the program, by name.

use std::collections::BTreeMap;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::time::Duration;

use futures::FutureExt;
use serde_json::{Value, json};

use super::schema::parameters_of;
use super::{Capabilities, Tool, ToolContext, ToolExecutionResult, ToolFailure, ToolSpec};
use crate::session::{ToolArguments, ToolCall};

/// The tools, looked up by name. Built once at start-up.
#[derive(Default)]
pub struct ToolRegistry {
    tools: BTreeMap<&'static str, Box<dyn ErasedTool>>,
    order: Vec<&'static str>,
}

/// Two tools of one name: a mistake in the program that must show at start-up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two tools are called {0}; every tool needs a name of its own")]
pub struct DuplicateTool(pub &'static str);

type Execution<'a> = Pin<Box<dyn Future<Output = Result<ToolExecutionResult, ToolFailure>> + Send + 'a>>;

trait ErasedTool: Send + Sync {
    fn offered(&self, to: &Capabilities) -> bool;
    fn spec(&self) -> ToolSpec;
    fn timeout(&self) -> Duration;
    fn run<'a>(&'a self, arguments: Value, cx: &'a mut ToolContext) -> Execution<'a>;
}

impl<T: Tool> ErasedTool for T {
    fn offered(&self, to: &Capabilities) -> bool {
        Tool::offered(self, to)
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec { name: T::NAME, description: T::DESCRIPTION, parameters: parameters_of::<T::Input>() }
    }

    fn timeout(&self) -> Duration {
        T::TIMEOUT
    }

    fn run<'a>(&'a self, arguments: Value, cx: &'a mut ToolContext) -> Execution<'a> {
        Box::pin(async move {
            let input = serde_json::from_value(arguments)
                .map_err(|error| ToolFailure::new(format!("arguments of {}: {error}", T::NAME)))?;
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
        if self.tools.insert(T::NAME, Box::new(tool)).is_some() {
            return Err(DuplicateTool(T::NAME));
        }
        self.order.push(T::NAME);
        Ok(self)
    }

    /// What is offered to a run with these capabilities, in the order of registration.
    pub fn specs(&self, capabilities: &Capabilities) -> Vec<ToolSpec> {
        self.offered(capabilities).map(|(_, tool)| tool.spec()).collect()
    }

    /// What is offered beside that while a cut file is being continued.
    pub fn continuation_specs(&self, capabilities: &Capabilities) -> Vec<ToolSpec> {
        let usual = Capabilities { is_continuation: false, ..capabilities.clone() };
        let continuing = Capabilities { is_continuation: true, ..capabilities.clone() };
        let is_usual = |tool: &dyn ErasedTool| tool.offered(&usual);
        self.offered(&continuing).filter(|(_, tool)| !is_usual(*tool)).map(|(_, tool)| tool.spec()).collect()
    }

    fn offered(&self, to: &Capabilities) -> impl Iterator<Item = (&'static str, &dyn ErasedTool)> {
        let to = to.clone();
        self.order.iter().filter_map(move |name| {
            let tool = self.tools.get(name)?.as_ref();
            tool.offered(&to).then_some((*name, tool))
        })
    }

    /// Executes a call. Whatever goes wrong, a panic included, becomes a result that the model can read.
    pub async fn run(&self, call: &ToolCall, cx: &mut ToolContext) -> ToolExecutionResult {
        let arguments = match &call.arguments {
            ToolArguments::Json(object) => Value::Object(object.clone()),
            ToolArguments::Malformed { raw, position } => return malformed(raw, *position),
        };
        let capabilities = cx.capabilities.clone();
        let Some(tool) = self.tools.get(call.name.as_str()) else {
            return self.unknown(format!("unknown tool: {}", call.name), &capabilities);
        };
        if !tool.offered(&capabilities) {
            let why = format!("{} is not available now", call.name);
            return self.unknown(why, &capabilities);
        }
        // A tool that panics or is stopped may have left the files half changed.
        let before = (cx.files.clone(), cx.unfinished.clone());
        let work = AssertUnwindSafe(tool.run(arguments, cx)).catch_unwind();
        let failure = match tokio::time::timeout(tool.timeout(), work).await {
            Ok(Ok(outcome)) => return outcome.unwrap_or_else(Into::into),
            Ok(Err(_)) => format!("{} stopped by an internal error; nothing was changed", call.name),
            Err(_) => {
                let seconds = tool.timeout().as_secs();
                format!(
                    "{} was stopped after {seconds} s; nothing was changed. Ask for less at once",
                    call.name
                )
            }
        };
        (cx.files, cx.unfinished) = before;
        ToolFailure::new(failure).into()
    }

    fn unknown(&self, why: String, capabilities: &Capabilities) -> ToolExecutionResult {
        let known: Vec<_> = self.offered(capabilities).map(|(name, _)| name).collect();
        ToolFailure::new(why).with_detail(json!({ "tools": known })).into()
    }
}

fn malformed(raw: &str, position: usize) -> ToolExecutionResult {
    let error = "the arguments are not a JSON object";
    ToolExecutionResult {
        ok: false,
        result: json!({ "error": error, "INVALID_JSON": raw, "position": position }),
        summary: json!({ "error": error, "position": position }),
        images: Vec::new(),
        changed: Vec::new(),
    }
}
