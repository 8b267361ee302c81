//! How a value is spelled between its quotes.

use std::ops::Range;

use super::Splice;
use crate::project::address::{Attribute, ChangeRefused, Element, Quote};
use crate::project::edit::with_endings_of;

/// A text with nothing in it that a page cannot hold.
pub(super) fn speakable(text: &str) -> Result<String, ChangeRefused> {
    let is_bad = |c: &char| matches!(u32::from(*c), 0..=8 | 0xb | 0xe..=0x1f | 0x7f..=0x9f);
    match text.chars().find(is_bad) {
        Some(c) => Err(ChangeRefused::Unspeakable { code: u32::from(c) }),
        None => Ok(text.replace("\r\n", "\n").replace('\r', "\n")),
    }
}

/// A value in quotes of its own.
pub(super) fn quoted(element: &Element<'_>, value: &str) -> String {
    format!("\"{}\"", spelled(element, value, Quote::Double))
}

/// A part of a value replaced. A value without quotes gets some only where it cannot do without them.
pub(super) fn replaced(
    element: &Element<'_>,
    attribute: &Attribute,
    part: Range<usize>,
    with: &str,
) -> Splice {
    let source = element.source();
    let Some(value) = attribute.value.clone() else {
        return (attribute.name.end..attribute.name.end, format!("={}", quoted(element, with)));
    };
    let text = spelled(element, with, attribute.quote);
    if attribute.quote == Quote::Bare {
        let whole = [&source[value.start..part.start], &text, &source[part.end..value.end]].concat();
        if needs_quotes(&whole) {
            return (value, format!("\"{}\"", whole.replace('"', "&quot;")));
        }
    }
    (part, text)
}

fn spelled(element: &Element<'_>, value: &str, quote: Quote) -> String {
    let value = value.replace('&', "&amp;");
    let value = match quote {
        Quote::Double => value.replace('"', "&quot;"),
        Quote::Single => value.replace('\'', "&#39;"),
        Quote::Bare => value,
    };
    with_endings_of(element.source(), &value)
}

fn needs_quotes(value: &str) -> bool {
    let is_special = |c: char| c.is_ascii_whitespace() || matches!(c, '"' | '\'' | '=' | '<' | '>' | '`');
    value.is_empty() || value.contains(is_special)
}
