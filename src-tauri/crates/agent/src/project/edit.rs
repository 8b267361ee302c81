//! Exact-text edits: unique matches, all or none, and errors that make the next try succeed.

mod closest;
mod folded;

use std::fmt;

pub use closest::{Closest, closest_lines};
use folded::Folded;

/// How often a text is to be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occurrences {
    /// Once; several matches are an error.
    Unique,
    /// The first so many; fewer matches are an error.
    First(usize),
    /// Every one, at least one.
    All,
}

/// One replacement.
#[derive(Debug, Clone, Copy)]
pub struct Edit<'a> {
    /// What stands in the file.
    pub old: &'a str,
    /// What is to stand there.
    pub new: &'a str,
    /// How often.
    pub occurrences: Occurrences,
}

/// Why an edit cannot be made. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditRefused {
    /// The old text is empty, or equals the new one.
    NothingToDo,
    /// The old text is not in the file; the most similar lines, if any are similar.
    NotFound(Option<Closest>),
    /// The old text is there more often than was said; the lines it starts in.
    Ambiguous {
        /// The lines the matches start in, counted from 1.
        lines: Vec<usize>,
    },
    /// The old text is there less often than was said.
    TooFew {
        /// How often it was to be replaced.
        wanted: usize,
        /// The lines the matches start in, counted from 1.
        lines: Vec<usize>,
    },
}

impl fmt::Display for EditRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |lines: &[usize]| {
            let shown: Vec<_> = lines.iter().take(20).map(usize::to_string).collect();
            shown.join(", ")
        };
        match self {
            EditRefused::NothingToDo => {
                f.write_str("nothing to do: old_text is empty, equals new_text, or count is 0")
            }
            EditRefused::NotFound(None) => {
                f.write_str("old_text was not found and nothing in the file is similar; read the file first")
            }
            EditRefused::NotFound(Some(closest)) => write!(
                f,
                "old_text was not found; the closest text is lines {} to {}, exactly:\n{}",
                closest.first_line, closest.last_line, closest.text
            ),
            EditRefused::Ambiguous { lines } => write!(
                f,
                "old_text appears {} times, in lines {}; add surrounding lines to make it unique, or give count",
                lines.len(),
                list(lines)
            ),
            EditRefused::TooFew { wanted, lines } => write!(
                f,
                "old_text was to be replaced {wanted} times but appears {} times, in lines {}",
                lines.len(),
                list(lines)
            ),
        }
    }
}

