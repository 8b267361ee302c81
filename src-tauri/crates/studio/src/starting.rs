//! Starting a run: everything is checked and recorded before the first variant works.

use std::path::Path;
use std::sync::Arc;

use facsimile_agent::modify::memory::Memory;
use facsimile_agent::modify::router::{IntentCategory, Route};
use facsimile_agent::{Checks, InputId, Limits, ProjectFiles, ProjectId, SpendCap, VariantIndex};
use facsimile_store::{InProject, RunStart, TurnKind};
use facsimile_vision::{Layout, Raster, Tracer};
use tokio_util::sync::CancellationToken;

use crate::connect::Connection;
use crate::error::StudioError;
use crate::inputs::InputRefused;
use crate::looking::ports::Sight;
use crate::looking::scoring::Screenshot;
use crate::models::EngineChoice;
use crate::offline::{TraceInput, TraceSession};
use crate::ports::PortsOf;
use crate::run::ledger::VariantLedger;
use crate::run::opening::{Ask, Material, Opening, Pictured};
use crate::run::origin::Origin;
use crate::run::recorder::RunRecorder;
use crate::run::request::{RequestRefused, RunPlan, RunRequest};
use crate::run::routing::{Routing, Unsorted, router_of};
use crate::run::selected::Selected;
use crate::run::variant::{Source, VariantTask};
use crate::studio::{StartedRun, Studio};

/// An engine that can be used: everything a variant's session is made of.
enum Usable {
    Offline(Layout),
    Model(Box<Connection>),
}

impl Usable {
    fn connection(&self) -> Option<&Connection> {
        match self {
            Usable::Offline(_) => None,
            Usable::Model(connection) => Some(connection),
        }
    }
}

/// What the sessions of all variants of a run are made of.
struct Ground<'a> {
    plan: &'a RunPlan,
    origin: &'a Origin,
    memory: Arc<Memory>,
    project: ProjectId,
    pictures: &'a [Pictured],
    material: Material,
    tracer: Arc<Tracer>,
    routing: Option<Routing>,
    selected: Option<Selected>,
}

impl Studio {
    /// Records a run and starts its variants. Blocks for the time of a few writes, and of the keychain where a
    /// model is asked for.
    pub fn start_run(&self, request: RunRequest) -> Result<StartedRun, StudioError> {
        let origin = self.origin_of(&request)?;
        let selected = self.selected_in(&origin, &request)?;
        let mut plan = RunPlan::of(&request, origin.kind, || self.usual_engines())?;
        if request.stack.is_none() {
            plan.stack = origin.stack.unwrap_or(plan.stack);
        }
        let store = self.store();
        let pictures = plan.inputs.iter().map(|id| self.picture(*id)).collect::<Result<Vec<_>, _>>()?;
        let usable = plan
            .engines
            .iter()
            .map(|engine| match engine {
                EngineChoice::Offline(layout) => Ok(Usable::Offline(*layout)),
                EngineChoice::Model(choice) => {
                    self.connection(choice, &request.addresses).map(|found| Usable::Model(Box::new(found)))
                }
            })
            .collect::<Result<Vec<_>, StudioError>>()?;
        let checks = self.checks_of(&plan)?;
        let cap_usd = plan.max_cost_usd.map_or_else(|| self.spend_cap_usd(), Ok)?;
        let tracer = self.tracer()?;
        let place = match plan.project {
            Some(project) => InProject::Existing(project),
            None => InProject::New { name: project_name(&pictures, &plan.text) },
        };
        let options = self.options_beside(origin.parent)?;
        let behind = origin.parent.map(|parent| self.screenshot_behind(parent)).transpose()?.flatten();
        let engines: Vec<_> = plan.engines.iter().map(ToString::to_string).collect();
        let request = serde_json::to_value(&request).unwrap_or_default();
        let inputs = plan.inputs.clone();
        let memory = match plan.project {
            Some(project) if origin.kind == TurnKind::Modify => self.memory_before(project, &origin.turn)?,
            _ => Memory::default(),
        };
        let turn = origin.turn.clone();
        let start = RunStart { place, inputs, turn, request, engines };
        let (project, begun) = store.runs().begin_with(start)?;
        let started = StartedRun { project, run: begun.run };
        let money = SpendCap::of_usd(cap_usd);
        self.tasks().open_purse(begun.run, &money);
        let recorder = RunRecorder::new(begun.run, project, store.clone(), plan.engines.len());
        let cancel = CancellationToken::new();
        let routing = self.routing(&plan, &origin, &memory, &usable, |index| {
            let book = Arc::new(VariantLedger::new(store.clone(), begun.run, index));
            (money.clone().kept_in(book), format!("{project}-router"))
        });
        let ground = Ground {
            plan: &plan,
            origin: &origin,
            memory: Arc::new(memory),
            project,
            pictures: &pictures,
            material: Material::of(pictures.clone(), Arc::clone(&tracer), store.clone(), project),
            tracer,
            routing,
            selected,
        };
        let screenshot = pictures
            .first()
            .map(|picture| Screenshot { name: picture.name.clone(), asset: picture.asset.clone() });
        // What is given with a change is seldom what the page is to become.
        let target = |engine: &EngineChoice| {
            let is_new = origin.kind == TurnKind::Create || engine.is_offline();
            if is_new { screenshot.clone() } else { behind.clone() }
        };
        let tasks =
            (0..).map(VariantIndex).zip(usable).zip(&plan.engines).map(|((index, usable), engine)| {
                let cancel = cancel.child_token();
                // One purse for all, and a book for each: what is spent of it tells for whom.
                let book = Arc::new(VariantLedger::new(store.clone(), begun.run, index));
                let spend = money.clone().kept_in(book);
                let sight = Sight::new(self, project, target(engine));
                let equipment = self.equipment(
                    &pictures,
                    Arc::clone(&options),
                    &sight,
                    PortsOf {
                        project,
                        run: begun.run,
                        variant: index,
                        cap_usd,
                        spend: spend.clone(),
                        connection: usable.connection().cloned(),
                        cancel: cancel.clone(),
                    },
                );
                VariantTask {
                    run: begun.run,
                    index,
                    engine: engine.clone(),
                    // What is traced anew owes nothing to the page before.
                    files: match engine {
                        EngineChoice::Offline(_) => ProjectFiles::new(),
                        EngineChoice::Model(_) => origin.files.clone(),
                    },
                    source: self.source(&ground, usable, index),
                    registry: Arc::clone(self.registry()),
                    limits: limits_of(&plan, origin.kind),
                    hook: (checks != Checks::None && !engine.is_offline()).then(|| sight.hook(checks)),
                    spend,
                    equipment,
                    cancel,
                    store: store.clone(),
                    recorder: Arc::clone(&recorder),
                }
            });
        let tasks = tasks.collect();
        self.launch(started, recorder, cancel, tasks);
        Ok(started)
    }

