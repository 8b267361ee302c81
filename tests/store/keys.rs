//! Keys in a real keychain: the Secret Service of a session of its own.

use std::process::Command;
use std::time::Duration;

use facsimile_agent::Secret;
use facsimile_store::{KeyError, KeyId, KeyStore, Keychain, MemoryKeys};

const INSIDE: &str = "FACSIMILE_TEST_INSIDE_SESSION";

/// Runs a test of this binary again, on a session bus of its own, behind this shell script.
fn again(test: &str, script: &str) {
    let home = tempfile::tempdir().unwrap();
    // The bus starts this in the place of a keychain that is not running; it never serves.
    let services = home.path().join("dbus-1/services");
    std::fs::create_dir_all(&services).unwrap();
    let silent = "[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/bin/sleep 3\n";
    std::fs::write(services.join("org.freedesktop.secrets.service"), silent).unwrap();
    let output = Command::new("dbus-run-session")
        .args(["--", "bash", "-c", script, "_"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env("XDG_DATA_HOME", home.path())
        .env(INSIDE, "1")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && told.contains("1 passed"), "{told}");
}

fn is_inside() -> bool {
    std::env::var_os(INSIDE).is_some()
}

fn key(text: &str) -> Secret {
    Secret::new(text).unwrap()
}

fn assert_keeps_keys(keys: &dyn KeyStore) {
    let (openai, own) = (KeyId::OpenAi, KeyId::Endpoint("0190-abc".into()));
    assert_eq!(keys.get(&openai), Ok(None));
    keys.set(&openai, &key("sk-first")).unwrap();
    keys.set(&openai, &key("sk-second")).unwrap();
    keys.set(&own, &key("own")).unwrap();
    assert_eq!(keys.get(&openai), Ok(Some(key("sk-second"))));
    keys.remove(&openai).unwrap();
    keys.remove(&openai).unwrap();
    assert_eq!((keys.get(&openai), keys.get(&own)), (Ok(None), Ok(Some(key("own")))));
    keys.remove(&own).unwrap();
}

#[test]
fn memory_keeps_keys_as_the_keychain_does() {
    assert_keeps_keys(&MemoryKeys::default());
}

#[test]
fn the_keychain_keeps_replaces_and_forgets_keys() {
    if is_inside() {
        return assert_keeps_keys(&Keychain::default());
    }
    let unlock =
        r#"printf 'test\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null; exec "$@""#;
    again("keys::the_keychain_keeps_replaces_and_forgets_keys", unlock);
}

#[test]
fn without_a_keychain_it_is_said_so() {
    if is_inside() {
        let refused = Keychain::default().get(&KeyId::Gemini).unwrap_err();
        assert!(matches!(refused, KeyError::Unavailable(_)), "{refused:?}");
        return;
    }
    // An address of a bus at which nobody listens.
    again(
        "keys::without_a_keychain_it_is_said_so",
        r#"DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent exec "$@""#,
    );
}

#[test]
fn a_keychain_that_never_answers_is_given_up() {
    if is_inside() {
        let refused = Keychain::waiting(Duration::from_secs(1)).get(&KeyId::Gemini).unwrap_err();
        assert!(matches!(refused, KeyError::Locked(_)), "{refused:?}");
        return;
    }
    again("keys::a_keychain_that_never_answers_is_given_up", r#"exec "$@""#);
}
