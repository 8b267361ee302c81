//! `extract_assets`: pictures cut out of a screenshot.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::naming::{ImageName, MAX_IMAGES};
use super::{artifact, missing};
use crate::message::ToolImage;
use crate::ports::{
    AssetShelf, BoxInThousandths, BoxPx, Candidate, Cutting, ImageOrigin, Segmenter, VisibleImage,
};
use crate::tool::{Capabilities, Tool, ToolContext, ToolExecutionResult, ToolFailure};

/// Cuts pictures out of the conversation's images.
pub struct ExtractAssets;

/// The arguments of `extract_assets`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// What to cut out; the results keep this order.
    assets: Vec<Wanted>,
}

/// One picture to be cut out.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Wanted {
    /// What it shows and where it stands, in a few words, such as `round portrait in the first card`.
    description: String,
    /// The number of the image it is in, as the conversation lists them.
    image: ImageName,
    /// Where it is, as ymin, xmin, ymax, xmax in thousandths of the image's height and width. A rough box is enough.
    #[serde(rename = "box")]
    place: Option<Vec<f64>>,
}

/// What became of one wish.
enum Found {
    Cut(Cutting),
    Unresolved { why: String, candidates: Vec<Value> },
}

/// A wish whose image is known.
struct Sought {
    wanted: Wanted,
    number: u32,
    image: VisibleImage,
}

/// A description goes with its picture from then on; it is kept up to here.
const MAX_DESCRIPTION_CHARS: usize = 200;
/// Candidates that are offered for one wish.
const MAX_CANDIDATES: usize = 24;
/// A box may miss the image by this much, in thousandths.
const SLACK: f64 = 20.0;

impl Tool for ExtractAssets {
    const NAME: &'static str = "extract_assets";
    const DESCRIPTION: &'static str = "Cuts photos, logos and illustrations out of an image of this conversation and \
        returns a path for each, in the order asked for, with the cut pictures to look at. Use it for pictures the \
        page has to show that cannot be drawn in HTML or CSS, all in one call. Give the image's number and a rough \
        box where you can see one: edges are found by themselves. On failure an item is unresolved and comes with \
        the reason or with the boxes there are; correct its box and call again for it alone. Costs nothing but the \
        tokens of the pictures it shows.";
    // Every picture is looked over on this machine.
    const TIMEOUT: Duration = Duration::from_secs(120);
    type Input = Input;

    fn offered(&self, to: &Capabilities) -> bool {
        to.has_stills && to.cuts_pictures
    }

    async fn run(&self, input: Input, cx: &mut ToolContext) -> Result<ToolExecutionResult, ToolFailure> {
        let sought = sought(input.assets, cx)?;
        let (Some(shelf), Some(segmenter)) = (cx.ports.shelf.clone(), cx.ports.segmenter.clone()) else {
            return Err(missing(Self::NAME));
        };
        let places = places(&sought, segmenter.as_ref(), cx).await;
        let mut report = Report::default();
        let found = cut(&sought, places, segmenter.as_ref()).await;
        for (sought, found) in sought.iter().zip(found) {
            report.add(sought, found, shelf.as_ref(), cx).await;
        }
        Ok(report.into_result())
    }
}

fn sought(wanted: Vec<Wanted>, cx: &ToolContext) -> Result<Vec<Sought>, ToolFailure> {
    if wanted.is_empty() || wanted.len() > MAX_IMAGES {
        let count = wanted.len();
        return Err(ToolFailure::new(format!("name 1 to {MAX_IMAGES} assets in a call, not {count}")));
    }
    let resolve = |mut wanted: Wanted| {
        if let Some((end, _)) = wanted.description.char_indices().nth(MAX_DESCRIPTION_CHARS) {
            wanted.description.truncate(end);
        }
        let (number, image) = wanted.image.resolved(cx)?;
        if image.is_animated {
            let why =
                format!("image {number} moves; assets are cut out of still images; {}", cx.media.known());
            return Err(ToolFailure::new(why));
        }
        Ok(Sought { wanted, number, image })
    };
    wanted.into_iter().map(resolve).collect()
}

