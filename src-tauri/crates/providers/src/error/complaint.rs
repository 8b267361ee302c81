//! The error bodies of all providers, read into one form.

use serde_json::Value;

/// What an error body says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Complaint {
    /// The HTTP status, or the one a body names.
    pub status: Option<u16>,
    /// The provider's own name for the error.
    pub code: Option<String>,
    /// Every name, type and reason in it: what kinds are told by.
    pub names: Vec<String>,
    /// The words.
    pub message: String,
    /// The request field it is about.
    pub param: Option<String>,
    /// The provider's name for the request.
    pub request_id: Option<String>,
    /// How long to wait.
    pub retry_delay_ms: Option<u64>,
    /// Whether the body was an error in JSON, and not some page.
    pub is_structured: bool,
}

impl Complaint {
    /// Reads a body: JSON in any provider's shape, or text.
    pub fn read(body: &str) -> Self {
        match serde_json::from_str::<Value>(body) {
            Ok(Value::Array(items)) => items.first().map_or_else(Self::default, Self::from_json),
            Ok(value @ Value::Object(_)) => Self::from_json(&value),
            _ => Self { message: plain_text(body), ..Self::default() },
        }
    }

    /// Reads an error that came inside a stream.
    pub fn from_json(value: &Value) -> Self {
        let error = match value.get("error") {
            Some(Value::Null) | None => value,
            Some(error) => error,
        };
        let mut complaint = Self { is_structured: true, ..Self::default() };
        if let Value::String(message) = error {
            // Of an error without words, the whole says most.
            complaint.message = if message.trim().is_empty() { value.to_string() } else { message.clone() };
            return complaint;
        }
        let text = |key: &str| error.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let number = error.get("code").and_then(Value::as_u64);
        let code = text("code").map(str::to_owned).or(number.map(|code| code.to_string()));
        let kind = text("type").filter(|kind| *kind != "error");
        complaint.code = text("status").map(str::to_owned).or(code.clone()).or(kind.map(str::to_owned));
        complaint.names.extend([text("status"), kind].into_iter().flatten().map(str::to_owned));
        complaint.names.extend(code);
        complaint.status = number
            .or_else(|| text("code").and_then(|code| code.parse().ok()))
            .and_then(|number| u16::try_from(number).ok())
            .filter(|status| (400..600).contains(status));
        complaint.message = text("message")
            .or_else(|| text("detail"))
            .or_else(|| value.get("message").and_then(Value::as_str).filter(|text| !text.is_empty()))
            .map_or_else(|| error.to_string(), str::to_owned);
        complaint.param = text("param").map(str::to_owned);
        complaint.request_id = value.get("request_id").and_then(Value::as_str).map(str::to_owned);
        complaint.read_details(error);
        complaint
    }

    /// Google's details and a router's metadata.
    fn read_details(&mut self, error: &Value) {
        for detail in error.get("details").and_then(Value::as_array).into_iter().flatten() {
            let text = |key: &str| detail.get(key).and_then(Value::as_str);
            self.names.extend(text("reason").map(str::to_owned));
            if let Some(delay) = text("retryDelay") {
                self.retry_delay_ms = super::hint::duration_ms(delay);
            }
            for violation in detail.get("violations").and_then(Value::as_array).into_iter().flatten() {
                let texts = ["quotaId", "quotaMetric", "subject"];
                let named = texts.iter().filter_map(|key| violation.get(key).and_then(Value::as_str));
                self.names.extend(named.map(str::to_owned));
            }
        }
        if let Some(metadata) = error.get("metadata") {
            let kind = metadata.get("error_type").and_then(Value::as_str);
            self.names.extend(kind.map(str::to_owned));
            if metadata.get("flagged_input").is_some() {
                self.names.push("flagged_input".to_owned());
            }
        }
    }
}

/// The words of a body that is no JSON; of a page, its title.
fn plain_text(body: &str) -> String {
    let body = body.trim();
    if !body.starts_with('<') {
        return body.to_owned();
    }
    let lower = body.to_ascii_lowercase();
    let title = lower.find("<title>").and_then(|start| {
        let start = start + "<title>".len();
        let end = lower[start..].find("</title>")?;
        body.get(start..start + end)
    });
    format!("it answered with a web page: {}", title.unwrap_or("untitled").trim())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_error_without_words_is_shown_as_it_came() {
        let bodies =
            [json!({ "error": "" }), json!({ "error": { "message": "" } }), json!({ "message": "" })];
        let words = bodies.map(|body| Complaint::from_json(&body).message);
        assert_eq!(words, [r#"{"error":""}"#, r#"{"message":""}"#, r#"{"message":""}"#]);
    }
}
