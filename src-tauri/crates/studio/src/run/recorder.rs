//! One run's events: merged per frame, numbered, recorded, handed on.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use facsimile_agent::{
    AgentEvent, EngineNote, EventSink, ProjectId, RoundReport, RunId, RunStatus, TokenUsage, VariantIndex,
};
use facsimile_store::{HistoryStore, Round, Task};
use tokio::sync::mpsc;

use super::event::{LifecycleEvent, RunEvent, RunEventBody};
use super::merge::Pending;

/// Events leave at most this often.
pub(crate) const FRAME: Duration = Duration::from_millis(16);
/// A working variant shows a sign of life this often.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(1);

/// Everything recorded of a run so far. Live events go on with the next `seq`.
#[derive(Debug, Clone)]
pub struct RunSnapshot {
    /// The run.
    pub run: RunId,
    /// Its project.
    pub project: ProjectId,
    /// The last number that was given.
    pub seq: u64,
    /// The events in order.
    pub events: Vec<Arc<RunEvent>>,
}

/// The events of a run from now on, in order and without a gap.
pub type RunFeed = mpsc::UnboundedReceiver<Arc<RunEvent>>;

/// Numbers and keeps the events of one run; one [`VariantSink`] per variant feeds it.
pub struct RunRecorder {
    run: RunId,
    project: ProjectId,
    store: HistoryStore,
    started: Instant,
    state: Mutex<State>,
}

struct State {
    seq: u64,
    pending: Pending,
    log: Vec<Arc<RunEvent>>,
    feeds: Vec<mpsc::UnboundedSender<Arc<RunEvent>>>,
    variants: Vec<Progress>,
    is_over: bool,
    trouble: Option<String>,
}

/// How far a variant is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Progress {
    pub(crate) state: RunStatus,
    pub(crate) round: u32,
    pub(crate) usage: TokenUsage,
    pub(crate) cost_usd: Option<f64>,
}

impl RunRecorder {
    pub(crate) fn new(run: RunId, project: ProjectId, store: HistoryStore, variants: usize) -> Arc<Self> {
        let queued = Progress {
            state: RunStatus::Queued,
            round: 0,
            usage: TokenUsage::default(),
            cost_usd: Some(0.0),
        };
        let state = State {
            seq: 0,
            pending: Pending::default(),
            log: Vec::new(),
            feeds: Vec::new(),
            variants: vec![queued; variants],
            is_over: false,
            trouble: None,
        };
        Arc::new(Self { run, project, store, started: Instant::now(), state: Mutex::new(state) })
    }

    /// The sink of one variant.
    pub(crate) fn sink(self: &Arc<Self>, variant: VariantIndex, prompt_version: String) -> VariantSink {
        VariantSink { recorder: Arc::clone(self), variant, prompt_version }
    }

    /// Since the run began.
    pub(crate) fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// What a variant has cost so far, as the ledger has it: requests, boxes and pictures; `None` where nobody knows
    /// one of the prices. Waits for the facts that are being written.
    pub(crate) fn spent_usd(&self, variant: VariantIndex) -> Option<f64> {
        match self.store.ledger().of_variant(self.run, variant) {
            Ok(spent) => (!spent.has_unpriced).then(|| spent.settled_usd()),
            Err(error) => {
                self.lock().trouble = Some(error.to_string());
                None
            }
        }
    }

