//! A text as it looks when differences that nobody sees do not count.

use std::borrow::Cow;
use std::ops::Range;

use crate::project::reading::Reading;
use crate::project::reference::{reference_at, resolved};

/// What does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fold {
    /// Line endings, and blanks at the ends of lines.
    LineEnds,
    /// Those, the width and kind of blanks, the shape of quotes, and characters written as references.
    Looks,
}

/// What the end of a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// The end of a line, whether or not a line break says so.
    Line,
    /// Just where a copy ends.
    Open,
}

impl Fold {
    /// Where a text holds the needle, both folded. A match never begins or ends inside of what counts as one.
    pub(super) fn matches(self, text: &str, needle: &str) -> Vec<Range<usize>> {
        if is_nothing(needle) {
            return Vec::new();
        }
        let text = self.reading(text, Ending::Line);
        // Of what was found, so much of the end is only there to be there.
        let found = |needle: &Reading, beyond: usize| -> Vec<Range<usize>> {
            let matches = text.text().match_indices(needle.text());
            let range = |(at, found): (usize, &str)| text.source_range(at..at + found.len() - beyond);
            matches.filter_map(range).collect()
        };
        let whole = found(&self.reading(needle, Ending::Open), 0);
        let bare = needle.trim_end_matches([' ', '\t', '\r']);
        if !whole.is_empty() || bare.len() == needle.len() {
            return whole;
        }
        // Blanks at the needle's end may be those at the end of a line.
        found(&self.reading(bare, Ending::Line), "\n".len())
    }

    fn reading(self, source: &str, ending: Ending) -> Reading {
        let mut reading = Reading::default();
        let mut at = 0;
        while at < source.len() {
            let rest = &source[at..];
            let blanks = self.blanks(rest);
            let is_at_end = blanks == rest.len() && ending == Ending::Line;
            if rest[blanks..].starts_with('\n') {
                reading.push("\n", at);
                at += blanks + 1;
            } else if is_at_end {
                break;
            } else if blanks > 0 {
                self.push_blanks(&rest[..blanks], at, &mut reading);
                at += blanks;
            } else {
                let (shown, length) = self.shown(rest);
                reading.push(&shown, at);
                at += length;
            }
        }
        if ending == Ending::Line && !source.ends_with('\n') {
            reading.push("\n", at);
        }
        reading.ending_at(source.len())
    }

    /// How much of a text is blank, up to the end of its line.
    fn blanks(self, text: &str) -> usize {
        match self {
            Fold::LineEnds => text.len() - text.trim_start_matches([' ', '\t', '\r']).len(),
            Fold::Looks => {
                let mut length = 0;
                while let Some(blank) = blank_at(&text[length..]) {
                    length += blank;
                }
                length
            }
        }
    }

    /// Blanks with something behind them. Where only line ends are folded they may be of the essence.
    fn push_blanks(self, blanks: &str, at: usize, reading: &mut Reading) {
        match self {
            Fold::LineEnds => {
                for (offset, blank) in blanks.char_indices() {
                    reading.push(blank.encode_utf8(&mut [0; 4]), at + offset);
                }
            }
            Fold::Looks => reading.push(" ", at),
        }
    }

    /// What the first character of a text looks like, and how long it is.
    fn shown(self, text: &str) -> (Cow<'_, str>, usize) {
        let length = text.chars().next().map_or(text.len(), char::len_utf8);
        let (written, length) = match reference_at(text) {
            // What marks a tag is no text, whatever it looks like.
            Some((meaning, length)) if self == Fold::Looks && !matches!(&*meaning, "<" | ">") => {
                (meaning, length)
            }
            _ => (Cow::from(&text[..length]), length),
        };
        match straight(&written) {
            Some(quote) if self == Fold::Looks => (Cow::from(quote), length),
            _ => (written, length),
        }
    }
}

/// Whether nothing is left of a text once it is folded.
pub(super) fn is_nothing(text: &str) -> bool {
    let is_seen =
        |c: char| !c.is_whitespace() && !matches!(c, '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{ad}');
    !resolved(text).text().chars().any(is_seen)
}

/// How long the blank is that a text begins with, written as itself or as a reference.
fn blank_at(text: &str) -> Option<usize> {
    let is_blank = |c: char| c.is_whitespace() && c != '\n';
    if let Some((meaning, length)) = reference_at(text) {
        return meaning.chars().all(is_blank).then_some(length);
    }
    text.chars().next().filter(|c| is_blank(*c)).map(char::len_utf8)
}

/// The quote of a typewriter in place of a printed one.
fn straight(quote: &str) -> Option<&'static str> {
    match quote {
        "\u{2018}" | "\u{2019}" | "\u{201a}" | "\u{201b}" | "\u{2032}" => Some("'"),
        "\u{201c}" | "\u{201d}" | "\u{201e}" | "\u{201f}" | "\u{2033}" => Some("\""),
        _ => None,
    }
}
