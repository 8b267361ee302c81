//! Which element holds which, as a browser reads the source: implied tags, tags left out, tables, foreign content.

mod builder;

use std::ops::Range;

use super::token::{StartTag, TextKind, Token};

/// The worlds an element can live in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Namespace {
    Html,
    Svg,
    MathMl,
}

/// An element of the page.
#[derive(Debug)]
pub(crate) struct Node {
    /// In lower case.
    pub(crate) name: String,
    pub(crate) namespace: Namespace,
    /// `None` for an element that nobody wrote.
    pub(crate) tag: Option<StartTag>,
    pub(crate) parent: Option<usize>,
    /// Where its content ends.
    pub(crate) content_end: usize,
    pub(crate) end_tag: Option<Range<usize>>,
    /// Its own texts, in order.
    pub(crate) runs: Vec<Run>,
    pub(crate) has_elements: bool,
    pub(crate) has_comments: bool,
}

/// A text between two tags or comments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) range: Range<usize>,
    pub(crate) kind: TextKind,
}

/// Puts the pieces of a source together.
pub(crate) fn nodes(tokens: Vec<Token>, source: &str) -> Vec<Node> {
    let has_doctype = tokens.iter().take(8).any(|token| matches!(token, Token::Doctype(_)));
    let mut builder = builder::Builder::new(source, has_doctype);
    for token in tokens {
        match token {
            Token::Doctype(_) => {}
            Token::Start(tag) => builder.start(tag),
            Token::End { range, name } => builder.end(range, &name),
            Token::Text { range, kind } => {
                // The mark of the encoding is no text.
                let mark = if range.start == 0 && source.starts_with('\u{feff}') {
                    '\u{feff}'.len_utf8()
                } else {
                    0
                };
                if mark < range.end {
                    builder.text(Run { range: range.start + mark..range.end, kind });
                }
            }
            Token::Comment(_) => builder.comment(),
        }
    }
    builder.finish()
}