    /// What the store had to say against recording, if anything.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.lock().trouble.clone()
    }

    /// Everything so far, and everything from now on.
    pub fn attach(&self) -> (RunSnapshot, RunFeed) {
        let mut state = self.lock();
        self.send_pending(&mut state);
        let (sender, feed) = mpsc::unbounded_channel();
        if !state.is_over {
            state.feeds.push(sender);
        }
        let snapshot =
            RunSnapshot { run: self.run, project: self.project, seq: state.seq, events: state.log.clone() };
        (snapshot, feed)
    }

    /// Sends what has gathered within a frame.
    pub(crate) fn flush(&self) {
        self.send_pending(&mut self.lock());
    }

    /// Lets every working variant say where it is.
    pub(crate) fn beat(&self) {
        let mut state = self.lock();
        let working: Vec<_> = state
            .variants
            .iter()
            .enumerate()
            .filter(|(_, progress)| !progress.state.is_terminal() && progress.state != RunStatus::Queued)
            .map(|(index, progress)| (index, *progress))
            .collect();
        for (index, progress) in working {
            self.push_state(&mut state, u8::try_from(index).ok().map(VariantIndex), progress);
        }
        self.send_pending(&mut state);
    }

    /// Moves a variant to a state and says so. A terminal state never changes.
    pub(crate) fn set_state(&self, variant: VariantIndex, change: impl FnOnce(&mut Progress)) {
        let mut state = self.lock();
        let Some(progress) = state.variants.get_mut(usize::from(variant.0)) else { return };
        if progress.state.is_terminal() {
            return;
        }
        change(progress);
        let progress = *progress;
        self.push_state(&mut state, Some(variant), progress);
    }

    /// Says where a task of a variant stands.
    pub(crate) fn task_changed(&self, variant: VariantIndex, task: &Task) {
        let event = LifecycleEvent::TaskState {
            task_id: task.id,
            kind: task.kind.clone(),
            title: task.title.clone(),
            stage: task.progress.stage.clone(),
            state: task.state.as_str().to_owned(),
            done: task.progress.done,
            total: task.progress.total,
            notice: task.progress.notice.clone(),
        };
        self.push(&mut self.lock(), Some(variant), RunEventBody::Lifecycle(event));
    }

    /// Says how the run ended; nothing follows.
    pub(crate) fn finish(&self, end: RunStatus) {
        let mut state = self.lock();
        if state.is_over {
            return;
        }
        let mut total = Progress { state: end, round: 0, usage: TokenUsage::default(), cost_usd: Some(0.0) };
        for progress in &state.variants {
            total.round = total.round.max(progress.round);
            total.usage += progress.usage;
            total.cost_usd = total.cost_usd.zip(progress.cost_usd).map(|(sum, cost)| sum + cost);
        }
        self.push_state(&mut state, None, total);
        self.send_pending(&mut state);
        state.is_over = true;
        state.feeds.clear();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere must not take the record down with it; the state is whole after every call.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push_state(&self, state: &mut State, variant: Option<VariantIndex>, progress: Progress) {
        let event = LifecycleEvent::RunState {
            state: progress.state,
            round: progress.round,
            elapsed_ms: self.elapsed_ms(),
            tokens: progress.usage,
            cost_usd: progress.cost_usd,
        };
        self.push(state, variant, RunEventBody::Lifecycle(event));
    }

    fn push(&self, state: &mut State, variant: Option<VariantIndex>, body: RunEventBody) {
        if !state.is_over {
            state.pending.push(variant, body);
        }
    }

    fn send_pending(&self, state: &mut State) {
        let mut rows = Vec::new();
        for (variant_index, body) in state.pending.take() {
            state.seq += 1;
            let event = Arc::new(RunEvent { run_id: self.run, variant_index, seq: state.seq, body });
            match serde_json::to_string(event.as_ref()) {
                Ok(json) => rows.push((event.seq, json)),
                Err(error) => state.trouble = Some(error.to_string()),
            }
            state.feeds.retain(|feed| feed.send(Arc::clone(&event)).is_ok());
            state.log.push(event);
        }
        if !rows.is_empty()
            && let Err(error) = self.store.events().append(self.run, rows)
        {
            state.trouble = Some(error.to_string());
        }
    }
}

/// Receives the events of one variant.
pub(crate) struct VariantSink {
    recorder: Arc<RunRecorder>,
    variant: VariantIndex,
    /// Of which texts its prompt was made; empty without a prompt.
    prompt_version: String,
}

impl EventSink for VariantSink {
    fn emit(&mut self, event: AgentEvent) {
        let mut state = self.recorder.lock();
        self.recorder.push(&mut state, Some(self.variant), RunEventBody::Agent(event));
    }

    fn note(&mut self, note: EngineNote) {
        let recorder = &self.recorder;
        match note {
            EngineNote::RoundStarted { round } => recorder.set_state(self.variant, |progress| {
                progress.state = RunStatus::Running;
                progress.round = round;
            }),
            EngineNote::RoundEnded(report) => self.round_ended(&report),
            EngineNote::Waiting { failure, pause_ms } => {
                recorder.set_state(self.variant, |progress| progress.state = RunStatus::Waiting);
                let seconds = pause_ms.div_ceil(1000);
                let message =
                    format!("{}. Trying again in {seconds} s.", failure.message.trim_end_matches('.'));
                self.notice("retry", message, None);
            }
            EngineNote::AttemptReplaced { replaces } => {
                let message = "The reply broke off and was asked for again.".to_owned();
                self.notice("attempt_replaced", message, Some(replaces));
            }
            EngineNote::SentBack { instruction } => self.notice("sent_back", instruction, None),
            EngineNote::Checked { outcome } => self.notice("page_checked", outcome, None),
            EngineNote::TasksLeftOpen { titles } => {
                let message = format!("Pictures are still being made: {}.", titles.join(", "));
                self.notice("tasks_left_open", message, None);
            }
        }
    }
}

impl VariantSink {
    fn notice(&self, code: &str, message: String, replaces: Option<Vec<facsimile_agent::EventId>>) {
        let mut state = self.recorder.lock();
        let event = LifecycleEvent::Notice { code: code.to_owned(), message, next_step: None, replaces };
        self.recorder.push(&mut state, Some(self.variant), RunEventBody::Lifecycle(event));
    }

    fn round_ended(&self, report: &RoundReport) {
        let recorder = &self.recorder;
        let round = Round {
            round: report.round,
            usage: serde_json::to_value(report.usage).unwrap_or_default(),
            cost_usd: report.total_cost_usd,
            elapsed_ms: report.elapsed_ms,
            retries: report.retries,
            prompt_version: self.prompt_version.clone(),
        };
        if let Err(error) = recorder.store.rounds().add(recorder.run, self.variant, round) {
            recorder.lock().trouble = Some(error.to_string());
        }
        // Nobody knows the sum where nobody knows the price of the model.
        let cost_usd = report.total_cost_usd.and_then(|_| recorder.spent_usd(self.variant));
        recorder.set_state(self.variant, |progress| {
            progress.state = RunStatus::Running;
            progress.usage += report.usage;
            progress.cost_usd = cost_usd;
        });
    }
}
