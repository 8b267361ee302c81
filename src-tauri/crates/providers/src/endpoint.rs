//! Where requests go: a family of dialect, a base address and the way the key is shown.

mod address;
mod preset;

pub use address::{AddressRefused, BaseAddress};
pub use preset::{PRESETS, Preset};

use serde::{Deserialize, Serialize};

/// The environment variable with the key of a user's own endpoint. A vendor's variable is never used for it:
/// a foreign host would get the vendor's key.
pub const ENDPOINT_KEY_VARIABLE: &str = "FACSIMILE_ENDPOINT_KEY";

/// The four dialects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// OpenAI's Responses.
    #[serde(rename = "openai-responses")]
    OpenAiResponses,
    /// Anthropic's Messages.
    #[serde(rename = "anthropic-messages")]
    Anthropic,
    /// Gemini's `streamGenerateContent`.
    Gemini,
    /// Chat Completions, as everybody speaks it.
    #[serde(rename = "openai-chat")]
    OpenAiChat,
}

impl Family {
    /// The name it is stored and written by.
    pub fn as_str(self) -> &'static str {
        match self {
            Family::OpenAiResponses => "openai-responses",
            Family::Anthropic => "anthropic-messages",
            Family::Gemini => "gemini",
            Family::OpenAiChat => "openai-chat",
        }
    }

    /// Reads the name it is stored by.
    pub fn parse(name: &str) -> Option<Self> {
        let all = [Family::OpenAiResponses, Family::Anthropic, Family::Gemini, Family::OpenAiChat];
        all.into_iter().find(|family| family.as_str() == name)
    }

    /// The vendor's own address; none for Chat Completions.
    pub fn default_base(self) -> Option<&'static str> {
        match self {
            Family::OpenAiResponses => Some("https://api.openai.com/v1"),
            Family::Anthropic => Some("https://api.anthropic.com"),
            Family::Gemini => Some("https://generativelanguage.googleapis.com/v1beta"),
            Family::OpenAiChat => None,
        }
    }
}

/// What a server that speaks Chat Completions is known to want or refuse.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flavour {
    /// Nothing is known.
    #[default]
    Plain,
    /// Wants `reasoning_content` back with tool calls.
    DeepSeek,
    /// Wants `reasoning_details` back.
    OpenRouter,
    /// Has deployments in the path, `api-version` in the query and the key in `api-key`.
    Azure,
}

/// A place that answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The dialect spoken there.
    pub family: Family,
    /// Where.
    pub base: BaseAddress,
    /// What is known of it.
    pub flavour: Flavour,
}

impl Endpoint {
    /// The vendor of a family itself; none for Chat Completions.
    pub fn vendor(family: Family) -> Option<Self> {
        let base = BaseAddress::parse(family, family.default_base()?).ok()?;
        Some(Self { family, base, flavour: Flavour::Plain })
    }

    /// An address the user gave.
    pub fn custom(family: Family, address: &str) -> Result<Self, AddressRefused> {
        let base = BaseAddress::parse(family, address)?;
        let flavour = match (family, base.host()) {
            (Family::OpenAiChat, "openrouter.ai") => Flavour::OpenRouter,
            (Family::OpenAiChat, "api.deepseek.com") => Flavour::DeepSeek,
            _ => Flavour::Plain,
        };
        Ok(Self { family, base, flavour })
    }

    /// A deployment at Azure OpenAI.
    pub fn azure(resource: &str, deployment: &str, api_version: &str) -> Result<Self, AddressRefused> {
        let base = BaseAddress::azure(resource, deployment, api_version)?;
        Ok(Self { family: Family::OpenAiChat, base, flavour: Flavour::Azure })
    }

    /// Whether this is the vendor's own address, and not one the user gave.
    pub fn is_vendor(&self) -> bool {
        Self::vendor(self.family).is_some_and(|vendor| vendor.base == self.base)
    }

    /// The environment variable that may hold the key.
    pub fn key_variable(&self) -> &'static str {
        match self.family {
            _ if !self.is_vendor() => ENDPOINT_KEY_VARIABLE,
            Family::OpenAiResponses => "OPENAI_API_KEY",
            Family::Anthropic => "ANTHROPIC_API_KEY",
            Family::Gemini => "GEMINI_API_KEY",
            Family::OpenAiChat => ENDPOINT_KEY_VARIABLE,
        }
    }

    /// What a person calls it.
    pub fn display_name(&self) -> String {
        match self.family {
            _ if !self.is_vendor() => self.base.host_and_port(),
            Family::OpenAiResponses => "OpenAI".to_owned(),
            Family::Anthropic => "Anthropic".to_owned(),
            Family::Gemini => "Gemini".to_owned(),
            Family::OpenAiChat => self.base.host_and_port(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_users_endpoint_never_takes_a_vendors_key() {
        let families = [Family::OpenAiResponses, Family::Anthropic, Family::Gemini, Family::OpenAiChat];
        for family in families {
            let endpoint = Endpoint::custom(family, "gateway.example.test").unwrap();
            assert_eq!(endpoint.key_variable(), ENDPOINT_KEY_VARIABLE);
        }
        let vendor = Endpoint::vendor(Family::OpenAiResponses).unwrap();
        assert_eq!((vendor.key_variable(), vendor.display_name()), ("OPENAI_API_KEY", "OpenAI".to_owned()));
        assert_eq!(Endpoint::custom(Family::OpenAiResponses, "https://api.openai.com"), Ok(vendor));
    }

    #[test]
    fn known_hosts_have_a_flavour() {
        let flavour = |address| Endpoint::custom(Family::OpenAiChat, address).unwrap().flavour;
        assert_eq!(flavour("https://openrouter.ai/api/v1"), Flavour::OpenRouter);
        assert_eq!(flavour("https://api.deepseek.com"), Flavour::DeepSeek);
        assert_eq!(flavour("localhost:11434"), Flavour::Plain);
    }
}
