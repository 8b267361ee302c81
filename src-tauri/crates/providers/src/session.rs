//! A conversation over HTTP, the same for all four dialects.

mod exchange;

use facsimile_agent::{
    ExecutedToolCall, NativeTurn, OutputBudget, ProviderSession, SessionError, ToolChoice, ToolSpec,
    TurnStream, UserMessage,
};
use futures::stream;
use serde_json::Value;
use tokio::time::Instant;

use crate::catalog::{Effort, ModelFacts};
use crate::conversation::{Ask, CallRef, Conversation};
use crate::draft::TurnReader;
use crate::endpoint::{Endpoint, Family};
use crate::error::Rejection;
use crate::http::{KeyHeader, Link};
use crate::memory::{Memory, Place};
use crate::optional::Omitted;
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
    /// The body of a request.
    fn body(&self, conversation: &Conversation, ask: &Ask<'_>) -> Value;
    /// A reader for the reply.
    fn reader(&self, ask: &Ask<'_>) -> Box<dyn TurnReader>;
    /// The calls of a reply, by the vendor's own form of it.
    fn calls_of(&self, native: &NativeTurn) -> Vec<CallRef>;
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
    pub(crate) tools: Vec<ToolSpec>,
    pub(crate) cache_key: String,
    pub(crate) ledger: Ledger,
    /// When this session may ask again, after the endpoint said that it is asked too often.
    pub(crate) slot: Option<Instant>,
}

impl Session {
    fn place(&self) -> Place {
        Place { address: self.endpoint.base.to_string(), model: self.model.id.clone() }
    }

    fn ask<'a>(&'a self, choice: ToolChoice, budget: OutputBudget, omitted: &'a Omitted) -> Ask<'a> {
        Ask {
            model: &self.model,
            tools: &self.tools,
            choice,
            budget,
            effort: self.effort,
            cache_key: &self.cache_key,
            omitted,
        }
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

    fn total_cost_usd(&self) -> Option<f64> {
        self.ledger.total_usd()
    }
}
