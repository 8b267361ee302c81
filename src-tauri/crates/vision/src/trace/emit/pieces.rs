use super::sheet::{Finished, Worn};

/// A document's body while its classes have no names yet.
#[derive(Default)]
pub(super) struct Pieces(String);

// A character that no text has: what is read is printable.
const MARK: char = '\u{1}';

impl Pieces {
    pub(super) fn html(&mut self, html: &str) {
        self.0.push_str(html);
    }

    /// Where the class attribute of an element comes.
    pub(super) fn class(&mut self, worn: Worn) {
        self.0.push_str(&Self::mark(worn));
    }

    /// Stands for a class attribute in what is written later.
    pub(super) fn mark(worn: Worn) -> String {
        format!("{MARK}{}{MARK}", worn.0)
    }

    pub(super) fn pop_newline(&mut self) {
        if self.0.ends_with('\n') {
            self.0.pop();
        }
    }

    /// The body with all classes.
    pub(super) fn written(&self, sheet: &Finished) -> String {
        let mut body = String::with_capacity(self.0.len());
        for (at, part) in self.0.split(MARK).enumerate() {
            match part.parse() {
                Ok(worn) if at % 2 == 1 => body.push_str(&sheet.attribute(Worn(worn))),
                _ => body.push_str(part),
            }
        }
        body
    }
}
