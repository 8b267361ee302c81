//! Conversations are begun here.

use std::time::Duration;

use facsimile_agent::{ErrorKind, ProviderSession, SessionError, ToolSpec};

use crate::anthropic::session::Messages;
use crate::catalog::{Effort, ModelFacts};
use crate::conversation::Conversation;
use crate::endpoint::{Endpoint, Family, Flavour};
use crate::error::Rejection;
use crate::gemini::session::Generate;
use crate::http::{Clients, IDLE_TIMEOUT, Link};
use crate::memory::Memory;
use crate::openai_chat::session::Completions;
use crate::openai_responses::session::Responses;
use crate::session::{Dialect, Session, Tools};
use crate::usage::Ledger;
use facsimile_agent::Secret;

/// What a conversation needs to begin.
#[derive(Debug, Clone)]
pub struct ConnectSpec {
    /// Where.
    pub endpoint: Endpoint,
    /// The endpoint's own key, where it wants one.
    pub key: Option<Secret>,
    /// With which model.
    pub model: ModelFacts,
    /// How much it is to think; `None` leaves it to the model.
    pub effort: Option<Effort>,
    /// The system prompt: it stays the same for the whole conversation, and so do the tools.
    pub system: String,
    /// The tools on offer.
    pub tools: Vec<ToolSpec>,
    /// The tools that are offered beside them while a cut file is being continued.
    pub continuation_tools: Vec<ToolSpec>,
    /// Names project and conversation for the vendor's cache.
    pub cache_key: String,
}

/// Begins conversations, and remembers for all of them what endpoints refuse.
#[derive(Debug)]
pub struct Connector {
    pub(crate) clients: Clients,
    memory: Memory,
}

impl Default for Connector {
    fn default() -> Self {
        Self::new()
    }
}

impl Connector {
    /// A connector that knows nothing of any endpoint.
    pub fn new() -> Self {
        Self::giving_up_after(IDLE_TIMEOUT)
    }

    /// A connector that takes a stream for stalled when it is silent for this long.
    pub fn giving_up_after(idle_timeout: Duration) -> Self {
        Self { clients: Clients::giving_up_after(idle_timeout), memory: Memory::default() }
    }

    /// Begins a conversation. Nothing is sent before its first turn.
    pub fn connect(&self, spec: ConnectSpec) -> Result<Box<dyn ProviderSession>, SessionError> {
        Ok(Box::new(self.session(spec)?))
    }

    pub(crate) fn session(&self, spec: ConnectSpec) -> Result<Session, SessionError> {
        let ConnectSpec { endpoint, key, model, effort, system, tools, continuation_tools, cache_key } = spec;
        let dialect = dialect_of(&endpoint);
        let link = self.link(&endpoint, key.as_ref(), dialect.as_ref())?;
        let ledger = Ledger::new(model.pricing_at(&endpoint));
        Ok(Session {
            dialect,
            endpoint,
            link,
            memory: self.memory.clone(),
            conversation: Conversation::new(system),
            model,
            effort,
            tools: Tools::new(tools, continuation_tools),
            cache_key,
            ledger,
            slot: None,
            measured: None,
        })
    }

    pub(crate) fn link(
        &self,
        endpoint: &Endpoint,
        key: Option<&Secret>,
        dialect: &dyn Dialect,
    ) -> Result<Link, SessionError> {
        let who = endpoint.display_name();
        if endpoint.is_vendor() && key.is_none() {
            let rejection = Rejection::without_answer(ErrorKind::BadKey, "there is no key");
            return Err(rejection.told_by(&who));
        }
        Link::new(&self.clients, endpoint, key, dialect.key_header(), &dialect.headers())
            .map_err(|rejection| rejection.told_by(&who))
    }
}

/// The dialect that replies of a family are written in.
pub(crate) fn dialect_of_family(family: Family) -> Box<dyn Dialect> {
    match family {
        Family::OpenAiResponses => Box::new(Responses),
        Family::Anthropic => Box::new(Messages { is_vendor: false }),
        Family::Gemini => Box::new(Generate),
        Family::OpenAiChat => Box::new(Completions { flavour: Flavour::default() }),
    }
}

/// The dialect spoken at an endpoint.
pub(crate) fn dialect_of(endpoint: &Endpoint) -> Box<dyn Dialect> {
    match endpoint.family {
        Family::OpenAiResponses => Box::new(Responses),
        Family::Anthropic => Box::new(Messages { is_vendor: endpoint.is_vendor() }),
        Family::Gemini => Box::new(Generate),
        Family::OpenAiChat => Box::new(Completions { flavour: endpoint.flavour }),
    }
}
