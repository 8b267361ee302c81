//! OpenAI's pictures: one request, the picture comes in the answer.

use serde_json::{Value, json};

use super::ask::Question;
use super::patience::Patience;
use super::{MadePicture, NotMade, PictureMaker, PictureWish, Sendable, decoded_picture};

/// Sides are whole steps of this.
const SIDE_STEP: u32 = 16;
const MAX_SIDE: u32 = 2048;
const MIN_SIDE: u32 = 256;
/// Dollars per million tokens: text in, pictures in, pictures out.
const PRICES: [f64; 3] = [5.0, 8.0, 30.0];
/// Parts of a form are kept apart by a line that no picture holds by chance.
const BOUNDARY: &str = "facsimile-7c1f0e52b9d84a3f9d6b";

/// A size the models make: steps of 16, no longer than three times its width.
fn size(width: u32, height: u32) -> String {
    let (w, h) = (f64::from(width.max(1)), f64::from(height.max(1)));
    let (w, h) = (w.max(h / 3.0), h.max(w / 3.0));
    let scale = (f64::from(MAX_SIDE) / w.max(h)).min((f64::from(MIN_SIDE) / w.min(h)).max(1.0));
    let side = |side: f64| {
        let steps = (side * scale / f64::from(SIDE_STEP)).round() as u32;
        (steps * SIDE_STEP).clamp(MIN_SIDE, MAX_SIDE)
    };
    format!("{}x{}", side(w), side(h))
}

fn cost_usd(answer: &Value) -> Option<f64> {
    let usage = answer.get("usage")?;
    let output = usage.get("output_tokens")?.as_f64()?;
    let details = usage.get("input_tokens_details");
    let input = |name: &str| details.and_then(|details| details.get(name)?.as_f64());
    let text = input("text_tokens").or_else(|| usage.get("input_tokens")?.as_f64()).unwrap_or(0.0);
    let images = input("image_tokens").unwrap_or(0.0);
    Some([text, images, output].iter().zip(PRICES).map(|(tokens, price)| tokens * price).sum::<f64>() / 1e6)
}

impl PictureMaker {
    pub(super) async fn openai_generation(
        &self,
        wish: &PictureWish,
        patience: Patience<'_>,
    ) -> Result<MadePicture, NotMade> {
        let background = if wish.is_transparent { "transparent" } else { "auto" };
        let body = json!({
            "model": self.model.id, "prompt": wish.prompt, "n": 1, "size": size(wish.width, wish.height),
            "background": background, "output_format": "png", "quality": "auto",
        });
        let body = body.to_string();
        let question = Question::Post(body.as_bytes(), "application/json");
        let answer = self.asking.json("/images/generations", question, patience).await?;
        self.openai_picture(&answer)
    }

    pub(super) async fn openai_edit(
        &self,
        prompt: &str,
        pictures: &[Sendable],
        patience: Patience<'_>,
    ) -> Result<MadePicture, NotMade> {
        let form = form(self.model.id, prompt, pictures);
        let mime = format!("multipart/form-data; boundary={BOUNDARY}");
        let answer = self.asking.json("/images/edits", Question::Post(&form, &mime), patience).await?;
        self.openai_picture(&answer)
    }

    fn openai_picture(&self, answer: &Value) -> Result<MadePicture, NotMade> {
        let picture = answer.pointer("/data/0/b64_json").and_then(Value::as_str).and_then(decoded_picture);
        let (mime, bytes) = picture.ok_or_else(|| self.not_understood("the answer holds no picture"))?;
        Ok(MadePicture { mime, bytes, cost_usd: cost_usd(answer) })
    }
}

fn form(model: &str, prompt: &str, pictures: &[Sendable]) -> Vec<u8> {
    let mut form = Vec::new();
    for (name, value) in [("model", model), ("prompt", prompt), ("output_format", "png")] {
        let head = format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n");
        form.extend_from_slice(head.as_bytes());
        form.extend_from_slice(value.as_bytes());
        form.extend_from_slice(b"\r\n");
    }
    for (picture, number) in pictures.iter().zip(1..) {
        let extension = picture.mime.trim_start_matches("image/");
        let head = format!(
            "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"image[]\"; \
             filename=\"image-{number}.{extension}\"\r\ncontent-type: {}\r\n\r\n",
            picture.mime
        );
        form.extend_from_slice(head.as_bytes());
        form.extend_from_slice(&picture.bytes);
        form.extend_from_slice(b"\r\n");
    }
    form.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
    form
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_steps_of_sixteen_and_no_longer_than_three_to_one() {
        let sizes =
            [(1024, 1024), (1280, 720), (1000, 10), (5000, 5000), (40, 40), (0, 0)].map(|(w, h)| size(w, h));
        assert_eq!(sizes, ["1024x1024", "1280x720", "1008x336", "2048x2048", "256x256", "256x256"]);
    }

    #[test]
    fn the_cost_is_that_of_the_usage() {
        let usage = json!({"usage": {"input_tokens": 1100, "output_tokens": 1000,
            "input_tokens_details": {"text_tokens": 100, "image_tokens": 1000}}});
        assert_eq!(cost_usd(&usage), Some(0.0385));
        assert_eq!(cost_usd(&json!({})), None);
    }
}
