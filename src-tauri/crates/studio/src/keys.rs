//! Keys and where they come from. A key goes from here to one provider's header and nowhere else: what the
//! window sees is a [`KeyStatus`].

use std::sync::Arc;

use facsimile_agent::Secret;
use facsimile_store::{KeyError, KeyId, KeyStore, Keychain, MemoryKeys};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Reads a variable of the environment.
pub type Environment = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Whether there is a key, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum KeyState {
    /// There is none.
    Missing,
    /// In the system's keychain.
    Stored,
    /// In memory, until the program ends: there is no keychain.
    UntilExit,
    /// In a variable of the environment, which goes before the keychain.
    Environment,
    /// The keychain could not be asked.
    Unreadable,
}

/// What may be told about a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct KeyStatus {
    /// `openai`, `anthropic`, `gemini`, `replicate` or `endpoint:<id>`.
    pub provider: String,
    /// Whether there is one.
    pub state: KeyState,
    /// Where it is, or why that cannot be told; empty when there is none.
    #[serde(rename = "where")]
    pub place: String,
}

/// All keys of the program.
pub struct Keys {
    store: Arc<dyn KeyStore>,
    /// Takes the keys where there is no keychain.
    memory: MemoryKeys,
    environment: Environment,
}

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
        Self { store, memory: MemoryKeys::default(), environment }
    }

    /// No keys at all, and memory to keep some in.
    pub fn in_memory() -> Self {
        Self::over(Arc::new(MemoryKeys::default()), Arc::new(|_| None))
    }

    /// A vendor's key: that of the environment if the variable is set, else the kept one. For an endpoint it is
    /// the other way round: the one variable would go to every host, the kept key is its own.
    pub(crate) fn get(&self, id: &KeyId, variable: &str) -> Result<Option<Secret>, KeyError> {
        let in_environment = self.in_environment(variable);
        match id {
            KeyId::Endpoint(_) => Ok(self.kept(id)?.or(in_environment)),
            _ if in_environment.is_some() => Ok(in_environment),
            _ => self.kept(id),
        }
    }

    fn kept(&self, id: &KeyId) -> Result<Option<Secret>, KeyError> {
        if let Some(key) = self.memory.get(id)? {
            return Ok(Some(key));
        }
        match self.store.get(id) {
            // Without a keychain there is no key in it: that is no error of whoever asks.
            Err(KeyError::Unavailable(_)) => Ok(None),
            answer => answer,
        }
    }

    pub(crate) fn in_environment(&self, variable: &str) -> Option<Secret> {
        (self.environment)(variable).and_then(Secret::new)
    }

    /// Keeps a key; without a keychain until the program ends.
    pub(crate) fn set(&self, id: &KeyId, key: &Secret) -> Result<(), KeyError> {
        match self.store.set(id, key) {
            Err(KeyError::Unavailable(_)) => self.memory.set(id, key),
            answer => {
                self.memory.remove(id)?;
                answer
            }
        }
    }

    /// Forgets a key.
    pub(crate) fn remove(&self, id: &KeyId) -> Result<(), KeyError> {
        self.memory.remove(id)?;
        match self.store.remove(id) {
            Err(KeyError::Unavailable(_)) => Ok(()),
            answer => answer,
        }
    }

    /// Whether a key that is set now outlives the program.
    pub fn is_lasting(&self) -> bool {
        self.store.is_lasting() && !matches!(self.store.get(&KeyId::OpenAi), Err(KeyError::Unavailable(_)))
    }

    /// What may be told about a key.
    pub(crate) fn status(&self, id: &KeyId, variable: &str) -> KeyStatus {
        let is_set = self.in_environment(variable).is_some();
        let is_first = !matches!(id, KeyId::Endpoint(_)) || !matches!(self.kept(id), Ok(Some(_)));
        let (state, place) = if is_set && is_first {
            (KeyState::Environment, format!("the environment variable {variable}"))
        } else if matches!(self.memory.get(id), Ok(Some(_))) {
            (KeyState::UntilExit, "memory, until the program ends".to_owned())
        } else {
            match self.store.get(id) {
                Ok(Some(_)) if self.store.is_lasting() => {
                    (KeyState::Stored, "the system's keychain".to_owned())
                }
                Ok(Some(_)) => (KeyState::UntilExit, "memory, until the program ends".to_owned()),
                Ok(None) | Err(KeyError::Unavailable(_)) => (KeyState::Missing, String::new()),
                Err(error) => (KeyState::Unreadable, error.to_string()),
            }
        };
        KeyStatus { provider: id.to_string(), state, place }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A system without a keychain.
    struct NoKeychain;

    impl KeyStore for NoKeychain {
        fn get(&self, _: &KeyId) -> Result<Option<Secret>, KeyError> {
            Err(KeyError::Unavailable("none".into()))
        }
        fn set(&self, _: &KeyId, _: &Secret) -> Result<(), KeyError> {
            Err(KeyError::Unavailable("none".into()))
        }
        fn remove(&self, _: &KeyId) -> Result<(), KeyError> {
            Err(KeyError::Unavailable("none".into()))
        }
        fn is_lasting(&self) -> bool {
            true
        }
    }

    fn key(text: &str) -> Secret {
        Secret::new(text).unwrap()
    }

    #[test]
    fn the_environment_goes_before_what_is_kept() {
        let environment: Environment =
            Arc::new(|name| (name == "OPENAI_API_KEY").then(|| "from-environment".to_owned()));
        let keys = Keys::over(Arc::new(MemoryKeys::default()), environment);
        keys.set(&KeyId::OpenAi, &key("kept")).unwrap();
        keys.set(&KeyId::Gemini, &key("kept")).unwrap();
        assert_eq!(keys.get(&KeyId::OpenAi, "OPENAI_API_KEY"), Ok(Some(key("from-environment"))));
        assert_eq!(keys.get(&KeyId::Gemini, "GEMINI_API_KEY"), Ok(Some(key("kept"))));
        let states =
            [(KeyId::OpenAi, "OPENAI_API_KEY"), (KeyId::Gemini, "GEMINI_API_KEY"), (KeyId::Anthropic, "A")]
                .map(|(id, variable)| keys.status(&id, variable).state);
        assert_eq!(states, [KeyState::Environment, KeyState::UntilExit, KeyState::Missing]);
    }

    #[test]
    fn an_endpoints_own_key_goes_before_the_variable_for_all() {
        let keys = Keys::over(Arc::new(MemoryKeys::default()), Arc::new(|_| Some("for-all".to_owned())));
        let (own, other) = (KeyId::Endpoint("a".into()), KeyId::Endpoint("b".into()));
        keys.set(&own, &key("own")).unwrap();
        let got = [&own, &other].map(|id| keys.get(id, "FACSIMILE_ENDPOINT_KEY").unwrap().unwrap());
        assert_eq!(got, [key("own"), key("for-all")]);
        let states = [&own, &other].map(|id| keys.status(id, "FACSIMILE_ENDPOINT_KEY").state);
        assert_eq!(states, [KeyState::UntilExit, KeyState::Environment]);
    }

    #[test]
    fn without_a_keychain_a_key_lasts_until_the_program_ends() {
        let keys = Keys::over(Arc::new(NoKeychain), Arc::new(|_| None));
        assert_eq!((keys.get(&KeyId::OpenAi, "X"), keys.is_lasting()), (Ok(None), false));
        keys.set(&KeyId::OpenAi, &key("k")).unwrap();
        assert_eq!(keys.get(&KeyId::OpenAi, "X"), Ok(Some(key("k"))));
        assert_eq!(keys.status(&KeyId::OpenAi, "X").state, KeyState::UntilExit);
        keys.remove(&KeyId::OpenAi).unwrap();
        assert_eq!(keys.status(&KeyId::OpenAi, "X").state, KeyState::Missing);
    }
}
