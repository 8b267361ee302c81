//! What the window may ask for, one file per noun. Every command stands in `names.rs` too, from which the
//! build makes the permissions: one that is missing there is refused.

pub mod diagnostics;
pub mod elements;
pub mod exports;
pub mod history;
pub mod inputs;
pub mod models;
pub mod page_window;
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
    use serde_json::{Value, json};

    include!("commands/names.rs");

    /// The command that is for the window of the page alone.
    const OF_THE_PAGE: &str = "follow_page";

    /// What a capability file gives, and to which windows.
    fn given(capability: &str) -> (Vec<String>, Value) {
        let capability: Value = serde_json::from_str(capability).unwrap();
        (serde_json::from_value(capability["permissions"].clone()).unwrap(), capability["windows"].clone())
    }

    fn permission(command: &str) -> String {
        format!("allow-{}", command.replace('_', "-"))
    }

    #[test]
    fn the_main_window_is_allowed_every_command_but_one_and_nothing_else_but_listening() {
        let listening = ["core:event:allow-listen", "core:event:allow-unlisten"].map(str::to_owned);
        let commands = NAMES.iter().filter(|name| **name != OF_THE_PAGE).map(|name| permission(name));
        let expected: Vec<_> = listening.into_iter().chain(commands).collect();
        assert_eq!(given(include_str!("../capabilities/main.json")), (expected, json!(["main"])));
    }

    #[test]
    fn the_window_of_the_page_is_allowed_to_follow_and_to_read_what_it_shows() {
        let expected = [OF_THE_PAGE, "preview_text"].map(permission).to_vec();
        assert_eq!(given(include_str!("../capabilities/page.json")), (expected, json!(["page"])));
    }
}
