//! Keys the program has used, hidden wherever it writes about itself.

use std::sync::{Mutex, MutexGuard, PoisonError};

use facsimile_agent::Secret;

use super::Mask;

/// Shorter ones are words that people write.
const MIN_CHARS: usize = 6;
/// More than anybody has. Beyond them the oldest is forgotten.
const MAX_KEYS: usize = 64;

/// Hides every key it knows, in every spelling a text can hold one in. The last 64 keys are known until the program ends.
#[derive(Default)]
pub struct KnownKeys {
    keys: Mutex<Vec<Known>>,
}

struct Known {
    key: Secret,
    mask: Mask,
}

impl KnownKeys {
    /// None yet.
    pub const fn new() -> Self {
        Self { keys: Mutex::new(Vec::new()) }
    }

    /// Hides this key from now on.
    pub fn know(&self, key: &Secret) {
        let mut keys = self.keys();
        if key.expose().chars().count() < MIN_CHARS || keys.iter().any(|known| known.key == *key) {
            return;
        }
        if keys.len() == MAX_KEYS {
            keys.remove(0);
        }
        keys.push(Known { key: key.clone(), mask: Mask::of(key.expose()) });
    }

    /// The text without any of the keys.
    pub fn hide(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for known in self.keys().iter() {
            text = known.mask.hide(&text);
        }
        // Whatever else looks like a key.
        Mask::default().hide(&text)
    }

    fn keys(&self) -> MutexGuard<'_, Vec<Known>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for KnownKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KnownKeys")
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

    use super::*;

    const MASK: &str = "•••";
    const KEY: &str = "live+key/0123456789?abcXYZ";

    #[test]
    fn a_known_key_is_hidden_in_every_spelling() {
        let known = KnownKeys::new();
        known.know(&Secret::new(KEY).unwrap());
        let escaped = KEY.replace('/', "\\/");
        let mut texts = vec![
            format!("key={KEY};"),
            format!("{{\"key\":\"{escaped}\"}}"),
            "q=live%2Bkey%2F0123456789%3FabcXYZ&x".to_owned(),
            "q=live%2bkey%2f0123456789%3fabcXYZ&x".to_owned(),
            KEY.bytes().map(|byte| format!("%{byte:02x}")).collect(),
            KEY.bytes().map(|byte| format!("\\u{byte:04x}")).collect(),
            KEY.bytes().map(|byte| format!("{byte:02X}")).collect(),
            "some of it: 0123456789, no more".to_owned(),
        ];
        for before in ["", "a", "ab"] {
            texts.push(STANDARD_NO_PAD.encode(format!("{before}{KEY} and so on")));
            texts.push(URL_SAFE_NO_PAD.encode(format!("{before}{KEY} and so on")));
        }
        for text in &texts {
            let hidden = known.hide(text);
            assert!(hidden.contains(MASK) && !hidden.contains("0123456789"), "{text} {hidden}");
        }
    }

    #[test]
    fn other_words_stay_and_short_keys_are_words() {
        let known = KnownKeys::new();
        known.know(&Secret::new("model").unwrap());
        assert_eq!(known.hide("the model answered 3 times"), "the model answered 3 times");
    }
}
