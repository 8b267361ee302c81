//! What the window may ask for, one file per noun. Every command stands in `names.rs` too, from which the
//! build makes the permissions: one that is missing there is refused.

pub mod diagnostics;
pub mod elements;
pub mod exports;
pub mod history;
pub mod inputs;
pub mod models;
pub mod previews;
pub mod projects;
pub mod runs;
pub mod settings;
pub mod storage;
pub mod tasks;

use facsimile_studio::{Studio, StudioError};
use tauri::async_runtime::spawn_blocking;

use crate::error::CommandError;

/// Does blocking work on the studio, off the threads that carry events.
async fn with_studio<T: Send + 'static>(
    studio: &Studio,
    work: impl FnOnce(&Studio) -> Result<T, StudioError> + Send + 'static,
) -> Result<T, CommandError> {
    let studio = studio.clone();
    let done = spawn_blocking(move || work(&studio)).await.map_err(|error| CommandError::lost(&error))?;
    Ok(done?)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    include!("commands/names.rs");

    #[test]
    fn the_main_window_is_allowed_every_command_and_nothing_else_but_listening() {
        let capability: Value = serde_json::from_str(include_str!("../capabilities/main.json")).unwrap();
        let allowed: Vec<_> =
            capability["permissions"].as_array().unwrap().iter().map(Value::to_string).collect();
        let listening = ["core:event:allow-listen", "core:event:allow-unlisten"].map(str::to_owned);
        let commands = NAMES.iter().map(|name| format!("allow-{}", name.replace('_', "-")));
        let expected: Vec<_> = listening
            .into_iter()
            .chain(commands)
            .map(|permission| Value::from(permission).to_string())
            .collect();
        assert_eq!((allowed, &capability["windows"]), (expected, &serde_json::json!(["main"])));
    }
}
