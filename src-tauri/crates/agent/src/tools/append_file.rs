//! `append_file`: more of a file whose writing was cut.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{no_such_file, path_or_index};
use crate::project::{ProjectFiles, html, overlap};
use crate::tool::{Capabilities, Tool, ToolContext, ToolExecutionResult, ToolFailure};

/// Goes on with a file that was cut.
pub struct AppendFile;

/// The arguments of `append_file`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// The file that was cut, as the message that asked for its rest names it.
    path: String,
    /// What follows behind the last character of the file, without code fences.
    content: String,
}

impl Tool for AppendFile {
    const NAME: &'static str = "append_file";
    const DESCRIPTION: &'static str = "Writes the rest of a file that your output limit cut. Use it only when a \
        message asks you to go on with a cut file, with the path from that message; at any other time it fails, \
        and edit_file is the tool. Begin exactly behind the last character that is there; lines that you repeat \
        are dropped. On failure nothing is written and the message says what to correct. Costs nothing but its \
        output tokens.";
    type Input = Input;

    fn offered(&self, to: &Capabilities) -> bool {
        to.is_continuation
    }

    async fn run(&self, input: Input, cx: &mut ToolContext) -> Result<ToolExecutionResult, ToolFailure> {
        let path = path_or_index(Some(&input.path), cx)?;
        let Some(file) = cx.files.read(&path) else { return Err(no_such_file(&path, cx)) };
        if !cx.unfinished.contains(&path) {
            return Err(ToolFailure::new(format!("{path} is not cut; change it with edit_file"))
                .with_detail(json!({ "cut": cx.unfinished })));
        }
        let more = html::strip_wrapping(&input.content);
        let more = &more[overlap::repeated(file, more, true).unwrap_or(0)..];
        if more.trim().is_empty() {
            return Err(ToolFailure::new(format!("the content adds nothing to {path}; write what follows")));
        }
        if file.len() + more.len() > ProjectFiles::MAX_FILE_BYTES {
            return Err(ToolFailure::new(format!("{path} would grow beyond 4 MiB; end it here")));
        }
        let text = format!("{file}{more}");
        let facts = json!({ "path": path, "addedBytes": more.len(), "bytes": text.len() });
        cx.files.write(path.clone(), text);
        cx.finish_file(&path);
        Ok(ToolExecutionResult::done(facts.clone(), facts).changing(path))
    }
}
