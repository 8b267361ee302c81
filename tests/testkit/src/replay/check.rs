//! What a provider looks at before it answers.

use serde_json::Value;

use super::dialect::Spoken;

/// The key that every request has to show.
pub const KEY: &str = "sk-replay-0123456789abcdef";

/// A request as it came.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// `POST`, mostly.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// The headers, names in small letters.
    pub headers: Vec<(String, String)>,
    /// The body; null if it was no JSON.
    pub body: Value,
    /// The body, byte by byte.
    pub bytes: Vec<u8>,
}

impl Asked {
    pub(super) fn from_head(head: &[String]) -> Self {
        let mut words = head.first().map(String::as_str).unwrap_or_default().split(' ');
        let mut next = || words.next().unwrap_or_default().to_owned();
        let (method, path) = (next(), next());
        let headers = head.iter().skip(1).filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            Some((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        });
        Self { method, path, headers: headers.collect(), ..Self::default() }
    }

    /// A header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(held, _)| held == name).map(|(_, value)| value.as_str())
    }
}

/// What is wrong with a request, if anything.
pub(super) fn complaint(dialect: Spoken, asked: &Asked, echoes: Option<&Vec<Value>>) -> Option<String> {
    head_complaint(dialect, asked)
        .or_else(|| {
            // A list needs no history.
            if asked.method != "POST" {
                return None;
            }
            match dialect {
                Spoken::OpenAiResponses => responses_complaint(&asked.body),
                Spoken::Anthropic => anthropic_complaint(&asked.body),
                Spoken::Gemini => gemini_complaint(&asked.body),
                Spoken::OpenAiChat => chat_complaint(&asked.body),
            }
        })
        .or_else(|| echo_complaint(dialect, &asked.body, echoes.filter(|_| asked.method == "POST")?))
}

