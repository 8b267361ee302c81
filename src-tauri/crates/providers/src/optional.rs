//! Request fields that a compatible server may refuse and that a reply can do without.

use std::collections::BTreeSet;

use facsimile_agent::ErrorKind;

use crate::error::Rejection;

/// A field, or a way of writing one, that can be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OptionalField {
    /// How much to think.
    Reasoning,
    /// Thinking as it was thought, for the next request.
    Include,
    /// Whether several calls may come at once.
    ParallelToolCalls,
    /// Usage in the stream.
    StreamOptions,
    /// Whether a tool must be called.
    ToolChoice,
    /// Arguments that keep to the schema.
    Strict,
    /// `max_tokens`, which some models want under another name.
    MaxTokens,
    /// The output limit under that other name.
    MaxCompletionTokens,
    /// Marks for the vendor's cache.
    CacheControl,
    /// The name of the conversation for the vendor's cache.
    CacheKey,
    /// Arguments as they are typed.
    EagerStreaming,
    /// `developer` as the role of the system prompt.
    DeveloperRole,
}

/// The fields an endpoint refused.
pub type Omitted = BTreeSet<OptionalField>;

impl OptionalField {
    /// All of them; names that contain another's come first.
    pub const ALL: [OptionalField; 12] = [
        OptionalField::MaxCompletionTokens,
        OptionalField::MaxTokens,
        OptionalField::ParallelToolCalls,
        OptionalField::StreamOptions,
        OptionalField::ToolChoice,
        OptionalField::CacheControl,
        OptionalField::CacheKey,
        OptionalField::EagerStreaming,
        OptionalField::DeveloperRole,
        OptionalField::Include,
        OptionalField::Reasoning,
        OptionalField::Strict,
    ];

    /// How servers call it when they refuse it.
    fn names(self) -> &'static [&'static str] {
        match self {
            OptionalField::Reasoning => &[
                "reasoning_effort",
                "reasoning.effort",
                "reasoning.summary",
                "reasoning",
                "output_config",
                "thinking",
                "thinking_level",
                "thinkingLevel",
                "thinking_budget",
                "thinkingBudget",
                "thinking_config",
                "thinkingConfig",
            ],
            OptionalField::Include => &["include"],
            OptionalField::ParallelToolCalls => &["parallel_tool_calls"],
            OptionalField::StreamOptions => &["stream_options", "include_usage"],
            OptionalField::ToolChoice => &["tool_choice"],
            OptionalField::Strict => &["strict"],
            OptionalField::MaxTokens => &["max_tokens"],
            OptionalField::MaxCompletionTokens => &["max_completion_tokens"],
            OptionalField::CacheControl => &["cache_control"],
            OptionalField::CacheKey => &["prompt_cache_key"],
            OptionalField::EagerStreaming => &["eager_input_streaming"],
            OptionalField::DeveloperRole => &["developer"],
        }
    }
}

/// The field among those sent that a refusal is about.
pub fn refused_field(rejection: &Rejection, sent: &Omitted) -> Option<OptionalField> {
    let may_be_field = rejection.kind == ErrorKind::BadRequest && matches!(rejection.status, Some(400 | 422));
    if !may_be_field {
        return None;
    }
    let fields = || OptionalField::ALL.into_iter().filter(|field| sent.contains(field));
    let is_param = |field: &OptionalField| {
        rejection.param.as_deref().is_some_and(|param| {
            field.names().iter().any(|name| param == *name || param.ends_with(&format!(".{name}")))
        })
    };
    fields().find(is_param).or_else(|| {
        fields().find(|field| field.names().iter().any(|name| names_field(&rejection.words, name)))
    })
}

/// Whether the words hold the name as a word of its own.
fn names_field(words: &str, name: &str) -> bool {
    let (words, name) = (words.to_ascii_lowercase(), name.to_ascii_lowercase());
    let is_inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    words
        .match_indices(&name)
        .any(|(at, _)| !words[..at].ends_with(is_inside) && !words[at + name.len()..].starts_with(is_inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(words: &str, param: Option<&str>) -> Rejection {
        Rejection {
            status: Some(400),
            param: param.map(str::to_owned),
            ..Rejection::without_answer(ErrorKind::BadRequest, words)
        }
    }

    #[test]
    fn a_refusal_names_the_field_it_is_about() {
        let sent = Omitted::from(OptionalField::ALL);
        let cases = [
            (
                refusal(
                    "Unsupported parameter: 'max_tokens'; use 'max_completion_tokens'",
                    Some("max_tokens"),
                ),
                Some(OptionalField::MaxTokens),
            ),
            (
                refusal("body -> stream_options: extra fields not permitted", None),
                Some(OptionalField::StreamOptions),
            ),
            (
                refusal("Function tools with reasoning_effort are not supported", None),
                Some(OptionalField::Reasoning),
            ),
            (
                refusal("tools.0.custom.eager_input_streaming: Extra inputs", None),
                Some(OptionalField::EagerStreaming),
            ),
            (
                refusal("Thinking level is not supported for this model.", None),
                Some(OptionalField::Reasoning),
            ),
            (refusal("my_strictness is missing", None), None),
        ];
        for (refusal, expected) in cases {
            assert_eq!(refused_field(&refusal, &sent), expected, "{}", refusal.words);
        }
        let stream_options = refusal("stream_options", None);
        assert_eq!(refused_field(&stream_options, &Omitted::new()), None);
        assert_eq!(refused_field(&Rejection { status: Some(500), ..stream_options }, &sent), None);
    }
}
