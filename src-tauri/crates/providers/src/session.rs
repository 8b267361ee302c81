//! A conversation over HTTP, the same for all four dialects.

mod exchange;

use facsimile_agent::spend::CHARS_PER_TOKEN;
use facsimile_agent::{
    Continuation, ExecutedToolCall, NativeTurn, OutputBudget, ProviderSession, SessionError, TokenUsage,
    ToolChoice, ToolSpec, TurnEstimate, TurnStream, UserMessage,
};
use futures::stream;
use serde_json::Value;
use tokio::time::Instant;

use crate::catalog::{Effort, ModelFacts};
use crate::conversation::{Ask, CallRef, Conversation, Size};
use crate::draft::TurnReader;
use crate::endpoint::{Endpoint, Family};
use crate::error::Rejection;
use crate::http::{KeyHeader, Link};
use crate::memory::{Memory, Place};
use crate::optional::{Omitted, OptionalField};
use crate::usage::Ledger;
use exchange::Exchange;

/// One vendor's way of asking and answering. All of it is pure.
pub trait Dialect: Send + Sync {
    /// Which dialect this is.
    fn family(&self) -> Family;
    /// Where replies are asked for, behind the base address.
    fn path(&self, model: &str) -> String;
    /// The header of the key.
    fn key_header(&self) -> KeyHeader;
    /// Further headers.
    fn headers(&self) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }
    /// The fields that can be left out if the endpoint refuses them.
    fn optional_fields(&self) -> Omitted;
    /// Whether the tools must stay the same for the whole conversation, so that those of a continuation have to be
    /// listed from the beginning.
    fn keeps_tools(&self) -> bool {
        false
    }
    /// The body of a request.
    fn body(&self, conversation: &Conversation, ask: &Ask<'_>) -> Value;
    /// A reader for the reply.
    fn reader(&self, ask: &Ask<'_>) -> Box<dyn TurnReader>;
    /// The calls of a reply, by the vendor's own form of it.
    fn calls_of(&self, native: &NativeTurn) -> Vec<CallRef>;
    /// What a reply said aloud, by the vendor's own form of it.
    fn words_of(&self, native: &NativeTurn) -> String;
    /// The vendor's own form of a reply that says these words and nothing else.
    fn spoken(&self, words: &str) -> NativeTurn;
}

/// A conversation with one model at one endpoint.
pub(crate) struct Session {
    pub(crate) dialect: Box<dyn Dialect>,
    pub(crate) endpoint: Endpoint,
    pub(crate) link: Link,
    pub(crate) memory: Memory,
    pub(crate) conversation: Conversation,
    pub(crate) model: ModelFacts,
    pub(crate) effort: Option<Effort>,
    pub(crate) tools: Tools,
    pub(crate) cache_key: String,
    pub(crate) ledger: Ledger,
    /// When this session may ask again, after the endpoint said that it is asked too often.
    pub(crate) slot: Option<Instant>,
    /// The input of the last request as the vendor counted it, and how much had been said then.
    pub(crate) measured: Option<(u64, Size)>,
}

/// The tools of a conversation, those of a continuation behind the others.
pub(crate) struct Tools {
    specs: Vec<ToolSpec>,
    usual: usize,
    continuation: Continuation,
    tokens: u64,
}

impl Tools {
    pub(crate) fn new(usual: Vec<ToolSpec>, continuation: Vec<ToolSpec>) -> Self {
        let specs = [usual.as_slice(), &continuation].concat();
        let bytes = |spec: &ToolSpec| spec.description.len() + spec.parameters.to_string().len();
        let tokens = specs.iter().map(bytes).sum::<usize>() as u64 / CHARS_PER_TOKEN;
        Self { specs, usual: usual.len(), continuation: Continuation::Over, tokens }
    }

    fn offered(&self, are_kept: bool) -> &[ToolSpec] {
        let are_all = are_kept || self.continuation == Continuation::Begun;
        if are_all { &self.specs } else { &self.specs[..self.usual] }
    }
}

impl Session {
    fn place(&self) -> Place {
        Place { address: self.endpoint.base.to_string(), model: self.model.id.clone() }
    }

    fn ask<'a>(&'a self, choice: ToolChoice, budget: OutputBudget, omitted: &'a Omitted) -> Ask<'a> {
        Ask {
            model: &self.model,
            tools: self.tools.offered(self.dialect.keeps_tools()),
            choice,
            budget,
            effort: self.effort,
            cache_key: &self.cache_key,
            omitted,
        }
    }

    /// The input of the next request: what was counted of it before, and an estimate of the rest.
    fn input_tokens(&self) -> u64 {
        let size = self.conversation.size();
        let (counted, then) = self.measured.unwrap_or((self.tools.tokens, Size::default()));
        let text_bytes = size.text_bytes.saturating_sub(then.text_bytes);
        let images = (size.images - then.images).tokens(self.dialect.family());
        counted.saturating_add(text_bytes / CHARS_PER_TOKEN + images)
    }

    /// Counts what a reply used.
    fn count(&mut self, usage: TokenUsage, named_usd: Option<f64>) {
        if usage.all_input() > 0 {
            self.measured = Some((usage.all_input(), self.conversation.size()));
        }
        self.ledger.add(usage, named_usd);
    }

    fn told(&self, rejection: Rejection) -> SessionError {
        rejection.masked(self.link.mask()).told_by(&self.endpoint.display_name())
    }
}

impl ProviderSession for Session {
    fn stream_turn(&mut self, choice: ToolChoice, budget: OutputBudget) -> TurnStream<'_> {
        let exchange = Exchange::new(self, choice, budget);
        Box::pin(stream::unfold(exchange, |mut exchange| async move {
            let item = exchange.next().await?;
            Some((item, exchange))
        }))
    }

    fn append_tool_results(
        &mut self,
        turn: NativeTurn,
        results: Vec<ExecutedToolCall>,
        then: Option<UserMessage>,
    ) -> Result<(), SessionError> {
        let calls = self.dialect.calls_of(&turn);
        let appended = self.conversation.append_turn(turn, &calls, results, then);
        appended.map_err(|rejection| self.told(rejection))
    }

    fn append_user(&mut self, message: UserMessage) -> Result<(), SessionError> {
        let appended = self.conversation.append_user(message);
        appended.map_err(|rejection| self.told(rejection))
    }

    fn estimate(&self, budget: OutputBudget) -> TurnEstimate {
        let input_tokens = self.input_tokens();
        let max_output_tokens = self.model.output_tokens(budget.times());
        TurnEstimate { input_tokens, max_output_tokens, price: self.ledger.prices(input_tokens) }
    }

    fn can_double_output(&self) -> bool {
        let omitted = self.memory.omitted(&self.place());
        let limits = [OptionalField::MaxTokens, OptionalField::MaxCompletionTokens];
        let can_be_said = !limits.iter().all(|field| omitted.contains(field));
        let tokens = |budget: OutputBudget| self.model.output_tokens(budget.times());
        can_be_said && tokens(OutputBudget::Doubled) > tokens(OutputBudget::Usual)
    }

    fn set_continuation(&mut self, continuation: Continuation) {
        self.tools.continuation = continuation;
    }

    fn total_cost_usd(&self) -> Option<f64> {
        self.ledger.total_usd()
    }
}
