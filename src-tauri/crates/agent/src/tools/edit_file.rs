//! `edit_file`: exact text replaced by other text.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::path_or_index;
use crate::project::diff;
use crate::project::edit::{self, Edit, EditRefused, Kind, Occurrences};
use crate::tool::{Tool, ToolContext, ToolExecutionResult, ToolFailure};

/// Changes parts of a file.
pub struct EditFile;

/// The arguments of `edit_file`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// The file; left out, it is `index.html`.
    path: Option<String>,
    /// The exact text to replace, copied from the file, with enough around it to be unique.
    old_text: Option<String>,
    /// The text to put in its place.
    new_text: Option<String>,
    /// How many matches to replace: left out, the match has to be unique; -1 replaces all.
    count: Option<i64>,
    /// Several edits of this file instead of one, made in order; all are made or none.
    edits: Option<Vec<OneEdit>>,
}

/// One of several edits.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct OneEdit {
    /// The exact text to replace.
    pub(crate) old_text: String,
    /// The text to put in its place.
    pub(crate) new_text: String,
    /// How many matches to replace: left out, the match has to be unique; -1 replaces all.
    pub(crate) count: Option<i64>,
}

impl OneEdit {
    /// The edit as the file understands it; `None` for a count that means nothing.
    pub(crate) fn as_edit(&self) -> Option<Edit<'_>> {
        let occurrences = match self.count {
            None => Occurrences::Unique,
            Some(-1) => Occurrences::All,
            Some(count) => Occurrences::First(usize::try_from(count).ok()?),
        };
        Some(Edit { old: &self.old_text, new: &self.new_text, occurrences })
    }
}

impl Tool for EditFile {
    const NAME: &'static str = "edit_file";
    const DESCRIPTION: &'static str = "Replaces exact text in a project file; use it for every change smaller than \
        the file. Copy old_text from the file as it is and include enough around it to be unique, or give count. \
        Give one old_text and new_text, or several edits at once: they are made in order, all or none. Write \
        new_text out: a comment such as \"rest unchanged\" is refused. On failure \
        nothing is changed and the message shows the closest text or the lines of all matches: correct old_text \
        and call again. Costs only its output tokens.";
    type Input = Input;

    async fn run(&self, input: Input, cx: &mut ToolContext) -> Result<ToolExecutionResult, ToolFailure> {
        let path = path_or_index(input.path.as_deref(), cx)?;
        let requested = match (input.edits, input.old_text, input.new_text) {
            (Some(edits), None, None) if !edits.is_empty() => edits,
            (None, Some(old_text), Some(new_text)) => {
                vec![OneEdit { old_text, new_text, count: input.count }]
            }
            _ => return Err(ToolFailure::new("give either old_text and new_text, or a list of edits")),
        };
        let Some(old) = cx.files.read(&path) else {
            let files: Vec<_> = cx.files.iter().map(|(path, _)| path.as_str()).collect();
            return Err(ToolFailure::new(format!("there is no file {path} to edit"))
                .with_detail(json!({ "files": files })));
        };
        let edits: Option<Vec<_>> = requested.iter().map(OneEdit::as_edit).collect();
        let edits =
            edits.ok_or_else(|| ToolFailure::new("count is -1 for all matches, or a positive number"))?;
        let kind = if path.is_page() { Kind::Page } else { Kind::Other };
        let edited = edit::apply(old, kind, &edits).map_err(|(index, refused)| {
            let which = if edits.len() > 1 {
                format!("edit {} of {}: ", index + 1, edits.len())
            } else {
                String::new()
            };
            // A text that is given word for word stands last, with nothing behind it.
            ToolFailure::new(match refused {
                EditRefused::NotFound(Some(_)) => format!("{which}{path} is unchanged: {refused}"),
                _ => format!("{which}{refused}. {path} is unchanged"),
            })
        })?;
        let changes = diff::between(path.as_str(), old, &edited.text);
        let facts = json!({
            "path": path,
            "firstChangedLine": changes.first_changed_line,
            "addedLines": changes.added,
            "removedLines": changes.removed,
            "diff": changes.unified,
        });
        if let Some(percent) = edited.hidden_percent
            && cx.warns_of(format!("{path}\n{requested:?}"))
        {
            return Err(ToolFailure::new(format!(
                "this would hide {percent} % of the visible text of {path}, none of it in old_text: probably new_text \
                 leaves a comment, a quote, a <style>, a <script> or a <template> open. Correct new_text; if it is \
                 meant, make the same call again and it goes through. {path} is unchanged"
            )));
        }
        cx.files.write(path.clone(), edited.text);
        Ok(ToolExecutionResult::done(facts.clone(), facts).changing(path))
    }
}
