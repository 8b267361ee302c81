//! Gemini's pictures: a reply that is asked to be a picture.

use base64::Engine;
use facsimile_agent::ErrorKind;
use serde_json::{Value, json};

use super::ask::Question;
use super::patience::Patience;
use super::{MadePicture, NotMade, PictureMaker, Sendable, decoded_picture};
use crate::error::Rejection;

/// The request for a picture: the pictures to look at, then the words.
pub(super) fn body(prompt: &str, pictures: &[Sendable], aspect_ratio: Option<&str>) -> Value {
    let inline = |picture: &Sendable| {
        let data = base64::engine::general_purpose::STANDARD.encode(&picture.bytes);
        json!({ "inlineData": { "mimeType": picture.mime, "data": data } })
    };
    let mut parts: Vec<_> = pictures.iter().map(inline).collect();
    parts.push(json!({ "text": prompt }));
    let mut config = json!({ "responseModalities": ["IMAGE"] });
    if let Some(shape) = aspect_ratio {
        config["imageConfig"] = json!({ "aspectRatio": shape });
    }
    json!({ "contents": [{ "role": "user", "parts": parts }], "generationConfig": config })
}

impl PictureMaker {
    pub(super) async fn gemini(&self, body: &Value, patience: Patience<'_>) -> Result<MadePicture, NotMade> {
        let path = format!("/models/{}:generateContent", self.model.id);
        let body = body.to_string();
        let question = Question::Post(body.as_bytes(), "application/json");
        let answer = self.asking.json(&path, question, patience).await?;
        let parts = answer.pointer("/candidates/0/content/parts").and_then(Value::as_array);
        let data = parts.into_iter().flatten().find_map(|part| part.pointer("/inlineData/data")?.as_str());
        match data.and_then(decoded_picture) {
            Some((mime, bytes)) => Ok(MadePicture { mime, bytes, cost_usd: None }),
            None => Err(self.failed(refusal(&answer))),
        }
    }
}

/// Why a reply holds no picture.
fn refusal(answer: &Value) -> Rejection {
    let reason = answer
        .pointer("/promptFeedback/blockReason")
        .or_else(|| answer.pointer("/candidates/0/finishReason"))
        .and_then(Value::as_str);
    match reason {
        Some("STOP" | "MAX_TOKENS") | None => Rejection::protocol("the reply holds no picture"),
        Some(reason) => Rejection::without_answer(ErrorKind::Blocked, reason),
    }
}
