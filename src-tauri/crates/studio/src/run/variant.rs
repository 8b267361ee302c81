//! One variant of a run, from its first request to its kept version.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use facsimile_agent::{
    AgentEngine, AgentEvent, ErrorKind, EventId, EventSink, Failure, Limits, Outcome, ProjectFiles,
    ProjectPath, ProviderSession, RunId, RunStatus, TokenUsage, ToolContext, ToolRegistry, VariantIndex,
    VersionId,
};
use facsimile_store::{HistoryStore, StoreError, VariantEnd};
use futures::FutureExt;
use tokio_util::sync::CancellationToken;

use super::VariantReport;
use super::recorder::RunRecorder;
use crate::models::EngineChoice;
use crate::offline::separate_styles;

/// What one variant works with.
pub(crate) struct VariantTask {
    pub(crate) run: RunId,
    pub(crate) index: VariantIndex,
    pub(crate) engine: EngineChoice,
    pub(crate) session: Box<dyn ProviderSession>,
    pub(crate) registry: Arc<ToolRegistry>,
    pub(crate) limits: Limits,
    pub(crate) cancel: CancellationToken,
    pub(crate) store: HistoryStore,
    pub(crate) recorder: Arc<RunRecorder>,
}

impl VariantTask {
    /// Works until the variant has ended and its end is recorded, whatever happens on the way.
    pub(crate) async fn work(self) -> VariantReport {
        let Self { run, index, engine, mut session, registry, limits, cancel, store, recorder } = self;
        let mut cx = ToolContext::new(index, ProjectFiles::new(), cancel);
        let mut sink = recorder.sink(index);
        let work = AgentEngine::new(registry, limits);
        let ended = AssertUnwindSafe(work.run(session.as_mut(), &mut cx, &mut sink)).catch_unwind().await;
        // Closing the session stops whatever it still does.
        drop(session);
        let outcome = ended.unwrap_or_else(|_| panicked());
        if engine == EngineChoice::Offline && outcome.status == RunStatus::Succeeded {
            keep_styles_apart(&mut cx.files, index, &mut sink);
        }
        let mut report = VariantReport {
            index,
            engine: engine.to_string(),
            state: outcome.status,
            files: cx.files,
            version: None,
            message: outcome.message,
            tokens: outcome.usage,
            cost_usd: outcome.cost_usd,
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
    Outcome {
        status: RunStatus::Failed,
        message: String::new(),
        failure: Some(failure),
        rounds: 0,
        usage: TokenUsage::default(),
        cost_usd: None,
    }
}
