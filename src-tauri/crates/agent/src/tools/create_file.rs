//! `create_file`: a whole file.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::path_or_index;
use crate::project::{ProjectFiles, edit, html};
use crate::tool::{Tool, ToolContext, ToolExecutionResult, ToolFailure};

/// Writes a whole file.
pub struct CreateFile;

/// The arguments of `create_file`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// Where the file goes, relative to the project, such as `index.html` or `css/site.css`. Left out, it is
    /// `index.html`.
    path: Option<String>,
    /// The whole text of the file, without code fences.
    content: String,
}

impl Tool for CreateFile {
    const NAME: &'static str = "create_file";
    const DESCRIPTION: &'static str = "Writes a whole file of the project, replacing what was there. Use it for \
        the first version of a page and for new files; to change a part of an existing file use edit_file. The \
        content is the complete text of the file: never shorten it with a remark that something stays the same. \
        On failure nothing is written and the message says what to correct. Costs nothing but its output tokens.";
    type Input = Input;

    async fn run(&self, input: Input, cx: &mut ToolContext) -> Result<ToolExecutionResult, ToolFailure> {
        let path = path_or_index(input.path.as_deref(), cx)?;
        let text = html::strip_wrapping(&input.content).to_owned();
        if text.trim().is_empty() {
            return Err(ToolFailure::new(format!("the content of {path} is empty; give the whole file")));
        }
        if text.len() > ProjectFiles::MAX_FILE_BYTES {
            let size = text.len();
            return Err(ToolFailure::new(format!(
                "{path} would be {size} bytes; a file may hold 4 MiB, so split it"
            )));
        }
        let old = cx.files.read(&path);
        if let Some(remark) = old.and_then(|old| edit::elision(old, &text)) {
            return Err(ToolFailure::new(format!(
                "the content holds the comment {remark:?} in place of code, and it would replace all of {path}. Give \
                 the whole text, or change a part of the file with edit_file. {path} is unchanged"
            )));
        }
        let is_new = old.is_none();
        let facts =
            json!({ "path": path, "bytes": text.len(), "lines": text.lines().count(), "created": is_new });
        cx.files.write(path.clone(), text);
        cx.finish_file(&path);
        Ok(ToolExecutionResult::done(facts.clone(), facts).changing(path))
    }
}
