//! What this version does not do yet, refused in plain words.

use super::Exit;

/// Refuses a subcommand.
pub fn refuse(subcommand: &str) -> Result<Exit, Exit> {
    Err(Exit::wrong_usage(format!(
        "`{subcommand}` is not part of this version. It has create, modify, trace, render, measure, keys, models and projects; see `facsimile --help`."
    )))
}

/// Refuses an option or a value of one.
pub fn refuse_option(option: &str, instead: &str) -> Exit {
    Exit::wrong_usage(format!("{option} is not part of this version; {instead}."))
}
