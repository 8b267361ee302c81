//! Attributes set and removed.

use std::ops::Range;

use super::{Splice, value, without};
use crate::project::address::{Attribute, ChangeRefused, Element, Quote};

/// The attribute with this value; a new one goes behind the others.
pub(super) fn set(element: &Element<'_>, name: &str, new: &str) -> Result<Splice, ChangeRefused> {
    let is_name_part = |c: char| !c.is_whitespace() && !c.is_control() && !"\"'<>/=".contains(c);
    if name.is_empty() || !name.chars().all(is_name_part) {
        return Err(ChangeRefused::BadName { what: "an attribute", name: name.to_owned() });
    }
    let new = value::speakable(new)?;
    let Some(attribute) = element.attribute(name) else { return Ok(added(element, name, &new)) };
    if element.value_of(attribute) == new {
        return Err(ChangeRefused::NothingToDo);
    }
    let whole = attribute.value.clone().unwrap_or(0..0);
    Ok(value::replaced(element, attribute, whole, &new))
}

/// A new attribute.
pub(super) fn added(element: &Element<'_>, name: &str, new: &str) -> Splice {
    let text = format!(" {name}={}", value::quoted(element, new));
    match element.attributes().last() {
        // Behind a bare `=` the next word would be the value.
        Some(Attribute { value: Some(value), quote: Quote::Bare, .. }) if value.is_empty() => {
            (value.clone(), format!("\"\"{text}"))
        }
        Some(last) => (last.range().end..last.range().end, text),
        None => (element.name_end()..element.name_end(), text),
    }
}

/// No attribute of this name, also where it is written twice: the second would count then.
pub(super) fn removed(element: &Element<'_>, name: &str) -> Result<Splice, ChangeRefused> {
    let source = element.source();
    let mut before = element.name_end();
    let mut parts: Vec<Range<usize>> = Vec::new();
    let (mut last_kept, mut kept_before_last) = (None, None);
    for attribute in element.attributes() {
        let range = attribute.range();
        if element.is_named(attribute, name) {
            let next = source.as_bytes().get(range.end);
            let is_apart = next.is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'>');
            parts.push(if is_apart { before..range.end } else { range.clone() });
            kept_before_last = last_kept;
        } else {
            last_kept = Some(attribute);
        }
        before = range.end;
    }
    let (range, mut kept) = without(source, &parts).ok_or(ChangeRefused::NothingToDo)?;
    // A name may begin with `=`; behind one without a value it would be the value.
    let is_open = kept_before_last.is_some_and(|attribute| attribute.value.is_none());
    if is_open && source[range.end..].trim_ascii_start().starts_with('=') {
        kept.push_str("=\"\"");
    }
    Ok((range, kept))
}
