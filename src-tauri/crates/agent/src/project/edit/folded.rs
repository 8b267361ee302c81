//! A text as it looks when line endings and blanks at the ends of lines do not count.

use std::ops::Range;

/// The folded text and, for each of its bytes, where it came from.
pub(super) struct Folded {
    text: String,
    /// The source offset of every folded byte, and of the end.
    starts: Vec<usize>,
}

impl Folded {
    /// Folds a text.
    pub(super) fn of(source: &str) -> Self {
        let mut folded = Self { text: String::new(), starts: Vec::new() };
        let mut at = 0;
        for line in source.split_inclusive('\n') {
            let body = line.trim_end_matches(['\n', '\r', ' ', '\t']);
            // Without a newline the blanks may be the start of a longer line: they stay.
            let (body, ends) = if line.ends_with('\n') { (body, true) } else { (line, false) };
            folded.text.push_str(body);
            folded.starts.extend(at..at + body.len());
            if ends {
                folded.text.push('\n');
                folded.starts.push(at + body.len());
            }
            at += line.len();
        }
        folded.starts.push(source.len());
        folded
    }

    /// Where the source holds the needle, both folded.
    pub(super) fn matches(&self, needle: &str) -> Vec<Range<usize>> {
        let needle = Folded::of(needle).text;
        if needle.trim().is_empty() {
            return Vec::new();
        }
        self.text
            .match_indices(&needle)
            .map(|(at, found)| self.starts[at]..self.starts[at + found.len()])
            .collect()
    }
}
