//! Elements of a page's source, byte by byte.
//!
//! [`Outline`] reads a source once and knows for every element where its tags, attributes and texts stand. An
//! element is named by the place of its start tag, which is the `data-fx` of a preview's copy, together with the
//! version of the source: a [`Pick`] of an older page finds nothing. [`Outline::patch`] turns a [`Change`] of one
//! element into a [`Patch`] that replaces a few bytes and leaves every other as it is; applying it gives the patch
//! that takes it back.

mod alike;
mod change;
mod describe;
mod element;
mod grammar;
mod patch;
mod refused;
mod token;
mod tree;
mod visible;

pub use alike::Rewritten;
pub use change::{Change, WhichText};
pub use describe::Description;
pub use element::Element;
pub(crate) use grammar::is_void;
pub use patch::{Patch, Patched, Pick, SourceVersion};
pub use refused::ChangeRefused;
pub use token::{Attribute, Quote};
use tree::Node;
pub(crate) use visible::visible_texts;

/// A source and where its elements stand in it.
#[derive(Debug)]
pub struct Outline<'s> {
    source: &'s str,
    version: SourceVersion,
    nodes: Vec<Node>,
    /// The elements that somebody wrote, by the place of their start tags.
    places: Vec<(usize, usize)>,
}

impl<'s> Outline<'s> {
    /// Reads a source. Whatever a browser makes something of has an outline.
    pub fn of(source: &'s str) -> Self {
        let nodes = tree::nodes(token::tokens(source), source);
        let place = |(id, node): (usize, &Node)| node.tag.as_ref().map(|tag| (tag.range.start, id));
        let mut places: Vec<_> = nodes.iter().enumerate().filter_map(place).collect();
        places.sort_unstable();
        Self { source, version: SourceVersion::of(source), nodes, places }
    }

    /// The version of the source.
    pub fn version(&self) -> &SourceVersion {
        &self.version
    }

    /// The elements that somebody wrote, in the order of their start tags.
    pub fn elements(&self) -> impl Iterator<Item = Element<'_>> {
        self.places.iter().map(|(_, id)| Element::new(self, *id))
    }

    /// The element that was picked, if the page is still the one it was picked from.
    pub fn element(&self, pick: &Pick) -> Result<Element<'_>, ChangeRefused> {
        if pick.version != self.version {
            return Err(ChangeRefused::OtherVersion);
        }
        match self.places.binary_search_by_key(&pick.at, |(at, _)| *at) {
            Ok(index) => Ok(Element::new(self, self.places[index].1)),
            Err(_) => Err(ChangeRefused::NoElement { at: pick.at }),
        }
    }

    /// What has to be replaced to change an element so.
    pub fn patch(&self, pick: &Pick, change: &Change) -> Result<Patch, ChangeRefused> {
        let (range, text) = change::splice(&self.element(pick)?, change)?;
        if self.source[range.clone()] == text {
            return Err(ChangeRefused::NothingToDo);
        }
        let patch = Patch { version: self.version.clone(), range, text };
        if let Change::Text { text, .. } = change
            && patch.range.is_empty()
            && !text.trim_ascii().is_empty()
        {
            self.stays_inside(pick, &patch)?;
        }
        Ok(patch)
    }

    /// Looks whether a text that is put where none was is read as the element's own.
    fn stays_inside(&self, pick: &Pick, patch: &Patch) -> Result<(), ChangeRefused> {
        let patched = patch.apply(self.source)?;
        let outline = Outline::of(&patched.source);
        let element = outline.element(&Pick { version: outline.version.clone(), ..pick.clone() })?;
        let place = patched.undo.range;
        match element.texts().any(|text| text.start < place.end && place.start < text.end) {
            true => Ok(()),
            false => Err(ChangeRefused::LandsElsewhere { tag: element.tag().to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests;
