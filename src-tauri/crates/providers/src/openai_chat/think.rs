//! Thinking that a server without a parser leaves in the text, between `<think>` and `</think>`.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Splits the text of a reply into thinking and speech while it arrives.
#[derive(Debug, Default)]
pub(super) struct ThinkSplitter {
    state: State,
    /// Text that may be the beginning of a tag.
    held: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum State {
    /// Nothing but space was seen: a tag may come.
    #[default]
    Start,
    Thinking,
    /// The thinking has ended and space follows it.
    Between,
    Speaking,
}

/// A stretch of text.
#[derive(Debug, PartialEq)]
pub(super) enum Stretch {
    Thought(String),
    Speech(String),
}

impl ThinkSplitter {
    /// The next piece of text, split.
    pub(super) fn split(&mut self, piece: &str) -> Vec<Stretch> {
        let mut stretches = Vec::new();
        self.held.push_str(piece);
        loop {
            match self.state {
                State::Start => {
                    let seen = self.held.trim_start();
                    if let Some(rest) = seen.strip_prefix(OPEN) {
                        self.held = rest.trim_start().to_owned();
                        self.state = State::Thinking;
                    } else if OPEN.starts_with(seen) {
                        return stretches;
                    } else {
                        self.state = State::Speaking;
                    }
                }
                State::Thinking => {
                    if let Some((thought, rest)) = self.held.split_once(CLOSE) {
                        push(&mut stretches, Stretch::Thought, thought);
                        self.held = rest.to_owned();
                        self.state = State::Between;
                    } else {
                        // The end may be half of the closing tag.
                        let keep = (1..CLOSE.len()).rev().find(|n| self.held.ends_with(&CLOSE[..*n]));
                        let end = self.held.len() - keep.unwrap_or(0);
                        let tail = self.held.split_off(end);
                        push(&mut stretches, Stretch::Thought, &self.held);
                        self.held = tail;
                        return stretches;
                    }
                }
                State::Between => {
                    self.held = self.held.trim_start().to_owned();
                    if self.held.is_empty() {
                        return stretches;
                    }
                    self.state = State::Speaking;
                }
                State::Speaking => {
                    push(&mut stretches, Stretch::Speech, &self.held);
                    self.held.clear();
                    return stretches;
                }
            }
        }
    }

    /// What was held when the text has ended.
    pub(super) fn rest(&mut self) -> Option<Stretch> {
        let held = std::mem::take(&mut self.held);
        match self.state {
            _ if held.is_empty() => None,
            State::Thinking => Some(Stretch::Thought(held)),
            State::Start | State::Between | State::Speaking => Some(Stretch::Speech(held)),
        }
    }
}

fn push(stretches: &mut Vec<Stretch>, kind: fn(String) -> Stretch, text: &str) {
    if !text.is_empty() {
        stretches.push(kind(text.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(pieces: &[&str]) -> (String, String) {
        let mut splitter = ThinkSplitter::default();
        let mut stretches: Vec<Stretch> = pieces.iter().flat_map(|piece| splitter.split(piece)).collect();
        stretches.extend(splitter.rest());
        let (mut thought, mut speech) = (String::new(), String::new());
        for stretch in stretches {
            match stretch {
                Stretch::Thought(text) => thought.push_str(&text),
                Stretch::Speech(text) => speech.push_str(&text),
            }
        }
        (thought, speech)
    }

    #[test]
    fn tags_are_found_however_they_are_cut() {
        let whole = "\n<think>a < b</thi no</think>\n\nhello <think>";
        let expected = ("a < b</thi no".to_owned(), "hello <think>".to_owned());
        for size in [1, 2, 5, whole.len()] {
            let pieces: Vec<String> =
                whole.chars().collect::<Vec<_>>().chunks(size).map(String::from_iter).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let (thought, speech) = split(&pieces);
            assert_eq!((thought, speech), expected, "pieces of {size}");
        }
    }

    #[test]
    fn text_without_thinking_stays_as_it_is() {
        assert_eq!(split(&[" <", "div>"]), (String::new(), " <div>".to_owned()));
        assert_eq!(split(&["<thi"]), (String::new(), "<thi".to_owned()));
        assert_eq!(split(&["<think>cut"]), ("cut".to_owned(), String::new()));
    }
}
