//! How a model names the pictures of its conversation: by number, never by an address or path of its own making.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::ports::VisibleImage;
use crate::tool::{ToolContext, ToolFailure};

/// Pictures that one call may name.
pub(super) const MAX_IMAGES: usize = 20;
/// Of a name that means nothing this much is repeated.
const MAX_SHOWN_CHARS: usize = 80;

/// A picture as a call names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageName {
    /// Its number, from 1.
    Number(u32),
    /// Something else, such as an address.
    Other(String),
}

impl<'de> Deserialize<'de> for ImageName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::of(&Value::deserialize(deserializer)?))
    }
}

impl JsonSchema for ImageName {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ImageName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer" })
    }
}

impl ImageName {
    fn of(value: &Value) -> Self {
        let words = match value {
            Value::Number(number) => number.to_string(),
            Value::String(text) => text.clone(),
            other => return Self::Other(shown(&other.to_string())),
        };
        // The list that the model reads calls them `[image 1]`; some models repeat that.
        let bare = words.trim().trim_start_matches('[').trim_end_matches(']').trim();
        let digits = bare.strip_prefix("image ").unwrap_or(bare).trim();
        let digits = digits.strip_suffix(".0").unwrap_or(digits);
        match digits.parse() {
            Ok(number) => Self::Number(number),
            Err(_) => Self::Other(shown(&words)),
        }
    }

    /// The picture it names.
    pub(super) fn resolved(&self, cx: &ToolContext) -> Result<(u32, VisibleImage), ToolFailure> {
        match self {
            Self::Number(number) => {
                let found = cx.media.image(*number);
                found.map(|image| (*number, image.clone())).map_err(|none| ToolFailure::new(none.to_string()))
            }
            Self::Other(name) => Err(ToolFailure::new(format!(
                "{name:?} is no image of this conversation; images are named by their number only, never by an \
                 address or path: {}",
                cx.media.known()
            ))),
        }
    }
}

fn shown(name: &str) -> String {
    name.chars().take(MAX_SHOWN_CHARS).collect()
}

/// The pictures that a call names, each once, in their order.
pub(super) fn resolved(
    names: &[ImageName],
    cx: &ToolContext,
) -> Result<Vec<(u32, VisibleImage)>, ToolFailure> {
    if names.is_empty() {
        return Err(ToolFailure::new(format!("name at least one image by its number; {}", cx.media.known())));
    }
    let mut found: Vec<(u32, VisibleImage)> = Vec::new();
    for name in names {
        let (number, image) = name.resolved(cx)?;
        if found.iter().all(|(held, _)| *held != number) {
            found.push((number, image));
        }
    }
    if found.len() > MAX_IMAGES {
        return Err(ToolFailure::new(format!(
            "{} images are too many at once; name at most {MAX_IMAGES} and call again for the others",
            found.len()
        )));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_understood_however_they_are_written_and_nothing_else_is() {
        let named = [json!(2), json!(2.0), json!("2"), json!("image 2"), json!(" [image 2] ")];
        assert!(named.iter().all(|value| ImageName::of(value) == ImageName::Number(2)));
        let other =
            [json!("https://a.example/b.png"), json!("assets/1.png"), json!(-1), json!(1.5), json!([1])];
        assert!(other.iter().all(|value| matches!(ImageName::of(value), ImageName::Other(_))));
    }
}