/// Where each wish is to be looked for, in their order.
async fn places(
    sought: &[Sought],
    segmenter: &dyn Segmenter,
    cx: &ToolContext,
) -> Vec<Result<BoxInThousandths, Found>> {
    let mut places: Vec<Option<Result<BoxInThousandths, Found>>> =
        sought.iter().map(|sought| sought.wanted.place.as_deref().map(sound_box)).collect();
    // Those without a box are looked for image by image.
    while let Some(first) = places.iter().position(Option::is_none) {
        let number = sought[first].number;
        let open: Vec<usize> = (first..sought.len())
            .filter(|at| places[*at].is_none() && sought[*at].number == number)
            .collect();
        let found = looked_for(&open.iter().map(|at| &sought[*at]).collect::<Vec<_>>(), segmenter, cx).await;
        for (at, found) in open.into_iter().zip(found) {
            places[at] = Some(found);
        }
    }
    places.into_iter().flatten().collect()
}

/// Finds things that were only described, in one image: by sight where that can be had, else among the candidates.
async fn looked_for(
    sought: &[&Sought],
    segmenter: &dyn Segmenter,
    cx: &ToolContext,
) -> Vec<Result<BoxInThousandths, Found>> {
    let Some(image) = sought.first().map(|sought| &sought.image) else { return Vec::new() };
    let descriptions: Vec<String> = sought.iter().map(|sought| sought.wanted.description.clone()).collect();
    let mut answer = None;
    if let Some(finder) = cx.ports.box_finder.clone() {
        // Without its help there are still the candidates.
        answer = finder.find(image, &descriptions).await.ok();
    }
    let was_answered = answer.is_some();
    let mut seen = answer.unwrap_or_default();
    seen.resize(sought.len(), None);
    if seen.iter().all(Option::is_some) {
        return seen.into_iter().flatten().map(Ok).collect();
    }
    let candidates = match segmenter.candidates(image).await {
        Ok(candidates) => candidates,
        Err(failure) => {
            let unresolved = || Found::Unresolved { why: failure.message.clone(), candidates: Vec::new() };
            return seen.into_iter().map(|place| place.ok_or_else(unresolved)).collect();
        }
    };
    // What was looked for and not seen is not whatever else there is.
    if let (false, [only], [_]) = (was_answered, candidates.as_slice(), sought) {
        return vec![Ok(in_thousandths(only.place, image))];
    }
    let offered: Vec<Value> = candidates.iter().take(MAX_CANDIDATES).map(|one| offer(one, image)).collect();
    let unresolved = || Found::Unresolved {
        why: if offered.is_empty() {
            "nothing in the image looks like a picture; give its box".to_owned()
        } else {
            "give its box; these places in the image look like pictures".to_owned()
        },
        candidates: offered.clone(),
    };
    seen.into_iter().map(|place| place.ok_or_else(unresolved)).collect()
}

/// What stands in the boxes, in their order. Each image is looked over once.
async fn cut(
    sought: &[Sought],
    places: Vec<Result<BoxInThousandths, Found>>,
    segmenter: &dyn Segmenter,
) -> Vec<Found> {
    let mut by_image: BTreeMap<u32, Vec<(usize, BoxInThousandths)>> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for (at, (sought, place)) in sought.iter().zip(places).enumerate() {
        match place {
            Ok(rough) => by_image.entry(sought.number).or_default().push((at, rough)),
            Err(unresolved) => drop(found.insert(at, unresolved)),
        }
    }
    for boxes in by_image.into_values() {
        let Some((first, _)) = boxes.first() else { continue };
        let rough = boxes.iter().map(|(_, rough)| *rough).collect();
        let cuttings = segmenter.cut(&sought[*first].image, rough).await;
        for (nth, (at, _)) in boxes.into_iter().enumerate() {
            found.insert(at, cut_or_not(&cuttings, nth));
        }
    }
    found.into_values().collect()
}

fn cut_or_not(cuttings: &Result<Vec<Option<Cutting>>, ToolFailure>, nth: usize) -> Found {
    let unresolved = |why: String| Found::Unresolved { why, candidates: Vec::new() };
    match cuttings {
        Ok(cuttings) => match cuttings.get(nth).cloned().flatten() {
            Some(cutting) => Found::Cut(cutting),
            None => unresolved("nothing stands in that box; look again and give another one".to_owned()),
        },
        Err(failure) => unresolved(failure.message.clone()),
    }
}

