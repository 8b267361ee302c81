use keyring::Error;

/// Why a key could not be kept or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The system has no keychain, or it does not run.
    #[error(
        "this system has no keychain that can be reached ({0}); install one, on Linux gnome-keyring or KWallet, and \
         start the program again"
    )]
    NoService(String),
    /// The keychain is locked and could not ask anybody to unlock it.
    #[error("the keychain is locked ({0}); unlock it and try again")]
    Locked(String),
    /// The keychain asked, and the answer was no.
    #[error("the keychain refused access ({0}); allow it for this program and try again")]
    Denied(String),
    /// The keychain has not answered.
    #[error(
        "the keychain did not answer within {waited_seconds} seconds; it may be asking in a window of its own, so \
         answer there and try again"
    )]
    Slow {
        /// How long it was given.
        waited_seconds: u64,
    },
    /// The keychain said that it keeps the key, and gives back something else.
    #[error(
        "the keychain did not keep the key: it gives back another one or none; repair it and paste the key again"
    )]
    NotKept,
    /// The keychain could not do it.
    #[error("the keychain could not do it ({0})")]
    Failed(String),
}

impl From<Error> for KeyError {
    /// The error in our words. What a keychain says never holds the key: only names go in.
    fn from(error: Error) -> Self {
        match error {
            Error::NoDefaultStore => Self::NoService("no secret service answers".to_owned()),
            Error::NoStorageAccess(source) | Error::PlatformFailure(source) => {
                Self::of_platform(source.to_string(), &format!("{source:?}"), can_ask())
            }
            // These two carry what was read; it stays out of the message.
            Error::BadEncoding(_) | Error::BadDataFormat(..) => {
                Self::Failed("what is kept there is no text; set the key again".to_owned())
            }
            error => Self::Failed(error.to_string()),
        }
    }
}

/// What the keychains of the three systems say, in their own words or numbers, when access is refused.
const DENIED: [&str; 6] =
    ["AccessDenied", "code: -128,", "code: -25293,", "code: -25244,", "code: -25243,", "code: -61,"];
/// The same for one that is locked and cannot ask. On Linux a prompt that could not be shown has no result.
const LOCKED: [&str; 4] = ["object locked", "result not returned", "IsLocked", "code: -25308,"];
/// The same for one that is not there.
const ABSENT: [&str; 9] = [
    "no secret service provider",
    "ServiceUnknown",
    "NameHasNoOwner",
    "Disconnected",
    "kind: NotFound",
    "ERROR_NO_SUCH_LOGON_SESSION",
    "code: -25291,",
    "code: -25294,",
    "code: -25295,",
];

/// What the Secret Service says when its question was answered with no, and when nobody could see it.
const DISMISSED: &str = "prompt dismissed";

/// Whether a keychain can show a person a question.
fn can_ask() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

impl KeyError {
    /// The systems' own errors have no type in common: they are told apart by what they say.
    fn of_platform(said: String, details: &str, can_ask: bool) -> Self {
        let says = |marks: &[&str]| marks.iter().any(|mark| said.contains(mark) || details.contains(mark));
        if says(&DENIED) || (can_ask && said.contains(DISMISSED)) {
            Self::Denied(said)
        } else if says(&LOCKED) || said.contains(DISMISSED) {
            Self::Locked(said)
        } else if says(&ABSENT) {
            Self::NoService(said)
        } else {
            Self::Failed(said)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    #[allow(dead_code)] // read by what is printed of it
    struct Said {
        code: i32,
        message: &'static str,
    }

    impl std::fmt::Display for Said {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(self.message)
        }
    }

    impl std::error::Error for Said {}

    fn kind_of(error: Error) -> &'static str {
        match KeyError::from(error) {
            KeyError::NoService(_) => "no service",
            KeyError::Locked(_) => "locked",
            KeyError::Denied(_) => "denied",
            KeyError::Slow { .. } => "slow",
            KeyError::NotKept => "not kept",
            KeyError::Failed(_) => "failed",
        }
    }

    #[test]
    fn what_systems_say_is_told_apart() {
        let no_access = |code, message| Error::NoStorageAccess(Box::new(Said { code, message }));
        let failure = |code, message| Error::PlatformFailure(Box::new(Said { code, message }));
        let said = [
            (Error::NoDefaultStore, "no service"),
            (no_access(0, "SS error: result not returned from SS API"), "locked"),
            (no_access(0, "SS Error: object locked"), "locked"),
            (failure(0, "zbus error: org.freedesktop.DBus.Error.ServiceUnknown: gone"), "no service"),
            (failure(0, "zbus error: org.freedesktop.Secret.Error.IsLocked: no"), "locked"),
            (failure(0, "zbus error: org.freedesktop.DBus.Error.AccessDenied: no"), "denied"),
            (failure(-128, "User canceled the operation."), "denied"),
            (failure(-25_293, "The user name or passphrase you entered is not correct."), "denied"),
            (failure(-25_308, "User interaction is not allowed."), "locked"),
            (no_access(-25_291, "No keychain is available."), "no service"),
            (no_access(1312, "Windows ERROR_NO_SUCH_LOGON_SESSION"), "no service"),
            (failure(5, "something else"), "failed"),
        ];
        let (found, expected): (Vec<_>, Vec<_>) =
            said.map(|(error, kind)| (kind_of(error), kind)).into_iter().unzip();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_question_that_nobody_could_see_was_not_answered_with_no() {
        let told = [true, false]
            .map(|can_ask| KeyError::of_platform("SS error: prompt dismissed".into(), "", can_ask));
        let said = "SS error: prompt dismissed".to_owned();
        assert_eq!(told, [KeyError::Denied(said.clone()), KeyError::Locked(said)]);
    }

    #[test]
    fn what_was_read_and_is_no_text_stays_out_of_the_message() {
        let told = KeyError::from(Error::BadEncoding(b"sk-very-secret\xff".to_vec())).to_string();
        assert_eq!(told, "the keychain could not do it (what is kept there is no text; set the key again)");
    }
}
