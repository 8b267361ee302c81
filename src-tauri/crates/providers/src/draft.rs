//! A reply while it is being streamed: what all four dialects gather in the same way.

use facsimile_agent::spend::CHARS_PER_TOKEN;
use facsimile_agent::{
    NativeTurn, ProviderTurn, StopReason, StreamEvent, TokenUsage, ToolArguments, ToolCall,
};

use crate::error::Rejection;
use crate::halves::Joiner;
use crate::sse::SseEvent;

/// Turns a vendor's events into a reply. Pure: no clock, no connection.
///
/// An implementor promises never to panic, whatever the events are, and to end a reply only when the vendor
/// said that it has ended.
pub trait TurnReader: Send {
    /// Takes the next event.
    fn take(&mut self, event: &SseEvent) -> Result<Step, Rejection>;

    /// Whether the vendor said that the reply has ended, though more may follow.
    fn has_ended(&self) -> bool {
        false
    }

    /// Takes the end of the stream. For a vendor whose last event ends the reply it comes too early.
    fn finish(&mut self) -> Result<ProviderTurn, Rejection> {
        Err(Rejection::ended_early())
    }

    /// What was gathered so far.
    fn draft(&mut self) -> &mut Draft;
}

/// How the stream goes on.
#[derive(Debug)]
pub enum Step {
    /// More is to come.
    More,
    /// The reply is complete.
    Ended(Box<ProviderTurn>),
}

/// How a reply was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyEnd {
    /// The vendor said that it has ended.
    Whole,
    /// It failed, or nobody wanted the rest.
    Cut,
}

/// The parts of a reply.
#[derive(Debug, Default)]
pub struct Draft {
    /// The visible text.
    pub text: String,
    /// The refusal.
    pub refusal: String,
    /// The thinking, block by block.
    pub thinking: Vec<String>,
    /// The calls.
    pub calls: Vec<CallDraft>,
    /// The usage, once it was sent.
    pub usage: Option<TokenUsage>,
    /// The price the server names.
    pub cost_usd: Option<f64>,
    /// The vendor's word for the end.
    pub finish: Option<String>,
    /// The call that was cut, with its arguments so far.
    pub truncated_call: Option<CallDraft>,
    text_halves: Joiner,
    thinking_halves: Joiner,
    events: Vec<StreamEvent>,
}

/// A call while its arguments are being typed.
#[derive(Debug, Clone, Default)]
pub struct CallDraft {
    /// Its id, made by us where the vendor gave none.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments so far.
    pub raw: String,
    halves: Joiner,
}

impl Draft {
    /// Adds visible text.
    pub fn say(&mut self, piece: &str, has_halves: bool) {
        let piece = self.text_halves.join(piece, has_halves);
        if !piece.is_empty() {
            self.text.push_str(&piece);
            self.events.push(StreamEvent::Text(piece.into_owned()));
        }
    }

    /// Adds to the refusal, which is visible too.
    pub fn refuse(&mut self, piece: &str, has_halves: bool) {
        let piece = self.text_halves.join(piece, has_halves);
        if !piece.is_empty() {
            self.refusal.push_str(&piece);
            self.events.push(StreamEvent::Text(piece.into_owned()));
        }
    }

    /// Begins another block of thinking, a paragraph of its own.
    pub fn begin_thought(&mut self) {
        if self.thinking.last().is_some_and(|thought| !thought.is_empty() && !thought.ends_with("\n\n")) {
            self.events.push(StreamEvent::Thinking("\n\n".to_owned()));
        }
        self.thinking_halves = Joiner::default();
        self.continue_thought();
    }

    /// Begins another block of thinking that goes on where the last one ended.
    pub fn continue_thought(&mut self) {
        self.thinking.push(String::new());
    }

    /// Adds to the last block of thinking.
    pub fn think(&mut self, piece: &str, has_halves: bool) {
        let piece = self.thinking_halves.join(piece, has_halves);
        if piece.is_empty() {
            return;
        }
        match self.thinking.last_mut() {
            Some(thought) => thought.push_str(&piece),
            None => self.thinking.push(piece.clone().into_owned()),
        }
        self.events.push(StreamEvent::Thinking(piece.into_owned()));
    }

    /// Begins a call and gives its place.
    pub fn begin_call(&mut self, id: impl Into<String>, name: impl Into<String>) -> usize {
        self.calls.push(CallDraft { id: id.into(), name: name.into(), ..CallDraft::default() });
        self.calls.len() - 1
    }

