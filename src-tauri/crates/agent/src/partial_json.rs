//! Reads a JSON object while it is still being typed.
//!
//! [`PartialObject`] takes the pieces of a tool call's arguments as they arrive and hands out the decoded text
//! of the top-level strings at once. Every byte is looked at once, whatever the number of pieces; half a
//! character is never handed out; and what has been handed out for a key is always a prefix of what the
//! finished JSON decodes to.

mod string;

use std::mem;

use string::StringDecoder;
pub use string::replace_lone_surrogates;

/// Something that became known about the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'a> {
    /// More decoded characters of a top-level string (possibly none, when it begins or ends).
    Text {
        /// The key, decoded.
        key: &'a str,
        /// The new characters.
        text: &'a str,
        /// Whether the string has ended.
        finished: bool,
    },
    /// A finished element of an array that stands under a top-level key, as JSON.
    Element {
        /// The key of the array.
        key: &'a str,
        /// The element's source.
        json: &'a str,
    },
}

/// The incremental reader of one object.
#[derive(Debug, Default)]
pub struct PartialObject {
    raw: String,
    state: State,
    key: String,
    string: StringDecoder,
    decoded: String,
    depth: usize,
    element_start: Option<usize>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// Before the opening brace.
    #[default]
    Start,
    /// Before a key or the closing brace.
    BeforeKey,
    /// Inside a key.
    Key,
    /// Between a key and its colon.
    BeforeColon,
    /// Between the colon and the value.
    BeforeValue,
    /// Inside a top-level string.
    TopString,
    /// Inside a number, `true`, `false` or `null` at the top level.
    Scalar,
    /// Inside a nested object or array, outside its strings. The flag: an array directly under its key.
    Nested { array: bool },
    /// Inside a string of a nested value.
    NestedString { array: bool, escaped: bool },
    /// Between a value and the comma or closing brace.
    AfterValue,
    /// Behind the closing brace.
    Done,
    /// Not JSON; nothing more is handed out.
    Broken,
}

impl PartialObject {
    /// A reader that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Everything pushed so far.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// Whether the closing brace was seen.
    pub fn is_complete(&self) -> bool {
        self.state == State::Done
    }

    /// Takes the next piece and reports what became known, in order.
    pub fn push(&mut self, piece: &str, mut report: impl FnMut(Part<'_>)) {
        let from = self.raw.len();
        self.raw.push_str(piece);
        let mut at = from;
        while at < self.raw.len() {
            at = self.step(at, &mut report);
        }
        // What a piece leaves of an open string goes out with it, so that nothing waits for the next one.
        if self.state == State::TopString && !self.decoded.is_empty() {
            let text = mem::take(&mut self.decoded);
            report(Part::Text { key: &self.key, text: &text, finished: false });
        }
    }

    /// Looks at the byte at `at` (or at a run of plain bytes in a string) and gives the next position.
    fn step(&mut self, at: usize, report: &mut impl FnMut(Part<'_>)) -> usize {
        let byte = self.raw.as_bytes()[at];
        let next = at + 1;
        let blank = matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        match self.state {
            State::Broken => return self.raw.len(),
            State::Key | State::TopString => return self.step_string(at, report),
            State::Nested { array } => self.step_nested(at, byte, array, report),
            State::NestedString { array, escaped } => {
                self.state = match byte {
                    _ if escaped => State::NestedString { array, escaped: false },
                    b'\\' => State::NestedString { array, escaped: true },
                    b'"' => State::Nested { array },
                    _ => State::NestedString { array, escaped },
                };
                // A string that is itself the element ends here.
                if self.state == (State::Nested { array }) && self.depth == 1 {
                    self.end_element(next, array, report);
                }
            }
            _ if blank => {}
            State::Start => self.state = if byte == b'{' { State::BeforeKey } else { State::Broken },
            State::BeforeKey => match byte {
                b'"' => {
                    self.key.clear();
                    self.string = StringDecoder::default();
                    self.state = State::Key;
                }
                b'}' => self.state = State::Done,
                _ => self.state = State::Broken,
            },
            State::BeforeColon => {
                self.state = if byte == b':' { State::BeforeValue } else { State::Broken };
            }
            State::BeforeValue => self.begin_value(at, byte, report),
            State::Scalar => match byte {
                b',' => self.state = State::BeforeKey,
                b'}' => self.state = State::Done,
                _ => {}
            },
            State::AfterValue => match byte {
                b',' => self.state = State::BeforeKey,
                b'}' => self.state = State::Done,
                _ => self.state = State::Broken,
            },
            State::Done => self.state = State::Broken,
        }
        next
    }

    fn step_string(&mut self, at: usize, report: &mut impl FnMut(Part<'_>)) -> usize {
        let target = if self.state == State::Key { &mut self.key } else { &mut self.decoded };
        let (used, ended) = self.string.decode(&self.raw[at..], target);
        if ended && self.state == State::Key {
            self.state = State::BeforeColon;
        } else if ended {
            let text = mem::take(&mut self.decoded);
            report(Part::Text { key: &self.key, text: &text, finished: true });
            self.state = State::AfterValue;
        } else if self.string.is_broken() {
            self.state = State::Broken;
        }
        at + used
    }

    fn begin_value(&mut self, at: usize, byte: u8, report: &mut impl FnMut(Part<'_>)) {
        self.state = match byte {
            b'"' => {
                self.string = StringDecoder::default();
                self.decoded.clear();
                report(Part::Text { key: &self.key, text: "", finished: false });
                State::TopString
            }
            b'[' | b'{' => {
                self.depth = 1;
                self.element_start = None;
                State::Nested { array: self.raw.as_bytes()[at] == b'[' }
            }
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => State::Scalar,
            _ => State::Broken,
        };
    }

    fn step_nested(&mut self, at: usize, byte: u8, array: bool, report: &mut impl FnMut(Part<'_>)) {
        if array && self.depth == 1 && self.element_start.is_none() && !b" \t\r\n,]".contains(&byte) {
            self.element_start = Some(at);
        }
        match byte {
            b'"' => self.state = State::NestedString { array, escaped: false },
            b'[' | b'{' => self.depth += 1,
            b']' | b'}' => {
                if self.depth == 1 {
                    self.end_element(at, array, report);
                    self.state = State::AfterValue;
                }
                self.depth -= 1;
                if self.depth == 1 {
                    self.end_element(at + 1, array, report);
                }
            }
            b',' if self.depth == 1 => self.end_element(at, array, report),
            _ => {}
        }
    }

    fn end_element(&mut self, end: usize, array: bool, report: &mut impl FnMut(Part<'_>)) {
        if let (true, Some(start)) = (array, self.element_start.take()) {
            let json = self.raw[start..end].trim_end();
            report(Part::Element { key: &self.key, json });
        }
    }
}

#[cfg(test)]
mod tests;
