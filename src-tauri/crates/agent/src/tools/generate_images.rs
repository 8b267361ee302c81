//! `generate_images`: new pictures from words, or placeholders for them.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Deserialize;

use super::jobs;
use super::naming::MAX_IMAGES;
use crate::ports::{GenerateOrder, TaskOrder, TaskStage, WishedPicture};
use crate::tool::{Capabilities, Making, Tool, ToolContext, ToolExecutionResult, ToolFailure};

/// Makes pictures the page needs and nobody gave.
pub struct GenerateImages;

/// The arguments of `generate_images`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// One entry for each picture; the results keep this order.
    prompts: Vec<Wish>,
}

/// One picture to be made.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct Wish {
    /// What the picture shows: subject, style, light and colours.
    prompt: String,
    /// Its width in pixels as the page shows it; left out, 1024.
    width: Option<u32>,
    /// Its height in pixels; left out, 1024.
    height: Option<u32>,
    /// Whether its background is to be see-through; left out, it is not.
    transparent: Option<bool>,
}

const USUAL_PX: u32 = 1024;
const MIN_PX: u32 = 8;
const MAX_PX: u32 = 3840;
const MAX_PROMPT_CHARS: usize = 4_000;
const MAX_TITLE_CHARS: usize = 60;

const GENERATED: &str = "Makes new pictures from words and returns the path of each, in the order asked for. Use it for \
    photos and illustrations the page needs that are in no image of this conversation, all in one call; never for \
    text, icons or shapes that HTML and CSS can draw. Describe each picture in your own words and give the size it \
    has on the page. Slow pictures go on being made while you work: use their paths at once. On failure each item \
    says why; call again for those alone with another prompt. ";
const PLACEHOLDERS: &str = "Makes placeholders for pictures and returns the path of each, in the order asked for: tiles \
    of the right size in the colours of the page with your words as caption, marked as placeholders. No image service \
    is set up, so nothing is really generated. Use it for photos and illustrations that are in no image of this \
    conversation, and give the size each has on the page. On failure each item says why; correct it and call again \
    for it alone. ";

impl Tool for GenerateImages {
    const NAME: &'static str = "generate_images";
    const DESCRIPTION: &'static str = PLACEHOLDERS;
    type Input = Input;

    fn description(&self, to: &Capabilities) -> Cow<'static, str> {
        let making = to.generation.unwrap_or(Making::Local);
        let words = if making == Making::Local { PLACEHOLDERS } else { GENERATED };
        format!("{words}{}", jobs::cost_words(making)).into()
    }

    fn offered(&self, to: &Capabilities) -> bool {
        to.generation.is_some()
    }

    async fn run(&self, input: Input, cx: &mut ToolContext) -> Result<ToolExecutionResult, ToolFailure> {
        let making = cx.capabilities.generation.ok_or_else(|| super::missing(Self::NAME))?;
        let pictures = pictures(input.prompts)?;
        let labels: Vec<String> = pictures.iter().map(|picture| picture.prompt.clone()).collect();
        let order = TaskOrder {
            kind: Self::NAME,
            title: title(&pictures),
            stages: TaskStage::names(making),
            results: u32::try_from(pictures.len()).unwrap_or(u32::MAX),
            expected_usd: jobs::expected_usd(making, pictures.len()),
            inputs: jobs::inputs(&GenerateOrder { pictures })?,
        };
        jobs::carried_out(order, &labels, cx).await
    }
}

/// The wishes with everything decided, each once.
fn pictures(wishes: Vec<Wish>) -> Result<Vec<WishedPicture>, ToolFailure> {
    let mut pictures: Vec<WishedPicture> = Vec::new();
    for (wish, number) in wishes.into_iter().zip(1..) {
        let prompt = wish.prompt.trim();
        if prompt.is_empty() || prompt.chars().count() > MAX_PROMPT_CHARS {
            return Err(ToolFailure::new(format!(
                "prompt {number} is empty or longer than {MAX_PROMPT_CHARS} characters; say what the picture shows"
            )));
        }
        let (width, height) = (wish.width.unwrap_or(USUAL_PX), wish.height.unwrap_or(USUAL_PX));
        if ![width, height].iter().all(|px| (MIN_PX..=MAX_PX).contains(px)) {
            return Err(ToolFailure::new(format!(
                "prompt {number} asks for {width}x{height} px; a side has {MIN_PX} to {MAX_PX} px"
            )));
        }
        let is_transparent = wish.transparent.unwrap_or(false);
        let picture =
            WishedPicture { prompt: prompt.to_owned(), width_px: width, height_px: height, is_transparent };
        if pictures.contains(&picture) {
            continue;
        }
        if pictures.len() == MAX_IMAGES {
            return Err(ToolFailure::new(format!(
                "more than {MAX_IMAGES} pictures are too many at once; ask for {MAX_IMAGES} and call again for the others"
            )));
        }
        pictures.push(picture);
    }
    if pictures.is_empty() {
        return Err(ToolFailure::new("there is no prompt; give one for each picture"));
    }
    Ok(pictures)
}

fn title(pictures: &[WishedPicture]) -> String {
    match pictures {
        [only] => shortened(&only.prompt),
        pictures => format!("{} pictures", pictures.len()),
    }
}

/// The start of a text, for a card.
pub(super) fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_TITLE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_wishes_are_one_and_sizes_have_bounds() {
        let wish =
            |prompt: &str, width| Wish { prompt: prompt.into(), width, height: Some(200), transparent: None };
        let count_of = |wishes: Vec<Wish>| pictures(wishes).map(|made| made.len()).map_err(|e| e.message);
        assert_eq!(count_of(vec![wish("a", None), wish(" a ", Some(1024)), wish("b", None)]), Ok(2));
        // What comes behind too many is not looked at.
        let many = (0..21).map(|at| wish(&at.to_string(), None)).chain([wish(" ", None)]).collect();
        let refused = [vec![], vec![wish(" ", None)], vec![wish("a", Some(4))], many].map(count_of);
        let said = [
            "there is no prompt",
            "prompt 1 is empty",
            "prompt 1 asks for 4x200 px",
            "more than 20 pictures are too many",
        ];
        for (refused, said) in refused.into_iter().zip(said) {
            assert!(refused.clone().unwrap_err().starts_with(said), "{refused:?}");
        }
    }
}
