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
            for Found { line, text, at } in lines_with(&pattern, text) {
                count += 1;
                if matches.len() < MAX_MATCHES {
                    matches.push(json!({ "path": path, "line": line, "text": around(text, at) }));
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
    // Plain text is found whatever line ends the file has.
    let plain = || regex::escape(&input.pattern.replace("\r\n", "\n")).replace('\n', "\r?\n");
    let pattern = if is_regex { input.pattern.clone() } else { plain() };
    RegexBuilder::new(&pattern)
        .case_insensitive(!is_regex)
        .multi_line(true)
        .crlf(true)
        .size_limit(MAX_REGEX_BYTES)
        .build()
        .map_err(|error| ToolFailure::new(format!("the pattern cannot be used: {error}")))
}

/// A line in which a match begins.
struct Found<'t> {
    /// Counted from 1.
    line: usize,
    text: &'t str,
    /// Where in the line the match begins.
    at: usize,
}

/// The lines in which matches begin, each once. A match may go on beyond its line.
fn lines_with<'t>(pattern: &'t Regex, text: &'t str) -> impl Iterator<Item = Found<'t>> {
    let (mut line, mut start, mut next) = (1, 0, 0);
    std::iter::from_fn(move || {
        let found = pattern.find_at(text, next).filter(|found| found.start() < text.len())?.start();
        line += text[start..found].matches('\n').count();
        start = text[..found].rfind('\n').map_or(0, |at| at + 1);
        let end = text[found..].find('\n').map_or(text.len(), |at| found + at);
        next = (end + 1).min(text.len());
        Some(Found { line, text: text[start..end].trim_end_matches('\r'), at: found - start })
    })
}

/// The part of a line around its match.
fn around(line: &str, found: usize) -> String {
    let found = found.min(line.len());
    let before = line[..found].char_indices().rev().nth(MAX_LINE_CHARS / 4).map_or(0, |(at, _)| at);
    let part = &line[before..];
    let end = part.char_indices().nth(MAX_LINE_CHARS).map_or(part.len(), |(at, _)| at);
    let (start_mark, end_mark) = (if before > 0 { "…" } else { "" }, if end < part.len() { "…" } else { "" });
    format!("{start_mark}{}{end_mark}", &part[..end])
}
