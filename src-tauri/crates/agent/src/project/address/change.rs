//! Changes of one element, each as one run of bytes and what replaces it.

mod attribute;
mod class;
mod style;
mod text;
mod value;

use std::ops::Range;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{ChangeRefused, Element};

pub(super) use style::declarations;

/// What is to be different. Texts and values are given as they read; spelling them in a page is not the caller's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Change {
    /// Another text. Blanks around the old one stay.
    Text {
        /// Which of the element's texts.
        which: WhichText,
        /// The new text.
        text: String,
    },
    /// An attribute with this value, in the quotes it has.
    SetAttribute {
        /// Its name.
        name: String,
        /// Its value.
        value: String,
    },
    /// No such attribute.
    RemoveAttribute {
        /// Its name.
        name: String,
    },
    /// One more class, behind the others.
    AddClass {
        /// Its name.
        name: String,
    },
    /// One class less.
    RemoveClass {
        /// Its name.
        name: String,
    },
    /// A declaration in the element's own style; an existing one keeps its place and its `!important`.
    SetStyle {
        /// The property.
        property: String,
        /// The value.
        value: String,
    },
    /// No declaration of this property in the element's own style.
    RemoveStyle {
        /// The property.
        property: String,
    },
}

/// One of an element's own texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum WhichText {
    /// The only one; refused where elements stand between several.
    Whole,
    /// Counted from 0, those that are nothing but blanks left out.
    Number(usize),
}

/// Bytes and what replaces them.
type Splice = (Range<usize>, String);

/// What has to be replaced.
pub(super) fn splice(element: &Element<'_>, change: &Change) -> Result<Splice, ChangeRefused> {
    match change {
        Change::Text { which, text } => text::replaced(element, *which, text),
        Change::SetAttribute { name, value } => attribute::set(element, name, value),
        Change::RemoveAttribute { name } => attribute::removed(element, name),
        Change::AddClass { name } => class::added(element, name),
        Change::RemoveClass { name } => class::removed(element, name),
        Change::SetStyle { property, value } => style::set(element, property, value),
        Change::RemoveStyle { property } => style::removed(element, property),
    }
}

/// A range with some parts of it taken out, in order.
fn without(source: &str, parts: &[Range<usize>]) -> Option<Splice> {
    let (first, last) = (parts.first()?, parts.last()?);
    let mut kept = String::new();
    for pair in parts.windows(2) {
        kept.push_str(&source[pair[0].end..pair[1].start]);
    }
    Some((first.start..last.end, kept))
}

#[cfg(test)]
mod tests;
