//! The declarations of a style, found without changing their spelling.

use std::ops::Range;

/// One declaration, by its places in the style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Declaration {
    pub(crate) property: Range<usize>,
    /// Without `!important`.
    pub(crate) value: Range<usize>,
    pub(crate) important: Option<Range<usize>>,
    /// Behind its semicolon, if it has one.
    pub(crate) end: usize,
}

/// A style taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scan {
    pub(crate) declarations: Vec<Declaration>,
    /// Whether it ends inside a string, a comment or a bracket.
    pub(crate) is_broken: bool,
}

/// Takes a style apart.
pub(crate) fn declarations(style: &str) -> Scan {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        let stretch = stretch(style, at);
        let end = (stretch.end + usize::from(stretch.stop == Stop::Semicolon)).min(style.len());
        found.extend(declaration(style, at..stretch.end, end));
        if stretch.stop != Stop::Semicolon {
            return Scan { declarations: found, is_broken: stretch.stop == Stop::Inside };
        }
        at = end;
    }
}

/// Why a text is not one value, if it is not.
pub(crate) fn flaw_of_value(value: &str) -> Option<&'static str> {
    let stretch = stretch(value, 0);
    match stretch.stop {
        _ if value.trim().is_empty() => Some("it is empty; remove the property instead"),
        Stop::Semicolon => Some("it holds a semicolon outside of quotes and brackets"),
        Stop::Inside => Some("a string, a comment or a bracket is not closed"),
        Stop::End if stretch.closes_more => Some("it closes a bracket that it did not open"),
        Stop::End => None,
    }
}

fn declaration(style: &str, stretch: Range<usize>, end: usize) -> Option<Declaration> {
    let start = stretch.start + blank_length(&style[stretch.clone()]);
    let body = style.get(start..stretch.end)?;
    let (name, value) = body.split_once(':')?;
    let name = name.trim_ascii_end();
    let property = start..start + name.len();
    let written = value.trim_ascii();
    let value_start = stretch.end - value.trim_ascii_start().len();
    let mut value = value_start..value_start + written.len();
    let mut important = None;
    if let Some((before, word)) = written.rsplit_once('!')
        && word.trim_ascii().eq_ignore_ascii_case("important")
    {
        important = Some(value_start + before.len()..value.end);
        value.end = value_start + before.trim_ascii_end().len();
    }
    (!name.is_empty()).then_some(Declaration { property, value, important, end })
}

/// How long the blanks and comments at the beginning are.
fn blank_length(text: &str) -> usize {
    let mut rest = text;
    loop {
        rest = rest.trim_ascii_start();
        match rest.strip_prefix("/*").and_then(|comment| comment.split_once("*/")) {
            Some((_, after)) => rest = after,
            None => return text.len() - rest.len(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Semicolon,
    End,
    /// The end, but not outside of everything.
    Inside,
}

struct Stretch {
    end: usize,
    stop: Stop,
    closes_more: bool,
}

/// From here to the next semicolon that separates.
fn stretch(style: &str, from: usize) -> Stretch {
    let bytes = style.as_bytes();
    let mut at = from;
    let mut open = Vec::new();
    let mut closes_more = false;
    let stop = loop {
        let Some(&byte) = bytes.get(at) else {
            break if open.is_empty() { Stop::End } else { Stop::Inside };
        };
        match byte {
            b'\\' => at += 1,
            b'"' | b'\'' => match string_end(bytes, at) {
                Some(end) => at = end,
                None => break Stop::Inside,
            },
            b'/' if bytes.get(at + 1) == Some(&b'*') => match style[at + 2..].find("*/") {
                Some(length) => at += 3 + length,
                None => break Stop::Inside,
            },
            b'(' => open.push(b')'),
            b'[' => open.push(b']'),
            b'{' => open.push(b'}'),
            b')' | b']' | b'}' => {
                if open.last() == Some(&byte) {
                    open.pop();
                } else {
                    closes_more = true;
                }
            }
            b';' if open.is_empty() => break Stop::Semicolon,
            _ => {}
        }
        at += 1;
    };
    let end = if stop == Stop::Semicolon { at } else { style.len() };
    Stretch { end, stop, closes_more }
}

/// Where the string that begins here ends.
fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let quote = bytes[at];
    let mut end = at + 1;
    while let Some(&byte) = bytes.get(end) {
        match byte {
            b'\\' => end += 1,
            b'\n' => return None,
            _ if byte == quote => return Some(end),
            _ => {}
        }
        end += 1;
    }
    None
}
