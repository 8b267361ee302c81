//! The tracing itself, on a thread of its own, seen from the stream that waits for it.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use facsimile_agent::{ErrorKind, Failure, ProjectId};
use facsimile_store::{HistoryStore, NewAsset, StoreError};
use facsimile_vision::{Facts, Layout, Progress, Raster, Stage, TraceError, TracedPage, Tracer, Watch, emit};
use futures::Stream;
use tokio::sync::mpsc;

use super::TraceInput;
use crate::looking::readings::facts_of;

/// What comes back from the thread.
pub(super) enum Seen {
    /// A line about the work.
    Progress(String),
    /// The page.
    Page(Box<Traced>),
    /// There is none.
    Failed(Failure),
}

/// A traced page.
pub(super) struct Traced {
    /// The document.
    pub(super) html: String,
    /// What was found, in one sentence.
    pub(super) finding: String,
}

/// Tells a thread to stop when whoever waits for it is dropped.
pub(crate) struct StopOnDrop(pub(crate) Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Traces one input; dropping the stream stops the work.
pub(super) fn start(
    (tracer, store): (&Arc<Tracer>, &HistoryStore),
    (project, layout): (ProjectId, Layout),
    inputs: &Arc<[TraceInput]>,
    index: usize,
) -> impl Stream<Item = Seen> + use<> {
    let (tracer, store, inputs) = (Arc::clone(tracer), store.clone(), Arc::clone(inputs));
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let guard = StopOnDrop(Arc::clone(&stop));
    tokio::task::spawn_blocking(move || {
        let end = match trace((&tracer, &store), (project, layout), &inputs[index], &stop, &sender) {
            Ok(traced) => Seen::Page(Box::new(traced)),
            Err(failure) => Seen::Failed(failure),
        };
        // Nobody listens any more when the run was stopped.
        let _ = sender.send(end);
    });
    async_stream::stream! {
        let _guard = guard;
        while let Some(seen) = receiver.recv().await {
            yield seen;
        }
    }
}

fn trace(
    (tracer, store): (&Tracer, &HistoryStore),
    (project, layout): (ProjectId, Layout),
    input: &TraceInput,
    stop: &AtomicBool,
    sender: &mpsc::UnboundedSender<Seen>,
) -> Result<Traced, Failure> {
    let say = |line: String| {
        // Nobody listens any more when the run was stopped; the check below ends the work.
        let _ = sender.send(Seen::Progress(line));
    };
    let raster = &input.raster;
    say(format!("Looking at {}, {} × {} pixels.\n", input.name, raster.width(), raster.height()));
    let mut told = None;
    let mut progress = |progress: Progress| {
        if let Some(line) = line_about(progress, &mut told) {
            say(line);
        }
    };
    let is_cancelled = || stop.load(Ordering::Relaxed);
    let mut watch = Watch::new(&mut progress, &is_cancelled);
    let facts = facts_of(store, project, &input.asset, raster, tracer, &mut watch)
        .map_err(|error| failure_of(&error))?;
    let finding = finding(&input.name, &facts);
    let colours: Vec<_> = facts.palette.iter().take(4).map(|swatch| swatch.hex.as_str()).collect();
    say(format!("{finding} The main colours are {}.\n", colours.join(", ")));
    let page = keep_page(store, project, &facts, raster, layout)
        .map_err(|error| Failure::new(ErrorKind::Storage, error.to_string()))?;
    Ok(Traced { html: page.html, finding })
}

/// Makes the page of a trace and keeps its pictures.
pub(crate) fn keep_page(
    store: &HistoryStore,
    project: ProjectId,
    facts: &Facts,
    raster: &Raster,
    layout: Layout,
) -> Result<TracedPage, StoreError> {
    let trouble: RefCell<Option<StoreError>> = RefCell::new(None);
    let keep = |bytes: &[u8], extension: &str| {
        let mime = if extension == "png" { "image/png" } else { "image/jpeg" };
        let asset = NewAsset::new(bytes.to_vec(), mime, extension);
        match store.assets().put_for(project, "picture from the screenshot", asset) {
            Ok(stored) => stored.path_in_page,
            Err(error) => {
                trouble.replace(Some(error));
                String::new()
            }
        }
    };
    let page = emit(facts, raster, layout, &keep);
    match trouble.into_inner() {
        Some(error) => Err(error),
        None => Ok(page),
    }
}

/// What was found in a picture, in one sentence.
pub(crate) fn finding(name: &str, facts: &Facts) -> String {
    format!(
        "Traced {name}: {}, {}, {}.",
        counted(facts.texts.len(), "line of text", "lines of text"),
        counted(facts.boxes.len(), "box", "boxes"),
        counted(facts.images.len(), "picture", "pictures"),
    )
}

/// A line for every stage, and one for every fourth of its way: more would only flicker.
fn line_about(progress: Progress, told: &mut Option<(Stage, usize)>) -> Option<String> {
    let Progress { stage, done, total } = progress;
    let quarter = (done * 4).checked_div(total).unwrap_or(4);
    if told.replace((stage, quarter)) == Some((stage, quarter)) {
        return None;
    }
    match (stage, done) {
        (Stage::Finding, 0) => Some("Looking for text.\n".to_owned()),
        (Stage::Reading, done) if done > 0 => Some(format!("Reading text, line {done} of {total}.\n")),
        (Stage::Measuring, 0) => Some("Measuring fonts, boxes and pictures.\n".to_owned()),
        _ => None,
    }
}

fn failure_of(error: &TraceError) -> Failure {
    Failure::new(ErrorKind::BadImage, error.to_string())
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
