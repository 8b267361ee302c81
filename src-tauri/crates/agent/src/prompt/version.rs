//! Which wording a run was made with.

use std::fmt;
use std::sync::LazyLock;

use sha2::{Digest, Sha256};

use super::libraries::LIBRARIES;
use super::text;

/// The day of the last change to how texts are put together; the texts themselves are hashed.
const REVISION: &str = "2026-11-30";
const HASH_DIGITS: usize = 8;

/// A name for the state of all prompt texts: the same texts have the same name, other texts another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PromptVersion(&'static str);

impl PromptVersion {
    /// The version of this program's prompts.
    pub fn current() -> Self {
        static CURRENT: LazyLock<String> = LazyLock::new(|| {
            let addresses: Vec<_> =
                LIBRARIES.iter().map(|library| (library.name, library.address())).collect();
            let addresses = addresses.iter().map(|(name, address)| (*name, address.as_str()));
            version_of(text::ALL.iter().copied().chain(addresses))
        });
        Self(&CURRENT)
    }

    /// It as text, such as `2026-11-30.1a2b3c4d`.
    pub fn as_str(&self) -> &'static str {
        self.0
    }
}

impl fmt::Display for PromptVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

fn version_of<'a>(texts: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut hash = Sha256::new();
    for (name, text) in texts {
        // The lengths keep text that moves from one file to the next from going unseen.
        for part in [name, text] {
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
    }
    format!("{REVISION}.{}", hex_digits(&hash.finalize(), HASH_DIGITS))
}

/// The first digits of a hash.
pub(super) fn hex_digits(bytes: &[u8], digits: usize) -> String {
    let mut hex: String = bytes.iter().take(digits.div_ceil(2)).map(|byte| format!("{byte:02x}")).collect();
    hex.truncate(digits);
    hex
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_change_to_any_text_changes_the_version() {
        let mut versions = BTreeSet::from([version_of(text::ALL.iter().copied())]);
        for changed in 0..text::ALL.len() {
            let longer = format!("{}.", text::ALL[changed].1);
            let texts = text::ALL
                .iter()
                .enumerate()
                .map(|(at, (name, text))| (*name, if at == changed { longer.as_str() } else { *text }));
            versions.insert(version_of(texts));
        }
        versions.insert(version_of([("a", "bc"), ("d", "e")].into_iter()));
        versions.insert(version_of([("a", "b"), ("cd", "e")].into_iter()));
        assert_eq!(versions.len(), text::ALL.len() + 3);
    }

    #[test]
    fn the_version_is_a_day_and_eight_digits() {
        let (day, hash) = PromptVersion::current().as_str().split_once('.').unwrap();
        assert_eq!((day, hash.len()), (REVISION, 8));
        assert!(hash.chars().all(|c| c.is_ascii_hexdigit()));
    }
}
