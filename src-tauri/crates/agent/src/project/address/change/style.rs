//! Declarations of an element's own style set and removed.

mod declaration;

use std::ops::Range;

use super::{Splice, attribute, value, without};
use crate::project::address::{ChangeRefused, Element};
use crate::project::reading::Reading;
use crate::project::reference::resolved;
pub(in crate::project::address) use declaration::declarations;
use declaration::{Declaration, Scan, flaw_of_value};

/// The declaration with this value; a new one goes behind the others.
pub(super) fn set(element: &Element<'_>, property: &str, new: &str) -> Result<Splice, ChangeRefused> {
    check(property)?;
    let new = value::speakable(new.trim())?;
    if let Some(why) = flaw_of_value(&new) {
        return Err(ChangeRefused::BadValue { value: new, why });
    }
    let Some(attribute) = element.attribute("style") else {
        return Ok(attribute::added(element, "style", &format!("{property}: {new}")));
    };
    let style = Style::of(element);
    let text = style.reading.text();
    let mut named = style.named(property).collect::<Vec<_>>();
    // Of several the last one counts, and an important one more than the others.
    named.sort_by_key(|declaration| declaration.important.is_some());
    let (part, with) = match named.last() {
        Some(declaration) if text[declaration.value.clone()] == new => {
            return Err(ChangeRefused::NothingToDo);
        }
        Some(declaration) => {
            let says_important = new.to_ascii_lowercase().ends_with("!important");
            let important = declaration.important.clone().filter(|_| says_important);
            let end = important.map_or(declaration.value.end, |important| important.end);
            (declaration.value.start..end, new)
        }
        None if style.scan.is_broken => return Err(ChangeRefused::BrokenStyle),
        None => {
            let end = text.trim_ascii_end().len();
            let with = match text[..end].chars().last() {
                None => format!("{property}: {new}"),
                Some(';') => format!(" {property}: {new};"),
                Some(_) => format!("; {property}: {new}"),
            };
            (end..end, with)
        }
    };
    let part = style.place(part).ok_or(ChangeRefused::BrokenStyle)?;
    Ok(value::replaced(element, attribute, part, &with))
}

/// No declaration of this property; with the last one the attribute goes.
pub(super) fn removed(element: &Element<'_>, property: &str) -> Result<Splice, ChangeRefused> {
    let style = Style::of(element);
    let named: Vec<_> = style.named(property).collect();
    if named.is_empty() {
        return Err(ChangeRefused::NothingToDo);
    }
    let text = style.reading.text();
    let mut rest = String::new();
    let mut parts = Vec::new();
    let mut kept = 0;
    for declaration in named {
        let blanks = text[declaration.end..].len() - text[declaration.end..].trim_ascii_start().len();
        let part = declaration.property.start..declaration.end + blanks;
        rest.push_str(&text[kept..part.start]);
        kept = part.end;
        parts.push(style.place(part).ok_or(ChangeRefused::BrokenStyle)?);
    }
    rest.push_str(&text[kept..]);
    if rest.trim_ascii().is_empty() {
        return attribute::removed(element, "style");
    }
    // Before the last declaration stands a blank that only separated it.
    let before = parts.iter().rev().nth(1).map_or(style.at, |part| part.end);
    if let Some(last) = parts.last_mut()
        && text[kept..].is_empty()
    {
        last.start = element.source()[..last.start].trim_ascii_end().len().max(before);
    }
    without(element.source(), &parts).ok_or(ChangeRefused::NothingToDo)
}

struct Style {
    /// Where the value begins in the source.
    at: usize,
    reading: Reading,
    scan: Scan,
}

impl Style {
    fn of(element: &Element<'_>) -> Self {
        let value = element.attribute("style").and_then(|attribute| attribute.value.clone()).unwrap_or(0..0);
        let reading = resolved(&element.source()[value.clone()]);
        let scan = declarations(reading.text());
        Self { at: value.start, reading, scan }
    }

    fn named<'a>(&'a self, property: &'a str) -> impl Iterator<Item = &'a Declaration> + 'a {
        self.scan.declarations.iter().filter(move |declaration| {
            let name = &self.reading.text()[declaration.property.clone()];
            // Names that a page makes up are told apart by case.
            if property.starts_with("--") { name == property } else { name.eq_ignore_ascii_case(property) }
        })
    }

    fn place(&self, part: Range<usize>) -> Option<Range<usize>> {
        let range = self.reading.source_range(part)?;
        Some(self.at + range.start..self.at + range.end)
    }
}

fn check(property: &str) -> Result<(), ChangeRefused> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let is_name = property.chars().all(is_part) && property.starts_with(|c: char| !c.is_ascii_digit());
    if is_name && property != "-" && property != "--" {
        return Ok(());
    }
    Err(ChangeRefused::BadName { what: "a style property", name: property.to_owned() })
}
