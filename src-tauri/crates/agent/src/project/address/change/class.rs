//! Classes added and removed.

use std::ops::Range;

use super::{Splice, attribute, value, without};
use crate::project::address::{ChangeRefused, Element};
use crate::project::reference::resolved;

/// One more class.
pub(super) fn added(element: &Element<'_>, name: &str) -> Result<Splice, ChangeRefused> {
    check(name)?;
    let Some(attribute) = element.attribute("class") else {
        return Ok(attribute::added(element, "class", name));
    };
    let classes = classes(element);
    if classes.iter().any(|(class, _)| class == name) {
        return Err(ChangeRefused::NothingToDo);
    }
    let end = attribute.value.as_ref().map_or(0, |value| value.end);
    Ok(match classes.last() {
        Some((_, last)) => value::replaced(element, attribute, last.end..last.end, &format!(" {name}")),
        None => value::replaced(element, attribute, end..end, name),
    })
}

/// One class less; with the last one the attribute goes.
pub(super) fn removed(element: &Element<'_>, name: &str) -> Result<Splice, ChangeRefused> {
    let classes = classes(element);
    if !classes.is_empty() && classes.iter().all(|(class, _)| class == name) {
        return attribute::removed(element, "class");
    }
    let mut parts: Vec<Range<usize>> = Vec::new();
    for (index, (class, range)) in classes.iter().enumerate() {
        if class == name {
            parts.push(match (index.checked_sub(1).map(|before| &classes[before]), classes.get(index + 1)) {
                (_, Some((_, next))) => range.start..next.start,
                (Some((_, before)), None) => before.end..range.end,
                (None, None) => range.clone(),
            });
        }
    }
    without(element.source(), &parts).ok_or(ChangeRefused::NothingToDo)
}

/// The classes of an element with their bytes.
fn classes(element: &Element<'_>) -> Vec<(String, Range<usize>)> {
    let value = element.attribute("class").and_then(|attribute| attribute.value.clone());
    let Some(value) = value else { return Vec::new() };
    let reading = resolved(&element.source()[value.clone()]);
    let text = reading.text();
    let mut found = Vec::new();
    for class in text.split_ascii_whitespace() {
        let at = class.as_ptr() as usize - text.as_ptr() as usize;
        if let Some(range) = reading.source_range(at..at + class.len()) {
            found.push((class.to_owned(), value.start + range.start..value.start + range.end));
        }
    }
    found
}

fn check(name: &str) -> Result<(), ChangeRefused> {
    if name.is_empty() || name.contains(char::is_whitespace) || value::speakable(name)? != name {
        return Err(ChangeRefused::BadName { what: "a class", name: name.to_owned() });
    }
    Ok(())
}
