use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// How a key can be spelt in a line of text, the longest first.
pub(super) fn spellings(key: &str) -> Vec<String> {
    let bytes = key.as_bytes();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let percent = |write: fn(u8) -> String| -> String {
        let spelt = |byte: &u8| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(*byte).to_string()
            }
            other => write(*other),
        };
        bytes.iter().map(spelt).collect()
    };
    let json = serde_json::Value::from(key).to_string();
    let each = |write: fn(u8) -> String| -> String { bytes.iter().map(|byte| write(*byte)).collect() };
    let mut found = vec![
        each(|byte| format!("%{byte:02X}")),
        each(|byte| format!("%{byte:02x}")),
        each(|byte| format!("\\u{byte:04x}")),
        each(|byte| format!("\\u{byte:04X}")),
        key.to_owned(),
        json.trim_matches('"').to_owned(),
        json.trim_matches('"').replace('/', "\\/"),
        percent(|byte| format!("%{byte:02X}")),
        percent(|byte| format!("%{byte:02x}")),
        hex.to_uppercase(),
        hex,
    ];
    for alignment in 0..3 {
        found.push(inside(
            &STANDARD_NO_PAD.encode([&vec![0; alignment], bytes].concat()),
            alignment,
            bytes.len(),
        ));
        found.push(inside(
            &URL_SAFE_NO_PAD.encode([&vec![0; alignment], bytes].concat()),
            alignment,
            bytes.len(),
        ));
    }
    // The longest first: one that holds another would be broken up by it.
    found.sort_by_key(|spelling| std::cmp::Reverse(spelling.len()));
    found.dedup();
    found
}

/// The characters of a base64 text that come from the key alone, whatever stands around it.
fn inside(encoded: &str, alignment: usize, key_bytes: usize) -> String {
    let first = (alignment * 8).div_ceil(6);
    let last = (alignment + key_bytes) * 8 / 6;
    encoded.get(first..last).unwrap_or_default().to_owned()
}
