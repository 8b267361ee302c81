//! Exact-text edits: unique matches, all or none, and errors that make the next try succeed.

mod closest;
mod folded;
mod remark;
mod swallowed;

use std::fmt;
use std::ops::Range;

pub use closest::{Closest, closest_lines};
use folded::Fold;
pub use remark::elision;

use super::ProjectFiles;

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
    /// The file would outgrow [`ProjectFiles::MAX_FILE_BYTES`].
    TooLarge,
    /// The new text leaves something out and says so in a comment.
    Shortened {
        /// What the comment says.
        remark: String,
    },
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
            EditRefused::TooLarge => f.write_str("the file would grow beyond 4 MiB; split it"),
            EditRefused::Shortened { remark } => write!(
                f,
                "new_text holds the comment {remark:?} in place of code; a file has no other copy of what it \
                 leaves out. Write everything that is to stand there, or take only the part that changes as old_text"
            ),
            EditRefused::NotFound(None) => {
                f.write_str("old_text was not found and nothing in the file is similar; read the file first")
            }
            EditRefused::NotFound(Some(Closest { first_line, last_line, is_part, text })) => {
                let within = if *is_part { "in " } else { "" };
                write!(
                    f,
                    "old_text was not found; the closest text is {within}lines {first_line} to {last_line}, exactly:\n\
                     {text}"
                )
            }
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

/// A text after its edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The new text.
    pub text: String,
    /// How many percent of a page's visible text one of the edits hid outside of what it replaced, if they are
    /// more than an edit is likely to mean.
    pub hidden_percent: Option<usize>,
}

/// What an edit is made on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A page, whose text can be hidden.
    Page,
    /// Any other file.
    Other,
}

