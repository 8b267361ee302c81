//! `screenshot_preview`: the page as it is painted.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{artifact, missing, no_such_file, path_or_index};
use crate::message::ToolImage;
use crate::tool::{Capabilities, Effect, Tool, ToolContext, ToolExecutionResult, ToolFailure};

/// Shows the model what it has built.
pub struct ScreenshotPreview;

/// The arguments of `screenshot_preview`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// The widths in pixels, at most 3 of 200 to 2560; left out, 1280 and 390.
    widths: Option<Vec<u32>>,
    /// The page; left out, `index.html`.
    path: Option<String>,
}

const USUAL_WIDTHS_PX: [u32; 2] = [1280, 390];
/// Each picture costs the model as much as pages of text.
const MOST_WIDTHS: usize = 3;
const WIDTHS_PX: std::ops::RangeInclusive<u32> = 200..=2560;

impl Tool for ScreenshotPreview {
    const NAME: &'static str = "screenshot_preview";
    const DESCRIPTION: &'static str = "Paints the current page and shows it to you from top to bottom. Use it after \
        writing or changing a page, to compare what you see with the screenshot before you end. The widths are \
        window widths of your choice, the path is one of the project's pages; both may be left out. A long page \
        comes in several parts. On failure the message says why the page could not be painted; go on without the \
        picture. Costs the tokens of one image for each part.";
    const EFFECT: Effect = Effect::Reads;
    type Input = Input;

    fn offered(&self, to: &Capabilities) -> bool {
        to.takes_pictures
    }

    async fn run(&self, input: Input, cx: &mut ToolContext) -> Result<ToolExecutionResult, ToolFailure> {
        let path = path_or_index(input.path.as_deref(), cx)?;
        if cx.files.read(&path).is_none() {
            return Err(no_such_file(&path, cx));
        }
        let widths = widths_of(input.widths)?;
        let camera = cx.ports.camera.clone().ok_or_else(|| missing(Self::NAME))?;
        let (mut pictures, mut artifacts, mut images) = (Vec::new(), Vec::new(), Vec::new());
        for width_px in widths {
            let picture = camera.picture(cx.files.clone(), path.clone(), width_px).await?;
            let parts: Vec<_> = picture.parts.iter().map(|part| part.label.clone()).collect();
            let mut about = json!({
                "width": picture.width_px, "height": picture.height_px, "images": parts,
            });
            if let Some(notice) = &picture.notice {
                about["notice"] = json!(notice);
            }
            pictures.push(about);
            images.extend(picture.parts);
            if let Some(shelf) = &cx.ports.shelf {
                let label = format!("{path} at {width_px} px");
                let size_px = (picture.width_px, picture.height_px);
                // The model has seen it; that the list of steps cannot show it is no failure of the call.
                if let Ok(kept) = shelf.keep(&label, "image/png", picture.png).await {
                    artifacts.push(artifact(&kept.path, &label, size_px));
                }
            }
        }
        let summary = json!({ "path": path, "artifacts": artifacts });
        let result = ToolExecutionResult::done(json!({ "path": path, "pictures": pictures }), summary);
        Ok(images.into_iter().fold(result, |result, image| {
            result.showing(ToolImage::Bytes { mime: image.mime, data: image.bytes, label: image.label })
        }))
    }
}

fn widths_of(asked: Option<Vec<u32>>) -> Result<Vec<u32>, ToolFailure> {
    let mut widths = asked.unwrap_or_default();
    if widths.is_empty() {
        return Ok(USUAL_WIDTHS_PX.to_vec());
    }
    let mut seen = Vec::new();
    widths.retain(|width| {
        !seen.contains(width) && {
            seen.push(*width);
            true
        }
    });
    if widths.len() > MOST_WIDTHS {
        return Err(ToolFailure::new(format!(
            "{} widths are too many; ask for at most {MOST_WIDTHS}",
            widths.len()
        )));
    }
    match widths.iter().find(|width| !WIDTHS_PX.contains(width)) {
        Some(width) => {
            let (least, most) = (WIDTHS_PX.start(), WIDTHS_PX.end());
            Err(ToolFailure::new(format!("a page is not painted {width} px wide; ask for {least} to {most}")))
        }
        None => Ok(widths),
    }
}
