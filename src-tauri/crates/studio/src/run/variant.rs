//! One variant of a run, from its first request to its kept version.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use facsimile_agent::ports::{Ports, VisibleMedia};
use facsimile_agent::tool::{Capabilities, OptionFiles};
use facsimile_agent::{
    AgentEngine, AgentEvent, ErrorKind, EventId, EventSink, Failure, Limits, Outcome, ProjectFiles,
    ProjectPath, PromptVersion, ProviderSession, RunId, RunStatus, SpendCap, StopHook, TokenUsage,
    ToolContext, ToolRegistry, VariantIndex, VersionId,
};
use facsimile_store::{HistoryStore, StoreError, VariantEnd};
use futures::FutureExt;
use tokio_util::sync::CancellationToken;

use super::conversation::Record;
use super::opening::Opening;
use super::recorder::RunRecorder;
use super::{BEFORE, VariantReport};
use crate::models::EngineChoice;
use crate::offline::separate_styles;

/// Where a variant's session comes from.
pub(crate) enum Source {
    /// It is there.
    Ready(Box<dyn ProviderSession>),
    /// It is begun when the pictures are ready.
    Opening(Box<Opening>),
}

/// What the tools of a variant have beside its files.
#[derive(Clone, Default)]
pub(crate) struct Equipment {
    pub(crate) capabilities: Capabilities,
    pub(crate) media: VisibleMedia,
    pub(crate) options: Arc<[OptionFiles]>,
    pub(crate) ports: Ports,
}

/// What one variant works with.
pub(crate) struct VariantTask {
    pub(crate) run: RunId,
    pub(crate) index: VariantIndex,
    pub(crate) engine: EngineChoice,
    /// What it changes; none where it makes a page.
    pub(crate) files: ProjectFiles,
    pub(crate) source: Source,
    pub(crate) registry: Arc<ToolRegistry>,
    pub(crate) limits: Limits,
    /// What may keep the model from stopping.
    pub(crate) hook: Option<Arc<dyn StopHook>>,
    /// Shared by the variants of the run.
    pub(crate) spend: SpendCap,
    pub(crate) equipment: Equipment,
    pub(crate) cancel: CancellationToken,
    pub(crate) store: HistoryStore,
    pub(crate) recorder: Arc<RunRecorder>,
}

impl VariantTask {
    /// Works until the variant has ended and its end is recorded, whatever happens on the way.
    pub(crate) async fn work(self) -> VariantReport {
        let Self {
            run,
            index,
            engine,
            files,
            source,
            registry,
            limits,
            hook,
            spend,
            equipment,
            cancel,
            store,
            recorder,
        } = self;
        let prompt_version = match &source {
            Source::Ready(_) => String::new(),
            Source::Opening(_) => PromptVersion::current().as_str().to_owned(),
        };
        let mut cx = ToolContext::new(index, files.clone(), cancel).spending(spend);
        let Equipment { capabilities, media, options, ports } = equipment;
        (cx.capabilities, cx.media, cx.options, cx.ports) = (capabilities, media, options, ports);
        let mut sink = recorder.sink(index, prompt_version);
        show(&files, index, &mut sink);
        let mut engine_run = AgentEngine::new(registry, limits);
        engine_run.hooks.extend(hook);
        let work = async {
            let mut session = match source {
                Source::Ready(session) => session,
                Source::Opening(opening) => {
                    let record = Record { store: store.clone(), run, variant: index };
                    begun(*opening, record, &cx, &mut sink).await?
                }
            };
            Ok(engine_run.run(session.as_mut(), &mut cx, &mut sink).await)
            // Closing the session stops whatever it still does.
        };
        let ended = AssertUnwindSafe(work).catch_unwind().await;
        let outcome =
            ended.unwrap_or_else(|_| Ok(panicked())).unwrap_or_else(|unopened: Box<Outcome>| *unopened);
        if engine == EngineChoice::Offline && outcome.status == RunStatus::Succeeded {
            keep_styles_apart(&mut cx.files, index, &mut sink);
        }
        // Nobody knows the sum where nobody knows the price of the model.
        let cost_usd = match outcome.cost_usd {
            Some(_) => spent_usd(&recorder, index).await,
            None => None,
        };
        let mut report = VariantReport {
            index,
            engine: engine.to_string(),
            state: outcome.status,
            // What was not changed is in the version before.
            files: if cx.files == files { ProjectFiles::new() } else { cx.files },
            version: None,
            message: outcome.message,
            tokens: outcome.usage,
            cost_usd,
            elapsed_ms: recorder.elapsed_ms(),
            failure: outcome.failure,
        };
        // What is in the sink belongs before the end.
        recorder.flush();
        match keep(&store, run, &report, outcome.rounds).await {
            Ok(version) => report.version = version,
            Err(error) => {
                report.state = RunStatus::Failed;
                report.failure.get_or_insert(Failure::new(ErrorKind::Storage, error));
            }
        }
        recorder.set_state(index, |progress| {
            progress.state = report.state;
            progress.cost_usd = report.cost_usd;
        });
        report
    }
}

