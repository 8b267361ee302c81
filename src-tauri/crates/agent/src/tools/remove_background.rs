//! `remove_background`: pictures cut free of what is behind them.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Deserialize;

use super::jobs;
use super::naming::{self, ImageName};
use crate::ports::{CutOutOrder, TaskOrder, TaskStage};
use crate::tool::{Capabilities, Making, Tool, ToolContext, ToolExecutionResult, ToolFailure};

/// Makes the background of pictures see-through.
pub struct RemoveBackground;

/// The arguments of `remove_background`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// The numbers of the images, as the conversation lists them.
    images: Vec<ImageName>,
}

const CUT_OUT: &str = "Makes the background of images of this conversation see-through and returns the path of each new \
    picture, in the order asked for; the old ones stay. Use it for products, people and logos that are to stand on the \
    page's own ground. Name the images by the numbers of this conversation. ";
const IS_SLOW: &str = "A slow picture goes on being made while you work: use its path at once. ";
const IS_LOCAL: &str = "It works for backgrounds of one colour or nearly so, not for photographed ones. ";
const ON_FAILURE: &str = "On failure each item says why; then use the picture as it is. ";

impl Tool for RemoveBackground {
    const NAME: &'static str = "remove_background";
    const DESCRIPTION: &'static str = CUT_OUT;
    type Input = Input;

    fn description(&self, to: &Capabilities) -> Cow<'static, str> {
        let making = to.cutting_out.unwrap_or(Making::Local);
        let how = if making == Making::Local { IS_LOCAL } else { IS_SLOW };
        format!("{CUT_OUT}{how}{ON_FAILURE}{}", jobs::cost_words(making)).into()
    }

    fn offered(&self, to: &Capabilities) -> bool {
        // What is made in the turn can be cut out in it as well.
        to.cutting_out.is_some() && (to.has_stills || to.generation.is_some())
    }

    async fn run(&self, input: Input, cx: &mut ToolContext) -> Result<ToolExecutionResult, ToolFailure> {
        let making = cx.capabilities.cutting_out.ok_or_else(|| super::missing(Self::NAME))?;
        let images = naming::resolved(&input.images, cx)?;
        let labels: Vec<String> = images.iter().map(|(number, _)| format!("image {number}")).collect();
        let title = match images.as_slice() {
            [(_, only)] => only.name.clone(),
            images => format!("{} pictures", images.len()),
        };
        let order = TaskOrder {
            kind: Self::NAME,
            title,
            stages: TaskStage::names(making),
            results: u32::try_from(images.len()).unwrap_or(u32::MAX),
            expected_usd: jobs::expected_usd(making, images.len()),
            inputs: jobs::inputs(&CutOutOrder {
                images: images.into_iter().map(|(_, image)| image.asset).collect(),
            })?,
        };
        jobs::carried_out(order, &labels, cx).await
    }
}
