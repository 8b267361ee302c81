//! What a tool is: a typed input, a description for the model, and work whose failures are results.

mod context;
mod registry;
mod schema;

use std::borrow::Cow;
use std::future::Future;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

pub use context::{Capabilities, Making, OptionFiles, ToolContext};
pub use registry::{DuplicateTool, ToolRegistry};
pub use schema::ToolSpec;

use crate::message::ToolImage;
use crate::project::ProjectPath;

/// A tool that takes longer than this is stopped, unless it says otherwise.
pub const USUAL_TOOL_TIMEOUT: Duration = Duration::from_secs(60);

/// What a call may do to what the designer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It only looks.
    Reads,
    /// It changes files, makes pictures or spends money.
    Writes,
}

/// One thing the model can do.
///
/// An implementor promises to report every mistake as a [`ToolFailure`] the model can act on, to look at the
/// context's cancellation in long work, and to leave the files as they were when it fails.
pub trait Tool: Send + Sync + 'static {
    /// The name the model calls it by.
    const NAME: &'static str;
    /// When to use it, where its arguments come from, what to do on failure and what it costs.
    const DESCRIPTION: &'static str;
    /// What it may do. A tool that does not say so is taken for one that writes: read-only turns do without it.
    const EFFECT: Effect = Effect::Writes;
    /// How long one call may take.
    const TIMEOUT: Duration = USUAL_TOOL_TIMEOUT;
    /// The arguments; the doc comments of its fields tell the model what they mean.
    type Input: DeserializeOwned + JsonSchema + Send;

    /// The description as it holds for a run with these capabilities, where it depends on them.
    fn description(&self, _to: &Capabilities) -> Cow<'static, str> {
        Cow::Borrowed(Self::DESCRIPTION)
    }

    /// Whether the tool can work in a run with these capabilities.
    fn offered(&self, _to: &Capabilities) -> bool {
        true
    }

    /// Does the work.
    fn run(
        &self,
        input: Self::Input,
        cx: &mut ToolContext,
    ) -> impl Future<Output = Result<ToolExecutionResult, ToolFailure>> + Send;
}

/// A tool's mistake, told to the model. It never ends a run.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolFailure {
    /// What went wrong and how the next try can succeed.
    pub message: String,
    /// Facts that help, as JSON; `null` where there are none.
    pub detail: Value,
}

impl ToolFailure {
    /// A failure that its message explains.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), detail: Value::Null }
    }

    /// Adds facts.
    pub fn with_detail(mut self, detail: Value) -> Self {
        self.detail = detail;
        self
    }
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolExecutionResult {
    /// Whether the tool did what was asked.
    pub ok: bool,
    /// The whole answer, for the model.
    pub result: Value,
    /// A short account, for the window.
    pub summary: Value,
    /// What the model is to see.
    pub images: Vec<ToolImage>,
    /// The files that are different now.
    pub changed: Vec<ProjectPath>,
}

impl ToolExecutionResult {
    /// A success whose answer and account are given.
    pub fn done(result: Value, summary: Value) -> Self {
        Self { ok: true, result, summary, images: Vec::new(), changed: Vec::new() }
    }

    /// Adds a picture for the model to see.
    pub fn showing(mut self, image: ToolImage) -> Self {
        self.images.push(image);
        self
    }

    /// Names a file that is different now.
    pub fn changing(mut self, path: ProjectPath) -> Self {
        self.changed.push(path);
        self
    }

    /// A call that was not executed, with the reason.
    pub fn not_run(why: &str) -> Self {
        ToolFailure::new(format!("not run: {why}")).into()
    }
}

impl From<ToolFailure> for ToolExecutionResult {
    fn from(failure: ToolFailure) -> Self {
        let mut result = json!({ "error": failure.message });
        if let (Some(object), false) = (result.as_object_mut(), failure.detail.is_null()) {
            object.insert("detail".to_owned(), failure.detail);
        }
        let summary = json!({ "error": failure.message });
        Self { ok: false, result, summary, images: Vec::new(), changed: Vec::new() }
    }
}
