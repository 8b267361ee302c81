use facsimile_agent::Secret;

/// Why pasted text is no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyRefused {
    /// Nothing but blanks.
    #[error("the key is empty; paste it again")]
    Empty,
    /// More than one line.
    #[error("the key holds a line break; copy the key alone, in one piece")]
    LineBreak,
    /// More than one word.
    #[error("the key holds a blank; copy the key alone, without a name or quotation marks around it")]
    Blank,
    /// A character that no header can carry.
    #[error("the key holds a character that no key has ({0}); copy it again from the provider's page")]
    Character(String),
    /// More than a key.
    #[error("this is too long for a key; copy the key alone")]
    TooLong,
}

/// No key is longer; what is longer was meant for something else.
const MAX_KEY_BYTES: usize = 16 * 1024;

/// The key in pasted text. What a paste brings along at either end is left off; inside it is a mistake.
pub(crate) fn pasted_key(text: &str) -> Result<Secret, KeyRefused> {
    let is_around = |c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}');
    let key = text.trim_matches(is_around);
    if key.len() > MAX_KEY_BYTES {
        return Err(KeyRefused::TooLong);
    }
    let refused = key.chars().find_map(|character| match character {
        '\n' | '\r' | '\u{2028}' | '\u{2029}' => Some(KeyRefused::LineBreak),
        c if c.is_whitespace() => Some(KeyRefused::Blank),
        c if c.is_ascii_graphic() => None,
        c => Some(KeyRefused::Character(format!("U+{:04X}", u32::from(c)))),
    });
    match refused {
        Some(refused) => Err(refused),
        None => Secret::new(key).ok_or(KeyRefused::Empty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pasted_key_is_trimmed_and_what_is_none_is_refused_with_its_reason() {
        use KeyRefused::{Blank, Character, Empty, LineBreak, TooLong};
        let long = "k".repeat(MAX_KEY_BYTES + 1);
        let character = |name: &str| Err(Character(name.to_owned()));
        let pasted = [
            ("  sk-a_B.1/+=\r\n", Ok("sk-a_B.1/+=")),
            ("\u{feff}sk-a\u{200b}\u{a0}", Ok("sk-a")),
            ("", Err(Empty)),
            (" \t\r\n", Err(Empty)),
            ("sk-a\nsk-b", Err(LineBreak)),
            ("sk-a\rsk-b", Err(LineBreak)),
            ("OPENAI_API_KEY= sk-a", Err(Blank)),
            ("sk-a\u{a0}b", Err(Blank)),
            ("sk-a\tb", Err(Blank)),
            ("sk-a\0b", character("U+0000")),
            ("sk-a\u{7f}", character("U+007F")),
            ("sk-a\u{200b}b", character("U+200B")),
            ("\u{201c}sk-a\u{201d}", character("U+201C")),
            (long.as_str(), Err(TooLong)),
        ];
        for (text, expected) in pasted {
            let expected = expected.map(|key| Secret::new(key).unwrap());
            assert_eq!(pasted_key(text), expected, "{text:.40?}");
        }
    }
}
