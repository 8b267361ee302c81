//! One variant of a run, from its first request to its kept version.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use facsimile_agent::modify::hooks::DoesItsWork;
use facsimile_agent::modify::router::IntentCategory;
use facsimile_agent::ports::{Ports, VisibleMedia};
use facsimile_agent::tool::{Capabilities, OptionFiles};
use facsimile_agent::{
    AgentEngine, AgentEvent, ErrorKind, EventId, EventSink, Failure, Limits, Outcome, ProjectFiles,
    ProjectPath, PromptVersion, ProviderSession, RunId, RunStatus, SpendCap, StopHook, TokenUsage,
    ToolChoice, ToolContext, ToolRegistry, VariantIndex, VersionId,
};
use facsimile_store::{HistoryStore, StoreError, VariantEnd};
use futures::FutureExt;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::conversation::Record;
use super::opening::{Ask, Opening};
use super::recorder::RunRecorder;
use super::remembered::Change;
use super::routing::Routed;
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
        let (mut category, deadline) = (None, limits.deadline);
        let work = async {
            let mut engine_run = AgentEngine::new(registry, limits);
            let mut session = match source {
                Source::Ready(session) => session,
                Source::Opening(opening) => {
                    let record = Record { store: store.clone(), run, variant: index };
                    begun(*opening, record, (&mut category, deadline), &mut cx, &mut sink).await?
                }
            };
            if let Some(category) = category {
                engine_run.first_choice = ToolChoice::Required;
                engine_run.hooks.push(Arc::new(DoesItsWork::new(category)));
            }
            engine_run.hooks.extend(hook);
            Ok(engine_run.run(session.as_mut(), &mut cx, &mut sink).await)
            // Closing the session stops whatever it still does.
        };
        let ended = AssertUnwindSafe(work).catch_unwind().await;
        let outcome =
            ended.unwrap_or_else(|_| Ok(panicked())).unwrap_or_else(|unopened: Box<Outcome>| *unopened);
        if engine.is_offline() && outcome.status == RunStatus::Succeeded {
            keep_styles_apart(&mut cx.files, index, &mut sink);
        }
        // Nobody knows the sum where nobody knows the price of the model.
        let cost_usd = match outcome.cost_usd {
            Some(_) => spent_usd(&recorder, index).await,
            None => None,
        };
        let change = changed(files.clone(), cx.files.clone(), category).await;
        let mut report = VariantReport {
            index,
            engine: engine.to_string(),
            state: outcome.status,
            // What was not changed is in the version before.
            files: if cx.files == files { ProjectFiles::new() } else { cx.files },
            version: None,
            message: outcome.message,
            change,
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
    // Whoever watches looks at the page that comes first.
    let main = files.main_page();
    let others = files.iter().filter(|(path, _)| main.is_none_or(|(first, _)| first != *path));
    for (path, text) in main.into_iter().chain(others) {
        let (event_id, path) = (event_id.clone(), path.clone());
        sink.emit(AgentEvent::SetCode { event_id, path, base: 0, text: text.to_owned() });
    }
}

/// The session of a model, once its request is sorted and its material ready; the outcome if there is none.
async fn begun(
    mut opening: Opening,
    record: Record,
    (category, deadline): (&mut Option<IntentCategory>, Option<Instant>),
    cx: &mut ToolContext,
    sink: &mut dyn EventSink,
) -> Result<Box<dyn ProviderSession>, Box<Outcome>> {
    if opening.has_pictures {
        let event_id = EventId::fresh("thinking", cx.variant);
        sink.emit(AgentEvent::Thinking { event_id, text: "Measuring the screenshot.\n".to_owned() });
    }
    if let Some(routing) = opening.routing.take() {
        let event_id = EventId::fresh("thinking", cx.variant);
        sink.emit(AgentEvent::Thinking { event_id, text: "Reading the request.\n".to_owned() });
        let routed = tokio::select! {
            () = cx.cancel.cancelled() => return Err(Box::new(unopened(RunStatus::Cancelled, None))),
            () = until(deadline) => return Err(Box::new(unopened(RunStatus::StoppedAtLimit, None))),
            routed = routing.routed() => routed,
        };
        cx.capabilities.is_read_only = routed.route.category.is_read_only();
        *category = Some(routed.route.category);
        if let Some(answer) = routed.route.answer.clone() {
            let event_id = EventId::fresh("assistant", cx.variant);
            sink.emit(AgentEvent::Assistant { event_id, text: answer.clone() });
            let Routed { usage, cost_usd, .. } = routed;
            let answered = unopened(RunStatus::NoOutput, None);
            return Err(Box::new(Outcome { message: answer, usage, cost_usd, ..answered }));
        }
        if let Ask::Change { route, .. } = &mut opening.ask {
            *route = routed.route;
        }
    }
    tokio::select! {
        () = cx.cancel.cancelled() => Err(Box::new(unopened(RunStatus::Cancelled, None))),
        begun = opening.begin(record, &cx.capabilities) => begun
            .map_err(|failure| Box::new(unopened(RunStatus::Failed, Some(failure)))),
    }
}

/// Waits for a moment; without one, for ever.
async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// What the variant has cost, as the ledger has it.
async fn spent_usd(recorder: &Arc<RunRecorder>, index: VariantIndex) -> Option<f64> {
    let recorder = Arc::clone(recorder);
    let spent = tokio::task::spawn_blocking(move || recorder.spent_usd(index)).await;
    // Whoever could not ask does not know.
    spent.ok().flatten()
}

/// What a variant changed, compared where it holds nobody up.
async fn changed(before: ProjectFiles, after: ProjectFiles, category: Option<IntentCategory>) -> Change {
    let compared = tokio::task::spawn_blocking(move || Change::between(&before, &after, category));
    compared.await.unwrap_or_default()
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
