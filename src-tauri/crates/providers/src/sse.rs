//! Reads server-sent events out of bytes, however they were cut on their way.

use serde::de::IgnoredAny;

/// One event may hold this much; more is no reply any more.
pub const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// The `event:` line, where there was one.
    pub name: Option<String>,
    /// The `data:` lines, joined.
    pub data: String,
}

/// An event larger than any reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("one event of the stream is larger than 16 MiB")]
pub struct EventTooLarge;

/// The incremental reader: bytes go in as they come, finished events come out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventReader {
    /// The line that has not ended yet.
    line: Vec<u8>,
    /// The last byte was a CR, so that a LF behind it ends nothing.
    after_cr: bool,
    /// A line was read, so that a byte-order mark would be text.
    is_begun: bool,
    name: Option<String>,
    data: Option<String>,
}

impl EventReader {
    /// A reader that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes and appends the events they finish.
    pub fn push(&mut self, bytes: &[u8], events: &mut Vec<SseEvent>) -> Result<(), EventTooLarge> {
        let mut rest = bytes;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = memchr::memchr2(b'\n', b'\r', rest) {
            self.extend_line(&rest[..end])?;
            let is_cr = rest[end] == b'\r';
            rest = &rest[end + 1..];
            if is_cr {
                self.after_cr = rest.is_empty();
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            }
            self.end_line(events);
        }
        self.extend_line(rest)
    }

    /// Says that nothing more comes. A last event without its empty line counts if it is whole.
    pub fn finish(&mut self, events: &mut Vec<SseEvent>) {
        if !self.line.is_empty() {
            self.end_line(events);
        }
        let is_whole =
            |data: &str| data.trim() == "[DONE]" || serde_json::from_str::<IgnoredAny>(data).is_ok();
        match self.data.take() {
            Some(data) if is_whole(&data) => events.push(SseEvent { name: self.name.take(), data }),
            _ => self.name = None,
        }
    }

    fn extend_line(&mut self, bytes: &[u8]) -> Result<(), EventTooLarge> {
        let held = self.line.len() + self.data.as_ref().map_or(0, String::len);
        if held + bytes.len() > MAX_EVENT_BYTES {
            return Err(EventTooLarge);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, events: &mut Vec<SseEvent>) {
        let mut line = self.line.as_slice();
        if !self.is_begun {
            self.is_begun = true;
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        if line.is_empty() {
            let name = self.name.take();
            events.extend(self.data.take().map(|data| SseEvent { name, data }));
        } else {
            let colon = memchr::memchr(b':', line).unwrap_or(line.len());
            let value = line.get(colon + 1..).unwrap_or_default();
            let value = value.strip_prefix(b" ").unwrap_or(value);
            match &line[..colon] {
                b"data" => {
                    let value = String::from_utf8_lossy(value);
                    match &mut self.data {
                        Some(data) => {
                            data.push('\n');
                            data.push_str(&value);
                        }
                        None => self.data = Some(value.into_owned()),
                    }
                }
                b"event" => self.name = Some(String::from_utf8_lossy(value).into_owned()),
                // Comments, `id`, `retry` and fields of the future.
                _ => {}
            }
        }
        self.line.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(pieces: &[&[u8]]) -> Vec<SseEvent> {
        let mut reader = EventReader::new();
        let mut events = Vec::new();
        for piece in pieces {
            reader.push(piece, &mut events).unwrap();
        }
        reader.finish(&mut events);
        events
    }

    fn event(name: Option<&str>, data: &str) -> SseEvent {
        SseEvent { name: name.map(str::to_owned), data: data.to_owned() }
    }

    #[test]
    fn every_line_end_ends_a_line() {
        let text = b"data: a\n\ndata: b\r\n\r\ndata: c\r\rdata: d\r\n\ndata: \"e\"\r\n\r";
        assert_eq!(read(&[text]), ["a", "b", "c", "d", "\"e\""].map(|data| event(None, data)));
    }

    #[test]
    fn fields_are_read_as_the_standard_says() {
        let text = "\u{FEFF}: comment\nid: 3\nretry: 9\nevent:named\ndata:{\ndata:  \"x\":1}\nx-new: y\n\nevent: lost\n\ndata\n\n";
        assert_eq!(read(&[text.as_bytes()]), [event(Some("named"), "{\n \"x\":1}"), event(None, "")]);
    }

    #[test]
    fn a_last_event_without_its_empty_line_counts_only_if_it_is_whole() {
        assert_eq!(read(&[b"data: [DONE]"]), [event(None, "[DONE]")]);
        assert_eq!(read(&[b"event: e\ndata: {\"a\":1}\n"]), [event(Some("e"), "{\"a\":1}")]);
        assert_eq!(read(&[b"data: {\"a\":"]), []);
    }

    #[test]
    fn bytes_that_are_no_utf8_are_replaced() {
        assert_eq!(read(&[b"data: a\xFFb\n\n"]), [event(None, "a\u{FFFD}b")]);
    }

    #[test]
    fn an_event_above_the_cap_is_an_error_whatever_its_lines() {
        let line = [b"data: ".as_slice(), &vec![b'x'; 1024 * 1024], b"\n"].concat();
        let mut reader = EventReader::new();
        let mut events = Vec::new();
        let taken = (0..20).take_while(|_| reader.push(&line, &mut events).is_ok()).count();
        assert_eq!((taken, events), (15, vec![]));
    }

    /// Bytes as a stream has them, and worse.
    fn stream_bytes() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            Just(b"data: ".to_vec()),
            Just(b"data:".to_vec()),
            Just(b"event: e".to_vec()),
            Just(b"\n".to_vec()),
            Just(b"\r".to_vec()),
            Just(b"\r\n".to_vec()),
            Just(b": c".to_vec()),
            Just("é🚀".as_bytes().to_vec()),
            Just(BYTE_ORDER_MARK.to_vec()),
            proptest::collection::vec(any::<u8>(), 0..8),
        ];
        proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_events(
            bytes in stream_bytes(),
            cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..10),
        ) {
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]).collect();
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            let whole = read(&[&bytes]);
            prop_assert_eq!(&read(&pieces), &whole);
            prop_assert_eq!(&read(&single), &whole);
        }
    }
}
