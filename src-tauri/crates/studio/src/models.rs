//! Which engine does the work: the names that a person gives and what they mean.

use std::fmt;

/// An engine as it is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum EngineChoice {
    /// The built-in tracer.
    Offline,
}

/// Why a name is no engine of this program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineRefused {
    /// The name is of a form that does not exist.
    #[error("{0:?} is no engine; use offline")]
    Unknown(String),
    /// The engine exists but cannot be used.
    #[error("the engine {name} cannot be used yet: {why}; use offline")]
    Unavailable {
        /// The engine's name.
        name: String,
        /// The reason.
        why: &'static str,
    },
}

impl EngineChoice {
    /// Reads a name such as `offline`.
    pub fn parse(name: &str) -> Result<Self, EngineRefused> {
        let (family, detail) =
            name.split_once(':').map_or((name, None), |(family, detail)| (family, Some(detail)));
        let unavailable = |why| Err(EngineRefused::Unavailable { name: name.to_owned(), why });
        match (family, detail) {
            ("offline", None | Some("exact")) => Ok(Self::Offline),
            ("offline", Some("flow")) => {
                unavailable("the tracer of this version writes exact positions only")
            }
            ("openai" | "anthropic" | "gemini" | "chat", Some(model)) if !model.is_empty() => {
                unavailable("this version works with the built-in tracer only")
            }
            _ => Err(EngineRefused::Unknown(name.to_owned())),
        }
    }
}

impl fmt::Display for EngineChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineChoice::Offline => f.write_str("offline"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_offline_engine_is_known_and_others_say_why_not() {
        assert_eq!(EngineChoice::parse("offline"), Ok(EngineChoice::Offline));
        assert_eq!(EngineChoice::parse("offline:exact"), Ok(EngineChoice::Offline));
        for name in ["offline:flow", "openai:gpt-5.5", "chat:llama"] {
            assert!(matches!(EngineChoice::parse(name), Err(EngineRefused::Unavailable { .. })), "{name}");
        }
        for name in ["", "magic", "openai:", "offline:fast"] {
            assert!(matches!(EngineChoice::parse(name), Err(EngineRefused::Unknown(_))), "{name}");
        }
    }
}
