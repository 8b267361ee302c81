//! `facsimile keys`.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Read};

use clap::{Args, Subcommand};
use facsimile_studio::{KeyState, KeyStatus};
use serde_json::json;

use super::exit::{print_line, say};
use super::{Common, Exit, create};
use crate::place;

/// No key is longer; what is longer was meant for something else.
const MAX_KEY_BYTES: u64 = 16 * 1024;

/// The arguments of `keys`.
#[derive(Debug, Args)]
pub struct Keys {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Keep a key in the system's keychain; it is read from standard input.
    Set(Whose),
    /// Ask the provider whether it takes the key.
    Test {
        #[command(flatten)]
        whose: Whose,
        /// A model to try, for endpoints that list none.
        #[arg(long)]
        model: Option<String>,
    },
    /// Forget a key.
    Remove(Whose),
    /// Say which keys there are and where; never the keys.
    List {
        #[command(flatten)]
        common: Common,
    },
}

#[derive(Debug, Args)]
struct Whose {
    /// openai, anthropic, gemini, replicate or endpoint:ID.
    provider: String,
    #[command(flatten)]
    common: Common,
}

/// Runs it.
pub fn run(keys: Keys) -> Result<Exit, Exit> {
    let runtime = create::runtime()?;
    let open = |common: &Common| place::open_studio(common.data_dir.clone(), runtime.handle().clone());
    match keys.action {
        Action::Set(whose) => {
            let studio = open(&whose.common)?;
            let status = studio.set_key(&whose.provider, read_key(&whose.provider)?)?;
            if status.state == KeyState::UntilExit {
                // This process ends now, and the key with it.
                let why = status.trouble.unwrap_or_default();
                return Err(Exit::no_engine(format!(
                    "the key was not kept: {why}; or give the key in the provider's environment variable"
                )));
            }
            told(&whose.common, &status)
        }
        Action::Remove(whose) => {
            let status = open(&whose.common)?.remove_key(&whose.provider)?;
            told(&whose.common, &status)
        }
        Action::Test { whose, model } => {
            let studio = open(&whose.common)?;
            let tested = runtime.block_on(studio.test_provider(&whose.provider, None, model.as_deref()))?;
            if whose.common.json {
                print_line(&json!({ "ok": tested.ok, "message": tested.message }).to_string())?;
            } else {
                say(&tested.message);
            }
            Ok(if tested.ok { Exit::DONE } else { Exit::no_engine_said() })
        }
        Action::List { common } => {
            let statuses = open(&common)?.key_statuses()?;
            if common.json {
                print_line(&json!({ "keys": statuses }).to_string())?;
                return Ok(Exit::DONE);
            }
            for status in &statuses {
                print_line(&line(status))?;
            }
            for reason in reasons(&statuses) {
                say(reason);
            }
            Ok(Exit::DONE)
        }
    }
}

fn told(common: &Common, status: &KeyStatus) -> Result<Exit, Exit> {
    print_line(&if common.json { json!(status).to_string() } else { line(status) })?;
    Ok(Exit::DONE)
}

fn line(status: &KeyStatus) -> String {
    let found = match status.state {
        KeyState::Absent => "no key".to_owned(),
        KeyState::NoService => "no key, no keychain".to_owned(),
        KeyState::Locked => "not known, the keychain is locked".to_owned(),
        KeyState::Denied => "not known, the keychain refused access".to_owned(),
        KeyState::Slow => "not known, the keychain does not answer".to_owned(),
        KeyState::Failed => "not known, the keychain failed".to_owned(),
        KeyState::Stored | KeyState::UntilExit | KeyState::Environment => format!("in {}", status.place),
    };
    format!("{}  {found}", status.provider)
}

/// Why keys are not known or not in the keychain, each reason once.
fn reasons(statuses: &[KeyStatus]) -> BTreeSet<&str> {
    let unknown =
        statuses.iter().filter(|status| !status.state.is_there()).map(|status| status.place.as_str());
    let troubles = statuses.iter().filter_map(|status| status.trouble.as_deref());
    unknown.chain(troubles).filter(|reason| !reason.is_empty()).collect()
}

fn read_key(provider: &str) -> Result<String, Exit> {
    if io::stdin().is_terminal() {
        say(&format!("Paste the key for {provider} and press Ctrl-D."));
    }
    let mut key = String::new();
    let read = io::stdin().lock().take(MAX_KEY_BYTES + 1).read_to_string(&mut key);
    match read {
        Ok(bytes) if bytes as u64 > MAX_KEY_BYTES => {
            Err(Exit::wrong_usage("standard input is too long for a key; give the key alone"))
        }
        Ok(_) => Ok(key),
        Err(_) => Err(Exit::wrong_usage("the key could not be read from standard input as text")),
    }
}