/// Shows the files that are there before a model changes them, so that the events of a run tell of all its files.
fn show(files: &ProjectFiles, index: VariantIndex, sink: &mut dyn EventSink) {
    let event_id = EventId::fresh(BEFORE, index);
    for (path, text) in files.iter() {
        let (event_id, path) = (event_id.clone(), path.clone());
        sink.emit(AgentEvent::SetCode { event_id, path, base: 0, text: text.to_owned() });
    }
}

/// The session of a model, once its material is ready; the outcome if it cannot be had.
async fn begun(
    opening: Opening,
    record: Record,
    cx: &ToolContext,
    sink: &mut dyn EventSink,
) -> Result<Box<dyn ProviderSession>, Box<Outcome>> {
    if opening.has_pictures {
        let event_id = EventId::fresh("thinking", cx.variant);
        sink.emit(AgentEvent::Thinking { event_id, text: "Measuring the screenshot.\n".to_owned() });
    }
    tokio::select! {
        () = cx.cancel.cancelled() => Err(Box::new(unopened(RunStatus::Cancelled, None))),
        begun = opening.begin(record) => begun.map_err(|failure| Box::new(unopened(RunStatus::Failed, Some(failure)))),
    }
}

/// What the variant has cost, as the ledger has it.
async fn spent_usd(recorder: &Arc<RunRecorder>, index: VariantIndex) -> Option<f64> {
    let recorder = Arc::clone(recorder);
    let spent = tokio::task::spawn_blocking(move || recorder.spent_usd(index)).await;
    // Whoever could not ask does not know.
    spent.ok().flatten()
}

async fn keep(
    store: &HistoryStore,
    run: RunId,
    report: &VariantReport,
    rounds: u32,
) -> Result<Option<VersionId>, String> {
    let end = VariantEnd {
        state: report.state,
        error: report.failure.clone(),
        rounds,
        tokens: serde_json::to_value(report.tokens).unwrap_or_default(),
        cost_usd: report.cost_usd,
        elapsed_ms: report.elapsed_ms,
        label: String::new(),
        files: report.files.iter().map(|(path, text)| (path.clone(), text.to_owned())).collect(),
    };
    let (store, index) = (store.clone(), report.index);
    let kept = tokio::task::spawn_blocking(move || store.runs().finish_variant(run, index, end)).await;
    match kept {
        Ok(ended) => ended.map(|ended| ended.version).map_err(|error: StoreError| error.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

/// Moves the styles of traced pages into sheets of their own and shows the change.
fn keep_styles_apart(files: &mut ProjectFiles, index: VariantIndex, sink: &mut dyn EventSink) {
    let pages: Vec<_> = files.iter().map(|(path, text)| (path.clone(), text.to_owned())).collect();
    for (page, html) in pages {
        let stem = page.as_str().trim_end_matches(".html");
        let sheet = if stem == "index" { "styles.css".to_owned() } else { format!("{stem}.css") };
        let Some((html, css)) = separate_styles(&html, &sheet) else { continue };
        let Ok(sheet) = ProjectPath::parse(&sheet) else { continue };
        for (path, text) in [(sheet, css), (page, html)] {
            let event_id = EventId::fresh("files", index);
            sink.emit(AgentEvent::SetCode { event_id, path: path.clone(), base: 0, text: text.clone() });
            files.write(path, text);
        }
    }
}

fn panicked() -> Outcome {
    let failure =
        Failure::new(ErrorKind::Unknown, "the program met an error of its own; what was built is kept")
            .with_next_step("Try again");
    unopened(RunStatus::Failed, Some(failure))
}

/// The outcome of a variant that had no conversation, or whose numbers are lost.
fn unopened(status: RunStatus, failure: Option<Failure>) -> Outcome {
    Outcome {
        status,
        message: String::new(),
        failure,
        rounds: 0,
        usage: TokenUsage::default(),
        cost_usd: None,
    }
}
