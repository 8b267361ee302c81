//! What several tests need: a studio over memory, pictures, and words about events.

use std::io::Cursor;
use std::sync::Arc;

use facsimile_agent::{AgentEvent, InputId, ProjectFiles, ProjectPath, RunId, RunStatus, VariantIndex};
use facsimile_store::HistoryStore;
use facsimile_studio::samples::sample;
use facsimile_studio::{LifecycleEvent, RunEvent, RunEventBody, RunFeed, RunRequest, Studio};
use facsimile_testkit::fold_code;
use image::{ImageFormat, Rgb, RgbImage};
use tokio::runtime::Handle;

/// A studio that touches no disk.
pub fn studio() -> Studio {
    Studio::over(HistoryStore::in_memory().unwrap(), Handle::current()).unwrap()
}

/// Two coloured boxes and a picture of noise: traced in a moment.
pub fn drawn() -> Vec<u8> {
    let page = RgbImage::from_fn(160, 120, |x, y| {
        let noise = x * 7919 + y * 104_729 + x * y * 31;
        Rgb(match (x, y) {
            (10..90, 10..40) => [30, 90, 200],
            (20..70, 60..100) => [200, 60, 30],
            (105..145, 20..60) => [noise as u8, (noise / 7) as u8, (noise / 13) as u8],
            _ => [250, 250, 250],
        })
    });
    png(&page)
}

pub fn png(picture: &RgbImage) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    picture.write_to(&mut file, ImageFormat::Png).unwrap();
    file.into_inner()
}

/// A page that takes long enough to be stopped on the way.
pub fn shop() -> Vec<u8> {
    sample("shop").unwrap().png.to_vec()
}

pub fn taken(studio: &Studio, name: &str, bytes: Vec<u8>) -> InputId {
    studio.add_picture(name, bytes).unwrap().id
}

/// A request for so many variants of these pictures.
pub fn request(inputs: &[InputId], variants: usize) -> RunRequest {
    RunRequest {
        input_ids: inputs.to_vec(),
        engines: vec!["offline".into(); variants],
        ..RunRequest::default()
    }
}

/// Everything that still comes.
pub async fn rest(feed: &mut RunFeed) -> Vec<Arc<RunEvent>> {
    let mut events = Vec::new();
    while let Some(event) = feed.recv().await {
        events.push(event);
    }
    events
}

/// Waits until a variant of the run has thought these words.
pub async fn thought(studio: &Studio, run: RunId, words: &str) {
    let is_it = |event: &RunEvent| match &event.body {
        RunEventBody::Agent(AgentEvent::Thinking { text, .. }) => text.contains(words),
        _ => false,
    };
    let (snapshot, mut feed) = studio.attach(run).unwrap();
    if snapshot.events.iter().any(|event| is_it(event)) {
        return;
    }
    while let Some(event) = feed.recv().await {
        if is_it(&event) {
            return;
        }
    }
    panic!("nobody thought of {words}");
}

/// The files of a variant as a window would fold them.
pub fn folded(events: &[Arc<RunEvent>], variant: VariantIndex) -> ProjectFiles {
    let code: Vec<_> = events
        .iter()
        .filter(|event| event.variant_index == Some(variant))
        .filter_map(|event| match &event.body {
            RunEventBody::Agent(event) => Some(event.clone()),
            RunEventBody::Lifecycle(_) => None,
        })
        .collect();
    fold_code(&code).into_iter().map(|(path, text)| (ProjectPath::parse(&path).unwrap(), text)).collect()
}

/// The terminal states in the order they were told.
pub fn ends(events: &[Arc<RunEvent>]) -> Vec<(Option<u8>, RunStatus)> {
    events
        .iter()
        .filter_map(|event| match &event.body {
            RunEventBody::Lifecycle(LifecycleEvent::RunState { state, .. }) if state.is_terminal() => {
                Some((event.variant_index.map(|index| index.0), *state))
            }
            _ => None,
        })
        .collect()
}
