//! OpenAI's strict schemas: closed objects whose properties are all required, the optional ones nullable.

use serde_json::{Map, Value, json};

/// The schema in strict form; `None` if it says something that strict schemas cannot.
pub(super) fn strict_schema(schema: &Value) -> Option<Value> {
    let mut strict = schema.clone();
    close(&mut strict)?;
    Some(strict)
}

fn close(schema: &mut Value) -> Option<()> {
    let object = schema.as_object_mut()?;
    if ["allOf", "not", "if", "patternProperties", "$ref"].iter().any(|key| object.contains_key(*key)) {
        return None;
    }
    if let Some(choices) = object.remove("oneOf") {
        object.insert("anyOf".to_owned(), choices);
    }
    for choice in object.get_mut("anyOf").and_then(Value::as_array_mut).into_iter().flatten() {
        close(choice)?;
    }
    if let Some(items) = object.get_mut("items") {
        close(items)?;
    }
    if object.get("type").is_some_and(|kind| kind == "object") {
        close_object(object)?;
    }
    Some(())
}

fn close_object(object: &mut Map<String, Value>) -> Option<()> {
    // An object of free keys has no strict form.
    if object.get("additionalProperties").is_some_and(|more| *more != Value::Bool(false)) {
        return None;
    }
    let required: Vec<String> = object
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect();
    let properties = object.entry("properties").or_insert_with(|| json!({})).as_object_mut()?;
    for (name, property) in properties.iter_mut() {
        close(property)?;
        if !required.contains(name) {
            make_nullable(property)?;
        }
    }
    let names: Vec<Value> = properties.keys().cloned().map(Value::from).collect();
    object.insert("required".to_owned(), Value::Array(names));
    object.insert("additionalProperties".to_owned(), Value::Bool(false));
    Some(())
}

fn make_nullable(property: &mut Value) -> Option<()> {
    let object = property.as_object_mut()?;
    if let Some(choices) = object.get_mut("anyOf").and_then(Value::as_array_mut) {
        let null = json!({ "type": "null" });
        if !choices.contains(&null) {
            choices.push(null);
        }
        return Some(());
    }
    let has_values = object.contains_key("enum");
    match object.get_mut("type") {
        Some(Value::Array(kinds)) if !kinds.contains(&Value::from("null")) => kinds.push("null".into()),
        Some(Value::Array(_)) => {}
        Some(kind) => *kind = json!([kind, "null"]),
        None if has_values => {}
        None => return None,
    }
    if let Some(values) = object.get_mut("enum").and_then(Value::as_array_mut)
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optional_properties_become_nullable_and_required_at_every_depth() {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "where"},
                "mode": {"type": "string", "enum": ["a", "b"]},
                "edits": {"type": "array", "items": {
                    "type": "object",
                    "properties": {"old": {"type": "string"}, "count": {"type": "integer"}},
                    "required": ["old"],
                }},
                "box": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {}}]},
            },
            "required": ["path"],
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "where"},
                "mode": {"type": ["string", "null"], "enum": ["a", "b", null]},
                "edits": {"type": ["array", "null"], "items": {
                    "type": "object",
                    "properties": {"old": {"type": "string"}, "count": {"type": ["integer", "null"]}},
                    "required": ["old", "count"],
                    "additionalProperties": false,
                }},
                "box": {"anyOf": [
                    {"type": "string"},
                    {"type": "object", "properties": {}, "required": [], "additionalProperties": false},
                    {"type": "null"},
                ]},
            },
            "required": ["path", "mode", "edits", "box"],
            "additionalProperties": false,
        });
        assert_eq!(strict_schema(&schema), Some(expected));
    }

    #[test]
    fn what_has_no_strict_form_is_left_as_it_is() {
        let free = json!({"type": "object", "properties": {}, "additionalProperties": {"type": "string"}});
        let open = json!({"type": "object", "properties": {"any": {}}});
        assert_eq!([strict_schema(&free), strict_schema(&open)], [None, None]);
    }
}
