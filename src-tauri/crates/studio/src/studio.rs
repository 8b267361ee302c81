//! The object the shell holds.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use facsimile_agent::{ProjectFiles, ProjectId, RunId, RunStatus, ToolRegistry, VariantIndex, tools};
use facsimile_providers::Connector;
use facsimile_store::{HistoryStore, ProjectSummary, Run, StoreError, StoredEvent, Task};
use facsimile_vision::Tracer;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::camera::Camera;
use crate::error::StudioError;
use crate::export::{Exported, Exporter};
use crate::inputs::{self, TakenInput};
use crate::keys::Keys;
use crate::makers::{Makers, SERVICE_VARIABLE, Services};
use crate::recovery::recover;
use crate::run::event::RunEvent;
use crate::run::recorder::{FRAME, HEARTBEAT, RunFeed, RunRecorder, RunSnapshot};
use crate::run::remembered::result_of;
use crate::run::variant::VariantTask;
use crate::run::{RunReport, Which};
use crate::tasks::{Bulletin, TaskDesk};
use crate::view::Thumbnails;

/// Everything a person can ask the program for. Cheap to clone.
#[derive(Clone)]
pub struct Studio {
    inner: Arc<Inner>,
}

struct Inner {
    store: HistoryStore,
    keys: Arc<Keys>,
    connector: Arc<Connector>,
    registry: Arc<ToolRegistry>,
    runtime: Handle,
    tracer: OnceLock<Arc<Tracer>>,
    thumbnails: Thumbnails,
    live: LiveRuns,
    tasks: TaskDesk,
    bulletin: Bulletin,
    makers: Makers,
    camera: OnceLock<Arc<dyn Camera>>,
    /// Held while a page is measured.
    measuring: Mutex<()>,
}

/// The runs this program started.
#[derive(Clone, Default)]
pub(crate) struct LiveRuns(Arc<Mutex<HashMap<RunId, LiveRun>>>);

impl LiveRuns {
    fn lock(&self) -> MutexGuard<'_, HashMap<RunId, LiveRun>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The record of a run that goes on.
    pub(crate) fn recorder_of(&self, run: RunId) -> Option<Arc<RunRecorder>> {
        self.lock().get(&run).and_then(|live| live.recorder.clone())
    }
}

struct LiveRun {
    /// Gone once the run has ended: its events are in the store then.
    recorder: Option<Arc<RunRecorder>>,
    cancel: CancellationToken,
    variants: Vec<CancellationToken>,
    report: watch::Receiver<Option<Arc<RunReport>>>,
}

/// The ids of a run that was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StartedRun {
    /// Its project, new or given.
    pub project: ProjectId,
    /// The run.
    pub run: RunId,
}

impl Studio {
    /// Opens the data folder. Runs that a killed program left unfinished become interrupted; what they had
    /// shown is kept as a draft. What a damaged history still holds is saved, one of a newer program is opened for
    /// reading; [`opening_notice`](Self::opening_notice) tells of both.
    pub fn open(data_folder: &Path, runtime: Handle) -> Result<Self, StudioError> {
        let store = match HistoryStore::open_or_salvage(data_folder) {
            Err(StoreError::NewerSchema { .. }) => HistoryStore::open_for_reading(data_folder)?,
            opened => opened?,
        };
        let services = Services::named_by(std::env::var(SERVICE_VARIABLE).ok().as_deref())?;
        Self::with_services(store, runtime, Keys::of_system(), services)
    }

    /// A studio over a store that is open already, without any key.
    pub fn over(store: HistoryStore, runtime: Handle) -> Result<Self, StudioError> {
        Self::with_keys(store, runtime, Keys::in_memory())
    }

    /// A studio over a store that is open already, with these keys.
    pub fn with_keys(store: HistoryStore, runtime: Handle, keys: Keys) -> Result<Self, StudioError> {
        Self::with_services(store, runtime, keys, Services::default())
    }

