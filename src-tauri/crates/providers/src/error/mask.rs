//! Keeps keys out of everything that is shown or stored.

use std::collections::HashSet;

use super::spelling::spellings;

const MASK: &str = "•••";
/// So many characters of the key in a row give it away.
const TELLING: usize = 6;
/// How keys of the known providers begin.
const KEY_BEGINNINGS: [&str; 9] = ["sk-", "AIza", "r8_", "gsk_", "xai-", "hf_", "pplx-", "nvapi-", "AQ."];
/// Words of a provider above this are cut.
const MAX_WORDS: usize = 600;

/// Hides one key, parts of it, and whatever else looks like a key.
#[derive(Clone, Default)]
pub struct Mask {
    runs: HashSet<String>,
    spellings: Vec<String>,
}

impl Mask {
    /// Hides this key.
    pub fn of(key: &str) -> Self {
        let characters: Vec<char> = key.chars().collect();
        let runs = characters.windows(TELLING).map(String::from_iter).collect();
        // A shorter one is a word like others.
        let spellings = if characters.len() >= 4 { spellings(key) } else { Vec::new() };
        Self { runs, spellings }
    }

    /// The text with keys hidden and cut to a readable length.
    pub fn apply(&self, text: &str) -> String {
        // Cut late enough that no key is halved into something unrecognisable.
        let cut: String = text.chars().take(MAX_WORDS * 4).collect();
        let out = self.hide(&cut);
        match out.char_indices().nth(MAX_WORDS) {
            Some((end, _)) => format!("{}…", &out[..end]),
            None => out,
        }
    }

    /// The text with keys hidden.
    pub fn hide(&self, text: &str) -> String {
        let mut whole = text.to_owned();
        for spelling in &self.spellings {
            if whole.contains(spelling) {
                whole = whole.replace(spelling, MASK);
            }
        }
        let is_key_character =
            |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '*' | '.' | '+' | '/' | '=');
        let mut out = String::with_capacity(whole.len());
        let mut word = String::new();
        for character in whole.chars().map(Some).chain([None]) {
            match character {
                Some(c) if is_key_character(c) => word.push(c),
                other => {
                    out.push_str(if self.is_telling(&word) { MASK } else { &word });
                    word.clear();
                    out.extend(other);
                }
            }
        }
        out
    }

    fn is_telling(&self, word: &str) -> bool {
        let looks_like_a_key =
            KEY_BEGINNINGS.iter().any(|start| word.starts_with(start)) && word.chars().count() >= 8;
        looks_like_a_key || {
            let characters: Vec<char> = word.chars().collect();
            characters.windows(TELLING).any(|run| self.runs.contains(&String::from_iter(run)))
        }
    }
}

impl std::fmt::Debug for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Mask")
    }
}

impl Drop for Mask {
    fn drop(&mut self) {
        use zeroize::Zeroize;
        self.spellings.iter_mut().for_each(Zeroize::zeroize);
        for mut run in self.runs.drain() {
            run.zeroize();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_and_its_parts_are_hidden_and_the_rest_is_kept() {
        let mask = Mask::of("sk-proj-ABCDEFGHIJKLMNOP");
        let said = "Incorrect API key provided: sk-proj-ABCDEFGHIJKLMNOP, also HIJKLMNO and sk-ab***wxyz. See https://example.test/keys.";
        assert_eq!(
            mask.apply(said),
            "Incorrect API key provided: •••, also ••• and ••• See https://example.test/keys."
        );
    }

    #[test]
    fn foreign_keys_are_hidden_too() {
        assert_eq!(Mask::default().apply("used AIzaSyD-0123456789 here"), "used ••• here");
    }

    #[test]
    fn words_are_cut() {
        assert_eq!(Mask::default().apply(&"word ".repeat(1000)).chars().count(), MAX_WORDS + 1);
    }
}
