//! `think`: room for a thought.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::tool::{Effect, Tool, ToolContext, ToolExecutionResult, ToolFailure};

/// Lets the model think aloud; shown as thinking.
pub struct Think;

/// The arguments of `think`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// The thought, in your own words.
    #[serde(rename = "thought")]
    _thought: String,
}

impl Tool for Think {
    const NAME: &'static str = "think";
    const DESCRIPTION: &'static str = "Notes a thought and changes nothing. Use it to plan before a large change or \
        to work out why a tool failed; the thought is whatever you have to work out. It needs no answer and cannot \
        fail; on failure of its arguments simply go on. Costs its output tokens.";
    const EFFECT: Effect = Effect::Reads;
    type Input = Input;

    async fn run(&self, _input: Input, _cx: &mut ToolContext) -> Result<ToolExecutionResult, ToolFailure> {
        Ok(ToolExecutionResult::done(json!({ "noted": true }), json!({})))
    }
}
