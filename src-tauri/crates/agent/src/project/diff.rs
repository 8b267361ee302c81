//! Differences between two texts, for models and for people.

use similar::{Algorithm, ChangeTag, TextDiff};

/// Lines shown around a change.
const CONTEXT_LINES: usize = 3;
/// Beyond this a line diff of rewritten files takes longer than anybody waits; it then shows less of what
/// stayed.
const DIFF_DEADLINE_MS: u64 = 500;

/// What changed between two texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    /// The change in unified form.
    pub unified: String,
    /// The first line of the new text that is different, counted from 1; `None` if nothing changed.
    pub first_changed_line: Option<usize>,
    /// Lines that are new.
    pub added: usize,
    /// Lines that are gone.
    pub removed: usize,
}

/// Compares two texts line by line.
pub fn between(path: &str, old: &str, new: &str) -> FileDiff {
    let diff = TextDiff::configure()
        .algorithm(Algorithm::Histogram)
        .timeout(std::time::Duration::from_millis(DIFF_DEADLINE_MS))
        .diff_lines(old, new);
    let mut result = FileDiff {
        unified: diff.unified_diff().context_radius(CONTEXT_LINES).header(path, path).to_string(),
        first_changed_line: None,
        added: 0,
        removed: 0,
    };
    let mut line = 1;
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Equal => line += 1,
            ChangeTag::Insert => {
                result.first_changed_line.get_or_insert(line);
                result.added += 1;
                line += 1;
            }
            ChangeTag::Delete => {
                result.first_changed_line.get_or_insert(line);
                result.removed += 1;
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_the_true_first_changed_line_and_the_counts() {
        let diff = between("a.css", "one\ntwo\nthree\nfour\n", "one\ntwo\n3\nfour\nfive\n");
        assert_eq!((diff.first_changed_line, diff.added, diff.removed), (Some(3), 2, 1));
        assert!(diff.unified.contains("-three\n+3\n"), "{}", diff.unified);
    }

    #[test]
    fn equal_texts_have_no_difference() {
        let diff = between("a", "x\n", "x\n");
        assert_eq!(diff, FileDiff { unified: String::new(), first_changed_line: None, added: 0, removed: 0 });
    }
}
