//! Keys of model providers: in the system's keychain, never in the database.

mod keychain;
mod refusal;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use facsimile_agent::Secret;

pub use keychain::{KEYCHAIN_SERVICE, Keychain};
pub use refusal::KeyError;

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

/// Keeps a key and makes sure that it is there: what the keychain gives back must be what it was given.
pub fn keep_key(store: &dyn KeyStore, id: &KeyId, key: &Secret) -> Result<(), KeyError> {
    store.set(id, key)?;
    if store.get(id)?.as_ref() == Some(key) { Ok(()) } else { Err(KeyError::NotKept) }
}

/// Where keys are kept.
///
/// An implementor promises that no key is ever printed or logged. All calls can block: a keychain may ask a person.
pub trait KeyStore: Send + Sync {
    /// The key; `None` if there is none.
    fn get(&self, id: &KeyId) -> Result<Option<Secret>, KeyError>;
    /// The key, for somebody who looks at a list and will not wait long.
    fn glance(&self, id: &KeyId) -> Result<Option<Secret>, KeyError> {
        self.get(id)
    }
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