    /// Adds to a call's arguments.
    pub fn type_call(&mut self, at: usize, piece: &str, has_halves: bool) {
        let Some(call) = self.calls.get_mut(at) else { return };
        let json = call.halves.join(piece, has_halves).into_owned();
        if json.is_empty() {
            return;
        }
        call.raw.push_str(&json);
        let (call_id, name) = (call.id.clone(), call.name.clone());
        self.events.push(StreamEvent::ToolArguments { call_id, name, json });
    }

    /// Sets a call's whole arguments, which win over what was typed.
    pub fn settle_call(&mut self, at: usize, whole: &str) {
        let Some(call) = self.calls.get_mut(at) else { return };
        match whole.strip_prefix(call.raw.as_str()) {
            Some(rest) => {
                let rest = rest.to_owned();
                self.type_call(at, &rest, false);
            }
            // The preview saw something else; the tool's own result puts it right.
            None => call.raw = whole.to_owned(),
        }
    }

    /// Whether something was shown.
    pub fn is_blank(&self) -> bool {
        self.text.is_empty()
            && self.refusal.is_empty()
            && self.thinking.iter().all(String::is_empty)
            && self.calls.iter().all(|call| call.raw.is_empty())
    }

    /// What the reply used. What the vendor did not count, or not to the end, is estimated: it costs money all the
    /// same. `None` for a reply that came to nothing.
    pub fn used(&self, end: ReplyEnd, input_tokens: u64) -> Option<TokenUsage> {
        match (self.usage, end) {
            (Some(usage), ReplyEnd::Whole) => Some(usage),
            (None, _) if self.is_blank() => None,
            (counted, _) => {
                let usage = counted.unwrap_or(TokenUsage { input: input_tokens, ..TokenUsage::default() });
                Some(TokenUsage { output: usage.output.max(self.chars() / CHARS_PER_TOKEN), ..usage })
            }
        }
    }

    /// How much the model wrote, thinking and arguments included.
    fn chars(&self) -> u64 {
        let calls = self.calls.iter().chain(&self.truncated_call).map(|call| &call.raw);
        let texts = [&self.text, &self.refusal].into_iter().chain(&self.thinking).chain(calls);
        texts.map(|text| text.chars().count() as u64).sum()
    }

    /// What is to be shown since the last time.
    pub fn take_events(&mut self) -> impl Iterator<Item = StreamEvent> + '_ {
        self.events.drain(..)
    }

    /// Takes back a call that the output limit cut: it must not run.
    pub fn cut_calls(&mut self) {
        self.truncated_call = self.calls.pop();
        self.calls.clear();
    }

    /// The complete reply.
    pub fn turn(&mut self, stop: StopReason, native: NativeTurn) -> ProviderTurn {
        if let Some(rest) = self.text_halves.rest() {
            let target = if self.refusal.is_empty() { &mut self.text } else { &mut self.refusal };
            target.push(rest);
            self.events.push(StreamEvent::Text(rest.to_string()));
        }
        let tool_calls = self.calls.iter().map(CallDraft::call).collect();
        let text = format!("{}{}", self.text, self.refusal);
        ProviderTurn { text, tool_calls, usage: self.usage.unwrap_or_default(), stop, native }
    }
}

impl CallDraft {
    /// The call as it stands.
    pub fn call(&self) -> ToolCall {
        ToolCall { id: self.id.clone(), name: self.name.clone(), arguments: ToolArguments::parse(&self.raw) }
    }
}

/// Reads an event's JSON or says that it is none.
pub(crate) fn event_json(event: &SseEvent) -> Result<crate::halves::Json, Rejection> {
    crate::halves::read(&event.data).ok_or_else(|| {
        let start: String = event.data.chars().take(80).collect();
        Rejection::protocol(format!("an event of the stream is not JSON: {start}")).retryable()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u64, output: u64) -> TokenUsage {
        TokenUsage { input, output, ..TokenUsage::default() }
    }

    #[test]
    fn what_the_vendor_counted_wins_and_what_it_did_not_is_estimated() {
        let mut draft = Draft::default();
        assert_eq!(draft.used(ReplyEnd::Cut, 700), None);
        draft.say(&"x".repeat(300), false);
        let call = draft.begin_call("c", "create_file");
        draft.type_call(call, &"y".repeat(300), false);
        let without = [ReplyEnd::Whole, ReplyEnd::Cut].map(|end| draft.used(end, 700));
        assert_eq!(without, [Some(usage(700, 200)); 2]);
        // At the beginning of its reply a vendor counts the input, and one token of output.
        draft.usage = Some(usage(600, 1));
        assert_eq!(draft.used(ReplyEnd::Cut, 700), Some(usage(600, 200)));
        assert_eq!(draft.used(ReplyEnd::Whole, 700), Some(usage(600, 1)));
    }
}
