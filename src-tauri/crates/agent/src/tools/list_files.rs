//! `list_files`: what the project holds.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::tool::{Tool, ToolContext, ToolExecutionResult, ToolFailure};

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
        folder. Use it to find a file whose path you do not know. An unknown folder gives an empty list. Costs \
        next to nothing.";
    type Input = Input;

    async fn run(&self, input: Input, cx: &mut ToolContext) -> Result<ToolExecutionResult, ToolFailure> {
        let dir = input.dir.as_deref().unwrap_or_default().trim_start_matches("./").trim_end_matches('/');
        let below = |path: &str| {
            dir.is_empty() || dir == "." || path.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'))
        };
        let all: Vec<_> = cx
            .files
            .iter()
            .filter(|(path, _)| below(path.as_str()))
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
