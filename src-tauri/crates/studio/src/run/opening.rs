//! How a conversation with a model opens: the pictures are cut to what models can see and measured once for all
//! variants, then each variant's prompt is put together and its session begun.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use facsimile_agent::modify::memory::Memory;
use facsimile_agent::modify::router::Route;
use facsimile_agent::prompt::{
    self, CreatePrompt, CropPlace, ImagePolicy, Prompt, PromptImage, ReadyPicture, Terms, UpdatePrompt,
};
use facsimile_agent::tool::Capabilities;
use facsimile_agent::{
    AssetId, ErrorKind, Failure, ImageBytes, ProjectFiles, ProjectId, ProjectPath, ProviderSession, Stack,
    ToolRegistry, ToolSpec,
};
use facsimile_providers::images::{self, Tile};
use facsimile_providers::{ConnectSpec, Connector};
use facsimile_store::HistoryStore;
use facsimile_vision::{Layout, Raster, Tracer, Watch};
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use serde_json::Value;

use crate::connect::Connection;
use crate::looking::readings::facts_of;
use crate::makers::Purpose;
use crate::offline::{StopOnDrop, keep_page};
use crate::run::conversation::{KeptSession, Record};
use crate::run::routing::Routing;
use crate::run::selected::Selected;

/// A picture of the person's.
#[derive(Clone)]
pub(crate) struct Pictured {
    pub(crate) name: String,
    pub(crate) asset: AssetId,
    pub(crate) mime: String,
    pub(crate) bytes: Arc<[u8]>,
    pub(crate) raster: Raster,
}

/// A picture as a model gets it.
struct Shown {
    name: String,
    width: u32,
    height: u32,
    tiles: Vec<Tile>,
    facts: Option<Value>,
    /// What was cut out of it, and where it stood.
    crops: Vec<(ProjectPath, CropPlace)>,
}

