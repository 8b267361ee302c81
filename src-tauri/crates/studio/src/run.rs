//! Runs: from a request to kept files.

pub(crate) mod conversation;
pub mod event;
pub(crate) mod ledger;
mod merge;
pub(crate) mod opening;
pub(crate) mod origin;
pub mod recorder;
pub(crate) mod remembered;
pub mod request;
pub(crate) mod routing;
pub(crate) mod selected;
pub(crate) mod variant;

use std::collections::BTreeMap;

use facsimile_agent::{
    EventId, Failure, ProjectFiles, ProjectId, RunId, RunStatus, TokenUsage, VariantIndex, VersionId,
};

pub use remembered::Change;

/// What is to be stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Every variant of the run.
    All,
    /// One of them.
    Only(VariantIndex),
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub struct RunReport {
    /// The run.
    pub run: RunId,
    /// Its project.
    pub project: ProjectId,
    /// Its terminal state.
    pub state: RunStatus,
    /// How each variant ended.
    pub variants: Vec<VariantReport>,
}

/// How a variant ended.
#[derive(Debug, Clone, PartialEq)]
pub struct VariantReport {
    /// Which one.
    pub index: VariantIndex,
    /// What did the work.
    pub engine: String,
    /// Its terminal state.
    pub state: RunStatus,
    /// What it has built, whatever the state.
    pub files: ProjectFiles,
    /// The kept version, if there are files and they could be kept.
    pub version: Option<VersionId>,
    /// What the model said last.
    pub message: String,
    /// What it changed.
    pub change: Change,
    /// Tokens of all rounds.
    pub tokens: TokenUsage,
    /// Its cost; `None` where no price is known.
    pub cost_usd: Option<f64>,
    /// From the start of the run.
    pub elapsed_ms: u64,
    /// What went wrong.
    pub failure: Option<Failure>,
}

/// The prefix of the event that shows what was there before a run.
const BEFORE: &str = "before";

/// Folds recorded code events of one variant into files, by the rule of their `base`.
pub(crate) fn folded_files<'a>(
    events: impl IntoIterator<Item = &'a event::RunEvent>,
    variant: VariantIndex,
) -> ProjectFiles {
    folded(events, variant, |_| true)
}

/// The files that were there before a variant changed them.
pub(crate) fn files_before<'a>(
    events: impl IntoIterator<Item = &'a event::RunEvent>,
    variant: VariantIndex,
) -> ProjectFiles {
    folded(events, variant, |event| event.as_str().starts_with(BEFORE))
}

fn folded<'a>(
    events: impl IntoIterator<Item = &'a event::RunEvent>,
    variant: VariantIndex,
    counts: impl Fn(&EventId) -> bool,
) -> ProjectFiles {
    let mut texts: BTreeMap<_, String> = BTreeMap::new();
    for event in events {
        let event::RunEventBody::Agent(facsimile_agent::AgentEvent::SetCode { event_id, path, base, text }) =
            &event.body
        else {
            continue;
        };
        if event.variant_index != Some(variant) || !counts(event_id) {
            continue;
        }
        let held = texts.entry(path.clone()).or_default();
        held.truncate(if *base == held.len() { *base } else { 0 });
        held.push_str(text);
    }
    texts.into_iter().filter(|(_, text)| !text.is_empty()).collect()
}
