//! S-08: what the program is built with, beside what was agreed on.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::room::Room;
use crate::window::Window;

include!("../../src-tauri/src/commands/names.rs");

/// Every file that gives a window anything, by name.
const CAPABILITIES: [&str; 2] = ["src-tauri/capabilities/main.json", "src-tauri/capabilities/page.json"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn json_of(path: impl AsRef<Path>) -> Value {
    serde_json::from_str(&fs::read_to_string(root().join(path)).unwrap()).unwrap()
}

/// The permission that lets a command through.
fn permission(command: &str) -> String {
    format!("allow-{}", command.replace('_', "-"))
}

#[test]
fn s_08_capabilities_commands_and_policy_are_the_agreed_ones() {
    let config = json_of("tauri.conf.json");
    let built = json!({
        "capabilities": CAPABILITIES.map(json_of),
        "commands": NAMES,
        "security": config["app"]["security"],
        "withGlobalTauri": config["app"]["withGlobalTauri"],
        "windows": config["app"]["windows"],
    });
    let agreed = json_of("tests/fixtures/policies/capabilities.json");
    assert_eq!(
        built, agreed,
        "\nif this is meant, make tests/fixtures/policies/capabilities.json\n{built:#}\n"
    );
}

// S-12: the window of the page can follow what the main window shows and read its text, and nothing else.
#[test]
fn s_08_only_the_two_windows_may_call_and_only_what_is_listed() {
    let mut files: Vec<PathBuf> = fs::read_dir(root().join("src-tauri/capabilities"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert_eq!(files, CAPABILITIES.map(|file| root().join(file)));
    let mut of_main: Vec<_> = NAMES
        .iter()
        .filter(|command| **command != "follow_page")
        .map(|command| permission(command))
        .collect();
    of_main.extend(["core:event:allow-listen", "core:event:allow-unlisten"].map(str::to_owned));
    of_main.sort();
    let of_the_page = ["follow_page", "preview_text"].map(permission).to_vec();
    let granted = CAPABILITIES.map(|file| {
        let capability = json_of(file);
        let mut granted: Vec<String> = serde_json::from_value(capability["permissions"].clone()).unwrap();
        granted.sort();
        let absent = (capability.get("remote").cloned(), capability.get("webviews").cloned());
        (absent, capability["windows"].clone(), granted)
    });
    assert_eq!(
        granted,
        [((None, None), json!(["main"]), of_main), ((None, None), json!(["page"]), of_the_page)]
    );
}

#[test]
fn s_08_the_policy_of_the_window_lets_no_foreign_code_run() {
    let config = json_of("tauri.conf.json");
    let policy = config["app"]["security"]["csp"].as_str().unwrap();
    let directive = |name: &str| {
        let found = policy.split(';').find_map(|part| part.trim().strip_prefix(name)?.strip_prefix(' '));
        found.unwrap_or_default().to_owned()
    };
    let scripts = directive("script-src");
    let frames = directive("frame-src");
    assert_eq!((scripts.as_str(), frames.as_str()), ("'self'", "preview: http://preview.localhost"));
    for word in ["unsafe-eval", "https:", "ws:", "wss:", "*"] {
        assert!(!policy.contains(word), "{word} in {policy}");
    }
    assert!(config["app"]["security"].get("dangerousDisableAssetCspModification").is_none());
}

#[tokio::test]
async fn s_08_the_built_window_has_that_policy_and_no_global_object() {
    let room = Room::new();
    let window = Window::open(&room).await;
    let script = r#"
        const threw = act => { try { act(); return false } catch { return true } };
        const heard = [];
        document.addEventListener('securitypolicyviolation', event => heard.push(event.effectiveDirective));
        const load = (tag, how) => Object.assign(document.createElement(tag), how);
        document.body.append(load('img', { src: 'http://127.0.0.1:9/x.png' }), load('iframe', { src: 'http://127.0.0.1:9/' }),
          load('script', { textContent: 'window.ranInline = 1' }));
        fetch('http://127.0.0.1:9/').catch(() => {});
        const look = setInterval(() => new Set(heard).size >= 3 && (clearInterval(look), done({
          evalThrows: threw(() => eval('1')), functionThrows: threw(() => new Function('1')()),
          global: typeof window.__TAURI__, inline: typeof window.ranInline, blocked: [...new Set(heard)].sort(),
        })), 20);
    "#;
    let seen = window.later(script, vec![]).await.unwrap();
    let expected = json!({
        "evalThrows": true, "functionThrows": true, "global": "undefined", "inline": "undefined",
        "blocked": ["connect-src", "img-src", "script-src-elem"],
    });
    assert_eq!(seen, expected);
}