/// All pictures of a run, made ready once; dropping the last waiter stops the work.
#[derive(Clone)]
pub(crate) struct Material(Shared<BoxFuture<'static, Result<Arc<[ShownPicture]>, Failure>>>);

type ShownPicture = Arc<Shown>;

impl Material {
    pub(crate) fn of(
        pictures: Vec<Pictured>,
        tracer: Arc<Tracer>,
        store: HistoryStore,
        project: ProjectId,
    ) -> Self {
        let work = async move {
            let stop = Arc::new(AtomicBool::new(false));
            let _guard = StopOnDrop(Arc::clone(&stop));
            let made = tokio::task::spawn_blocking(move || {
                pictures
                    .iter()
                    .zip(1..)
                    .map(|(picture, number)| {
                        shown(picture, number, &tracer, &store, project, &stop).map(Arc::new)
                    })
                    .collect::<Result<Vec<_>, _>>()
            });
            match made.await {
                Ok(made) => made.map(Arc::from),
                Err(error) => Err(Failure::new(ErrorKind::Unknown, error.to_string())),
            }
        };
        Self(work.boxed().shared())
    }
}

fn shown(
    picture: &Pictured,
    number: usize,
    tracer: &Tracer,
    store: &HistoryStore,
    project: ProjectId,
    stop: &AtomicBool,
) -> Result<Shown, Failure> {
    let raster = &picture.raster;
    let tiles = images::tiles(&picture.bytes, number)?;
    let mut shown = Shown {
        name: picture.name.clone(),
        width: raster.width(),
        height: raster.height(),
        tiles,
        facts: None,
        crops: Vec::new(),
    };
    let is_cancelled = || stop.load(Ordering::Relaxed);
    let mut unseen = |_| {};
    // Facts help and are not needed: a picture that cannot be measured is sent without them.
    let mut watch = Watch::new(&mut unseen, &is_cancelled);
    match facts_of(store, project, &picture.asset, raster, tracer, &mut watch) {
        Ok(facts) => {
            let page = keep_page(store, project, &facts, raster, Layout::Flowing)
                .map_err(|error| Failure::new(ErrorKind::Storage, error.to_string()))?;
            let crops = page.assets.iter().filter_map(|asset| {
                let [x, y, w, h] = asset.place.map(|edge| edge.max(0.0).round() as u32);
                let path = ProjectPath::parse(&asset.path).ok()?;
                Some((path, CropPlace { image: number, x, y, w, h }))
            });
            shown.crops = crops.collect();
            shown.facts = serde_json::to_value(&facts).ok();
        }
        Err(error) => tracing::warn!(%error, "a picture was not measured"),
    }
    Ok(shown)
}

/// What is asked of a model.
#[derive(Clone)]
pub(crate) enum Ask {
    /// To make a page of pictures and words.
    Create(String),
    /// To change the page that is there.
    Change {
        instruction: String,
        selected: Option<Selected>,
        files: ProjectFiles,
        route: Route,
        memory: Arc<Memory>,
    },
}

/// What a variant's conversation begins with.
pub(crate) struct Opening {
    pub(crate) material: Material,
    /// Whether there is something to look at first, which takes seconds.
    pub(crate) has_pictures: bool,
    pub(crate) connection: Connection,
    pub(crate) connector: Arc<Connector>,
    pub(crate) stack: Stack,
    pub(crate) ask: Ask,
    pub(crate) registry: Arc<ToolRegistry>,
    /// Says first what a change is taken for.
    pub(crate) routing: Option<Routing>,
    /// Names project and variant for the vendor's cache.
    pub(crate) cache_key: String,
}

impl Opening {
    /// Makes the pictures ready and begins the conversation. Nothing is sent before its first turn.
    pub(crate) async fn begin(
        self,
        record: Record,
        capabilities: &Capabilities,
    ) -> Result<Box<dyn ProviderSession>, Failure> {
        let pictures = self.material.0.clone().await?;
        let tools = self.registry.specs(capabilities);
        let Prompt { system, first, .. } = composed(&pictures, self.stack, &self.ask, &tools);
        let Connection { endpoint, key, model } = self.connection;
        let family = endpoint.family;
        let spec = ConnectSpec {
            endpoint,
            key,
            model,
            effort: None,
            system: system.clone(),
            tools,
            continuation_tools: self.registry.continuation_specs(capabilities),
            cache_key: self.cache_key,
        };
        let session = self.connector.connect(spec).map_err(|error| error.failure)?;
        let session = KeptSession::new(session, record, family.as_str().to_owned(), &system);
        let mut session = session.map_err(|error| error.failure)?;
        session.append_user(first).map_err(|error| error.failure)?;
        Ok(Box::new(session))
    }
}

/// How many bytes of text a conversation opens with, without what is measured in its pictures.
pub(crate) fn words_of(stack: Stack, ask: &Ask, tools: &[ToolSpec]) -> u64 {
    let Prompt { system, first, .. } = composed(&[], stack, ask, tools);
    let schemas = tools.iter().map(|tool| tool.description.len() + tool.parameters.to_string().len());
    (system.len() + first.text.len() + schemas.sum::<usize>()) as u64
}

fn composed(pictures: &[ShownPicture], stack: Stack, ask: &Ask, tools: &[ToolSpec]) -> Prompt {
    let images: Vec<_> = pictures
        .iter()
        .filter_map(|shown| {
            let image = &shown.tiles.first()?.image;
            let Shown { name, width, height, facts, .. } = shown.as_ref();
            Some(PromptImage { image, name, width: *width, height: *height, facts: facts.as_ref() })
        })
        .collect();
    let ready: Vec<_> = pictures
        .iter()
        .flat_map(|shown| &shown.crops)
        .map(|(path, place)| ReadyPicture { path, place: Some(*place) })
        .collect();
    // New pictures are for those who switched them on: only then is the tool among these.
    let image_policy = match images.is_empty() {
        _ if tools.iter().any(|tool| tool.name == Purpose::Generate.kind()) => ImagePolicy::Generate,
        true => ImagePolicy::Placeholders,
        false => ImagePolicy::Crops,
    };
    let terms = Terms { stack, tools, image_policy };
    let (images, ready_pictures) = (images.as_slice(), ready.as_slice());
    let mut prompt = match ask {
        Ask::Create(text) => {
            prompt::create(&CreatePrompt { terms, images, ready_pictures, text, design_system: None })
        }
        Ask::Change { instruction, selected, files, route, memory } => prompt::update(&UpdatePrompt {
            terms,
            instruction,
            intent: route.category,
            preload: &route.preload,
            images,
            images_before: 0,
            ready_pictures,
            files,
            selected: selected.as_ref().map(Selected::element),
            card: memory.notes().as_deref(),
            recent: &memory.recent,
            design_system: None,
        }),
    };
    // A high picture goes as tiles; the prompt knows it as one.
    prompt.first.images = pictures
        .iter()
        .flat_map(|shown| &shown.tiles)
        .map(|tile| tile.image.clone())
        .collect::<Vec<ImageBytes>>();
    for announcement in pictures.iter().map(|shown| images::announcement(&shown.tiles)) {
        if !announcement.is_empty() {
            prompt.first.text = format!("{announcement}\n\n{}", prompt.first.text);
        }
    }
    prompt
}