fn head_complaint(dialect: Spoken, asked: &Asked) -> Option<String> {
    let (name, value, path) = match dialect {
        Spoken::OpenAiResponses => ("authorization", format!("Bearer {KEY}"), "/v1/responses"),
        Spoken::Anthropic => ("x-api-key", KEY.to_owned(), "/v1/messages"),
        Spoken::Gemini => ("x-goog-api-key", KEY.to_owned(), ":streamGenerateContent?alt=sse"),
        Spoken::OpenAiChat => ("authorization", format!("Bearer {KEY}"), "/v1/chat/completions"),
    };
    let says = |words: &str| Some(words.to_owned());
    if asked.header(name) != Some(value.as_str()) {
        return Some(format!("{name} does not hold the key"));
    }
    if asked.headers.iter().any(|(held, text)| held != name && text.contains(KEY)) {
        return says("the key stands in a second header");
    }
    if asked.path.contains(KEY) || asked.path.contains("key=") || asked.body.to_string().contains(KEY) {
        return says("the key stands in the address or the body");
    }
    if asked.method != "POST" {
        return None;
    }
    if !asked.path.ends_with(path) {
        return Some(format!("nothing is at {}", asked.path));
    }
    if dialect == Spoken::Anthropic && asked.header("anthropic-version").is_none() {
        return says("anthropic-version: header is required");
    }
    if asked.header("content-type") != Some("application/json") {
        return says("the body is not said to be JSON");
    }
    None
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The calls that still wait for a result.
#[derive(Default)]
struct Waiting(Vec<String>);

impl Waiting {
    fn call(&mut self, id: &str) {
        self.0.push(id.to_owned());
    }

    fn answer(&mut self, id: &str) -> Option<String> {
        match self.0.iter().position(|waiting| waiting == id) {
            Some(at) => {
                self.0.remove(at);
                None
            }
            None => Some(format!("a result for {id}, which no call asked for")),
        }
    }

    fn unanswered(&self) -> Option<String> {
        self.0.first().map(|id| format!("call {id} has no result"))
    }
}

fn responses_complaint(body: &Value) -> Option<String> {
    if body.get("store") != Some(&Value::Bool(false)) || body.get("previous_response_id").is_some() {
        return Some("the conversation is to be stored".to_owned());
    }
    let mut waiting = Waiting::default();
    let input = list(body, "input");
    for (at, item) in input.iter().enumerate() {
        let found = match text(item, "type") {
            "function_call" => {
                waiting.call(text(item, "call_id"));
                None
            }
            "function_call_output" => waiting.answer(text(item, "call_id")),
            "reasoning" => match input.get(at + 1).map(|next| text(next, "type")) {
                Some("message" | "function_call") => None,
                _ => Some(
                    "an item of type 'reasoning' was provided without its required following item".to_owned(),
                ),
            },
            _ if text(item, "role") == "user" => waiting.unanswered(),
            "message" => None,
            _ => Some(format!("an item that is none: {item}")),
        };
        if found.is_some() {
            return found;
        }
    }
    waiting.unanswered()
}

fn anthropic_complaint(body: &Value) -> Option<String> {
    if body.get("max_tokens").is_none() || body.get("temperature").is_some() {
        return Some("max_tokens: field required; temperature: not supported".to_owned());
    }
    let mut waiting = Waiting::default();
    for (at, message) in list(body, "messages").iter().enumerate() {
        let blocks = list(message, "content");
        match text(message, "role") {
            "user" => {
                let is_result = |block: &&Value| text(block, "type") == "tool_result";
                for block in blocks.iter().take_while(is_result) {
                    if let Some(found) = waiting.answer(text(block, "tool_use_id")) {
                        return Some(format!("messages.{at}: {found}"));
                    }
                }
                if blocks.iter().skip_while(is_result).any(|block| is_result(&block)) {
                    return Some(format!("messages.{at}: a tool_result behind other content"));
                }
                if let Some(found) = waiting.unanswered() {
                    return Some(format!("messages.{at}: {found}"));
                }
            }
            "assistant" if at > 0 => {
                for block in blocks.iter().filter(|block| text(block, "type") == "tool_use") {
                    waiting.call(text(block, "id"));
                }
            }
            role => return Some(format!("messages.{at}: unexpected role {role:?}")),
        }
        if blocks.is_empty() {
            return Some(format!("messages.{at}: content is empty"));
        }
    }
    waiting.unanswered()
}

fn gemini_complaint(body: &Value) -> Option<String> {
    let mut open: Vec<&Value> = Vec::new();
    for (at, content) in list(body, "contents").iter().enumerate() {
        let parts = list(content, "parts");
        match text(content, "role") {
            "model" => {
                open = parts.iter().filter_map(|part| part.get("functionCall")).collect();
                let first = parts.iter().find(|part| part.get("functionCall").is_some());
                if first.is_some_and(|part| part.get("thoughtSignature").is_none()) {
                    return Some(
                        "Function call is missing a thought_signature in functionCall parts".to_owned(),
                    );
                }
            }
            "user" => {
                let answers: Vec<&Value> =
                    parts.iter().filter_map(|part| part.get("functionResponse")).collect();
                let fits = answers.len() == open.len()
                    && answers.iter().zip(&open).all(|(answer, call)| {
                        answer.get("name") == call.get("name")
                            && answer.get("id") == call.get("id")
                            && answer.get("response").is_some_and(Value::is_object)
                    });
                if !fits {
                    return Some(format!(
                        "contents.{at}: the function responses do not answer the function calls"
                    ));
                }
                open.clear();
            }
            role => return Some(format!("contents.{at}: unexpected role {role:?}")),
        }
    }
    (!open.is_empty()).then(|| "a function call has no response".to_owned())
}

fn chat_complaint(body: &Value) -> Option<String> {
    let mut waiting = Waiting::default();
    for (at, message) in list(body, "messages").iter().enumerate() {
        let found = match text(message, "role") {
            "system" if at == 0 => None,
            "user" => waiting.unanswered(),
            "assistant" => {
                let found = waiting.unanswered();
                list(message, "tool_calls").iter().for_each(|call| waiting.call(text(call, "id")));
                found
            }
            "tool" => waiting.answer(text(message, "tool_call_id")),
            role => Some(format!("unexpected role {role:?}")),
        };
        if let Some(found) = found {
            return Some(format!("messages.{at}: {found}"));
        }
    }
    waiting.unanswered()
}

/// Every reply has to stand in the history as it was sent, in order.
fn echo_complaint(dialect: Spoken, body: &Value, echoes: &[Value]) -> Option<String> {
    let is_reply = |item: &&Value| match dialect {
        Spoken::OpenAiResponses => {
            text(item, "role") != "user" && text(item, "type") != "function_call_output"
        }
        Spoken::Gemini => text(item, "role") == "model",
        Spoken::Anthropic | Spoken::OpenAiChat => text(item, "role") == "assistant",
    };
    let key = match dialect {
        Spoken::OpenAiResponses => "input",
        Spoken::Gemini => "contents",
        Spoken::Anthropic | Spoken::OpenAiChat => "messages",
    };
    let came: Vec<&Value> = list(body, key).iter().filter(is_reply).collect();
    let owed: Vec<&Value> = match dialect {
        Spoken::OpenAiResponses => {
            echoes.iter().flat_map(|items| items.as_array().into_iter().flatten()).collect()
        }
        _ => echoes.iter().collect(),
    };
    // Bytes, not values: the order of keys counts as well.
    let as_text = |values: &[&Value]| values.iter().map(ToString::to_string).collect::<Vec<_>>();
    (as_text(&came) != as_text(&owed)).then(|| {
        format!(
            "the replies came back changed: {} instead of {}",
            as_text(&came).join(","),
            as_text(&owed).join(",")
        )
    })
}
