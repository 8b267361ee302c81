//! What the window says of the keychain, over a real one whose question comes up on the desktop.

use serde_json::json;

use crate::desk::comes_soon;
use crate::room::Room;
use crate::window::{Opening, Window};

const ROW: &str = "#settings-keys ~ ul li:nth-child(3)";

/// Keeps a key, locks the keychain, and opens the settings.
async fn lock(window: &Window) {
    window.invoke("set_key", json!({ "provider": "gemini", "key": "AIza-kept" })).await.unwrap();
    let call = ["call", "--session", "--dest", "org.freedesktop.secrets", "--object-path"];
    let method = ["/org/freedesktop/secrets", "--method", "org.freedesktop.Secret.Service.Lock"];
    let which = ["['/org/freedesktop/secrets/collection/login']"];
    let locked = window.desk.run("gdbus", &[&call[..], &method, &which].concat());
    assert!(locked.status.success(), "{locked:?}");
    window.press("Settings").await;
}

fn question(window: &Window) -> Option<String> {
    let ids = window.desk.xdotool(&["search", "--onlyvisible", "--class", "gcr-prompter"]);
    ids.lines().last().map(str::to_owned)
}

/// Answers what the keychain asks.
fn answer(window: &Window, keys: &[&str]) {
    let asked = window.desk.until("the question of the keychain", || question(window));
    window.desk.until("the end of the question", || {
        window.desk.activate(&asked);
        for key in keys {
            window.desk.xdotool(&["key", "--clearmodifiers", key]);
        }
        comes_soon(|| question(window).is_none_or(|now| now != asked)).then_some(())
    });
}

/// S-46: with nobody at the question, after a no, and after the password.
#[tokio::test]
async fn a_locked_keychain_is_slow_then_denied_then_open_as_its_question_is_answered() {
    let room = Room::new();
    let window = Opening::managed(&room).unlocked(&room).open(&room).await;
    let shown = window.desk.run("dbus-update-activation-environment", &["DISPLAY"]);
    assert!(shown.status.success(), "{shown:?}");
    lock(&window).await;
    window.sees(ROW, "The keychain has not answered").await;
    answer(&window, &["Escape"]);
    window.press("Try again: Google").await;
    answer(&window, &["Escape"]);
    window.sees(ROW, "The keychain refused access").await;
    window.press("Try again: Google").await;
    answer(&window, &["t", "e", "s", "t", "Return"]);
    window.sees(ROW, "Stored in the keychain").await;
}

/// S-46: a keychain that can ask nobody.
#[tokio::test]
async fn a_locked_keychain_that_cannot_ask_is_named_with_the_next_step() {
    let room = Room::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/desktop/locked_secrets.py");
    room.keychain(&format!("/usr/bin/python3 '{script}'"));
    let window = Opening::bare(&room).open(&room).await;
    window.press("Settings").await;
    window.sees(ROW, "The keychain is locked").await;
    window.sees(ROW, "unlock it and try again").await;
}

/// S-46: the key serves until the end and lies on no disk.
#[tokio::test]
async fn without_a_keychain_a_key_is_kept_until_the_end_and_the_window_says_what_to_install() {
    let room = Room::new();
    room.keychain("/bin/false");
    let window = Opening::bare(&room).open(&room).await;
    window.press("Settings").await;
    window.sees("#settings-keys ~ .lead", "gnome-keyring or KWallet").await;
    window.invoke("set_key", json!({ "provider": "gemini", "key": "  AIza-until-the-end\n" })).await.unwrap();
    window.script("location.reload()", vec![]).await.unwrap();
    window.press("Settings").await;
    window.sees(ROW, "Kept until you quit").await;
}
