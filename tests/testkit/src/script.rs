//! A provider session that plays prepared replies and remembers what it was told.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use facsimile_agent::{
    Continuation, ExecutedToolCall, NativeTurn, OutputBudget, ProviderSession, ProviderTurn, SessionError,
    StopReason, StreamEvent, TokenUsage, ToolArguments, ToolCall, ToolChoice, TurnEstimate, TurnStream,
    UsdPerMillion, UserMessage,
};
use futures::stream;
use serde_json::{Value, json};

/// One prepared reply.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    steps: Vec<Step>,
    calls: Vec<ToolCall>,
    text: String,
    stop: Option<StopReason>,
    usage: TokenUsage,
}

#[derive(Debug, Clone)]
enum Step {
    Event(StreamEvent),
    Pause(Duration),
    Fail(SessionError),
    Hang,
    BreakOff,
}

impl Reply {
    /// A reply of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says something.
    pub fn saying(mut self, text: &str) -> Self {
        self.text.push_str(text);
        self.steps.push(Step::Event(StreamEvent::Text(text.to_owned())));
        self
    }

    /// Thinks something.
    pub fn thinking(mut self, text: &str) -> Self {
        self.steps.push(Step::Event(StreamEvent::Thinking(text.to_owned())));
        self
    }

    /// Calls a tool, its arguments typed in pieces of at most `size` characters.
    pub fn calling(self, name: &str, arguments: Value, size: usize) -> Self {
        let raw = arguments.to_string();
        self.calling_with(name, &raw, size)
    }

    /// Calls a tool with arguments that need not be JSON.
    pub fn calling_with(mut self, name: &str, raw: &str, size: usize) -> Self {
        let id = format!("call-{}", self.calls.len() + 1);
        let mut rest = raw;
        while !rest.is_empty() {
            let end = rest.char_indices().nth(size).map_or(rest.len(), |(at, _)| at);
            let (json, tail) = rest.split_at(end);
            self.steps.push(Step::Event(StreamEvent::ToolArguments {
                call_id: id.clone(),
                name: name.to_owned(),
                json: json.to_owned(),
            }));
            rest = tail;
        }
        self.calls.push(ToolCall { id, name: name.to_owned(), arguments: ToolArguments::parse(raw) });
        self
    }

    /// Calls a tool under this id, its arguments in one piece.
    pub fn calling_as(mut self, id: &str, name: &str, arguments: Value) -> Self {
        let (id, json) = (id.to_owned(), arguments.to_string());
        let arguments = ToolArguments::parse(&json);
        let (call_id, typed) = (id.clone(), name.to_owned());
        self.steps.push(Step::Event(StreamEvent::ToolArguments { call_id, name: typed, json }));
        self.calls.push(ToolCall { id, name: name.to_owned(), arguments });
        self
    }

    /// Begins to type a call under this id and never makes it.
    pub fn beginning(mut self, id: &str, name: &str, json: &str) -> Self {
        let (call_id, name, json) = (id.to_owned(), name.to_owned(), json.to_owned());
        self.steps.push(Step::Event(StreamEvent::ToolArguments { call_id, name, json }));
        self
    }

    /// Ends here with what was said and called so far; what follows comes after the end.
    pub fn ending_here(mut self) -> Self {
        let turn = ProviderTurn {
            text: self.text.clone(),
            tool_calls: self.calls.clone(),
            usage: self.usage,
            stop: StopReason::Finished,
            native: NativeTurn(json!({ "turn": "early" })),
        };
        self.steps.push(Step::Event(StreamEvent::TurnEnded(turn)));
        self
    }

    /// Types on at the arguments of the call that was begun last.
    pub fn typing_on(mut self, json: &str) -> Self {
        let begun = self.steps.iter().rev().find_map(|step| match step {
            Step::Event(StreamEvent::ToolArguments { call_id, name, .. }) => {
                Some((call_id.clone(), name.clone()))
            }
            _ => None,
        });
        if let Some((call_id, name)) = begun {
            self.steps.push(Step::Event(StreamEvent::ToolArguments { call_id, name, json: json.to_owned() }));
        }
        self
    }

    /// Gives the call that was begun last its whole arguments.
    pub fn ending_call(mut self, name: &str, raw: &str) -> Self {
        if let Some(call) = self.calls.last_mut().filter(|call| call.name == name) {
            call.arguments = ToolArguments::parse(raw);
        }
        self
    }

    /// Waits before going on.
    pub fn pausing(mut self, pause: Duration) -> Self {
        self.steps.push(Step::Pause(pause));
        self
    }

    /// Gives a sign of life.
    pub fn living(mut self) -> Self {
        self.steps.push(Step::Event(StreamEvent::Alive));
        self
    }

    /// Fails here.
    pub fn failing(mut self, error: SessionError) -> Self {
        self.steps.push(Step::Fail(error));
        self
    }

    /// Says nothing more and never ends.
    pub fn hanging(mut self) -> Self {
        self.steps.push(Step::Hang);
        self
    }

    /// Closes without an end.
    pub fn breaking_off(mut self) -> Self {
        self.steps.push(Step::BreakOff);
        self
    }

    /// Ends for this reason.
    pub fn stopping(mut self, stop: StopReason) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Types its calls and then has none, as a turn that was cut.
    pub fn without_calls(mut self) -> Self {
        self.calls.clear();
        self
    }

