//! Exit statuses and the words that go with them.

use std::io::{self, Write};
use std::process::ExitCode;

use facsimile_agent::{ErrorKind, RunStatus};
use facsimile_studio::StudioError;
use facsimile_studio::models::EngineRefused;
use facsimile_studio::run::request::RequestRefused;

/// How the program ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    code: u8,
    message: Option<String>,
}

impl Exit {
    /// All went well.
    pub const DONE: Exit = Exit { code: 0, message: None };

    /// Something failed.
    pub fn failed(message: impl Into<String>) -> Self {
        Self { code: 1, message: Some(message.into()) }
    }

    /// The command line is wrong.
    pub fn wrong_usage(message: impl Into<String>) -> Self {
        Self { code: 2, message: Some(message.into()) }
    }

    /// A file cannot be used.
    pub fn refused_input(message: impl Into<String>) -> Self {
        Self { code: 3, message: Some(message.into()) }
    }

    /// No engine or no key can be used.
    pub fn no_engine(message: impl Into<String>) -> Self {
        Self { code: 4, message: Some(message.into()) }
    }

    /// No engine or no key can be used, and why has been said.
    pub fn no_engine_said() -> Self {
        Self { code: 4, message: None }
    }

    /// The status of a run in this state.
    pub fn of_state(state: RunStatus) -> Self {
        let code = match state {
            RunStatus::Succeeded => 0,
            RunStatus::StoppedAtLimit | RunStatus::BudgetExceeded => 5,
            RunStatus::Cancelled => 130,
            _ => 1,
        };
        Self { code, message: None }
    }

    /// Says what there is to say, on standard error.
    pub fn tell(&self) {
        if let Some(message) = &self.message {
            say(&format!("facsimile: {message}"));
        }
    }

    /// The status for the system.
    pub fn code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }
}

impl From<StudioError> for Exit {
    fn from(error: StudioError) -> Self {
        let code = match &error {
            StudioError::Input(_) | StudioError::Page(_) => 3,
            StudioError::Archive(refused) if refused.kind() == ErrorKind::InputRefused => 3,
            StudioError::Request(RequestRefused::WordsNeedModel | RequestRefused::ChangeNeedsModel)
            | StudioError::Engine(EngineRefused::Unavailable { .. })
            | StudioError::Key(_) => 4,
            StudioError::Engine(_)
            | StudioError::Request(_)
            | StudioError::Endpoint(_)
            | StudioError::Service(_)
            | StudioError::NoSuchProvider(_)
            | StudioError::NoKey(_)
            | StudioError::Catalog(_)
            | StudioError::ModelsTable { .. } => 2,
            StudioError::Session(error) if is_of_key(error.kind()) => 4,
            _ => 1,
        };
        Self { code, message: Some(error.to_string()) }
    }
}

/// Whether another key or model is what it takes.
fn is_of_key(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::BadKey | ErrorKind::NoAccess | ErrorKind::NoModel | ErrorKind::NoCredit)
}

/// Says a line on standard error.
pub fn say(line: &str) {
    // A reader that has gone away misses the words, not the work.
    let _ = writeln!(io::stderr(), "{line}");
}

/// Prints a line of a result. A reader that has gone away ends the program quietly, as in any pipe.
pub fn print_line(line: &str) -> Result<(), Exit> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Exit { code: 1, message: None }),
        Err(error) => Err(Exit::failed(format!("the result could not be printed ({error})"))),
    }
}
