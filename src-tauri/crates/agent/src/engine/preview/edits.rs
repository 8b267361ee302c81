//! The edits of a call, shown on their file as soon as each is finished.

use super::Show;
use crate::engine::limits::START_PREVIEW_CHARS;
use crate::ids::EventId;
use crate::project::{ProjectPath, edit};
use crate::tools::OneEdit;

/// What was typed of an `edit_file` call.
#[derive(Default)]
pub(super) struct Edits {
    /// How many characters of new text were typed.
    pub(super) chars: usize,
    /// The first of them.
    pub(super) start: String,
    /// The finished edits, in order.
    finished: Vec<OneEdit>,
    /// The text of the file after them.
    text: Option<String>,
}

impl Edits {
    /// Takes note of new text.
    pub(super) fn typed(&mut self, text: &str) {
        let room = START_PREVIEW_CHARS.saturating_sub(self.chars);
        self.start.extend(text.chars().take(room));
        self.chars += text.chars().count();
    }

    /// Whether an edit is finished.
    pub(super) fn is_begun(&self) -> bool {
        !self.finished.is_empty()
    }

    /// Shows one more edit on the file, if the file takes it.
    pub(super) fn show(&mut self, one: OneEdit, path: &ProjectPath, id: &EventId, show: &mut Show<'_>) {
        let text = match &self.text {
            Some(text) => text.as_str(),
            None => show.files.read(path).unwrap_or_default(),
        };
        let edited = one.as_edit().and_then(|one| edit::apply(text, edit::Kind::Other, &[one]).ok());
        if let Some(edited) = edited.map(|edited| edited.text) {
            show.screen.replace(id, path, &edited, show.sink);
            self.text = Some(edited);
        }
        self.finished.push(one);
    }

    /// Shows them on the file that they turn out to be for.
    pub(super) fn move_to(&mut self, path: &ProjectPath, id: &EventId, show: &mut Show<'_>) {
        show.screen.take_back(id, show.files, show.sink);
        self.text = None;
        for one in std::mem::take(&mut self.finished) {
            self.show(one, path, id, show);
        }
    }
}
