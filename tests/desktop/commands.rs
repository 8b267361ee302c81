//! Who may call what: the window its own commands, and nobody anything else.

use serde_json::json;

use crate::policies::NAMES;
use crate::room::Room;
use crate::window::Window;

/// What the platform and the plug-ins bring along and the window was never granted.
pub const NOT_GRANTED: [&str; 34] = [
    "plugin:event|emit",
    "plugin:event|emit_to",
    "plugin:window|close",
    "plugin:window|create",
    "plugin:window|set_title",
    "plugin:window|get_all_windows",
    "plugin:webview|create_webview",
    "plugin:webview|create_webview_window",
    "plugin:webview|internal_toggle_devtools",
    "plugin:webview|webview_close",
    "plugin:app|version",
    "plugin:app|name",
    "plugin:app|set_app_theme",
    "plugin:path|resolve_directory",
    "plugin:path|normalize",
    "plugin:resources|close",
    "plugin:image|from_path",
    "plugin:menu|new",
    "plugin:menu|popup",
    "plugin:tray|new",
    "plugin:dialog|open",
    "plugin:dialog|save",
    "plugin:dialog|message",
    "plugin:clipboard-manager|read_text",
    "plugin:clipboard-manager|read_image",
    "plugin:clipboard-manager|write_text",
    "plugin:opener|open_url",
    "plugin:opener|open_path",
    "plugin:opener|reveal_item_in_dir",
    "plugin:fs|read_text_file",
    "plugin:fs|write_file",
    "plugin:shell|execute",
    "plugin:http|fetch",
    "plugin:process|exit",
];

#[tokio::test]
async fn commands_that_are_not_listed_or_not_granted_are_refused() {
    let room = Room::new();
    let window = Window::open(&room).await;
    let unlisted = [
        "greet",
        "read_file",
        "take_files",
        "shoot",
        "START_VIEW",
        "start-view",
        "save_draft ",
        "",
        "../save_draft",
    ];
    assert_eq!(let_in(&window, NOT_GRANTED.into_iter().chain(unlisted)).await, [""; 0]);
    let titles = window.value("document.title").await;
    assert_eq!(titles, json!("Facsimile"));
}

/// Those of the commands that the window may call, whatever came of it.
pub async fn let_in<'a>(window: &Window, commands: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut answered = Vec::new();
    for command in commands {
        let arguments = json!({"event": "watchdog", "payload": {"scriptsOff": true}, "path": "/etc/passwd", "url": "http://127.0.0.1:9/",
            "target": {"kind": "Any"}, "label": "other", "options": {"label": "other", "url": "preview://localhost/"}, "value": "x"});
        match window.invoke(command, arguments).await {
            Ok(_) => answered.push(command),
            // A command that got as far as its arguments was let in.
            Err(error) if error.contains("invalid args") => answered.push(command),
            Err(_) => {}
        }
    }
    answered
}

#[tokio::test]
async fn every_listed_command_but_one_is_granted_to_the_main_window() {
    let room = Room::new();
    let window = Window::open(&room).await;
    let mut refused = Vec::new();
    for &command in NAMES {
        // These would wait for a person in front of a dialog.
        if matches!(command, "choose_files" | "export_run") {
            continue;
        }
        // Without arguments most are refused for that, which is behind the gate.
        if let Err(error) = window.invoke(command, json!({})).await
            && (error.contains("not allowed") || error.contains("not found"))
        {
            refused.push(command);
        }
    }
    assert_eq!(refused, ["follow_page"]);
}
