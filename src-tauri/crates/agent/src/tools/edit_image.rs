//! `edit_image`: a picture changed by words.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Deserialize;

use super::generate_images::shortened;
use super::jobs;
use super::naming::{self, ImageName};
use crate::ports::{EditOrder, TaskOrder, TaskStage};
use crate::tool::{Capabilities, Making, Tool, ToolContext, ToolExecutionResult, ToolFailure};

/// Changes pictures of the conversation into one.
pub struct EditImage;

/// The arguments of `edit_image`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// The numbers of the images, as the conversation lists them; the first is the one that is changed.
    images: Vec<ImageName>,
    /// What is to change and what is to stay as it is.
    prompt: String,
    /// The shape of the result; left out, that of the first image.
    aspect_ratio: Option<Shape>,
}

/// The usual shapes of pictures.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
pub enum Shape {
    /// As wide as high.
    #[serde(rename = "1:1")]
    Square,
    /// A photo.
    #[serde(rename = "3:2")]
    Photo,
    /// A photo held upright.
    #[serde(rename = "2:3")]
    UprightPhoto,
    /// An old screen.
    #[serde(rename = "4:3")]
    Screen,
    /// An old screen held upright.
    #[serde(rename = "3:4")]
    UprightScreen,
    /// A wide screen.
    #[serde(rename = "16:9")]
    Wide,
    /// A phone.
    #[serde(rename = "9:16")]
    Phone,
}

impl Shape {
    fn as_str(self) -> &'static str {
        match self {
            Shape::Square => "1:1",
            Shape::Photo => "3:2",
            Shape::UprightPhoto => "2:3",
            Shape::Screen => "4:3",
            Shape::UprightScreen => "3:4",
            Shape::Wide => "16:9",
            Shape::Phone => "9:16",
        }
    }
}

/// More than these confuse every model that makes pictures.
const MAX_SOURCES: usize = 4;
const MAX_PROMPT_CHARS: usize = 4_000;

impl Tool for EditImage {
    const NAME: &'static str = "edit_image";
    const DESCRIPTION: &'static str = "Changes an image of this conversation by words, or joins several into one, and \
        returns the path of the new picture; the old ones stay. Use it when the person wants a picture itself \
        changed, not the page around it. Name the images by the numbers of this conversation and say what is to \
        change. A slow picture goes on being made while you work: use its path at once. On failure the message says \
        why; correct the prompt and call again once. ";
    type Input = Input;

    fn description(&self, to: &Capabilities) -> Cow<'static, str> {
        let making = to.editing.unwrap_or(Making::Service { usd_each: None });
        format!("{}{}", Self::DESCRIPTION, jobs::cost_words(making)).into()
    }

    fn offered(&self, to: &Capabilities) -> bool {
        to.editing.is_some()
    }

    async fn run(&self, input: Input, cx: &mut ToolContext) -> Result<ToolExecutionResult, ToolFailure> {
        let making = cx.capabilities.editing.ok_or_else(|| super::missing(Self::NAME))?;
        let images = naming::resolved(&input.images, cx)?;
        if images.len() > MAX_SOURCES {
            return Err(ToolFailure::new(format!("an edit takes at most {MAX_SOURCES} images")));
        }
        let prompt = input.prompt.trim();
        if prompt.is_empty() || prompt.chars().count() > MAX_PROMPT_CHARS {
            let why = format!(
                "the prompt is empty or longer than {MAX_PROMPT_CHARS} characters; say what is to change"
            );
            return Err(ToolFailure::new(why));
        }
        let inputs = EditOrder {
            images: images.into_iter().map(|(_, image)| image.asset).collect(),
            prompt: prompt.to_owned(),
            aspect_ratio: input.aspect_ratio.map(|shape| shape.as_str().to_owned()),
        };
        let order = TaskOrder {
            kind: Self::NAME,
            title: shortened(prompt),
            stages: TaskStage::names(making),
            results: 1,
            inputs: jobs::inputs(&inputs)?,
            expected_usd: jobs::expected_usd(making, 1),
        };
        jobs::carried_out(order, &[prompt.to_owned()], cx).await
    }
}
