//! Words that nobody can guess.

use std::fmt::{self, Write};

/// 128 random bits in hexadecimal: what a script must carry to run under the streaming policy.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Nonce(String);

impl Nonce {
    /// A fresh one; `None` where the system gives no random numbers.
    pub(crate) fn fresh() -> Option<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).ok()?;
        Some(Self(bytes.iter().fold(String::with_capacity(32), |mut hex, byte| {
            // Writing to a string cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Nonce(…)")
    }
}
