//! `list_files`: what the project holds.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::files_below;
use crate::tool::{Effect, Tool, ToolContext, ToolExecutionResult, ToolFailure};

/// Lists the project's files.
pub struct ListFiles;

/// The arguments of `list_files`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// Only files below this folder; left out, all of them.
    dir: Option<String>,
}

const MAX_LISTED: usize = 500;

impl Tool for ListFiles {
    const NAME: &'static str = "list_files";
    const DESCRIPTION: &'static str = "Lists the project's files with their sizes, all of them or those below a \
        folder that you name. Use it to find a file whose path you do not know. It cannot fail: an unknown folder \
        gives an empty list. Costs next to nothing.";
    const EFFECT: Effect = Effect::Reads;
    type Input = Input;

    async fn run(&self, input: Input, cx: &mut ToolContext) -> Result<ToolExecutionResult, ToolFailure> {
        let all: Vec<_> = files_below(&cx.files, input.dir.as_deref())
            .map(|(path, text)| json!({ "path": path, "bytes": text.len(), "lines": text.lines().count() }))
            .collect();
        let count = all.len();
        let listed: Vec<_> = all.into_iter().take(MAX_LISTED).collect();
        let mut answer = json!({ "count": count, "files": listed });
        if count > MAX_LISTED {
            answer["cut"] = json!(format!("{MAX_LISTED} of {count}; name a folder to see the others"));
        }
        Ok(ToolExecutionResult::done(answer, json!({ "count": count })))
    }
}