    /// What a model's page is checked for: as much as can be seen, where nothing was asked for.
    fn checks_of(&self, plan: &RunPlan) -> Result<Checks, RequestRefused> {
        match (plan.checks, self.camera().is_some()) {
            (Some(Checks::Rendered | Checks::Fidelity), false) => Err(RequestRefused::NothingSeen),
            (Some(checks), _) => Ok(checks),
            (None, true) => Ok(Checks::Rendered),
            (None, false) => Ok(Checks::Static),
        }
    }

    /// The question what a change is taken for, paid by the first variant with a model.
    fn routing(
        &self,
        plan: &RunPlan,
        origin: &Origin,
        memory: &Memory,
        usable: &[Usable],
        paid: impl FnOnce(VariantIndex) -> (SpendCap, String),
    ) -> Option<Routing> {
        if origin.kind != TurnKind::Modify {
            return None;
        }
        let mut models = (0..).map(VariantIndex).zip(usable.iter().zip(&plan.engines));
        let (index, provider, connection) = models.find_map(|(index, (usable, engine))| match engine {
            EngineChoice::Model(choice) => Some((index, choice.provider, usable.connection()?.clone())),
            EngineChoice::Offline(_) => None,
        })?;
        let model = match self.catalog() {
            Ok(catalog) => router_of(&catalog, &connection, provider),
            Err(_) => connection.model.clone(),
        };
        let unsorted = Unsorted {
            instruction: plan.text.clone(),
            pictures: plan.inputs.len(),
            files: origin.files.clone(),
            notes: memory.for_router(),
        };
        let (spend, cache_key) = paid(index);
        let connection = Connection { model, ..connection };
        Some(Routing::of(Arc::clone(self.connector()), connection, cache_key, unsorted, spend))
    }

    fn source(&self, ground: &Ground<'_>, usable: Usable, index: VariantIndex) -> Source {
        let Ground { plan, origin, memory, project, pictures, material, tracer, routing, selected } = ground;
        match usable {
            Usable::Model(connection) => Source::Opening(Box::new(Opening {
                material: material.clone(),
                has_pictures: !pictures.is_empty(),
                connection: *connection,
                connector: Arc::clone(self.connector()),
                stack: plan.stack,
                ask: match origin.kind {
                    TurnKind::Create => Ask::Create(plan.text.clone()),
                    TurnKind::Modify => Ask::Change {
                        instruction: plan.text.clone(),
                        selected: selected.clone(),
                        files: origin.files.clone(),
                        route: Route::to(IntentCategory::CodeChange),
                        memory: Arc::clone(memory),
                    },
                },
                registry: Arc::clone(self.registry()),
                routing: routing.clone(),
                cache_key: format!("{project}-{index}"),
            })),
            Usable::Offline(layout) => {
                let inputs = pictures.iter().map(|picture| TraceInput {
                    name: picture.name.clone(),
                    asset: picture.asset.clone(),
                    raster: picture.raster.clone(),
                });
                let (tracer, store) = (Arc::clone(tracer), self.store().clone());
                Source::Ready(Box::new(TraceSession::new(
                    tracer,
                    store,
                    *project,
                    layout,
                    inputs.collect(),
                    plan.typing,
                )))
            }
        }
    }

    fn picture(&self, id: InputId) -> Result<Pictured, StudioError> {
        let input = self.store().inputs().get(id)?;
        let bytes = self.store().assets().read(&input.asset)?;
        let raster = Raster::decode(&bytes)
            .map_err(|source| InputRefused::Picture { name: input.name.clone(), source })?;
        let facsimile_store::Input { name, asset, mime, .. } = input;
        Ok(Pictured { name, asset, mime, bytes: bytes.into(), raster })
    }
}

fn limits_of(plan: &RunPlan, kind: TurnKind) -> Limits {
    let usual = match kind {
        TurnKind::Create => Limits::of_create(),
        TurnKind::Modify => Limits::of_modify(),
    };
    Limits {
        max_rounds: plan.max_rounds.unwrap_or(usual.max_rounds),
        deadline: plan.timeout.map(|timeout| tokio::time::Instant::now() + timeout),
    }
}

/// A name for a project that begins with these.
fn project_name(pictures: &[Pictured], text: &str) -> String {
    const MOST_CHARS: usize = 60;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let stem = pictures
        .first()
        .map(|picture| Path::new(&picture.name).file_stem().unwrap_or_default().to_string_lossy());
    let name = stem.map(|stem| stem.trim().to_owned()).filter(|stem| !stem.is_empty()).unwrap_or(words);
    match name.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None if name.is_empty() => "Untitled".to_owned(),
        None => name,
    }
}
