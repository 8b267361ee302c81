//! Tool calls that a model printed as text because its server has no parser for them.

use serde_json::{Map, Value};

/// A call found in text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PrintedCall {
    pub(super) name: String,
    pub(super) arguments: Map<String, Value>,
}

/// The calls printed in a reply that made none: between the marks that known models use, or a reply that is
/// nothing but a call. A name that is no tool's makes it text.
pub(super) fn printed_calls(reply: &str, tools: &[&str]) -> Vec<PrintedCall> {
    let reply = reply.trim();
    let marked = [("<tool_call>", "</tool_call>"), ("<|tool_call|>", "<|/tool_call|>")];
    let mut bodies: Vec<&str> = marked.iter().flat_map(|(open, close)| between(reply, open, close)).collect();
    if bodies.is_empty() {
        bodies.extend(reply.split_once("[TOOL_CALLS]").map(|(_, calls)| calls));
    }
    if bodies.is_empty() {
        bodies.push(unfenced(reply));
    }
    let mut calls: Vec<PrintedCall> = bodies.iter().flat_map(|body| calls_in(body, tools)).collect();
    if calls.is_empty() {
        calls = function_tags(reply, tools);
    }
    calls
}

fn between<'a>(text: &'a str, open: &str, close: &str) -> Vec<&'a str> {
    let opened = text.split(open).skip(1);
    opened.map(|rest| rest.split_once(close).map_or(rest, |(inside, _)| inside)).collect()
}

fn unfenced(text: &str) -> &str {
    let Some(inside) = text.strip_prefix("```") else { return text };
    let inside = inside.strip_suffix("```").unwrap_or(inside);
    inside.split_once('\n').map_or(inside, |(_, body)| body)
}

fn calls_in(body: &str, tools: &[&str]) -> Vec<PrintedCall> {
    let first = serde_json::Deserializer::from_str(body.trim()).into_iter::<Value>().next();
    match first {
        Some(Ok(Value::Array(items))) => items.into_iter().filter_map(|item| call_in(item, tools)).collect(),
        Some(Ok(value)) => call_in(value, tools).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn call_in(value: Value, tools: &[&str]) -> Option<PrintedCall> {
    let Value::Object(mut object) = value else { return None };
    if let Some(Value::Object(function)) = object.remove("function") {
        object = function;
    }
    let name = ["name", "tool", "tool_name"].iter().find_map(|key| object.get(*key)?.as_str())?.to_owned();
    if !tools.contains(&name.as_str()) {
        return None;
    }
    let arguments = ["arguments", "parameters", "args"].iter().find_map(|key| object.remove(*key))?;
    let arguments = match arguments {
        Value::Object(arguments) => arguments,
        Value::String(text) => serde_json::from_str(&text).ok()?,
        _ => return None,
    };
    Some(PrintedCall { name, arguments })
}

/// `<function=name>{…}</function>` and `<function=name><parameter=key>value</parameter></function>`.
fn function_tags(reply: &str, tools: &[&str]) -> Vec<PrintedCall> {
    let call = |tag: &str| {
        let (name, body) = tag.split_once('>')?;
        let name = tools.iter().find(|tool| **tool == name.trim())?;
        let parameters = between(body, "<parameter=", "</parameter>");
        let arguments = if parameters.is_empty() {
            serde_json::from_str(body.trim()).ok()?
        } else {
            let pair = |parameter: &str| {
                let (key, value) = parameter.split_once('>')?;
                let value = value.strip_prefix('\n').unwrap_or(value);
                let value = value.strip_suffix('\n').unwrap_or(value);
                Some((key.trim().to_owned(), Value::from(value)))
            };
            parameters.into_iter().filter_map(pair).collect()
        };
        Some(PrintedCall { name: (*name).to_owned(), arguments })
    };
    between(reply, "<function=", "</function>").into_iter().filter_map(call).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TOOLS: [&str; 2] = ["create_file", "list_files"];

    fn found(reply: &str) -> Vec<(String, Value)> {
        let calls = printed_calls(reply, &TOOLS);
        calls.into_iter().map(|call| (call.name, Value::Object(call.arguments))).collect()
    }

    #[test]
    fn every_known_way_of_printing_a_call_is_read() {
        let call = r#"{"name": "create_file", "arguments": {"content": "<p>"}}"#;
        let printed = [
            format!("I will.\n<tool_call>\n{call}\n</tool_call>"),
            format!("<tool_call>{call}"),
            format!("[TOOL_CALLS][{call}]"),
            format!("```json\n{call}\n```"),
            call.to_owned(),
            r#"{"function": {"name": "create_file", "arguments": "{\"content\": \"<p>\"}"}}"#.to_owned(),
            r#"<function=create_file>{"content": "<p>"}</function>"#.to_owned(),
            "<function=create_file>\n<parameter=content>\n<p>\n</parameter>\n</function>".to_owned(),
        ];
        for text in printed {
            assert_eq!(found(&text), [("create_file".to_owned(), json!({"content": "<p>"}))], "{text}");
        }
        let two = format!("<tool_call>{call}</tool_call><tool_call>{call}</tool_call>");
        assert_eq!(found(&two).len(), 2);
    }

    #[test]
    fn text_that_only_looks_like_a_call_stays_text() {
        for text in [
            "",
            r#"{"name": "paint_house", "arguments": {}}"#,
            r#"{"name": "create_file"}"#,
            "<!doctype html><p>{\"name\": \"create_file\"}</p>",
            "Use create_file to write.",
            "<tool_call>{\"name\": \"create_file\", \"arguments\": {\"content\": \"<p",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }
}