/// A box as the segmenter takes it, or what is wrong with it.
fn sound_box(edges: &[f64]) -> Result<BoxInThousandths, Found> {
    let within = |edge: &f64| edge.is_finite() && (-SLACK..=1000.0 + SLACK).contains(edge);
    if let [top, left, bottom, right] = edges
        && edges.iter().all(within)
        && top < bottom
        && left < right
    {
        return Ok(BoxInThousandths([*top, *left, *bottom, *right].map(|edge| edge.clamp(0.0, 1000.0))));
    }
    let why = "the box is to be ymin, xmin, ymax, xmax in thousandths of the image, from 0 to 1000, the smaller first";
    Err(Found::Unresolved { why: why.to_owned(), candidates: Vec::new() })
}

fn in_thousandths(place: BoxPx, image: &VisibleImage) -> BoxInThousandths {
    let of_height = |px: u32| f64::from(px) * 1000.0 / f64::from(image.height_px.max(1));
    let of_width = |px: u32| f64::from(px) * 1000.0 / f64::from(image.width_px.max(1));
    let (bottom, right) = (place.y.saturating_add(place.height), place.x.saturating_add(place.width));
    BoxInThousandths([of_height(place.y), of_width(place.x), of_height(bottom), of_width(right)])
}

fn offer(candidate: &Candidate, image: &VisibleImage) -> Value {
    let BoxInThousandths(edges) = in_thousandths(candidate.place, image);
    json!({ "box": edges.map(|edge| edge.round() as i64), "kind": candidate.kind })
}

/// What is told of all wishes.
#[derive(Default)]
struct Report {
    items: Vec<Value>,
    artifacts: Vec<Value>,
    pictures: Vec<ToolImage>,
    unresolved: Vec<Value>,
}

impl Report {
    async fn add(&mut self, sought: &Sought, found: Found, shelf: &dyn AssetShelf, cx: &mut ToolContext) {
        let description = &sought.wanted.description;
        let mut item = json!({ "description": description, "from_image": sought.number });
        match found {
            Found::Cut(cutting) => match shelf.keep(description, "image/png", Arc::clone(&cutting.png)).await
            {
                Ok(kept) => {
                    let label = cx.media.add(VisibleImage {
                        name: description.clone(),
                        origin: ImageOrigin::Asset(kept.path.clone()),
                        asset: kept.id,
                        mime: "image/png".to_owned(),
                        bytes: Arc::clone(&cutting.png),
                        width_px: cutting.place.width,
                        height_px: cutting.place.height,
                        is_animated: false,
                    });
                    item["path"] = json!(kept.path);
                    item["image"] = json!(label);
                    item["width"] = json!(cutting.place.width);
                    item["height"] = json!(cutting.place.height);
                    item["transparent"] = json!(cutting.has_alpha);
                    let size_px = (cutting.place.width, cutting.place.height);
                    self.artifacts.push(artifact(&kept.path, description, size_px));
                    let label = format!("image {label}");
                    self.pictures.push(ToolImage::Bytes { mime: "image/png", data: cutting.png, label });
                }
                Err(failure) => self.leave(&mut item, failure.message, Vec::new()),
            },
            Found::Unresolved { why, candidates } => self.leave(&mut item, why, candidates),
        }
        self.items.push(item);
    }

    fn leave(&mut self, item: &mut Value, why: String, candidates: Vec<Value>) {
        self.unresolved.push(json!({ "label": item["description"], "why": why }));
        item["unresolved"] = json!(why);
        if !candidates.is_empty() {
            item["candidates"] = Value::Array(candidates);
        }
    }

    fn into_result(self) -> ToolExecutionResult {
        let summary = json!({ "artifacts": self.artifacts, "unresolved": self.unresolved });
        let answer = json!({ "assets": self.items });
        let mut result = ToolExecutionResult::done(answer, summary);
        if self.artifacts.is_empty() {
            result.ok = false;
            let error = "none of the assets was found; the items say why";
            result.result["error"] = json!(error);
            result.summary["error"] = json!(error);
        }
        result.images = self.pictures;
        result
    }
}
