//! Keys and where they come from. A key goes from here to one provider's header and nowhere else: what the
//! window sees is a [`KeyStatus`].

mod parse;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use facsimile_agent::Secret;
use facsimile_store::{KeyError, KeyId, KeyStore, Keychain, MemoryKeys, keep_key};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::logging;

pub use parse::KeyRefused;
pub(crate) use parse::pasted_key;

/// Reads a variable of the environment.
pub type Environment = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Whether there is a key, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum KeyState {
    /// There is none.
    Absent,
    /// In the system's keychain.
    Stored,
    /// In memory, until the program ends.
    UntilExit,
    /// In a variable of the environment.
    Environment,
    /// Not known: the keychain is locked.
    Locked,
    /// There is none, and no keychain to keep one in.
    NoService,
    /// Not known: the keychain refused access.
    Denied,
    /// Not known: the keychain has not answered.
    Slow,
    /// Not known: the keychain failed.
    Failed,
}

impl KeyState {
    /// Whether a run can use the key.
    pub fn is_there(self) -> bool {
        matches!(self, Self::Stored | Self::UntilExit | Self::Environment)
    }

    fn of(error: &KeyError) -> Self {
        match error {
            KeyError::NoService(_) => Self::NoService,
            KeyError::Locked(_) => Self::Locked,
            KeyError::Denied(_) => Self::Denied,
            KeyError::Slow { .. } => Self::Slow,
            KeyError::NotKept | KeyError::Failed(_) => Self::Failed,
        }
    }
}

/// What may be told about a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(optional_fields)]
pub struct KeyStatus {
    /// `openai`, `anthropic`, `gemini`, `replicate` or `endpoint:<id>`.
    pub provider: String,
    /// Whether there is one.
    pub state: KeyState,
    /// Where it is, or why that cannot be told; empty when there is none.
    #[serde(rename = "where")]
    pub place: String,
    /// Why it is not in the keychain, where that is for a reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// What may be told about every key, and about the keychain.
pub(crate) struct KeyRoll {
    pub(crate) statuses: Vec<KeyStatus>,
    /// Whether a key that is set now outlives the program.
    pub(crate) keys_last: bool,
}

/// All keys of the program.
pub struct Keys {
    store: Arc<dyn KeyStore>,
    /// Keys the keychain could not keep, until the program ends.
    held: Mutex<HashMap<KeyId, Held>>,
    environment: Environment,
}

struct Held {
    key: Secret,
    why: KeyError,
}

const IN_MEMORY: &str = "memory, until the program ends";

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keys")
    }
}

impl Keys {
    /// The keys of this system and this process's environment.
    pub fn of_system() -> Self {
        Self::over(Arc::new(Keychain::default()), Arc::new(|name| std::env::var(name).ok()))
    }

    /// Keys in a store and an environment.
    pub fn over(store: Arc<dyn KeyStore>, environment: Environment) -> Self {
        Self { store, held: Mutex::default(), environment }
    }

    /// No keys at all, and memory to keep some in.
    pub fn in_memory() -> Self {
        Self::over(Arc::new(MemoryKeys::default()), Arc::new(|_| None))
    }

    /// A key: the one in memory, else the kept one, else that of the environment. A keychain that cannot be asked
    /// does not stop a run whose vendor has a variable of its own; the variable for all endpoints would go to a
    /// host that has a key of its own.
    pub(crate) fn get(&self, id: &KeyId, variable: &str) -> Result<Option<Secret>, KeyError> {
        let found = self.found(id, variable);
        match &found {
            Ok(key) => key.iter().for_each(logging::know),
            Err(error) => tracing::warn!(state = ?KeyState::of(error), "the keychain gave no key"),
        }
        found
    }

