use std::sync::mpsc;
use std::time::Duration;

use facsimile_agent::Secret;
use keyring::{Entry, Error};

use super::{KeyError, KeyId, KeyStore};

/// The name that keys are kept under.
pub const KEYCHAIN_SERVICE: &str = "design.facsimile.desktop";

/// A person has this long to unlock the keychain; a keychain that is broken never answers.
const MAX_WAIT: Duration = Duration::from_secs(60);
/// Who opens the settings looks at the rest of them meanwhile, but not for longer.
const MAX_GLANCE: Duration = Duration::from_secs(8);

/// The system's keychain: Secret Service, macOS Keychain or Windows Credential Manager.
#[derive(Debug)]
pub struct Keychain {
    max_wait: Duration,
}

impl Default for Keychain {
    fn default() -> Self {
        Self::waiting(MAX_WAIT)
    }
}

impl Keychain {
    /// A keychain that is given up when it has not answered for this long.
    pub fn waiting(max_wait: Duration) -> Self {
        Self { max_wait }
    }

    /// Asks on a thread of its own, which is left behind if there is no answer: it cannot be stopped.
    fn ask<T: Send + 'static>(
        id: &KeyId,
        max_wait: Duration,
        question: impl FnOnce(Entry) -> Result<T, KeyError> + Send + 'static,
    ) -> Result<T, KeyError> {
        let (sender, answer) = mpsc::channel();
        let account = id.to_string();
        let asking = std::thread::Builder::new().name("keychain".to_owned()).spawn(move || {
            let answer = Entry::new(KEYCHAIN_SERVICE, &account).map_err(KeyError::from).and_then(question);
            // Nobody listens any more when it came too late.
            let _ = sender.send(answer);
        });
        asking.map_err(|error| KeyError::Failed(error.to_string()))?;
        answer.recv_timeout(max_wait).unwrap_or_else(|_| {
            // Rounded up: a wait of less than a second is not none.
            Err(KeyError::Slow { waited_seconds: max_wait.as_millis().div_ceil(1000) as u64 })
        })
    }

    fn read(id: &KeyId, max_wait: Duration) -> Result<Option<Secret>, KeyError> {
        Self::ask(id, max_wait, |entry| match entry.get_password() {
            Ok(key) => Ok(Secret::new(key)),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(error.into()),
        })
    }
}

impl KeyStore for Keychain {
    fn get(&self, id: &KeyId) -> Result<Option<Secret>, KeyError> {
        Self::read(id, self.max_wait)
    }

    fn glance(&self, id: &KeyId) -> Result<Option<Secret>, KeyError> {
        Self::read(id, self.max_wait.min(MAX_GLANCE))
    }

    fn set(&self, id: &KeyId, key: &Secret) -> Result<(), KeyError> {
        let key = key.clone();
        Self::ask(id, self.max_wait, move |entry| Ok(entry.set_password(key.expose())?))
    }

    fn remove(&self, id: &KeyId) -> Result<(), KeyError> {
        Self::ask(id, self.max_wait, |entry| match entry.delete_credential() {
            Ok(()) | Err(Error::NoEntry) => Ok(()),
            Err(error) => Err(error.into()),
        })
    }

    fn is_lasting(&self) -> bool {
        true
    }
}
