use facsimile_agent::Secret;
use keyring::{Entry, Error};

use super::{KeyError, KeyId, KeyStore};

/// The name that keys are kept under.
pub const KEYCHAIN_SERVICE: &str = "design.facsimile.desktop";

/// The system's keychain: Secret Service, macOS Keychain or Windows Credential Manager.
#[derive(Debug, Default)]
pub struct Keychain;

impl KeyStore for Keychain {
    fn get(&self, id: &KeyId) -> Result<Option<Secret>, KeyError> {
        match entry(id)?.get_password() {
            Ok(key) => Ok(Secret::new(key)),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(told(error)),
        }
    }

    fn set(&self, id: &KeyId, key: &Secret) -> Result<(), KeyError> {
        entry(id)?.set_password(key.expose()).map_err(told)
    }

    fn remove(&self, id: &KeyId) -> Result<(), KeyError> {
        match entry(id)?.delete_credential() {
            Ok(()) | Err(Error::NoEntry) => Ok(()),
            Err(error) => Err(told(error)),
        }
    }

    fn is_lasting(&self) -> bool {
        true
    }
}

fn entry(id: &KeyId) -> Result<Entry, KeyError> {
    Entry::new(KEYCHAIN_SERVICE, &id.to_string()).map_err(told)
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