    fn found(&self, id: &KeyId, variable: &str) -> Result<Option<Secret>, KeyError> {
        if let Some(held) = self.held().get(id) {
            return Ok(Some(held.key.clone()));
        }
        let in_environment = self.in_environment(variable);
        match self.store.get(id) {
            Ok(Some(key)) => Ok(Some(key)),
            // Without a keychain there is no key in it: that is no error of whoever asks.
            Ok(None) | Err(KeyError::NoService(_)) => Ok(in_environment),
            Err(_) if in_environment.is_some() && !matches!(id, KeyId::Endpoint(_)) => Ok(in_environment),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn in_environment(&self, variable: &str) -> Option<Secret> {
        let key = (self.environment)(variable).and_then(Secret::new);
        key.iter().for_each(logging::know);
        key
    }

    /// Whether a key is in memory only. Asks no keychain.
    pub(crate) fn is_held(&self, id: &KeyId) -> bool {
        let is_in_memory_store = || !self.store.is_lasting() && matches!(self.store.get(id), Ok(Some(_)));
        self.held().contains_key(id) || is_in_memory_store()
    }

    /// Keeps a key and tells where it is now: in the keychain if that gives it back, in memory if there is none or
    /// if it keeps something else.
    pub(crate) fn set(&self, id: &KeyId, key: &Secret) -> Result<KeyStatus, KeyError> {
        logging::know(key);
        match keep_key(self.store.as_ref(), id, key) {
            Ok(()) => {
                self.held().remove(id);
                Ok(self.kept(id))
            }
            Err(why @ (KeyError::NoService(_) | KeyError::NotKept)) => {
                let status = held(id, &why);
                self.held().insert(id.clone(), Held { key: key.clone(), why });
                Ok(status)
            }
            Err(error) => Err(error),
        }
    }

    /// Forgets a key.
    pub(crate) fn remove(&self, id: &KeyId) -> Result<(), KeyError> {
        self.held().remove(id);
        match self.store.remove(id) {
            Err(KeyError::NoService(_)) => Ok(()),
            answer => answer,
        }
    }

    /// What may be told about a key.
    pub(crate) fn status(&self, id: &KeyId, variable: &str) -> KeyStatus {
        self.told(id, variable, self.store.glance(id).map(|key| key.is_some()))
    }

    /// What may be told about these keys.
    pub(crate) fn roll(&self, whose: &[(KeyId, &str)]) -> KeyRoll {
        let mut keys_last = self.store.is_lasting();
        // A keychain that is silent is asked once: a list of keys must not wait for it once per key.
        let mut silent: Option<KeyError> = None;
        let statuses = whose.iter().map(|(id, variable)| {
            let answer = match &silent {
                Some(error) => Err(error.clone()),
                None => self.store.glance(id).map(|key| key.is_some()),
            };
            if let Err(error @ (KeyError::Slow { .. } | KeyError::NoService(_))) = &answer {
                silent = Some(error.clone());
            }
            keys_last &= !matches!(answer, Err(KeyError::NoService(_)));
            self.told(id, variable, answer)
        });
        let statuses = statuses.collect();
        KeyRoll { statuses, keys_last }
    }

    /// What is remembered of these keys: whether one was set, whose it is and its variable. Asks no keychain.
    pub(crate) fn remembered(&self, whose: &[(bool, KeyId, &str)]) -> KeyRoll {
        let told = |(was_set, id, variable): &(bool, KeyId, &str)| {
            let is_there = *was_set || (!self.store.is_lasting() && self.is_held(id));
            self.told(id, variable, Ok(is_there))
        };
        KeyRoll { statuses: whose.iter().map(told).collect(), keys_last: self.store.is_lasting() }
    }

    fn told(&self, id: &KeyId, variable: &str, answer: Result<bool, KeyError>) -> KeyStatus {
        if let Some(found) = self.held().get(id) {
            return held(id, &found.why);
        }
        let is_endpoint = matches!(id, KeyId::Endpoint(_));
        let is_set = self.in_environment(variable).is_some();
        let trouble = match answer {
            Ok(true) => return self.kept(id),
            Ok(false) => None,
            Err(error @ KeyError::NoService(_)) => Some(error),
            Err(error) if is_endpoint || !is_set => {
                return status(id, KeyState::of(&error), error.to_string(), None);
            }
            Err(error) => Some(error),
        };
        match trouble {
            _ if is_set => {
                let place = format!("the environment variable {variable}");
                status(id, KeyState::Environment, place, trouble.as_ref())
            }
            Some(error) => status(id, KeyState::of(&error), error.to_string(), None),
            None => status(id, KeyState::Absent, String::new(), None),
        }
    }

    fn kept(&self, id: &KeyId) -> KeyStatus {
        if self.store.is_lasting() {
            status(id, KeyState::Stored, "the system's keychain".to_owned(), None)
        } else {
            status(id, KeyState::UntilExit, IN_MEMORY.to_owned(), None)
        }
    }

    fn held(&self) -> MutexGuard<'_, HashMap<KeyId, Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn held(id: &KeyId, why: &KeyError) -> KeyStatus {
    status(id, KeyState::UntilExit, IN_MEMORY.to_owned(), Some(why))
}

fn status(id: &KeyId, state: KeyState, place: String, trouble: Option<&KeyError>) -> KeyStatus {
    KeyStatus { provider: id.to_string(), state, place, trouble: trouble.map(ToString::to_string) }
}

#[cfg(test)]
mod tests;
