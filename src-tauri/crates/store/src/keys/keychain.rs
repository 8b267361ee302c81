use std::sync::mpsc;
use std::time::Duration;

use facsimile_agent::Secret;
use keyring::{Entry, Error};

use super::{KeyError, KeyId, KeyStore};

/// The name that keys are kept under.
pub const KEYCHAIN_SERVICE: &str = "design.facsimile.desktop";

/// A person has this long to unlock the keychain; a keychain that is broken never answers.
const MAX_WAIT: Duration = Duration::from_secs(60);

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
        &self,
        id: &KeyId,
        question: impl FnOnce(Entry) -> Result<T, KeyError> + Send + 'static,
    ) -> Result<T, KeyError> {
        let (sender, answer) = mpsc::channel();
        let account = id.to_string();
        let asking = std::thread::Builder::new().name("keychain".to_owned()).spawn(move || {
            let answer = Entry::new(KEYCHAIN_SERVICE, &account).map_err(told).and_then(question);
            // Nobody listens any more when it came too late.
            let _ = sender.send(answer);
        });
        asking.map_err(|error| KeyError::Failed(error.to_string()))?;
        answer.recv_timeout(self.max_wait).unwrap_or_else(|_| {
            let seconds = self.max_wait.as_secs();
            Err(KeyError::Locked(format!("it did not answer within {seconds} seconds")))
        })
    }
}

impl KeyStore for Keychain {
    fn get(&self, id: &KeyId) -> Result<Option<Secret>, KeyError> {
        self.ask(id, |entry| match entry.get_password() {
            Ok(key) => Ok(Secret::new(key)),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(told(error)),
        })
    }

    fn set(&self, id: &KeyId, key: &Secret) -> Result<(), KeyError> {
        let key = key.clone();
        self.ask(id, move |entry| entry.set_password(key.expose()).map_err(told))
    }

    fn remove(&self, id: &KeyId) -> Result<(), KeyError> {
        self.ask(id, |entry| match entry.delete_credential() {
            Ok(()) | Err(Error::NoEntry) => Ok(()),
            Err(error) => Err(told(error)),
        })
    }

    fn is_lasting(&self) -> bool {
        true
    }
}

/// The error in our words. What a vendor of keychains says never holds the key: only names go in.
fn told(error: Error) -> KeyError {
    match error {
        Error::NoDefaultStore => KeyError::Unavailable("no secret service answers".to_owned()),
        Error::NoStorageAccess(source) => KeyError::Locked(source.to_string()),
        Error::PlatformFailure(source) => KeyError::Unavailable(source.to_string()),
        // These two carry what was read; it stays out of the message.
        Error::BadEncoding(_) | Error::BadDataFormat(..) => {
            KeyError::Failed("what is kept there is no text; set the key again".to_owned())
        }
        error => KeyError::Failed(error.to_string()),
    }
}
