//! Halves of surrogate pairs: some servers cut text by UTF-16 units and send a pair in two events, which no
//! strict JSON reader takes.
//!
//! [`read`] parses an event and stands a private character in for each lone half; a [`Joiner`] per field puts
//! the pair together again, and a half that stays alone becomes U+FFFD.

use std::borrow::Cow;

use serde_json::Value;

/// Where the stand-ins begin: the end of the last private plane, which no font or page uses.
const FIRST_STAND_IN: u32 = 0x10_F000;

/// An event's JSON.
#[derive(Debug, Clone, PartialEq)]
pub struct Json {
    /// What it says.
    pub value: Value,
    /// Whether characters in it stand for halves.
    pub has_halves: bool,
}

/// Reads an event's JSON; `None` if it is none.
pub fn read(text: &str) -> Option<Json> {
    match serde_json::from_str(text) {
        Ok(value) => Some(Json { value, has_halves: false }),
        Err(_) => {
            let value = serde_json::from_str(&with_stand_ins(text)?).ok()?;
            Some(Json { value, has_halves: true })
        }
    }
}

/// The text with every escape of a lone half replaced by its stand-in; `None` if there is none.
fn with_stand_ins(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let (mut kept, mut at) = (0, 0);
    while let Some(offset) = memchr::memchr(b'\\', &text.as_bytes()[at..]) {
        let start = at + offset;
        match unit_at(text, start) {
            Some(0xD800..=0xDBFF) if matches!(unit_at(text, start + 6), Some(0xDC00..=0xDFFF)) => {
                at = start + 12;
            }
            Some(half @ 0xD800..=0xDFFF) => {
                out.push_str(&text[kept..start]);
                out.extend(stand_in(half));
                at = start + 6;
                kept = at;
            }
            Some(_) => at = start + 6,
            // The character behind a backslash starts no escape of its own.
            None => at = start + 1 + text[start + 1..].chars().next().map_or(0, char::len_utf8),
        }
    }
    out.push_str(&text[kept..]);
    (kept > 0).then_some(out)
}

fn unit_at(text: &str, at: usize) -> Option<u16> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

fn stand_in(half: u16) -> Option<char> {
    char::from_u32(FIRST_STAND_IN + u32::from(half) - 0xD800)
}

fn half_of(character: char) -> Option<u16> {
    let offset = u32::from(character).checked_sub(FIRST_STAND_IN)?;
    u16::try_from(offset).ok().filter(|offset| *offset < 0x800).map(|offset| offset + 0xD800)
}

/// Puts the pairs of one field together across its pieces.
#[derive(Debug, Clone, Default)]
pub struct Joiner {
    high: Option<u16>,
}

impl Joiner {
    /// The next piece with its pairs joined. A first half at its end is held for the next piece.
    pub fn join<'a>(&mut self, piece: &'a str, has_halves: bool) -> Cow<'a, str> {
        if piece.is_empty() || (!has_halves && self.high.is_none()) {
            return Cow::Borrowed(piece);
        }
        let mut out = String::with_capacity(piece.len() + 4);
        for character in piece.chars() {
            let half = has_halves.then(|| half_of(character)).flatten();
            match (self.high.take(), half) {
                (Some(high), Some(low @ 0xDC00..)) => out.extend(char::decode_utf16([high, low]).flatten()),
                (held, half) => {
                    out.extend(held.map(|_| char::REPLACEMENT_CHARACTER));
                    match half {
                        Some(high @ ..0xDC00) => self.high = Some(high),
                        Some(_) => out.push(char::REPLACEMENT_CHARACTER),
                        None => out.push(character),
                    }
                }
            }
        }
        Cow::Owned(out)
    }

    /// What is left when the field has ended.
    pub fn rest(&mut self) -> Option<char> {
        self.high.take().map(|_| char::REPLACEMENT_CHARACTER)
    }
}

/// Joins what can be joined in every string of a value that is complete.
pub fn settle(value: &mut Value) {
    match value {
        Value::String(text) => {
            let mut joiner = Joiner::default();
            let mut joined = joiner.join(text, true).into_owned();
            joined.extend(joiner.rest());
            *text = joined;
        }
        Value::Array(items) => items.iter_mut().for_each(settle),
        Value::Object(object) => object.values_mut().for_each(settle),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn joined(events: &[&str]) -> String {
        let mut joiner = Joiner::default();
        let mut out = String::new();
        for event in events {
            let json = read(event).unwrap();
            out.push_str(&joiner.join(json.value.as_str().unwrap(), json.has_halves));
        }
        out.extend(joiner.rest());
        out
    }

    #[test]
    fn a_pair_in_two_events_is_one_character() {
        assert_eq!(joined([r#""Go \ud83d""#, r#""""#, r#""\ude80 now""#].as_slice()), "Go 🚀 now");
    }

    #[test]
    fn a_half_that_stays_alone_is_replaced() {
        assert_eq!(joined([r#""a\ud83d""#, r#""b""#].as_slice()), "a\u{FFFD}b");
        assert_eq!(
            joined([r#""a\ude80\ud83d\ud83d\ude80\ud83d""#].as_slice()),
            "a\u{FFFD}\u{FFFD}🚀\u{FFFD}"
        );
    }

    #[test]
    fn an_escaped_backslash_starts_no_escape() {
        assert_eq!(read(r#""\\ud83d""#), Some(Json { value: json!("\\ud83d"), has_halves: false }));
        assert_eq!(joined([r#""\\\ud83d\\ude80""#].as_slice()), "\\\u{FFFD}\\ude80");
    }

    #[test]
    fn a_complete_value_keeps_no_stand_in() {
        let mut value = read(r#"{"a":["\ud83dx",1]}"#).unwrap().value;
        settle(&mut value);
        assert_eq!(value, json!({"a": ["\u{FFFD}x", 1]}));
    }

    proptest! {
        #[test]
        fn text_cut_by_utf16_units_comes_back_whole(text in "[a\\\\\"é🚀👩‍💻]{0,20}") {
            let units: Vec<u16> = text.encode_utf16().collect();
            let events: Vec<String> = units.iter().map(|unit| format!("\"\\u{unit:04x}\"")).collect();
            let events: Vec<&str> = events.iter().map(String::as_str).collect();
            prop_assert_eq!(joined(&events), text);
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in "[\\\\ud8cf3\"é{}]{0,30}") {
            let _ = read(&text);
            let _ = read(&format!("\"{text}\""));
        }
    }
}
