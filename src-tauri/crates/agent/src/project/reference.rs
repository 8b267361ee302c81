//! Character references of markup, such as `&nbsp;`.

use std::borrow::Cow;

use super::reading::Reading;

/// No name of a reference is longer.
const MOST_BYTES: usize = 40;
/// Names that count without their semicolon too, as far as anybody writes them so.
const WITHOUT_SEMICOLON: [&str; 7] = ["amp", "lt", "gt", "quot", "nbsp", "copy", "reg"];
/// What the numbers 128 to 159 stand for: those who wrote them meant Windows' code page.
const WINDOWS: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// The reference that a text begins with: what it stands for, and its length in bytes.
pub(crate) fn reference_at(text: &str) -> Option<(Cow<'_, str>, usize)> {
    let body = text.strip_prefix('&')?;
    if let Some(number) = body.strip_prefix('#') {
        let (digits, radix) = match number.strip_prefix(['x', 'X']) {
            Some(digits) => (digits, 16),
            None => (number, 10),
        };
        let length = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
        let (digits, after) = digits.split_at(length);
        let value = u32::from_str_radix(digits.trim_start_matches('0'), radix);
        let end = text.len() - after.strip_prefix(';').unwrap_or(after).len();
        return (length > 0).then(|| (Cow::from(character(value.unwrap_or(0)).to_string()), end));
    }
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric();
    let length = body.bytes().take(MOST_BYTES).take_while(is_name).count();
    let name = &body[..length];
    if body[length..].starts_with(';') {
        let whole = &text[..length + 2];
        let meaning = html_escape::decode_html_entities(whole);
        return (meaning != whole).then_some((meaning, whole.len()));
    }
    if WITHOUT_SEMICOLON.contains(&name) && !body[length..].starts_with('=') {
        let meaning = html_escape::decode_html_entities(&format!("&{name};")).into_owned();
        return Some((Cow::from(meaning), length + 1));
    }
    None
}

fn character(value: u32) -> char {
    match value {
        0x80..=0x9f => WINDOWS.chars().nth(value as usize - 0x80).unwrap_or(char::REPLACEMENT_CHARACTER),
        0 => char::REPLACEMENT_CHARACTER,
        _ => char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

/// The text with its references resolved.
pub(crate) fn resolved(source: &str) -> Reading {
    let mut reading = Reading::default();
    let mut at = 0;
    while let Some(c) = source[at..].chars().next() {
        match reference_at(&source[at..]) {
            Some((meaning, length)) => {
                reading.push(&meaning, at);
                at += length;
            }
            None => {
                reading.push(&source[at..at + c.len_utf8()], at);
                at += c.len_utf8();
            }
        }
    }
    reading.ending_at(source.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_resolved_and_everything_else_is_left() {
        let read = [
            "&nbsp;x",
            "&rsquo;",
            "&#8217;",
            "&#x2019;",
            "&#146;",
            "&amp;lt;",
            "&copy 1",
            "&copy=1",
            "&copyx",
            "&nosuch;",
            "&",
            "&;",
            "&#;",
            "&#x;",
            "&#0;",
            "&#xD800;",
            "&#99999999999;",
        ]
        .map(|source| resolved(source).text().to_owned());
        assert_eq!(
            read,
            [
                "\u{a0}x", "’", "’", "’", "’", "&lt;", "© 1", "&copy=1", "&copyx", "&nosuch;", "&", "&;",
                "&#;", "&#x;", "\u{fffd}", "\u{fffd}", "\u{fffd}",
            ]
        );
    }

    #[test]
    fn every_part_knows_its_bytes_and_none_cuts_a_reference() {
        let reading = resolved("aé&NotEqualTilde;b");
        assert_eq!(reading.text(), "aé\u{2242}\u{338}b");
        let places =
            [(0, 1), (1, 3), (3, 8), (3, 6), (8, 9)].map(|(from, to)| reading.source_range(from..to));
        assert_eq!(places, [Some(0..1), Some(1..3), Some(3..18), None, Some(18..19)]);
    }
}
