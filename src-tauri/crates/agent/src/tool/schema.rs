//! A tool as it is described to a model.

use std::borrow::Cow;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Name, description and argument schema of a tool, in no vendor's dialect.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolSpec {
    /// The name the model calls it by.
    pub name: &'static str,
    /// When and how to use it.
    pub description: Cow<'static, str>,
    /// The arguments as JSON schema: `type`, `description`, `properties`, `required`, `items` and `enum` of texts,
    /// and nothing else. Every dialect takes that, or can be given its own form of it.
    pub parameters: Value,
}

/// The schema of an input type in the subset that every dialect takes. What an input type cannot say in it stays as
/// it is, for the lint to find.
pub(super) fn parameters_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    simplified(&Value::from(settings.into_generator().into_root_schema_for::<T>()))
}

/// Says nothing about values: limits are checked by the tools, whose messages are better than a vendor's.
const DROPPED: [&str; 10] = [
    "title",
    "format",
    "default",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "examples",
];

fn simplified(schema: &Value) -> Value {
    let Some(object) = schema.as_object() else { return schema.clone() };
    let mut simple = Map::new();
    for (key, value) in object {
        match key.as_str() {
            key if DROPPED.contains(&key) => {}
            "anyOf" | "oneOf" => merge_choices(&mut simple, key, value),
            "properties" => {
                let properties = value.as_object().into_iter().flatten();
                let properties = properties.map(|(name, property)| (name.clone(), simplified(property)));
                simple.insert(key.clone(), Value::Object(properties.collect()));
            }
            "items" => {
                simple.insert(key.clone(), simplified(value));
            }
            // An optional field may simply be left out; only some dialects want to hear of null.
            "type" => {
                simple.insert(key.clone(), without_null(value));
            }
            "const" => {
                simple.insert("enum".to_owned(), json!([value]));
            }
            _ => {
                simple.insert(key.clone(), value.clone());
            }
        }
    }
    // An object without arguments says so: some dialects refuse one that leaves its properties out.
    if simple.get("type").is_some_and(|kind| kind == "object") {
        simple.entry("properties").or_insert_with(|| json!({}));
    }
    // The words beside the field say more than those of its type.
    if let Some(description) = object.get("description") {
        simple.insert("description".to_owned(), description.clone());
    }
    Value::Object(simple)
}

fn without_null(types: &Value) -> Value {
    let Some(list) = types.as_array() else { return types.clone() };
    let rest: Vec<&Value> = list.iter().filter(|name| *name != "null").collect();
    match rest.as_slice() {
        [only] => (*only).clone(),
        rest => json!(rest),
    }
}

/// Choices that come down to one schema, or to a list of texts, become that; others stay choices.
fn merge_choices(into: &mut Map<String, Value>, key: &str, choices: &Value) {
    let choices = choices.as_array().map(Vec::as_slice).unwrap_or_default();
    let real: Vec<Value> = choices.iter().filter(|choice| choice["type"] != "null").map(simplified).collect();
    let texts: Option<Vec<Value>> = real
        .iter()
        .map(|choice| choice["enum"].as_array().cloned())
        .collect::<Option<Vec<_>>>()
        .map(|lists| lists.concat());
    match (real.as_slice(), texts) {
        ([only], _) => {
            for (key, value) in only.as_object().into_iter().flatten() {
                into.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
        (_, Some(texts)) => {
            into.insert("type".to_owned(), json!("string"));
            into.insert("enum".to_owned(), Value::Array(texts));
        }
        _ => {
            into.insert(key.to_owned(), Value::Array(real));
        }
    }
}

/// A field of some arguments that their schema does not know.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnknownField<'a> {
    /// The arguments around it, such as `edits[0].`, with the dot; nothing at the top.
    within: String,
    name: &'a str,
    /// The fields that are known there.
    known: Vec<&'a str>,
}

impl UnknownField<'_> {
    /// Where it stands, such as `edits[0].colour`; of its name, no more than so many characters.
    pub(super) fn place(&self, max_name_chars: usize) -> String {
        let mut name = self.name.chars();
        let shown: String = name.by_ref().take(max_name_chars).collect();
        let rest = if name.next().is_some() { "…" } else { "" };
        format!("{}{shown}{rest}", self.within)
    }

    /// The fields that are known where it stands, each as a place.
    pub(super) fn known_places(&self) -> impl Iterator<Item = String> {
        self.known.iter().map(|name| format!("{}{name}", self.within))
    }
}

/// The first fields of some arguments that their schema does not know, up to so many.
pub(super) fn unknown_fields<'a>(
    schema: &'a Value,
    arguments: &'a Value,
    most: usize,
) -> Vec<UnknownField<'a>> {
    let mut unknown = Vec::new();
    find_unknown(schema, arguments, "", most, &mut unknown);
    unknown
}

fn find_unknown<'a>(
    schema: &'a Value,
    value: &'a Value,
    place: &str,
    most: usize,
    unknown: &mut Vec<UnknownField<'a>>,
) {
    if unknown.len() >= most {
        return;
    }
    match (value, schema.get("properties").and_then(Value::as_object), schema.get("items")) {
        (Value::Object(fields), Some(properties), _) => {
            let within = if place.is_empty() { String::new() } else { format!("{place}.") };
            for (name, field) in fields {
                match properties.get(name) {
                    Some(property) => {
                        find_unknown(property, field, &format!("{within}{name}"), most, unknown);
                    }
                    None if unknown.len() < most => {
                        let known = properties.keys().map(String::as_str).collect();
                        unknown.push(UnknownField { within: within.clone(), name, known });
                    }
                    None => return,
                }
            }
        }
        (Value::Array(elements), _, Some(items)) => {
            for (at, element) in elements.iter().enumerate() {
                find_unknown(items, element, &format!("{place}[{at}]"), most, unknown);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)] // read by its schema
    struct Order {
        /// What it is called.
        title: String,
        /// How it is cut.
        format: Option<Cut>,
        /// Where it goes.
        places: Option<Vec<Place>>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    #[allow(dead_code)]
    enum Cut {
        /// As it is.
        Whole,
        /// In two.
        Half,
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)]
    struct Place {
        /// Four edges.
        edges: Option<[f64; 4]>,
    }

    #[test]
    fn what_a_type_says_is_told_in_the_few_words_every_dialect_knows() {
        let edges = json!({"type": "array", "description": "Four edges.", "items": {"type": "number"}});
        let place = json!({"type": "object", "properties": {"edges": edges}});
        let expected = json!({
            "type": "object",
            "properties": {
                "title": {"type": "string", "description": "What it is called."},
                "format": {"type": "string", "enum": ["whole", "half"], "description": "How it is cut."},
                "places": {"type": "array", "items": place, "description": "Where it goes."},
            },
            "required": ["title"],
        });
        assert_eq!(parameters_of::<Order>(), expected);
    }

    #[test]
    fn fields_nobody_knows_are_named_with_their_place() {
        let schema = parameters_of::<Order>();
        let arguments =
            json!({"title": "a", "colour": 1, "places": [{"edges": []}, {"edge": [], "at": {"x": 1}}, 7]});
        let places = |most| {
            unknown_fields(&schema, &arguments, most).iter().map(|field| field.place(3)).collect::<Vec<_>>()
        };
        assert_eq!(places(9), ["col…", "places[1].edg…", "places[1].at"]);
        assert_eq!(places(1), ["col…"]);
    }
}
