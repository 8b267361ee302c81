//! What a turn is told of those before it, and what is kept of it for those after.

use std::collections::BTreeSet;

use facsimile_agent::modify::memory::{Memory, PastTurn};
use facsimile_agent::modify::router::IntentCategory;
use facsimile_agent::project::diff;
use facsimile_agent::{ProjectFiles, ProjectId, ProjectPath, RunStatus};
use facsimile_store::{RunTurn, Turn, TurnResult};

use super::VariantReport;
use crate::error::StudioError;
use crate::studio::Studio;

/// What a variant changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// The files that are not as they were before, in path order.
    pub touched_files: Vec<ProjectPath>,
    /// How they differ; empty where a page was made.
    pub diff: String,
    /// What the request was taken for; `None` where nobody sorted it.
    pub intent_category: Option<IntentCategory>,
}

impl Change {
    /// What differs between the files before and after.
    pub(super) fn between(
        before: &ProjectFiles,
        after: &ProjectFiles,
        intent_category: Option<IntentCategory>,
    ) -> Self {
        let paths: BTreeSet<_> = before.iter().chain(after.iter()).map(|(path, _)| path).collect();
        let touched: Vec<_> =
            paths.into_iter().filter(|path| before.read(path) != after.read(path)).collect();
        let text = |files: &ProjectFiles, path| files.read(path).unwrap_or_default().to_owned();
        let diff = touched
            .iter()
            .filter(|_| !before.is_empty())
            .map(|path| diff::between(path.as_str(), &text(before, path), &text(after, path)).unified);
        Self { diff: diff.collect(), touched_files: touched.into_iter().cloned().collect(), intent_category }
    }
}

impl Studio {
    /// What a turn is told of those before it, as far as the memory was not cleared.
    pub(crate) fn memory_before(&self, project: ProjectId, turn: &RunTurn) -> Result<Memory, StudioError> {
        let mut turns = self.remembered_turns(project)?;
        if let RunTurn::Again(again) = turn {
            let at = turns.iter().position(|past| past.id == *again).unwrap_or(turns.len());
            turns.truncate(at);
        }
        Ok(Memory::of(&turns))
    }

    /// What the next turn would be told.
    pub(crate) fn memory_of(&self, project: ProjectId) -> Result<Memory, StudioError> {
        Ok(Memory::of(&self.remembered_turns(project)?))
    }

    fn remembered_turns(&self, project: ProjectId) -> Result<Vec<PastTurn>, StudioError> {
        Ok(self.store().turns().remembered(project)?.into_iter().map(past_turn).collect())
    }
}

fn past_turn(turn: Turn) -> PastTurn {
    let TurnResult { assistant_text, touched_files, intent_category, awaiting_reply, .. } = turn.result;
    PastTurn {
        id: turn.id,
        instruction: turn.request.instruction,
        assistant_text,
        touched_files,
        intent_category: intent_category.as_deref().and_then(IntentCategory::parse),
        awaiting_reply,
    }
}

/// What came of a turn: of the option that is opened, else of the first.
pub(crate) fn result_of(variants: &[VariantReport]) -> TurnResult {
    let told = variants.iter().min_by_key(|variant| {
        (variant.version.is_none(), variant.state != RunStatus::Succeeded, variant.index)
    });
    let Some(VariantReport { message, change, state, .. }) = told else { return TurnResult::default() };
    let may_ask =
        matches!(change.intent_category, Some(IntentCategory::CodeChange | IntentCategory::PlanOnly));
    TurnResult {
        assistant_text: message.clone(),
        touched_files: change.touched_files.clone(),
        intent_category: change.intent_category.map(|category| category.as_str().to_owned()),
        awaiting_reply: may_ask
            && *state == RunStatus::NoOutput
            && change.touched_files.is_empty()
            && !message.is_empty(),
        diff: change.diff.clone(),
    }
}
