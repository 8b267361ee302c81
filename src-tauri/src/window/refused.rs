//! Pages that try to call the program are not answered. How often they try is told in the log.

use std::cell::Cell;
use std::rc::Rc;

use serde_json::Value;
use tauri::{Manager, WebviewWindow};
use webkit2gtk::glib::object::ObjectExt;
use webkit2gtk::{UserContentManagerExt, WebViewExt, glib};

/// The handler through which the window calls where its scheme cannot; frames reach it too.
const HANDLER: &str = "ipc";
const TELL_SECONDS: u32 = 1;

/// Counts the messages that do not carry the window's own key, for as long as the window is there.
pub fn count(window: &WebviewWindow) {
    let key = window.app_handle().invoke_key().to_owned();
    let counted = window.with_webview(move |platform| {
        let view = platform.inner();
        let Some(manager) = view.user_content_manager() else { return };
        let view = view.downgrade();
        let refused = Rc::new(Cell::new(0_u64));
        let seen = Rc::clone(&refused);
        manager.connect_script_message_received(Some(HANDLER), move |_, message| {
            let text = message.js_value().map(|value| value.to_string()).unwrap_or_default();
            if !carries(&text, &key) {
                seen.set(seen.get() + 1);
            }
        });
        let told = Cell::new(0);
        glib::timeout_add_seconds_local(TELL_SECONDS, move || {
            if view.upgrade().is_none() {
                return glib::ControlFlow::Break;
            }
            let all = refused.get();
            if let Some(line) = line_about(told.replace(all), all) {
                tracing::warn!(all, "messages that a page sent to the program were refused");
                eprintln!("{line}");
            }
            glib::ControlFlow::Continue
        });
    });
    if let Err(error) = counted {
        tracing::warn!(%error, "what pages send to the program is not counted");
        eprintln!("facsimile: what pages send to the program is not counted ({error})");
    }
}

/// Whether a message comes from the window itself.
fn carries(message: &str, key: &str) -> bool {
    let message: Value = serde_json::from_str(message).unwrap_or_default();
    message["__TAURI_INVOKE_KEY__"] == key
}

fn line_about(told: u64, all: u64) -> Option<String> {
    let fresh = all - told;
    (fresh > 0).then(|| {
        format!("facsimile: refused {fresh} messages that a page sent to the program ({all} since the start)")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_window_s_own_key_is_not_counted() {
        let messages = [
            r#"{"cmd":"save_draft","__TAURI_INVOKE_KEY__":"right"}"#,
            r#"{"cmd":"save_draft","__TAURI_INVOKE_KEY__":"wrong"}"#,
            r#"{"cmd":"save_draft"}"#,
            "[]",
            "not json",
            "",
        ];
        assert_eq!(
            messages.map(|message| carries(message, "right")),
            [true, false, false, false, false, false]
        );
    }

    #[test]
    fn the_log_tells_what_is_new_and_the_whole() {
        let told = "facsimile: refused 3 messages that a page sent to the program (8 since the start)";
        assert_eq!((line_about(5, 8), line_about(8, 8)), (Some(told.to_owned()), None));
    }
}
