//! The few bytes that a change replaces, and how to take it back.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use ts_rs::TS;

use super::ChangeRefused;

/// Sixteen digits that are different for different sources.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(transparent)]
pub struct SourceVersion(String);

impl SourceVersion {
    /// The version of a source.
    pub fn of(source: &str) -> Self {
        let digest = Sha256::digest(source.as_bytes());
        Self(digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect())
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An element as a preview names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[ts(rename = "ElementPick")]
pub struct Pick {
    /// The byte its start tag begins at.
    pub at: usize,
    /// The version of the source it was picked from.
    pub version: SourceVersion,
}

/// A replacement of one run of bytes, good for one version of a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patch {
    /// The version it fits.
    pub version: SourceVersion,
    /// The bytes to replace.
    pub range: Range<usize>,
    /// What replaces them.
    pub text: String,
}

/// A source after a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patched {
    /// The new source.
    pub source: String,
    /// The patch that gives the old one back, byte for byte.
    pub undo: Patch,
}

impl Patch {
    /// The source with the bytes replaced; refused for any other version.
    pub fn apply(&self, source: &str) -> Result<Patched, ChangeRefused> {
        let is_meant = SourceVersion::of(source) == self.version;
        let old = source.get(self.range.clone()).filter(|_| is_meant).ok_or(ChangeRefused::OtherVersion)?;
        let mut new = String::with_capacity(source.len() + self.text.len());
        new.push_str(&source[..self.range.start]);
        new.push_str(&self.text);
        new.push_str(&source[self.range.end..]);
        let range = self.range.start..self.range.start + self.text.len();
        let undo = Patch { version: SourceVersion::of(&new), range, text: old.to_owned() };
        Ok(Patched { source: new, undo })
    }
}
