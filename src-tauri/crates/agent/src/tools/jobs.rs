//! Long jobs that tools order: begun, waited for a while, and told of in one form, now or later.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use super::generate_images::GenerateImages;
use super::{artifact, missing};
use crate::message::{ImageBytes, ToolImage};
use crate::ports::{PieceState, TaskNews, TaskOrder, TaskStanding, VisibleImage, VisibleMedia};
use crate::tool::{Making, Tool, ToolContext, ToolExecutionResult, ToolFailure};

/// A tool waits this long for its task before it lets the conversation go on.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(20);
/// Pictures of one result that the model is shown.
pub(crate) const MAX_SHOWN: usize = 4;
/// A larger picture is only named: it would crowd out the others.
const MAX_SHOWN_BYTES: usize = 3 * 1024 * 1024;

/// Whether the model gets to see what tasks of this kind make; of new pictures the paths are enough.
fn is_shown(kind: &str) -> bool {
    kind != GenerateImages::NAME
}

/// The inputs of a task as its row keeps them.
pub(super) fn inputs(order: &impl Serialize) -> Result<Value, ToolFailure> {
    serde_json::to_value(order)
        .map_err(|error| ToolFailure::new(format!("the task cannot be written down: {error}")))
}

/// Has a task done and tells what came of it within the first seconds. The labels say what each result is.
pub(super) async fn carried_out(
    order: TaskOrder,
    labels: &[String],
    cx: &mut ToolContext,
) -> Result<ToolExecutionResult, ToolFailure> {
    let board = cx.ports.tasks.clone().ok_or_else(|| missing(order.kind))?;
    let begun = board.start(order).await?;
    let news = board.wait(begun.id, LONGEST_WAIT).await?;
    Ok(told(&news, labels, &mut cx.media))
}

/// What is known of a task, for the model and the window. Pictures that are there get their numbers.
fn told(news: &TaskNews, labels: &[String], media: &mut VisibleMedia) -> ToolExecutionResult {
    let account = account(news, labels, media);
    let mut summary = json!({ "task": news.id, "status": status(&news.standing) });
    if !account.artifacts.is_empty() {
        summary["artifacts"] = Value::Array(account.artifacts);
    }
    let mut result = ToolExecutionResult::done(account.words, summary);
    if let Some(error) = account.error {
        result.ok = false;
        result.summary["error"] = json!(error);
    }
    let shown = account.pictures.into_iter();
    result.images = shown
        .map(|ImageBytes { mime, bytes, label }| ToolImage::Bytes { mime, data: bytes, label })
        .collect();
    result
}

/// What is known of a task.
pub(crate) struct Account {
    /// For the model.
    pub(crate) words: Value,
    /// Why nothing will come of it.
    error: Option<String>,
    /// Whether pictures that pages may count on will not come.
    pub(crate) has_failures: bool,
    artifacts: Vec<Value>,
    /// What the model is to look at.
    pub(crate) pictures: Vec<ImageBytes>,
}

/// The account of a task; its pictures that are there get their numbers.
pub(crate) fn account(news: &TaskNews, labels: &[String], media: &mut VisibleMedia) -> Account {
    let (mut items, mut artifacts, mut pictures) = (Vec::new(), Vec::new(), Vec::new());
    let mut failed = Vec::new();
    for (at, piece) in news.pieces.iter().enumerate() {
        let label = labels.get(at).unwrap_or(&news.title);
        let mut item = json!({ "path": piece.path });
        if labels.get(at).is_some() {
            item["for"] = json!(label);
        }
        let state = match &piece.state {
            PieceState::There(picture) => {
                let number = media.add(picture.clone());
                item["image"] = json!(number);
                item["width"] = json!(picture.width_px);
                item["height"] = json!(picture.height_px);
                pictures.extend(shown(picture, number).filter(|_| is_shown(&news.kind)));
                artifacts.push(artifact(&piece.path, label, (picture.width_px, picture.height_px)));
                "done"
            }
            PieceState::Failed(why) => {
                item["error"] = json!(why);
                failed.push(why.as_str());
                "failed"
            }
            PieceState::Awaited if news.standing.is_final() => {
                failed.push("it was not made");
                "failed"
            }
            PieceState::Awaited => "running",
        };
        item["state"] = json!(state);
        items.push(item);
    }
    pictures.truncate(MAX_SHOWN);
    let error = match &news.standing {
        TaskStanding::Failed(failure) => Some(match &failure.next_step {
            Some(step) => format!("{}. {step}", failure.message.trim_end_matches('.')),
            None => failure.message.clone(),
        }),
        TaskStanding::Cancelled => {
            Some("the task was stopped; leave its pictures out of the page".to_owned())
        }
        TaskStanding::Succeeded if failed.len() == news.pieces.len() => {
            failed.first().map(ToString::to_string)
        }
        _ => None,
    };
    let mut words = json!({ "status": status(&news.standing), "task": news.id, "images": items });
    if !news.standing.is_final() {
        let paths: Vec<_> = news.pieces.iter().map(|piece| &piece.path).collect();
        words["paths"] = json!(paths);
        words["next"] =
            json!("use the paths now, the pictures appear under them; you are told when they are done");
    }
    if let Some(notice) = &news.notice {
        words["notice"] = json!(notice);
    }
    if let Some(error) = &error {
        words["error"] = json!(error);
    }
    let has_failures = error.is_some() || !failed.is_empty();
    Account { words, error, has_failures, artifacts, pictures }
}

fn shown(picture: &VisibleImage, number: u32) -> Option<ImageBytes> {
    let mime = ["image/png", "image/jpeg", "image/webp"].into_iter().find(|mime| *mime == picture.mime)?;
    let label = format!("image {number}");
    let is_small = picture.bytes.len() <= MAX_SHOWN_BYTES;
    is_small.then(|| ImageBytes { mime, bytes: picture.bytes.clone(), label })
}

/// The name of a standing, as the record of tasks has it.
fn status(standing: &TaskStanding) -> &'static str {
    match standing {
        TaskStanding::Queued => "queued",
        TaskStanding::Running => "running",
        TaskStanding::Succeeded => "succeeded",
        TaskStanding::Failed(_) => "failed",
        TaskStanding::Cancelled => "cancelled",
    }
}

/// What so many pictures are expected to cost; `None` where nobody knows.
pub(super) fn expected_usd(making: Making, pictures: usize) -> Option<f64> {
    match making {
        Making::Local => Some(0.0),
        Making::Service { usd_each } => usd_each.map(|usd| usd * pictures as f64),
    }
}

/// What a picture costs, as the end of a description.
pub(super) fn cost_words(making: Making) -> String {
    match making {
        Making::Local => "Costs nothing.".to_owned(),
        Making::Service { usd_each: Some(usd) } => format!("Costs about ${usd} a picture."),
        Making::Service { usd_each: None } => {
            "Costs money for each picture, at a price that is not known beforehand.".to_owned()
        }
    }
}
