//! A key, kept from being shown, stored or left in memory.

use zeroize::Zeroize;

/// A key. It cannot be serialised, prints as `•••` and is overwritten when it is dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a key; spaces and line ends around it are those of a paste. `None` if nothing is left.
    pub fn new(key: impl Into<String>) -> Option<Self> {
        let mut key = key.into();
        let trimmed = key.trim().to_owned();
        key.zeroize();
        (!trimmed.is_empty()).then_some(Self(trimmed))
    }

    /// The key itself, for the one header it belongs in.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("•••")
    }
}

impl std::fmt::Display for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("•••")
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of the two a type takes cannot be told when it can be serialised: that would not compile.
    trait TakenByAll<Choice> {
        fn is_taken() -> bool {
            true
        }
    }
    struct BySerializable;
    impl<T: ?Sized> TakenByAll<()> for T {}
    impl<T: ?Sized + serde::Serialize> TakenByAll<BySerializable> for T {}

    // S-47
    #[test]
    fn a_key_cannot_be_serialised() {
        assert!(<Secret as TakenByAll<_>>::is_taken());
    }

    #[test]
    fn a_key_is_trimmed_and_never_printed() {
        let secret = Secret::new(" sk-test\n").unwrap();
        assert_eq!((secret.expose(), format!("{secret} {secret:?}")), ("sk-test", "••• •••".to_owned()));
        assert_eq!(Secret::new(" \n"), None);
    }
}
