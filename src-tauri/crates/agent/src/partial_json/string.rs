//! JSON string contents, decoded piece by piece.

/// Decodes what stands between two quotes, wherever the pieces are cut.
#[derive(Debug, Default)]
pub(super) struct StringDecoder {
    state: State,
    /// The first half of a surrogate pair, waiting for the second.
    high: Option<u16>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Plain,
    /// Behind a backslash.
    Escape,
    /// Inside `\uXXXX`: the value so far and how many digits are missing.
    Unicode {
        value: u16,
        missing: u8,
    },
    Broken,
}

impl StringDecoder {
    /// Whether an escape was none of JSON's.
    pub(super) fn is_broken(&self) -> bool {
        self.state == State::Broken
    }

    /// Decodes `input` onto `out`. Gives the number of bytes used and whether the closing quote was among
    /// them. Stops early only at that quote or at a broken escape.
    pub(super) fn decode(&mut self, input: &str, out: &mut String) -> (usize, bool) {
        let bytes = input.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            match self.state {
                State::Broken => return (bytes.len(), false),
                State::Plain => {
                    // Quotes and backslashes are ASCII, so a run between them is cut at character borders.
                    let run = bytes[at..].iter().position(|b| matches!(b, b'"' | b'\\'));
                    let end = run.map_or(bytes.len(), |run| at + run);
                    if end > at {
                        self.settle_high(out);
                        out.push_str(&input[at..end]);
                    }
                    at = end;
                    match bytes.get(at) {
                        Some(b'"') => {
                            self.settle_high(out);
                            return (at + 1, true);
                        }
                        Some(_) => {
                            self.state = State::Escape;
                            at += 1;
                        }
                        None => {}
                    }
                }
                State::Escape => {
                    self.escape(bytes[at], out);
                    at += 1;
                }
                State::Unicode { value, missing } => {
                    match char::from(bytes[at]).to_digit(16) {
                        // Four digits fill sixteen bits, so nothing is cut off.
                        Some(digit) => self.unicode(value << 4 | digit as u16, missing - 1, out),
                        None => self.state = State::Broken,
                    }
                    at += 1;
                }
            }
        }
        (at, false)
    }

    fn escape(&mut self, byte: u8, out: &mut String) {
        let plain = match byte {
            b'u' => {
                self.state = State::Unicode { value: 0, missing: 4 };
                return;
            }
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{C}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            _ => {
                self.state = State::Broken;
                return;
            }
        };
        self.settle_high(out);
        out.push(plain);
        self.state = State::Plain;
    }

    fn unicode(&mut self, value: u16, missing: u8, out: &mut String) {
        if missing > 0 {
            self.state = State::Unicode { value, missing };
            return;
        }
        self.state = State::Plain;
        match (self.high.take(), value) {
            (Some(high), 0xDC00..=0xDFFF) => out.extend(char::decode_utf16([high, value]).flatten()),
            (earlier, _) => {
                if earlier.is_some() {
                    out.push(char::REPLACEMENT_CHARACTER);
                }
                match value {
                    0xD800..=0xDBFF => self.high = Some(value),
                    _ => out.push(char::from_u32(value.into()).unwrap_or(char::REPLACEMENT_CHARACTER)),
                }
            }
        }
    }

    /// A first half that no second half followed stands for one unreadable character.
    fn settle_high(&mut self, out: &mut String) {
        if self.high.take().is_some() {
            out.push(char::REPLACEMENT_CHARACTER);
        }
    }
}

/// Replaces escapes of half a surrogate pair by `\ufffd`, so that a strict parser takes the rest; `None` if
/// there are none.
pub fn replace_lone_surrogates(json: &str) -> Option<String> {
    let mut out = String::new();
    let mut kept = 0;
    let mut at = 0;
    while let Some(offset) = json[at..].find('\\') {
        let start = at + offset;
        match unit_at(json, start) {
            Some(0xD800..=0xDBFF) if matches!(unit_at(json, start + 6), Some(0xDC00..=0xDFFF)) => {
                at = start + 12
            }
            Some(0xD800..=0xDFFF) => {
                out.push_str(&json[kept..start]);
                out.push_str("\\ufffd");
                at = start + 6;
                kept = at;
            }
            Some(_) => at = start + 6,
            // Behind a backslash stands one character that must not start an escape of its own.
            None => at = start + 1 + json[start + 1..].chars().next().map_or(0, char::len_utf8),
        }
    }
    (kept > 0).then(|| out + &json[kept..])
}

/// The code unit of a `\uXXXX` escape that starts at `at`.
fn unit_at(json: &str, at: usize) -> Option<u16> {
    let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}
