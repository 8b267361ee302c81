//! A text as it reads, with the place in the source that each part of it came from.

use std::ops::Range;

/// What stands inside a unit: no edit may begin or end there.
const INSIDE: usize = usize::MAX;

/// Text made of units, each of which stands for some bytes of a source.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    text: String,
    /// For every byte of the text where its unit begins in the source; [`INSIDE`] for the unit's later bytes.
    starts: Vec<usize>,
}

impl Reading {
    /// Adds a unit that begins at this byte of the source. An empty unit reads as nothing.
    pub(crate) fn push(&mut self, unit: &str, at: usize) {
        self.text.push_str(unit);
        if !unit.is_empty() {
            self.starts.push(at);
            self.starts.resize(self.text.len(), INSIDE);
        }
    }

    /// Says how long the source is, which ends the last unit.
    pub(crate) fn ending_at(mut self, source_bytes: usize) -> Self {
        self.starts.push(source_bytes);
        self
    }

    /// The text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The bytes of the source behind a part of the text, unless the part cuts a unit.
    pub(crate) fn source_range(&self, part: Range<usize>) -> Option<Range<usize>> {
        let place = |at: usize| self.starts.get(at).copied().filter(|start| *start != INSIDE);
        Some(place(part.start)?..place(part.end)?)
    }
}