/// Makes all edits, each on what the ones before left, or none.
///
/// An exact match wins; without one, line endings and blanks at the ends of lines are overlooked. The new
/// text takes the file's line endings; its other bytes, and every byte outside the match, stay as they are.
pub fn apply(text: &str, edits: &[Edit<'_>]) -> Result<String, (usize, EditRefused)> {
    let mut text = text.to_owned();
    for (index, edit) in edits.iter().enumerate() {
        text = apply_one(&text, edit).map_err(|refused| (index, refused))?;
    }
    Ok(text)
}

fn apply_one(text: &str, edit: &Edit<'_>) -> Result<String, EditRefused> {
    if edit.old.trim().is_empty() || edit.old == edit.new || edit.occurrences == Occurrences::First(0) {
        return Err(EditRefused::NothingToDo);
    }
    let mut matches: Vec<_> = text.match_indices(edit.old).map(|(at, old)| at..at + old.len()).collect();
    if matches.is_empty() {
        matches = Folded::of(text).matches(edit.old);
    }
    let lines =
        || matches.iter().map(|range| 1 + text[..range.start].matches('\n').count()).collect::<Vec<_>>();
    match edit.occurrences {
        _ if matches.is_empty() => return Err(EditRefused::NotFound(closest_lines(text, edit.old))),
        Occurrences::Unique if matches.len() > 1 => return Err(EditRefused::Ambiguous { lines: lines() }),
        Occurrences::First(wanted) if matches.len() < wanted => {
            return Err(EditRefused::TooFew { wanted, lines: lines() });
        }
        Occurrences::First(wanted) => matches.truncate(wanted),
        Occurrences::Unique | Occurrences::All => {}
    }
    let new = with_endings_of(text, edit.new);
    let mut out = String::with_capacity(text.len() + matches.len() * new.len());
    let mut kept = 0;
    for range in matches {
        out.push_str(&text[kept..range.start]);
        out.push_str(&new);
        kept = range.end;
    }
    out.push_str(&text[kept..]);
    Ok(out)
}

/// The text with the line endings that the file uses throughout; a file that mixes them takes it as it is.
fn with_endings_of(file: &str, text: &str) -> String {
    let newlines = file.matches('\n').count();
    let crlf = file.matches("\r\n").count();
    if newlines > 0 && crlf == newlines {
        text.replace("\r\n", "\n").replace('\n', "\r\n")
    } else if crlf == 0 && newlines > 0 {
        text.replace("\r\n", "\n")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unique<'a>(old: &'a str, new: &'a str) -> Edit<'a> {
        Edit { old, new, occurrences: Occurrences::Unique }
    }

    #[test]
    fn replaces_a_unique_text_and_nothing_else() {
        let page = "<h1>Old</h1>\n<p>Keep </p>\n";
        assert_eq!(apply(page, &[unique("Old", "New")]).unwrap(), "<h1>New</h1>\n<p>Keep </p>\n");
    }

    #[test]
    fn several_matches_without_a_count_are_refused_with_their_lines() {
        let refused = apply("a\nb\na b a\n", &[unique("a", "x")]).unwrap_err();
        assert_eq!(refused, (0, EditRefused::Ambiguous { lines: vec![1, 3, 3] }));
    }

    #[test]
    fn a_count_replaces_so_many_and_minus_one_means_all() {
        let edit = |occurrences| [Edit { old: "a", new: "x", occurrences }];
        assert_eq!(apply("a a a", &edit(Occurrences::First(2))).unwrap(), "x x a");
        assert_eq!(apply("a a a", &edit(Occurrences::All)).unwrap(), "x x x");
        assert_eq!(
            apply("a", &edit(Occurrences::First(2))).unwrap_err().1,
            EditRefused::TooFew { wanted: 2, lines: vec![1] }
        );
    }

    #[test]
    fn later_edits_see_earlier_ones_and_one_failure_undoes_all() {
        let edits = [unique("one", "two"), unique("two", "three")];
        assert_eq!(apply("one", &edits).unwrap(), "three");
        assert_eq!(apply("one", &[edits[0], unique("gone", "x")]).unwrap_err().0, 1);
    }

    #[test]
    fn line_endings_and_trailing_blanks_do_not_hide_a_match_and_the_file_keeps_its_style() {
        let file = "<ul>  \r\n  <li>a</li>\t\r\n</ul>\r\n";
        let edited =
            apply(file, &[unique("<ul>\n  <li>a</li>\n</ul>", "<ol>\n  <li>b</li>\n</ol>")]).unwrap();
        assert_eq!(edited, "<ol>\r\n  <li>b</li>\r\n</ol>\r\n");
    }

    #[test]
    fn an_exact_match_beats_a_folded_one() {
        let file = "x\r\ny\nx\ny\n";
        assert_eq!(apply(file, &[unique("x\ny", "z")]).unwrap(), "x\r\ny\nz\n");
    }

    #[test]
    fn a_text_that_is_not_there_gets_the_closest_lines_word_for_word() {
        let file = "<nav>\n  <a href=\"/\">Home page</a>\n</nav>\n<footer>Imprint</footer>\n";
        let refused = apply(file, &[unique("<a href='/'>Home page</a>", "")]).unwrap_err().1;
        assert_eq!(
            refused.to_string(),
            "old_text was not found; the closest text is lines 2 to 2, exactly:\n  <a href=\"/\">Home page</a>"
        );
    }

    #[test]
    fn nothing_to_do_is_said() {
        for edit in [unique("", "x"), unique(" \n", "x"), unique("a", "a")] {
            assert_eq!(apply("a", &[edit]).unwrap_err().1, EditRefused::NothingToDo);
        }
    }
}
