//! `search_files`: where a text stands.

use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::files_below;
use crate::tool::{Effect, Tool, ToolContext, ToolExecutionResult, ToolFailure};

/// Finds text in the project's files.
pub struct SearchFiles;

/// The arguments of `search_files`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// The text to find, in upper or lower case; with `regex`, a regular expression without look-around.
    pattern: String,
    /// Whether the pattern is a regular expression; left out, it is plain text.
    regex: Option<bool>,
    /// Only files below this folder; left out, all of them.
    dir: Option<String>,
}

/// More matches than this crowd everything else out of the conversation.
const MAX_MATCHES: usize = 100;
/// A longer line is shown around its match.
const MAX_LINE_CHARS: usize = 200;
/// A compiled pattern may take this much memory.
const MAX_REGEX_BYTES: usize = 1024 * 1024;

impl Tool for SearchFiles {
    const NAME: &'static str = "search_files";
    const DESCRIPTION: &'static str = "Finds a text in the project's files and gives path, line number and line of \
        each match. Use it to find where something is before reading or editing it; the pattern is your own choice \
        of words, class names or a regular expression. On failure the message says what is wrong with the pattern; \
        no match is an empty list. Many matches are cut and counted. Costs the tokens of what it returns.";
    const EFFECT: Effect = Effect::Reads;
    type Input = Input;

    async fn run(&self, input: Input, cx: &mut ToolContext) -> Result<ToolExecutionResult, ToolFailure> {
        let pattern = compiled(&input)?;
        let (mut count, mut matches) = (0_usize, Vec::new());
        for (path, text) in files_below(&cx.files, input.dir.as_deref()) {
            for (at, line) in text.lines().enumerate() {
                let Some(found) = pattern.find(line) else { continue };
                count += 1;
                if matches.len() < MAX_MATCHES {
                    matches
                        .push(json!({ "path": path, "line": at + 1, "text": around(line, found.start()) }));
                }
            }
        }
        let mut answer = json!({ "count": count, "matches": matches });
        if count > MAX_MATCHES {
            answer["cut"] = json!(format!("{MAX_MATCHES} of {count}; narrow the pattern or name a folder"));
        }
        Ok(ToolExecutionResult::done(answer, json!({ "pattern": input.pattern, "count": count })))
    }
}

fn compiled(input: &Input) -> Result<Regex, ToolFailure> {
    if input.pattern.is_empty() {
        return Err(ToolFailure::new("the pattern is empty; give the text to find"));
    }
    let is_regex = input.regex.unwrap_or(false);
    let pattern = if is_regex { input.pattern.clone() } else { regex::escape(&input.pattern) };
    RegexBuilder::new(&pattern)
        .case_insensitive(!is_regex)
        .size_limit(MAX_REGEX_BYTES)
        .build()
        .map_err(|error| ToolFailure::new(format!("the pattern cannot be used: {error}")))
}

/// The part of a line around its match.
fn around(line: &str, found: usize) -> String {
    let before = line[..found].char_indices().rev().nth(MAX_LINE_CHARS / 4).map_or(0, |(at, _)| at);
    let part = &line[before..];
    let end = part.char_indices().nth(MAX_LINE_CHARS).map_or(part.len(), |(at, _)| at);
    let (start_mark, end_mark) = (if before > 0 { "…" } else { "" }, if end < part.len() { "…" } else { "" });
    format!("{start_mark}{}{end_mark}", &part[..end])
}
