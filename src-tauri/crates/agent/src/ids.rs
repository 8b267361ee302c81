//! Identifiers. Rows are named by UUIDv7, so that sorting by id is sorting by age.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use ts_rs::TS;
use uuid::Uuid;

macro_rules! row_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
        #[serde(transparent)]
        pub struct $name(#[ts(type = "string")] Uuid);

        impl $name {
            /// A fresh id, later than every earlier one made on this machine.
            pub fn fresh() -> Self {
                Self(Uuid::now_v7())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::from_str(text).map(Self)
            }
        }
    };
}

row_id!(
    /// One design: its inputs, its files, its whole history.
    ProjectId
);
row_id!(
    /// One picture (or other input) a project was given.
    InputId
);
row_id!(
    /// One thing the user asked for.
    TurnId
);
row_id!(
    /// The execution of one turn.
    RunId
);
row_id!(
    /// The files of one variant when it ended with files.
    VersionId
);
row_id!(
    /// A long job with a record of its own.
    TaskId
);

/// The SHA-256 of an asset's bytes in lower-case hexadecimal: its name in the store and, cut to sixteen
/// characters, in pages.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AssetId(String);

impl AssetId {
    /// Takes a hash as 64 lower-case hexadecimal characters; anything else is `None`.
    pub fn parse(hex: &str) -> Option<Self> {
        let well_formed = hex.len() == 64 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        well_formed.then(|| Self(hex.to_owned()))
    }

    /// The whole hash.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Where pages find the asset: `assets/<first 16 hex>.<ext>`.
    pub fn page_path(&self, extension: &str) -> String {
        format!("assets/{}.{extension}", &self.0[..16])
    }
}

/// Which of a run's one to four variants, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(transparent)]
pub struct VariantIndex(pub u8);

impl fmt::Display for VariantIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Names one stretch of text, one thought or one tool call of a variant: `{prefix}-{variant}-{8 hex}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(transparent)]
pub struct EventId(String);

impl EventId {
    /// A fresh id with a readable prefix such as `assistant` or `tool`.
    pub fn fresh(prefix: &str, variant: VariantIndex) -> Self {
        // The tail of a v7 id is random; its head is the clock and would repeat within a millisecond.
        let random = Uuid::now_v7().as_u128() as u32;
        Self(format!("{prefix}-{variant}-{random:08x}"))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_ids_carry_prefix_variant_and_eight_hex_digits() {
        let id = EventId::fresh("tool", VariantIndex(2)).to_string();
        let hex = id.strip_prefix("tool-2-").unwrap();
        assert!(hex.len() == 8 && hex.bytes().all(|b| b.is_ascii_hexdigit()), "{id}");
    }

    #[test]
    fn only_a_whole_lower_case_hash_names_an_asset() {
        let hash = "0123456789abcdef".repeat(4);
        assert_eq!(
            AssetId::parse(&hash).map(|id| id.page_path("png")).as_deref(),
            Some("assets/0123456789abcdef.png")
        );
        assert_eq!([AssetId::parse(&hash[1..]), AssetId::parse(&hash.to_uppercase())], [None, None]);
    }
}