    /// The same with the services for pictures at these places.
    pub fn with_services(
        store: HistoryStore,
        runtime: Handle,
        keys: Keys,
        services: Services,
    ) -> Result<Self, StudioError> {
        if !store.is_for_reading() {
            recover(&store)?;
        }
        let registry = tools::registry()?;
        let (keys, connector) = (Arc::new(keys), Arc::new(Connector::new()));
        let makers = Makers::new(store.clone(), Arc::clone(&keys), Arc::clone(&connector), services);
        let live = LiveRuns::default();
        let bulletin = Bulletin::over(live.clone());
        let teller = bulletin.clone();
        let listener = Arc::new(move |task: &Task| teller.tell(task));
        let tasks = TaskDesk::new(store.clone(), runtime.clone(), makers.works(), listener)?;
        let inner = Inner {
            store,
            keys,
            connector,
            registry: Arc::new(registry),
            runtime,
            tracer: OnceLock::new(),
            thumbnails: Thumbnails::default(),
            live,
            tasks,
            bulletin,
            makers,
            camera: OnceLock::new(),
            measuring: Mutex::default(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// What is kept.
    pub fn store(&self) -> &HistoryStore {
        &self.inner.store
    }

    /// What a person has to be told after opening, once: that the history was damaged and what was saved of it, or
    /// that it can only be read.
    pub fn opening_notice(&self) -> Result<Option<String>, StudioError> {
        let store = self.store();
        if store.is_for_reading() {
            let why = "The history was written by a newer version of this program, so it is open for reading only. \
                       Update the program to go on working.";
            return Ok(Some(why.to_owned()));
        }
        let salvaged = store.salvaged()?;
        if salvaged.is_some() {
            store.acknowledge_salvaged()?;
        }
        Ok(salvaged.map(|salvaged| salvaged.message()))
    }

    /// Gives the studio a camera, once: without one no page is photographed or measured.
    pub fn see_through(&self, camera: Arc<dyn Camera>) {
        // One that is there already sees as well.
        let _ = self.inner.camera.set(camera);
    }

    pub(crate) fn camera(&self) -> Option<Arc<dyn Camera>> {
        self.inner.camera.get().map(Arc::clone)
    }

    pub(crate) fn measuring_turn(&self) -> MutexGuard<'_, ()> {
        self.inner.measuring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn keys(&self) -> &Keys {
        &self.inner.keys
    }

    pub(crate) fn connector(&self) -> &Arc<Connector> {
        &self.inner.connector
    }

    pub(crate) fn registry(&self) -> &Arc<ToolRegistry> {
        &self.inner.registry
    }

    /// Takes a file in.
    pub fn add_file(&self, path: &Path) -> Result<TakenInput, StudioError> {
        let (name, bytes) = inputs::read_file(path)?;
        self.add_picture(&name, bytes)
    }

    /// Takes a picture in.
    pub fn add_picture(&self, name: &str, bytes: Vec<u8>) -> Result<TakenInput, StudioError> {
        inputs::take_in(&self.inner.store, name, bytes)
    }

    /// The tracer, loaded when it is first needed.
    pub fn tracer(&self) -> Result<Arc<Tracer>, StudioError> {
        if let Some(tracer) = self.inner.tracer.get() {
            return Ok(Arc::clone(tracer));
        }
        let tracer = Arc::new(Tracer::new()?);
        Ok(Arc::clone(self.inner.tracer.get_or_init(|| tracer)))
    }

    pub(crate) fn launch(
        &self,
        started: StartedRun,
        recorder: Arc<RunRecorder>,
        cancel: CancellationToken,
        tasks: Vec<VariantTask>,
    ) {
        let (report_sender, report) = watch::channel(None);
        let live = LiveRun {
            recorder: Some(Arc::clone(&recorder)),
            cancel,
            variants: tasks.iter().map(|task| task.cancel.clone()).collect(),
            report,
        };
        tracing::info!(run = %started.run, variants = tasks.len(), "a run begins");
        self.live().insert(started.run, live);
        let studio = self.clone();
        self.inner.runtime.spawn(async move {
            let report = Arc::new(carry_out(started, &recorder, &studio.inner.store, tasks).await);
            // Nobody may be waiting for the report; it stays in the map for a late asker.
            let _ = report_sender.send(Some(report));
            if let Some(live) = studio.live().get_mut(&started.run) {
                live.recorder = None;
            }
            studio.inner.tasks.close_purse(started.run);
        });
    }

    /// Everything of a run so far, and what follows.
    pub fn attach(&self, run: RunId) -> Result<(RunSnapshot, RunFeed), StudioError> {
        if let Some(recorder) = self.inner.live.recorder_of(run) {
            return Ok(recorder.attach());
        }
        let stored = self.inner.store.runs().get(run)?;
        let events = stored_events(&self.inner.store, run)?.into_iter().map(Arc::new).collect::<Vec<_>>();
        let seq = events.last().map_or(0, |event| event.seq);
        let (_, feed) = tokio::sync::mpsc::unbounded_channel();
        Ok((RunSnapshot { run, project: stored.project, seq, events }, feed))
    }

    /// Waits for the end of a run that this program started.
    pub async fn ended(&self, run: RunId) -> Result<Arc<RunReport>, StudioError> {
        let receiver = self.live().get(&run).map(|live| live.report.clone());
        let mut receiver = receiver.ok_or_else(|| StudioError::NoSuchRun(run.to_string()))?;
        let report = receiver.wait_for(Option::is_some).await.ok().and_then(|report| report.clone());
        report.ok_or_else(|| StudioError::NoSuchRun(run.to_string()))
    }

    /// Stops a run or one of its variants; what was built is kept.
    pub fn cancel(&self, run: RunId, which: Which) {
        if let Some(live) = self.live().get(&run) {
            match which {
                Which::All => live.cancel.cancel(),
                Which::Only(index) => {
                    if let Some(variant) = live.variants.get(usize::from(index.0)) {
                        variant.cancel();
                    }
                }
            }
        }
    }

    /// The files a variant ended with.
    pub fn files_of(
        &self,
        run: RunId,
        variant: VariantIndex,
    ) -> Result<(ProjectId, ProjectFiles), StudioError> {
        let stored = self.inner.store.runs().get(run)?;
        let version = stored.variants.iter().find(|v| v.index == variant).and_then(|v| v.version);
        let version = version.ok_or(StudioError::NothingToExport { number: variant.0 + 1 })?;
        let files = self.inner.store.versions().files(version)?;
        Ok((stored.project, files.into_iter().collect()))
    }

    /// Writes the files of a variant into a folder.
    pub fn export(&self, run: RunId, variant: VariantIndex, folder: &Path) -> Result<Exported, StudioError> {
        let (project, files) = self.files_of(run, variant)?;
        let exporter = Exporter::new(self.inner.store.clone());
        Ok(exporter.write(&exporter.plan(project, &files)?, folder)?)
    }

    /// Every project with its runs, the latest first.
    pub fn projects(&self) -> Result<Vec<ProjectSummary>, StudioError> {
        Ok(self.inner.store.projects().list()?)
    }

    /// A project's runs.
    pub fn runs_of(&self, project: ProjectId) -> Result<Vec<Run>, StudioError> {
        Ok(self.inner.store.runs().of_project(project)?)
    }

    /// The name of the project that a run belongs to.
    pub fn project_name_of(&self, run: RunId) -> Result<String, StudioError> {
        let project = self.inner.store.runs().get(run)?.project;
        Ok(self.inner.store.projects().get(project)?.name)
    }

    /// The run that is going on, the latest if there are several.
    pub fn open_run(&self) -> Option<RunId> {
        self.live().iter().filter(|(_, live)| live.recorder.is_some()).map(|(run, _)| *run).max()
    }

    pub(crate) fn runtime(&self) -> &Handle {
        &self.inner.runtime
    }

    pub(crate) fn thumbnails(&self) -> &Thumbnails {
        &self.inner.thumbnails
    }

    pub(crate) fn tasks(&self) -> &TaskDesk {
        &self.inner.tasks
    }

    pub(crate) fn makers(&self) -> &Makers {
        &self.inner.makers
    }

    pub(crate) fn bulletin(&self) -> &Bulletin {
        &self.inner.bulletin
    }

    fn live(&self) -> MutexGuard<'_, HashMap<RunId, LiveRun>> {
        self.inner.live.lock()
    }
}

/// Runs the variants to their ends, with a steady frame and a sign of life each second.
async fn carry_out(
    started: StartedRun,
    recorder: &Arc<RunRecorder>,
    store: &HistoryStore,
    tasks: Vec<VariantTask>,
) -> RunReport {
    let mut working = JoinSet::new();
    for task in tasks {
        working.spawn(task.work());
    }
    let mut frame = tokio::time::interval(FRAME);
    let mut heartbeat = tokio::time::interval(HEARTBEAT);
    heartbeat.reset();
    let mut variants = Vec::new();
    loop {
        tokio::select! {
            ended = working.join_next() => match ended {
                Some(Ok(report)) => variants.push(report),
                // A variant catches its own panics; one that is lost all the same must not hang the run.
                Some(Err(error)) => tracing::error!(%error, "a variant was lost"),
                None => break,
            },
            _ = frame.tick() => recorder.flush(),
            _ = heartbeat.tick() => recorder.beat(),
        }
    }
    variants.sort_by_key(|report| report.index);
    let states: Vec<_> = variants.iter().map(|report| report.state).collect();
    let state = RunStatus::of_run(&states);
    recorder.finish(state);
    tracing::info!(run = %started.run, state = state.as_str(), "a run ended");
    let (store, run) = (store.clone(), started.run);
    let result = result_of(&variants);
    let finished = tokio::task::spawn_blocking(move || {
        // What came of the turn is there when its end is.
        let kept = store.runs().get(run).and_then(|stored| store.turns().finish(stored.turn, result));
        store.runs().finish(run, state).and(kept)
    })
    .await;
    if let Ok(Err(error)) = finished {
        tracing::error!(%error, "the end of a run could not be saved");
    }
    if let Some(trouble) = recorder.trouble() {
        tracing::error!(trouble, "some events of a run could not be saved");
    }
    RunReport { run: started.run, project: started.project, state, variants }
}

pub(crate) fn stored_events(store: &HistoryStore, run: RunId) -> Result<Vec<RunEvent>, StudioError> {
    Ok(readable(&store.events().since(run, 0)?))
}

/// A row that cannot be read is of another program version; the ones that can still tell their part.
pub(crate) fn readable(rows: &[StoredEvent]) -> Vec<RunEvent> {
    rows.iter().filter_map(|row| serde_json::from_str(&row.json).ok()).collect()
}
