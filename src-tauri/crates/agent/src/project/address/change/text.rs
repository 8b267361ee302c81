//! An element's own texts replaced.

use std::ops::Range;

use super::{Splice, WhichText, value};
use crate::project::address::token::TextKind;
use crate::project::address::tree::Namespace;
use crate::project::address::{ChangeRefused, Element, grammar};
use crate::project::edit::with_endings_of;
use crate::project::reference::resolved;

/// Another text in place of one of the element's own.
pub(super) fn replaced(element: &Element<'_>, which: WhichText, text: &str) -> Result<Splice, ChangeRefused> {
    let text = value::speakable(text)?;
    let (range, kind) = place(element, which)?;
    let old = &element.source()[range.clone()];
    let reads = match kind {
        TextKind::Markup => resolved(old).text().replace("\r\n", "\n").replace('\r', "\n") == text,
        _ => old == text,
    };
    if reads {
        return Err(ChangeRefused::NothingToDo);
    }
    let mut spelled = match kind {
        TextKind::Markup => text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"),
        TextKind::Raw | TextKind::Endless | TextKind::Cdata => {
            stays_inside(element, kind, &text)?;
            text
        }
    };
    // The first line break of these is not part of their text.
    let skips_break = matches!(element.tag(), "pre" | "textarea" | "listing");
    if skips_break && spelled.starts_with('\n') && range.start == element.content().start {
        spelled.insert(0, '\n');
    }
    Ok((range, with_endings_of(element.source(), &spelled)))
}

fn place(element: &Element<'_>, which: WhichText) -> Result<(Range<usize>, TextKind), ChangeRefused> {
    let tag = || element.tag().to_owned();
    let runs: Vec<_> = element.runs().collect();
    let count = runs.len();
    let run = match which {
        WhichText::Number(number) => {
            Some(*runs.get(number).ok_or_else(|| ChangeRefused::NoSuchText { tag: tag(), number, count })?)
        }
        WhichText::Whole if element.node().has_elements => {
            return Err(ChangeRefused::HoldsElements { tag: tag() });
        }
        WhichText::Whole if count > 1 => return Err(ChangeRefused::SeveralTexts { tag: tag(), count }),
        WhichText::Whole => runs.first().copied(),
    };
    if let Some(run) = run {
        let text = &element.source()[run.range.clone()];
        let start = run.range.start + (text.len() - text.trim_ascii_start().len());
        return Ok((start..start + text.trim_ascii().len(), run.kind));
    }
    if element.is_void() || takes_no_text(element) {
        return Err(ChangeRefused::TakesNoText { tag: tag() });
    }
    let at = element.content().start;
    Ok((at..at, kind_of_content(element)))
}

fn takes_no_text(element: &Element<'_>) -> bool {
    let tag = element.tag();
    element.node().namespace == Namespace::Html
        && (grammar::is_table_frame(tag)
            || matches!(tag, "html" | "head" | "colgroup" | "frameset" | "select" | "optgroup"))
}

fn kind_of_content(element: &Element<'_>) -> TextKind {
    if element.node().namespace != Namespace::Html {
        return TextKind::Markup;
    }
    match element.tag() {
        "script" | "style" | "xmp" | "iframe" | "noembed" | "noframes" | "noscript" => TextKind::Raw,
        "plaintext" => TextKind::Endless,
        _ => TextKind::Markup,
    }
}

/// Nothing can be escaped in such a text, so what would end it must not be in it.
fn stays_inside(element: &Element<'_>, kind: TextKind, text: &str) -> Result<(), ChangeRefused> {
    let end_tag = format!("</{}", element.tag());
    let ends: &[&str] = match kind {
        TextKind::Cdata => &["]]>"],
        TextKind::Raw if element.tag() == "script" => &[&end_tag, "<!--", "<script"],
        TextKind::Raw => &[&end_tag],
        TextKind::Markup | TextKind::Endless => &[],
    };
    let lower = text.to_ascii_lowercase();
    match ends.iter().find(|end| lower.contains(**end)) {
        Some(found) => {
            Err(ChangeRefused::WouldEnd { tag: element.tag().to_owned(), found: (*found).to_owned() })
        }
        None => Ok(()),
    }
}
