//! Keys of model providers: in the system's keychain, never in the database.

mod keychain;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use facsimile_agent::Secret;

pub use keychain::{KEYCHAIN_SERVICE, Keychain};

/// Whose key it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyId {
    /// OpenAI's.
    OpenAi,
    /// Anthropic's.
    Anthropic,
    /// Gemini's.
    Gemini,
    /// Replicate's.
    Replicate,
    /// That of an endpoint the user added, by the endpoint's id.
    Endpoint(String),
}

impl KeyId {
    /// The vendors that a key can be kept for.
    pub const VENDORS: [Self; 4] = [Self::OpenAi, Self::Anthropic, Self::Gemini, Self::Replicate];

    /// The id of a name such as `openai` or `endpoint:<id>`.
    pub fn parse(name: &str) -> Option<Self> {
        if let Some(endpoint) = name.strip_prefix("endpoint:") {
            return (!endpoint.is_empty()).then(|| Self::Endpoint(endpoint.to_owned()));
        }
        Self::VENDORS.into_iter().find(|id| id.to_string() == name)
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OpenAi => f.write_str("openai"),
            Self::Anthropic => f.write_str("anthropic"),
            Self::Gemini => f.write_str("gemini"),
            Self::Replicate => f.write_str("replicate"),
            Self::Endpoint(id) => write!(f, "endpoint:{id}"),
        }
    }
}

/// Why a key could not be kept or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The system has no keychain, or it does not run.
    #[error("this system has no keychain that can be reached ({0})")]
    Unavailable(String),
    /// The keychain is locked, or the person refused.
    #[error("the keychain is locked or refused access ({0}); unlock it and try again")]
    Locked(String),
    /// The keychain could not do it.
    #[error("the keychain could not do it ({0})")]
    Failed(String),
}

/// Where keys are kept.
///
/// An implementor promises that a key that was set is the one that is got, and that no key is ever printed or
/// logged. All calls can block: a keychain may ask a person.
pub trait KeyStore: Send + Sync {
    /// The key; `None` if there is none.
    fn get(&self, id: &KeyId) -> Result<Option<Secret>, KeyError>;
    /// Keeps a key in the place of the one before.
    fn set(&self, id: &KeyId, key: &Secret) -> Result<(), KeyError>;
    /// Forgets a key; one that is not there is forgotten already.
    fn remove(&self, id: &KeyId) -> Result<(), KeyError>;
    /// Whether keys outlive the program.
    fn is_lasting(&self) -> bool;
}

/// Keys in memory, gone with the program.
#[derive(Debug, Default)]
pub struct MemoryKeys {
    keys: Mutex<HashMap<KeyId, Secret>>,
}

impl MemoryKeys {
    fn keys(&self) -> MutexGuard<'_, HashMap<KeyId, Secret>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeyStore for MemoryKeys {
    fn get(&self, id: &KeyId) -> Result<Option<Secret>, KeyError> {
        Ok(self.keys().get(id).cloned())
    }

    fn set(&self, id: &KeyId, key: &Secret) -> Result<(), KeyError> {
        self.keys().insert(id.clone(), key.clone());
        Ok(())
    }

    fn remove(&self, id: &KeyId) -> Result<(), KeyError> {
        self.keys().remove(id);
        Ok(())
    }

    fn is_lasting(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_from_what_it_is_written_as() {
        let ids = KeyId::VENDORS.into_iter().chain([KeyId::Endpoint("0190".into())]);
        let read: Vec<_> = ids.clone().map(|id| KeyId::parse(&id.to_string())).collect();
        assert_eq!(read, ids.map(Some).collect::<Vec<_>>());
        assert_eq!((KeyId::parse("endpoint:"), KeyId::parse("mistral")), (None, None));
    }
}
