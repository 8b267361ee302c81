//! Which engine does the work: the names that a person gives and what they mean.

use std::fmt;

use facsimile_providers::Family;
use facsimile_store::KeyId;
use facsimile_vision::Layout;
use serde::Serialize;

/// An engine as it is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum EngineChoice {
    /// The built-in tracer, and how its pages hold things where they are.
    Offline(Layout),
    /// A model.
    Model(ModelChoice),
}

/// A model at a provider.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelChoice {
    /// Whose dialect it is asked in.
    pub provider: Provider,
    /// The endpoint the person added, by its id; none means the vendor, or the only endpoint there is.
    pub endpoint: Option<String>,
    /// The model's id.
    pub model: String,
}

/// A provider of models as people name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// OpenAI.
    OpenAi,
    /// Anthropic.
    Anthropic,
    /// Gemini.
    Gemini,
    /// Any endpoint that speaks Chat Completions.
    Chat,
}

impl Provider {
    /// All of them; the vendors stand in the order in which they are taken when nothing is asked for.
    pub const ALL: [Self; 4] = [Self::Anthropic, Self::OpenAi, Self::Gemini, Self::Chat];

    /// The provider of a name such as `openai`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.as_str() == name)
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Chat => "chat",
        }
    }

    /// The dialect it speaks.
    pub fn family(self) -> Family {
        match self {
            Self::OpenAi => Family::OpenAiResponses,
            Self::Anthropic => Family::Anthropic,
            Self::Gemini => Family::Gemini,
            Self::Chat => Family::OpenAiChat,
        }
    }

    /// Where its key is kept; an endpoint's key is kept under the endpoint's id.
    pub fn key(self) -> Option<KeyId> {
        match self {
            Self::OpenAi => Some(KeyId::OpenAi),
            Self::Anthropic => Some(KeyId::Anthropic),
            Self::Gemini => Some(KeyId::Gemini),
            Self::Chat => None,
        }
    }

    /// The model that answers small questions about a request.
    pub fn cheap_model(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("gpt-6-luna"),
            Self::Anthropic => Some("claude-haiku-5-5"),
            Self::Gemini => Some("gemini-3.1-flash-lite"),
            Self::Chat => None,
        }
    }

    /// The model that is taken when a key is there and nothing is asked for: good at pages, at a middle price.
    pub fn usual_model(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("gpt-6.2-sol"),
            Self::Anthropic => Some("claude-opus-5-5"),
            Self::Gemini => Some("gemini-4-argon"),
            Self::Chat => None,
        }
    }
}

/// Why an engine cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineRefused {
    /// The name is of a form that does not exist.
    #[error("{0:?} is no engine; use offline, openai:MODEL, anthropic:MODEL, gemini:MODEL or chat:MODEL")]
    Unknown(String),
    /// The engine exists but cannot be used.
    #[error("the engine {name} cannot be used: {why}")]
    Unavailable {
        /// The engine's name.
        name: String,
        /// The reason, with the way out.
        why: String,
    },
}

impl EngineRefused {
    pub(crate) fn unavailable(engine: &EngineChoice, why: impl Into<String>) -> Self {
        Self::Unavailable { name: engine.to_string(), why: why.into() }
    }
}

impl EngineChoice {
    /// The tracer as it works unless told otherwise.
    pub const OFFLINE: Self = Self::Offline(Layout::Flowing);

    /// Whether it is the tracer.
    pub fn is_offline(&self) -> bool {
        matches!(self, Self::Offline(_))
    }

    /// Reads a name such as `offline` or `openai:gpt-6.2-sol`; `chat/<endpoint>:MODEL` names an added endpoint.
    pub fn parse(name: &str) -> Result<Self, EngineRefused> {
        let unknown = || EngineRefused::Unknown(name.to_owned());
        let (family, detail) =
            name.split_once(':').map_or((name, None), |(family, detail)| (family, Some(detail)));
        match (family, detail) {
            ("offline", None | Some("flow")) => return Ok(Self::OFFLINE),
            ("offline", Some("exact")) => return Ok(Self::Offline(Layout::Pinned)),
            _ => {}
        }
        let (provider, endpoint) =
            family.split_once('/').map_or((family, None), |(name, id)| (name, Some(id)));
        let provider = Provider::parse(provider).ok_or_else(unknown)?;
        let model = detail.map(str::trim).filter(|model| !model.is_empty()).ok_or_else(unknown)?;
        if endpoint.is_some_and(str::is_empty) {
            return Err(unknown());
        }
        let endpoint = endpoint.map(str::to_owned);
        Ok(Self::Model(ModelChoice { provider, endpoint, model: model.to_owned() }))
    }
}

impl fmt::Display for EngineChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineChoice::Offline(Layout::Flowing) => f.write_str("offline"),
            EngineChoice::Offline(Layout::Pinned) => f.write_str("offline:exact"),
            EngineChoice::Model(choice) => {
                f.write_str(choice.provider.as_str())?;
                if let Some(endpoint) = &choice.endpoint {
                    write!(f, "/{endpoint}")?;
                }
                write!(f, ":{}", choice.model)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_written_as_it_is_read() {
        let names = [
            "offline",
            "offline:exact",
            "openai:gpt-5.5",
            "gemini:gemini-4-neon",
            "chat:llama3:8b",
            "chat/0190-a:qwen",
        ];
        let read: Vec<_> = names.iter().map(|name| EngineChoice::parse(name).unwrap().to_string()).collect();
        assert_eq!(read, names);
        assert_eq!(EngineChoice::parse("offline:flow"), Ok(EngineChoice::OFFLINE));
        let model = |endpoint: Option<&str>, model: &str| {
            let endpoint = endpoint.map(str::to_owned);
            EngineChoice::Model(ModelChoice { provider: Provider::Chat, endpoint, model: model.to_owned() })
        };
        assert_eq!(EngineChoice::parse("chat:llama3:8b"), Ok(model(None, "llama3:8b")));
        assert_eq!(EngineChoice::parse("chat/0190-a:qwen"), Ok(model(Some("0190-a"), "qwen")));
    }

    #[test]
    fn what_is_no_engine_is_refused_with_the_ones_there_are() {
        for name in ["", "magic", "openai", "openai:", "openai: ", "chat/:m", "mistral:large", "offline:fast"]
        {
            assert_eq!(EngineChoice::parse(name), Err(EngineRefused::Unknown(name.to_owned())), "{name}");
        }
    }
}
