//! `read_file`: a file or some of its lines.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{no_such_file, path_or_index};
use crate::tool::{Effect, Tool, ToolContext, ToolExecutionResult, ToolFailure};

/// Reads a file.
pub struct ReadFile;

/// The arguments of `read_file`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// The file; left out, it is `index.html`.
    path: Option<String>,
    /// The first line wanted, counted from 1; left out, the first of the file.
    from_line: Option<usize>,
    /// The last line wanted; left out, the last of the file.
    to_line: Option<usize>,
}

/// Longer answers would crowd everything else out of the conversation.
const MAX_ANSWER_BYTES: usize = 100_000;

impl Tool for ReadFile {
    const NAME: &'static str = "read_file";
    const DESCRIPTION: &'static str = "Gives the text of a project file, whole or from one line to another. Use \
        it before changing a file you have not seen; the path is one that list_files or search_files gave. Long \
        answers are cut and say where to go on. On failure the message lists the files there are. Costs the tokens \
        of what it returns.";
    const EFFECT: Effect = Effect::Reads;
    type Input = Input;

    async fn run(&self, input: Input, cx: &mut ToolContext) -> Result<ToolExecutionResult, ToolFailure> {
        let path = path_or_index(input.path.as_deref(), cx)?;
        let Some(text) = cx.files.read(&path) else {
            return Err(no_such_file(&path, cx));
        };
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let from = input.from_line.unwrap_or(1).max(1);
        let to = input.to_line.unwrap_or(lines.len()).min(lines.len());
        if from > to && !lines.is_empty() {
            let count = lines.len();
            return Err(ToolFailure::new(format!(
                "lines {from} to {to} of {path} are none; the file has {count} lines"
            )));
        }
        let mut content = String::new();
        let mut last = from.saturating_sub(1);
        for line in lines.get(from - 1..to).unwrap_or_default() {
            if content.len() + line.len() > MAX_ANSWER_BYTES && !content.is_empty() {
                break;
            }
            content.push_str(line);
            last += 1;
        }
        let whole_line = content.len();
        cut_at_char(&mut content, MAX_ANSWER_BYTES);
        let mut answer = json!({ "path": path, "lines": lines.len(), "content": content });
        if content.len() < whole_line {
            answer["cut"] = json!(format!(
                "{} of {whole_line} bytes of line {last}; it is too long to show",
                content.len()
            ));
        } else if last < to {
            answer["cut"] = json!(format!("lines {from} to {last} of {to}; read on from line {}", last + 1));
        }
        let summary = json!({ "path": path, "fromLine": from, "toLine": last });
        Ok(ToolExecutionResult::done(answer, summary))
    }
}

/// Shortens a text to so many bytes, at the end of a character.
fn cut_at_char(text: &mut String, most_bytes: usize) {
    let end = (0..=most_bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    text.truncate(end.unwrap_or(0));
}
