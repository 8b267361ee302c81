//! Keys in a real keychain: the Secret Service of a session of its own.

use std::process::Command;
use std::time::Duration;

use facsimile_agent::Secret;
use facsimile_store::{KeyError, KeyId, KeyStore, Keychain, MemoryKeys, keep_key};

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

const UNLOCK: &str =
    r#"printf 'test\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null; exec "$@""#;

#[test]
fn the_keychain_keeps_replaces_and_forgets_keys() {
    if is_inside() {
        return assert_keeps_keys(&Keychain::default());
    }
    again("keys::the_keychain_keeps_replaces_and_forgets_keys", UNLOCK);
}

#[test]
fn a_key_that_is_kept_was_read_back() {
    if is_inside() {
        let (keychain, id) = (Keychain::default(), KeyId::Anthropic);
        keep_key(&keychain, &id, &key("sk-kept")).unwrap();
        // Another program finds it: it is in the keychain, not in this object.
        assert_eq!(Keychain::default().glance(&id), Ok(Some(key("sk-kept"))));
        return;
    }
    again("keys::a_key_that_is_kept_was_read_back", UNLOCK);
}

/// Keeps a key, locks the keychain, and gives what it says to who reads and who writes then.
fn asked_while_locked() -> [Result<(), KeyError>; 2] {
    let keychain = Keychain::default();
    keep_key(&keychain, &KeyId::Gemini, &key("k")).unwrap();
    let lock = ["call", "--session", "--dest", "org.freedesktop.secrets", "--object-path"];
    let method = ["/org/freedesktop/secrets", "--method", "org.freedesktop.Secret.Service.Lock"];
    let which = "['/org/freedesktop/secrets/collection/login']";
    let locked = Command::new("gdbus").args(lock).args(method).arg(which).output().unwrap();
    assert!(locked.status.success(), "{locked:?}");
    [keychain.get(&KeyId::Gemini).map(drop), keychain.set(&KeyId::OpenAi, &key("k"))]
}

// S-46
#[test]
fn a_locked_keychain_that_cannot_ask_is_named() {
    if is_inside() {
        let said = asked_while_locked();
        assert!(said.iter().all(|said| matches!(said, Err(KeyError::Locked(_)))), "{said:?}");
        return;
    }
    let without_display = format!("unset DISPLAY WAYLAND_DISPLAY; {UNLOCK}");
    again("keys::a_locked_keychain_that_cannot_ask_is_named", &without_display);
}

// S-46
#[test]
fn a_keychain_whose_question_was_refused_is_named() {
    if is_inside() {
        let said = asked_while_locked();
        assert!(said.iter().all(|said| matches!(said, Err(KeyError::Denied(_)))), "{said:?}");
        return;
    }
    // Its question does not come up on this display, which it takes for a no.
    let refusing = format!("export DISPLAY=:99999; {UNLOCK}");
    again("keys::a_keychain_whose_question_was_refused_is_named", &refusing);
}

// S-46
#[test]
fn without_a_keychain_it_is_said_so() {
    if is_inside() {
        let refused = Keychain::default().get(&KeyId::Gemini).unwrap_err();
        assert!(matches!(refused, KeyError::NoService(_)), "{refused:?}");
        assert!(refused.to_string().contains("gnome-keyring or KWallet"), "{refused}");
        return;
    }
    // An address of a bus at which nobody listens.
    again(
        "keys::without_a_keychain_it_is_said_so",
        r#"DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent exec "$@""#,
    );
}

// S-46
#[test]
fn a_keychain_that_never_answers_is_given_up() {
    if is_inside() {
        let keychain = Keychain::waiting(Duration::from_secs(1));
        let slow = Err(KeyError::Slow { waited_seconds: 1 });
        assert_eq!((keychain.get(&KeyId::Gemini), keychain.glance(&KeyId::Gemini)), (slow.clone(), slow));
        return;
    }
    again("keys::a_keychain_that_never_answers_is_given_up", r#"exec "$@""#);
}

/// Says that it keeps a key, and keeps another or none.
struct Dropping(Option<&'static str>);

impl KeyStore for Dropping {
    fn get(&self, _: &KeyId) -> Result<Option<Secret>, KeyError> {
        Ok(self.0.map(key))
    }
    fn set(&self, _: &KeyId, _: &Secret) -> Result<(), KeyError> {
        Ok(())
    }
    fn remove(&self, _: &KeyId) -> Result<(), KeyError> {
        Ok(())
    }
    fn is_lasting(&self) -> bool {
        true
    }
}

// S-46
#[test]
fn a_key_that_does_not_come_back_was_not_kept() {
    let kept = [None, Some("another"), Some("mine")]
        .map(|held| keep_key(&Dropping(held), &KeyId::OpenAi, &key("mine")));
    assert_eq!(kept, [Err(KeyError::NotKept), Err(KeyError::NotKept), Ok(())]);
}