/// Makes all edits, each on what the ones before left, or none.
///
/// An exact match wins; without one, line endings and blanks at the ends of lines are overlooked, and if that
/// finds nothing either, the kinds of blanks and quotes and characters written as references. The new text takes
/// the file's line endings; its other bytes, and every byte outside the match, stay as they are.
pub fn apply(text: &str, kind: Kind, edits: &[Edit<'_>]) -> Result<Edited, (usize, EditRefused)> {
    let mut edited = Edited { text: text.to_owned(), hidden_percent: None };
    for (index, edit) in edits.iter().enumerate() {
        let one = apply_one(&edited.text, edit).map_err(|refused| (index, refused))?;
        if kind == Kind::Page {
            let hidden =
                swallowed::swallowed_percent(&edited.text, &one.replaced, &one.text, &one.replacements);
            edited.hidden_percent = edited.hidden_percent.max(hidden);
        }
        edited.text = one.text;
    }
    Ok(edited)
}

struct Replaced {
    text: String,
    replaced: Vec<Range<usize>>,
    replacements: Vec<Range<usize>>,
}

fn apply_one(text: &str, edit: &Edit<'_>) -> Result<Replaced, EditRefused> {
    let is_empty = folded::is_nothing(edit.old);
    if is_empty || edit.old == edit.new || edit.occurrences == Occurrences::First(0) {
        return Err(EditRefused::NothingToDo);
    }
    let mut matches: Vec<_> = text.match_indices(edit.old).map(|(at, old)| at..at + old.len()).collect();
    for fold in [Fold::LineEnds, Fold::Looks] {
        if matches.is_empty() {
            matches = fold.matches(text, edit.old);
        }
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
    if let Some(remark) = elision(edit.old, edit.new) {
        return Err(EditRefused::Shortened { remark });
    }
    let new = with_endings_of(text, edit.new);
    let gone: usize = matches.iter().map(Range::len).sum();
    let size = (text.len() - gone).saturating_add(matches.len().saturating_mul(new.len()));
    if size > ProjectFiles::MAX_FILE_BYTES {
        return Err(EditRefused::TooLarge);
    }
    let mut out = String::with_capacity(size);
    let mut kept = 0;
    let mut replacements = Vec::with_capacity(matches.len());
    for range in &matches {
        out.push_str(&text[kept..range.start]);
        replacements.push(out.len()..out.len() + new.len());
        out.push_str(&new);
        kept = range.end;
    }
    out.push_str(&text[kept..]);
    Ok(Replaced { text: out, replaced: matches, replacements })
}

/// The text with the line endings that the file uses throughout; a file that mixes them takes it as it is.
pub(crate) fn with_endings_of(file: &str, text: &str) -> String {
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

    fn apply(text: &str, edits: &[Edit<'_>]) -> Result<String, (usize, EditRefused)> {
        super::apply(text, Kind::Other, edits).map(|edited| edited.text)
    }

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

    // S-67
    #[test]
    fn blanks_and_a_line_break_at_the_end_of_a_copy_do_not_hide_its_match() {
        let rows = [
            ("<p>a</p>\n<p>b</p>\n", "<p>a</p>  ", "X\n<p>b</p>\n"),
            ("<p>a</p>\r\n<p>b</p>\r\n", "<p>a</p>\t\r", "X\r\n<p>b</p>\r\n"),
            ("<p>a</p> \n<p>b</p>\n", "<p>a</p>\t\t", "X \n<p>b</p>\n"),
            ("<p>a</p>\n</html>", "</html>\n", "<p>a</p>\nX"),
            ("<p>a</p>\n</html> \t", "</html>\n", "<p>a</p>\nX"),
            ("<p>a</p>\n</html>", "</html>  ", "<p>a</p>\nX"),
            ("it\u{2019}s", "it's \t", "X"),
        ];
        let edited: Vec<_> =
            rows.iter().map(|(file, old, _)| apply(file, &[unique(old, "X")]).unwrap()).collect();
        assert_eq!(edited, rows.map(|(_, _, wanted)| wanted));
        // In the middle of a line they are text.
        let refused = apply("<p>a</p><p>b</p>\n", &[unique("<p>a</p>  ", "X")]).unwrap_err().1;
        assert!(matches!(refused, EditRefused::NotFound(Some(_))), "{refused:?}");
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
        for edit in
            [unique("", "x"), unique(" \n", "x"), unique("&nbsp;\u{a0}\u{200b}", "x"), unique("a", "a")]
        {
            assert_eq!(apply("a", &[edit]).unwrap_err().1, EditRefused::NothingToDo);
        }
    }

    // S-67
    #[test]
    fn what_looks_the_same_matches_and_is_replaced_whole() {
        let rows = [
            ("a\u{a0}b c", "a b", "X c"),
            ("a b", "a\u{a0}b", "X"),
            ("10&nbsp;% off", "10 % off", "X"),
            ("10 % off", "10&nbsp;%", "X off"),
            ("it\u{2019}s", "it's", "X"),
            ("it's \u{201c}so\u{201d}", "it\u{2019}s \"so\"", "X"),
            ("it&rsquo;s", "it's", "X"),
            ("Tom &amp; Jerry", "Tom & Jerry", "X"),
            ("caf&eacute;!", "caf\u{e9}", "X!"),
            ("\t<li>a</li>", "  <li>a", "X</li>"),
            ("<a>\u{a0} \r\n\t</a>", "<a>\n  </a>", "X"),
        ];
        let edited: Vec<_> =
            rows.iter().map(|(file, old, _)| apply(file, &[unique(old, "X")]).unwrap()).collect();
        assert_eq!(edited, rows.map(|(_, _, wanted)| wanted));
    }

    // S-67
    #[test]
    fn the_new_text_and_everything_around_keep_their_bytes() {
        let file = "\u{201c}one\u{201d}&nbsp;two\u{a0}three \t\r\nit\u{2019}s\r\n";
        let edited = apply(file, &[unique("\" two", "\u{2033}&ensp;\u{a0}2")]).unwrap();
        assert_eq!(edited, "\u{201c}one\u{2033}&ensp;\u{a0}2\u{a0}three \t\r\nit\u{2019}s\r\n");
    }

    // S-67
    #[test]
    fn what_marks_a_tag_never_matches_what_shows_its_sign() {
        let refused = apply("&lt;b&gt;", &[unique("<b>", "x")]).unwrap_err().1;
        assert_eq!(refused, EditRefused::NotFound(None));
    }

    // S-67
    #[test]
    fn folded_matches_are_counted_like_exact_ones() {
        let refused = apply("it\u{2019}s\nit\u{2018}s", &[unique("it's", "x")]).unwrap_err().1;
        assert_eq!(refused, EditRefused::Ambiguous { lines: vec![1, 2] });
        assert_eq!(apply("it\u{2019}s it's", &[unique("it's", "x")]).unwrap(), "it\u{2019}s x");
    }

    #[test]
    fn a_comment_in_place_of_code_is_refused_unless_it_was_there() {
        let new = "<p>b</p>\n<!-- rest of the page stays the same -->";
        let refused = apply("<p>a</p>", &[unique("<p>a</p>", new)]).unwrap_err().1;
        assert_eq!(refused, EditRefused::Shortened { remark: "rest of the page stays the same".to_owned() });
        let old = new.replace('b', "a");
        assert_eq!(apply(&old, &[unique(&old, new)]).unwrap(), new);
    }

    #[test]
    fn text_that_an_edit_hides_beside_its_target_is_counted() {
        let page = "<main><h1>Title</h1><p>A long paragraph</p><p>and another one</p></main>";
        let hidden = |old: &str, new: &str| {
            super::apply(page, Kind::Page, &[unique(old, new)]).unwrap().hidden_percent
        };
        let all = [
            hidden("</h1>", "</h1><!--"),
            hidden("</h1>", "</h1><style>"),
            hidden("<p>A long paragraph", "<p title=\""),
            hidden("<p>A long paragraph</p><p>and another one</p>", ""),
            hidden("<h1>", "<h1 class=\"a\">"),
            hidden("another one</p>", "another one</p><!--"),
        ];
        assert_eq!(all, [Some(84), Some(84), Some(40), None, None, None]);
    }
}
