//! `generate_images`: new pictures from words, or placeholders for them.

use std::borrow::Cow;
use std::collections::HashMap;

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::jobs::{self, Showing};
use super::naming::MAX_IMAGES;
use crate::ports::{ImageOrigin, TaskOrder};
use crate::project::ProjectFiles;
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

/// A wish with everything decided: a part of the task's inputs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Order {
    prompt: String,
    width: u32,
    height: u32,
    transparent: bool,
}

const USUAL_PX: u32 = 1024;
const MIN_PX: u32 = 8;
const MAX_PX: u32 = 3840;
const MAX_PROMPT_CHARS: usize = 4_000;
const MAX_COLOURS: usize = 6;
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
        let orders = orders(input.prompts)?;
        let screenshots: Vec<_> = cx
            .media
            .numbered()
            .filter(|(_, image)| image.origin == ImageOrigin::Uploaded)
            .map(|(_, image)| &image.asset)
            .collect();
        let order = TaskOrder {
            kind: Self::NAME,
            title: title(&orders),
            stages: vec!["Making pictures".to_owned()],
            results: u32::try_from(orders.len()).unwrap_or(u32::MAX),
            inputs: json!({ "prompts": orders, "palette": palette(&cx.files), "screenshots": screenshots }),
            expected_usd: jobs::expected_usd(making, orders.len()),
        };
        let labels: Vec<String> = orders.into_iter().map(|order| order.prompt).collect();
        jobs::carried_out(order, &labels, Showing::Paths, cx).await
    }
}

/// The wishes with everything decided, each once.
fn orders(wishes: Vec<Wish>) -> Result<Vec<Order>, ToolFailure> {
    let mut orders: Vec<Order> = Vec::new();
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
        let transparent = wish.transparent.unwrap_or(false);
        let order = Order { prompt: prompt.to_owned(), width, height, transparent };
        if !orders.contains(&order) {
            orders.push(order);
        }
    }
    match orders.len() {
        0 => Err(ToolFailure::new("there is no prompt; give one for each picture")),
        1..=MAX_IMAGES => Ok(orders),
        count => Err(ToolFailure::new(format!(
            "{count} pictures are too many at once; ask for at most {MAX_IMAGES} and call again for the others"
        ))),
    }
}

fn title(orders: &[Order]) -> String {
    match orders {
        [only] => shortened(&only.prompt),
        orders => format!("{} pictures", orders.len()),
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

/// The colours of the page as it writes them, the most frequent first.
fn palette(files: &ProjectFiles) -> Vec<String> {
    // A constant pattern; without it there would only be no palette.
    let Ok(pattern) = Regex::new("#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{3})\\b") else { return Vec::new() };
    let mut counts: HashMap<String, (usize, usize)> = HashMap::new();
    let texts = files.iter().map(|(_, text)| text);
    for found in texts.flat_map(|text| pattern.find_iter(text)) {
        let place = counts.len();
        counts.entry(long_form(found.as_str())).or_insert((0, place)).0 += 1;
    }
    let mut colours: Vec<_> = counts.into_iter().collect();
    colours.sort_by_key(|(_, (count, place))| (std::cmp::Reverse(*count), *place));
    colours.into_iter().take(MAX_COLOURS).map(|(colour, _)| colour).collect()
}

/// `#abc` as `#aabbcc`.
fn long_form(colour: &str) -> String {
    let colour = colour.to_ascii_lowercase();
    match colour.len() {
        4 => colour.chars().flat_map(|c| std::iter::repeat_n(c, if c == '#' { 1 } else { 2 })).collect(),
        _ => colour,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::ProjectPath;

    #[test]
    fn the_palette_is_what_the_page_paints_with_most() {
        let page = "<style>a{color:#FFF}b{color:#0f766e}c{color:#fff}d{background:#0F766E80}i{color:#ffffff}</style><a href=\"#add\">";
        let files: ProjectFiles = [(ProjectPath::index(), page.to_owned())].into_iter().collect();
        assert_eq!(palette(&files), ["#ffffff", "#0f766e", "#aadddd"]);
    }

    #[test]
    fn equal_wishes_are_one_and_sizes_have_bounds() {
        let wish =
            |prompt: &str, width| Wish { prompt: prompt.into(), width, height: Some(200), transparent: None };
        let orders_of = |wishes: Vec<Wish>| orders(wishes).map(|orders| orders.len()).map_err(|e| e.message);
        assert_eq!(orders_of(vec![wish("a", None), wish(" a ", Some(1024)), wish("b", None)]), Ok(2));
        let many = (0..21).map(|at| wish(&at.to_string(), None)).collect();
        let refused = [vec![], vec![wish(" ", None)], vec![wish("a", Some(4))], many].map(orders_of);
        let said = [
            "there is no prompt",
            "prompt 1 is empty",
            "prompt 1 asks for 4x200 px",
            "21 pictures are too many",
        ];
        for (refused, said) in refused.into_iter().zip(said) {
            assert!(refused.clone().unwrap_err().starts_with(said), "{refused:?}");
        }
    }
}
