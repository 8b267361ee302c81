//! `save_assets`: the person's own pictures as files of the project.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::naming::{self, ImageName};
use super::{artifact, missing};
use crate::ports::ImageOrigin;
use crate::project::ProjectPath;
use crate::tool::{Capabilities, Tool, ToolContext, ToolExecutionResult, ToolFailure};

/// Makes uploads usable by pages.
pub struct SaveAssets;

/// The arguments of `save_assets`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// The numbers of the images, as the conversation lists them.
    images: Vec<ImageName>,
}

impl Tool for SaveAssets {
    const NAME: &'static str = "save_assets";
    const DESCRIPTION: &'static str = "Makes pictures that the person gave usable in the page and returns the path \
        of each. Use it for a logo or photo that is to appear as it is, never for a screenshot that is to be \
        rebuilt. Name the images by the numbers of this conversation. On failure nothing is saved and the message \
        lists the images there are. Costs nothing; the same picture always has the same path.";
    type Input = Input;

    fn offered(&self, to: &Capabilities) -> bool {
        to.has_uploads && to.keeps_assets
    }

    async fn run(&self, input: Input, cx: &mut ToolContext) -> Result<ToolExecutionResult, ToolFailure> {
        let images = naming::resolved(&input.images, cx)?;
        let shelf = cx.ports.shelf.clone().ok_or_else(|| missing(Self::NAME))?;
        let (mut assets, mut artifacts) = (Vec::new(), Vec::new());
        for (number, image) in images {
            let path: ProjectPath = match &image.origin {
                ImageOrigin::Asset(path) => path.clone(),
                ImageOrigin::Uploaded => {
                    shelf.keep(&image.name, &image.mime, image.bytes.clone()).await?.path
                }
            };
            artifacts.push(artifact(&path, &image.name, (image.width_px, image.height_px)));
            assets.push(json!({
                "image": number, "name": image.name, "path": path, "width": image.width_px, "height": image.height_px,
            }));
        }
        Ok(ToolExecutionResult::done(json!({ "assets": assets }), json!({ "artifacts": artifacts })))
    }
}
