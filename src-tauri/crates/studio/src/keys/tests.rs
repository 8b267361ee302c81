use super::*;

/// A keychain that answers as it is told to.
#[derive(Clone)]
enum Fake {
    /// Works, and outlives the program.
    Works(Arc<MemoryKeys>),
    /// Fails in one way.
    Fails(KeyError),
    /// Says that it keeps what it is given, and has this.
    Holds(Option<&'static str>),
}

impl Fake {
    fn answer(&self) -> Result<Option<Secret>, KeyError> {
        match self {
            Self::Works(_) => Ok(None),
            Self::Fails(error) => Err(error.clone()),
            Self::Holds(held) => Ok(held.map(key)),
        }
    }
}

impl KeyStore for Fake {
    fn get(&self, id: &KeyId) -> Result<Option<Secret>, KeyError> {
        if let Self::Works(keys) = self { keys.get(id) } else { self.answer() }
    }
    fn set(&self, id: &KeyId, key: &Secret) -> Result<(), KeyError> {
        if let Self::Works(keys) = self { keys.set(id, key) } else { self.answer().map(drop) }
    }
    fn remove(&self, id: &KeyId) -> Result<(), KeyError> {
        if let Self::Works(keys) = self { keys.remove(id) } else { self.answer().map(drop) }
    }
    fn is_lasting(&self) -> bool {
        true
    }
}

fn key(text: &str) -> Secret {
    Secret::new(text).unwrap()
}

fn works() -> Fake {
    Fake::Works(Arc::default())
}

fn troubles() -> [(KeyError, KeyState); 5] {
    [
        (KeyError::NoService("none".into()), KeyState::NoService),
        (KeyError::Locked("locked".into()), KeyState::Locked),
        (KeyError::Denied("no".into()), KeyState::Denied),
        (KeyError::Slow { waited_seconds: 30 }, KeyState::Slow),
        (KeyError::Failed("torn".into()), KeyState::Failed),
    ]
}

const OPENAI: (KeyId, &str) = (KeyId::OpenAi, "OPENAI_API_KEY");

fn over(store: Fake) -> Keys {
    Keys::over(Arc::new(store), Arc::new(|_| None))
}

fn with_environment(store: Fake) -> Keys {
    Keys::over(Arc::new(store), Arc::new(|_| Some("from-environment".to_owned())))
}

// S-46
#[test]
fn every_state_of_a_keychain_is_told_apart() {
    for (error, state) in troubles() {
        let keys = over(Fake::Fails(error.clone()));
        let status = keys.status(&OPENAI.0, OPENAI.1);
        let expected =
            KeyStatus { provider: "openai".into(), state, place: error.to_string(), trouble: None };
        assert_eq!(status, expected);
    }
    let (empty, full) = (over(works()), over(works()));
    let set = full.set(&OPENAI.0, &key("k")).unwrap();
    let states = [&empty, &full].map(|keys| keys.status(&OPENAI.0, OPENAI.1));
    assert_eq!((states[0].state, states[0].place.as_str()), (KeyState::Absent, ""));
    assert_eq!(
        (&states[1], set.state, set.place.as_str()),
        (&set, KeyState::Stored, "the system's keychain")
    );
}

#[test]
fn the_kept_key_goes_before_the_environment() {
    let keys = with_environment(works());
    let unset = (keys.get(&OPENAI.0, OPENAI.1), keys.status(&OPENAI.0, OPENAI.1).state);
    keys.set(&OPENAI.0, &key("kept")).unwrap();
    let set = (keys.get(&OPENAI.0, OPENAI.1), keys.status(&OPENAI.0, OPENAI.1).state);
    assert_eq!(unset, (Ok(Some(key("from-environment"))), KeyState::Environment));
    assert_eq!(set, (Ok(Some(key("kept"))), KeyState::Stored));
}

#[test]
fn the_environment_serves_a_vendor_whose_keychain_cannot_be_asked_and_both_are_told() {
    for (error, _) in troubles() {
        let keys = with_environment(Fake::Fails(error.clone()));
        assert_eq!(keys.get(&OPENAI.0, OPENAI.1), Ok(Some(key("from-environment"))), "{error}");
        let expected = KeyStatus {
            provider: "openai".into(),
            state: KeyState::Environment,
            place: "the environment variable OPENAI_API_KEY".into(),
            trouble: Some(error.to_string()),
        };
        assert_eq!(keys.status(&OPENAI.0, OPENAI.1), expected);
    }
}

#[test]
fn the_variable_for_all_endpoints_stays_away_from_one_whose_own_key_is_locked() {
    let (own, variable) = (KeyId::Endpoint("a".into()), "FACSIMILE_ENDPOINT_KEY");
    let locked = KeyError::Locked("locked".into());
    let keys = with_environment(Fake::Fails(locked.clone()));
    assert_eq!(
        (keys.get(&own, variable), keys.status(&own, variable).state),
        (Err(locked), KeyState::Locked)
    );
    let keys = with_environment(works());
    keys.set(&own, &key("own")).unwrap();
    let got = [own, KeyId::Endpoint("b".into())].map(|id| keys.get(&id, variable).unwrap().unwrap());
    assert_eq!(got, [key("own"), key("from-environment")]);
}

// S-46
#[test]
fn without_a_keychain_a_key_lasts_until_the_program_ends_and_it_is_said_why() {
    let none = KeyError::NoService("none".into());
    let keys = over(Fake::Fails(none.clone()));
    assert_eq!(keys.get(&OPENAI.0, OPENAI.1), Ok(None));

    let set = keys.set(&OPENAI.0, &key("k")).unwrap();

    let expected = KeyStatus {
        provider: "openai".into(),
        state: KeyState::UntilExit,
        place: "memory, until the program ends".into(),
        trouble: Some(none.to_string()),
    };
    assert_eq!((&set, keys.status(&OPENAI.0, OPENAI.1)), (&expected, expected.clone()));
    assert_eq!((keys.get(&OPENAI.0, OPENAI.1), keys.is_held(&OPENAI.0)), (Ok(Some(key("k"))), true));
    // The next start of the program knows nothing of it.
    assert_eq!(over(Fake::Fails(none)).get(&OPENAI.0, OPENAI.1), Ok(None));
    keys.remove(&OPENAI.0).unwrap();
    assert_eq!((keys.get(&OPENAI.0, OPENAI.1), keys.is_held(&OPENAI.0)), (Ok(None), false));
}

// S-46
#[test]
fn a_keychain_that_gives_another_key_back_is_named_and_the_key_is_in_memory_only() {
    for held in [None, Some("another")] {
        let keys = over(Fake::Holds(held));

        let status = keys.set(&OPENAI.0, &key("mine")).unwrap();

        assert_eq!(
            (status.state, status.trouble),
            (KeyState::UntilExit, Some(KeyError::NotKept.to_string()))
        );
        assert_eq!(keys.get(&OPENAI.0, OPENAI.1), Ok(Some(key("mine"))), "{held:?}");
    }
}

#[test]
fn a_keychain_that_cannot_be_asked_refuses_a_new_key_and_nothing_is_held() {
    for (error, state) in troubles().into_iter().filter(|(_, state)| *state != KeyState::NoService) {
        let keys = over(Fake::Fails(error.clone()));
        assert_eq!(
            (keys.set(&OPENAI.0, &key("k")), keys.is_held(&OPENAI.0)),
            (Err(error), false),
            "{state:?}"
        );
    }
}

/// Counts how often it is asked, and never answers in time.
struct Silent(Mutex<u32>);

impl KeyStore for Silent {
    fn get(&self, _: &KeyId) -> Result<Option<Secret>, KeyError> {
        *self.0.lock().unwrap() += 1;
        Err(KeyError::Slow { waited_seconds: 8 })
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

#[test]
fn a_list_of_keys_waits_for_a_silent_keychain_once() {
    let silent = Arc::new(Silent(Mutex::new(0)));
    let keys = Keys::over(Arc::clone(&silent) as Arc<dyn KeyStore>, Arc::new(|_| None));

    let roll = keys.roll(&KeyId::VENDORS.map(|id| (id, "X")));

    let states: Vec<_> = roll.statuses.iter().map(|status| status.state).collect();
    assert_eq!((states, roll.keys_last, *silent.0.lock().unwrap()), (vec![KeyState::Slow; 4], true, 1));
}

// S-46
#[test]
fn two_programs_over_one_keychain_see_each_others_keys() {
    let keychain = works();
    let (first, second) = (over(keychain.clone()), over(keychain));
    first.set(&OPENAI.0, &key("one")).unwrap();
    second.set(&OPENAI.0, &key("two")).unwrap();
    assert_eq!(first.get(&OPENAI.0, OPENAI.1), Ok(Some(key("two"))));
    second.remove(&OPENAI.0).unwrap();
    assert_eq!(first.status(&OPENAI.0, OPENAI.1).state, KeyState::Absent);
}

/// The start screen must not wait for a person.
#[test]
fn what_is_remembered_asks_no_keychain() {
    let silent = Arc::new(Silent(Mutex::new(0)));
    let keys = Keys::over(
        Arc::clone(&silent) as Arc<dyn KeyStore>,
        Arc::new(|name| (name == "E").then(|| "e".into())),
    );

    let roll = keys.remembered(&[
        (true, KeyId::OpenAi, "X"),
        (false, KeyId::Gemini, "E"),
        (false, KeyId::Anthropic, "X"),
    ]);

    let states: Vec<_> = roll.statuses.iter().map(|status| status.state).collect();
    let expected = vec![KeyState::Stored, KeyState::Environment, KeyState::Absent];
    assert_eq!((states, *silent.0.lock().unwrap()), (expected, 0));
}