    /// Has used these tokens.
    pub fn using(mut self, usage: TokenUsage) -> Self {
        self.usage = usage;
        self
    }

    fn into_steps(self, number: usize) -> VecDeque<Step> {
        let usual = if self.calls.is_empty() { StopReason::Finished } else { StopReason::ToolCalls };
        let mut steps: VecDeque<_> = self.steps.into();
        steps.push_back(Step::Event(StreamEvent::TurnEnded(ProviderTurn {
            text: self.text,
            tool_calls: self.calls,
            usage: self.usage,
            stop: self.stop.unwrap_or(usual),
            native: NativeTurn(json!({ "turn": number })),
        })));
        steps
    }
}

/// A reply that only says something.
pub fn says(text: &str) -> Reply {
    Reply::new().saying(text)
}

/// A reply that only calls a tool, typed in small pieces.
pub fn calls(name: &str, arguments: Value) -> Reply {
    Reply::new().calling(name, arguments, 7)
}

/// What a session was told, readable after the session is gone.
#[derive(Debug, Clone, Default)]
pub struct Told {
    /// Every result, in order, as the model would get it.
    pub results: Vec<Value>,
    /// The native turns that were handed back.
    pub turns: Vec<Value>,
    /// The messages of the user.
    pub messages: Vec<UserMessage>,
    /// What each request asked for.
    pub requests: Vec<(ToolChoice, OutputBudget)>,
    /// When a continuation began and ended.
    pub continuations: Vec<Continuation>,
}

/// Plays replies in order; asked for one more, it says goodbye.
pub struct ScriptedSession {
    replies: VecDeque<Reply>,
    told: Arc<Mutex<Told>>,
    played: usize,
    cost_usd: Option<f64>,
    estimate: TurnEstimate,
    can_double_output: bool,
}

impl ScriptedSession {
    /// A session that plays these.
    pub fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self {
            replies: replies.into_iter().collect(),
            told: Arc::default(),
            played: 0,
            cost_usd: None,
            estimate: TurnEstimate { price: None, ..TurnEstimate::free() },
            can_double_output: false,
        }
    }

    /// A session that takes so much input and gives so much output for each request, in tokens, at these prices
    /// for a million of them.
    pub fn priced(mut self, tokens: (u64, u64), usd: (f64, f64)) -> Self {
        let price = Some(UsdPerMillion { input: usd.0, output: usd.1 });
        self.estimate = TurnEstimate { input_tokens: tokens.0, max_output_tokens: tokens.1, price };
        self.cost_usd = Some(0.0);
        self
    }

    /// A session whose model may write twice the usual amount.
    pub fn doubling(mut self) -> Self {
        self.can_double_output = true;
        self
    }

    /// A session that has cost this much.
    pub fn costing(mut self, cost_usd: f64) -> Self {
        self.cost_usd = Some(cost_usd);
        self
    }

    /// What the session was told so far.
    pub fn told(&self) -> Arc<Mutex<Told>> {
        Arc::clone(&self.told)
    }

    fn tell(&self, say: impl FnOnce(&mut Told)) {
        say(&mut self.told.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl ProviderSession for ScriptedSession {
    fn stream_turn(&mut self, choice: ToolChoice, budget: OutputBudget) -> TurnStream<'_> {
        self.tell(|told| told.requests.push((choice, budget)));
        self.played += 1;
        let steps = self.replies.pop_front().unwrap_or_else(|| says("done")).into_steps(self.played);
        let price = self.estimate.price;
        let state = (steps, &mut self.cost_usd);
        Box::pin(stream::unfold(state, move |(mut steps, cost_usd)| async move {
            loop {
                match steps.pop_front()? {
                    Step::Event(event) => {
                        if let (StreamEvent::TurnEnded(turn), Some(price), Some(cost)) =
                            (&event, price, cost_usd.as_mut())
                        {
                            let TokenUsage { input, output, .. } = turn.usage;
                            *cost += (input as f64 * price.input + output as f64 * price.output) / 1e6;
                        }
                        return Some((Ok(event), (steps, cost_usd)));
                    }
                    Step::Fail(error) => return Some((Err(error), (VecDeque::new(), cost_usd))),
                    Step::Pause(pause) => tokio::time::sleep(pause).await,
                    Step::Hang => std::future::pending().await,
                    Step::BreakOff => return None,
                }
            }
        }))
    }

    fn append_tool_results(
        &mut self,
        turn: NativeTurn,
        results: Vec<ExecutedToolCall>,
        then: Option<UserMessage>,
    ) -> Result<(), SessionError> {
        self.tell(|told| {
            told.turns.push(turn.0);
            told.results.extend(results.into_iter().map(|executed| executed.result.result));
            told.messages.extend(then);
        });
        Ok(())
    }

    fn append_user(&mut self, message: UserMessage) -> Result<(), SessionError> {
        self.tell(|told| told.messages.push(message));
        Ok(())
    }

    fn estimate(&self, _budget: OutputBudget) -> TurnEstimate {
        self.estimate
    }

    fn can_double_output(&self) -> bool {
        self.can_double_output
    }

    fn set_continuation(&mut self, continuation: Continuation) {
        self.tell(|told| told.continuations.push(continuation));
    }

    fn total_cost_usd(&self) -> Option<f64> {
        self.cost_usd
    }
}
