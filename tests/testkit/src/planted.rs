//! A key that is planted, and a look for it wherever the program could have written it.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use memchr::memmem;

/// A planted key in every spelling that a file could hold it in.
pub struct Planted {
    needles: Vec<(&'static str, Vec<u8>)>,
}

impl Planted {
    /// Looks for this key, and for each half of it.
    pub fn of(key: &str) -> Self {
        let (first, second) = key.split_at(key.len() / 2);
        assert!(first.len() >= 8 && key.is_ascii(), "too short to be told from other words");
        let wide = |little: bool| -> Vec<u8> {
            let units = key.encode_utf16();
            units.flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
        };
        let each = |write: fn(u8) -> String| key.bytes().map(write).collect::<String>().into_bytes();
        let odd = |byte: u8| !byte.is_ascii_alphanumeric();
        let mut needles = vec![
            ("plain", key.as_bytes().to_vec()),
            ("first half", first.as_bytes().to_vec()),
            ("second half", second.as_bytes().to_vec()),
            ("UTF-16, little-endian", wide(true)),
            ("UTF-16, big-endian", wide(false)),
            ("hexadecimal", each(|byte| format!("{byte:02x}"))),
            ("hexadecimal, large", each(|byte| format!("{byte:02X}"))),
            ("percent, all", each(|byte| format!("%{byte:02X}"))),
            ("JSON, escaped", each(|byte| format!("\\u{byte:04x}"))),
        ];
        if key.bytes().any(odd) {
            let spelt = |write: fn(u8) -> String| -> Vec<u8> {
                let one = |byte| if odd(byte) { write(byte) } else { char::from(byte).to_string() };
                key.bytes().map(one).collect::<String>().into_bytes()
            };
            needles.push(("percent", spelt(|byte| format!("%{byte:02X}"))));
            needles.push(("percent, small", spelt(|byte| format!("%{byte:02x}"))));
            needles.push(("JSON, odd ones escaped", spelt(|byte| format!("\\u{byte:04x}"))));
        }
        for (name, padding) in [("base64", ""), ("base64, after one", "a"), ("base64, after two", "ab")] {
            for engine in [&STANDARD, &URL_SAFE] {
                let encoded = engine.encode(format!("{padding}{key}"));
                // The ends depend on what stands around the key.
                let from = (padding.len() * 8).div_ceil(6);
                let to = (padding.len() + key.len()) * 8 / 6;
                needles.push((name, encoded.as_bytes()[from..to].to_vec()));
            }
        }
        Self { needles }
    }

    /// The spellings that are in these bytes.
    pub fn spellings_in(&self, bytes: &[u8]) -> Vec<&'static str> {
        let is_in = |needle: &[u8]| memmem::find(bytes, needle).is_some();
        let mut found: Vec<_> =
            self.needles.iter().filter(|(_, needle)| is_in(needle)).map(|(name, _)| *name).collect();
        found.dedup();
        found
    }

    /// Every place below a folder that holds the key: in a file or in a name.
    pub fn below(&self, folder: &Path) -> Vec<String> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let shown = path.display();
            let name = entry.file_name().into_encoded_bytes();
            found.extend(
                self.spellings_in(&name).iter().map(|spelling| format!("{spelling} in the name {shown}")),
            );
            if path.is_dir() {
                found.extend(self.below(&path));
            } else if let Ok(bytes) = fs::read(&path) {
                found.extend(
                    self.spellings_in(&bytes).iter().map(|spelling| format!("{spelling} in {shown}")),
                );
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "planted+key/0123456789";

    #[test]
    fn the_key_is_found_in_every_spelling_and_other_words_are_not() {
        let planted = Planted::of(KEY);
        let wide: Vec<u8> = KEY.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let texts: [(&[u8], &[&str]); 7] = [
            (b"nothing planted here", &[]),
            (KEY.as_bytes(), &["plain", "first half", "second half"]),
            (b"...key/0123456789...", &["second half"]),
            (&wide, &["UTF-16, little-endian"]),
            (b"key=planted%2Bkey%2F0123456789", &["percent"]),
            (b"\"planted\\u002bkey\\u002f0123456789\"", &["JSON, odd ones escaped"]),
            (b"706c616e7465642b6b65792f30313233343536373839", &["hexadecimal"]),
        ];
        let found: Vec<_> = texts.iter().map(|(text, _)| planted.spellings_in(text)).collect();
        assert_eq!(found, texts.map(|(_, spellings)| spellings.to_vec()));
        let aligned = ["", "x", "xy"]
            .map(|before| planted.spellings_in(STANDARD.encode(format!("{before}{KEY} and on")).as_bytes()));
        assert_eq!(aligned, [["base64"], ["base64, after one"], ["base64, after two"]]);
    }
}
