//! Replicate: a prediction is begun, looked at until it has ended, and its picture fetched from where it lies.

use base64::Engine;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::ask::Question;
use super::patience::Patience;
use super::{MadePicture, NotMade, PictureMaker, PictureModel, PictureWish, Sendable, aspect_ratio};
use crate::error::Rejection;
use facsimile_agent::ports::TaskStage;
use facsimile_agent::{ErrorKind, Failure};

/// Changes pictures.
pub(super) const EDIT_MODEL: &str = "prunaai/p-image-edit";
/// Cuts pictures free; not one of the official models, so it is named by its version.
pub(super) const CUT_OUT_MODEL: &str = "a029dff38972b5fda4ec5d75d7d1cd25aeff621d2cf4946a41055d7db66b80bc";
/// Model sides are whole steps of this.
const SIDE_STEP: u32 = 16;

/// The input of a picture to be made.
pub(super) fn generation(model: &PictureModel, wish: &PictureWish) -> Value {
    let mut input = Map::new();
    input.insert("prompt".to_owned(), wish.prompt.clone().into());
    input.insert("output_format".to_owned(), "png".into());
    if model.id == "prunaai/z-image-turbo" {
        let side = |side: u32| (side.clamp(64, 1440) / SIDE_STEP * SIDE_STEP).into();
        input.insert("width".to_owned(), side(wish.width));
        input.insert("height".to_owned(), side(wish.height));
    } else {
        input.insert("aspect_ratio".to_owned(), aspect_ratio(wish).into());
    }
    Value::Object(input)
}

/// The input of pictures to be changed.
pub(super) fn edit(prompt: &str, pictures: &[Sendable], aspect_ratio: Option<&str>) -> Value {
    let images: Vec<_> = pictures.iter().map(inline).collect();
    let shape = aspect_ratio.unwrap_or("match_input_image");
    json!({ "prompt": prompt, "images": images, "aspect_ratio": shape, "turbo": true })
}

/// The input of a picture to be cut free.
pub(super) fn cut_out(picture: &Sendable) -> Value {
    json!({ "image": inline(picture), "format": "png", "background_type": "rgba" })
}

fn inline(picture: &Sendable) -> String {
    let encoded = base64::engine::general_purpose::STANDARD.encode(&picture.bytes);
    format!("data:{};base64,{encoded}", picture.mime)
}

impl PictureMaker {
    /// Asks who the key belongs to, which costs nothing: whether the vendor takes it.
    pub async fn account(&self, cancel: &CancellationToken) -> Result<(), NotMade> {
        let patience = Patience::from_now(self.asking.pace, self.asking.who, cancel);
        self.asking.json("/account", Question::Get, patience).await.map(drop)
    }

    /// Has a model work on an input and fetches what comes of it.
    pub(super) async fn replicate(
        &self,
        model: &str,
        input: &Value,
        patience: Patience<'_>,
    ) -> Result<MadePicture, NotMade> {
        let (path, body) = match model.contains('/') {
            true => (format!("/models/{model}/predictions"), json!({ "input": input })),
            false => ("/predictions".to_owned(), json!({ "version": model, "input": input })),
        };
        let body = body.to_string();
        let question = Question::Post(body.as_bytes(), "application/json");
        let stages = &self.asking.stages;
        let begun = self.asking.json(&path, question, patience).await?;
        let id = prediction_id(&begun).ok_or_else(|| self.not_understood("a prediction without an id"))?;
        stages.is_at(TaskStage::BeingMade);
        let ended = match self.ended(id, &begun, patience).await {
            Ok(ended) => ended,
            Err(given_up) => {
                // It goes on there, and costs, unless the vendor hears of it.
                self.asking.tell(&format!("/predictions/{id}/cancel")).await;
                return Err(given_up);
            }
        };
        match status(&ended) {
            "succeeded" => {}
            "canceled" => return Err(NotMade::Cancelled),
            status => return Err(self.failed(complaint(&ended, status))),
        }
        let address =
            output_address(&ended).ok_or_else(|| self.not_understood("a prediction without a picture"))?;
        stages.is_at(TaskStage::Downloading);
        let fetched = patience.with(self.fetch.fetch_picture(address)).await?;
        let fetched = fetched.map_err(|refused| {
            let failure =
                Failure::new(ErrorKind::Network, format!("the picture could not be fetched: {refused}"));
            failure.with_next_step("Try again")
        })?;
        Ok(MadePicture { mime: fetched.mime, bytes: fetched.bytes, cost_usd: None })
    }

    /// A prediction once the vendor says that it has ended, however.
    async fn ended(&self, id: &str, begun: &Value, patience: Patience<'_>) -> Result<Value, NotMade> {
        let mut latest = begun.clone();
        let mut pauses = self.asking.pace.pauses();
        // The addresses in answers are not followed: the key goes to the vendor's own host only.
        let path = format!("/predictions/{id}");
        while !matches!(status(&latest), "succeeded" | "canceled" | "aborted" | "failed") {
            let pause = pauses.next().unwrap_or(self.asking.pace.longest);
            patience.with(tokio::time::sleep(pause)).await?;
            latest = self.asking.json(&path, Question::Get, patience).await?;
        }
        Ok(latest)
    }
}

fn status(prediction: &Value) -> &str {
    prediction.get("status").and_then(Value::as_str).unwrap_or_default()
}

/// The id of a prediction, if it is a plain name: it becomes part of a path.
fn prediction_id(prediction: &Value) -> Option<&str> {
    let id = prediction.get("id")?.as_str()?;
    (!id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(id)
}

fn output_address(prediction: &Value) -> Option<&str> {
    let output = prediction.get("output")?;
    let first = output.get(0).unwrap_or(output);
    first.as_str().or_else(|| first.get("url")?.as_str())
}

fn complaint(prediction: &Value, status: &str) -> Rejection {
    let words = match prediction.get("error").and_then(Value::as_str) {
        Some(words) => words,
        None if status == "aborted" => "the model was aborted",
        None => "the model failed without a reason",
    };
    Rejection::without_answer(ErrorKind::Unknown, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_is_found_in_every_shape_of_output() {
        let outputs = [json!("a"), json!(["a", "b"]), json!({"url": "a"}), json!([{"url": "a"}])];
        for output in outputs {
            assert_eq!(output_address(&json!({ "output": output })), Some("a"));
        }
        assert_eq!(output_address(&json!({ "output": null })), None);
    }

    #[test]
    fn an_id_that_is_no_plain_name_is_none() {
        assert_eq!(prediction_id(&json!({"id": "abc123"})), Some("abc123"));
        for id in ["", "../account", "a/b", "a?b"] {
            assert_eq!(prediction_id(&json!({ "id": id })), None, "{id}");
        }
    }
}
