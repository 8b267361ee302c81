//! The history as the window shows it.

use std::collections::HashMap;

use facsimile_agent::{ProjectId, ProjectPath, RunId, RunStatus, TurnId, VariantIndex, VersionId};
use facsimile_store::{Standing, Variant, VariantSpent, VersionKind};
use serde::Serialize;
use ts_rs::TS;

use crate::error::StudioError;
use crate::studio::Studio;
use crate::tasks::cost_by_now;
use crate::view::thumbnail_path;

/// The history of a project.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "History")]
pub struct HistoryView {
    /// Every version, oldest first.
    pub versions: Vec<VersionView>,
    /// Where the project stands.
    pub standing: StandingView,
}

/// Where a project stands on the way through its versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "Standing")]
pub struct StandingView {
    /// The open version; none before the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub open: Option<VersionId>,
    /// How many steps can be undone.
    pub undoable: u64,
    /// How many steps can be redone.
    pub redoable: u64,
}

impl From<Standing> for StandingView {
    fn from(standing: Standing) -> Self {
        Self { open: standing.version, undoable: standing.undoable, redoable: standing.redoable }
    }
}

/// A version in the history.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "VersionSummary", optional_fields)]
pub struct VersionView {
    /// Its id.
    pub id: VersionId,
    /// Which one it is, from 1 by age.
    pub number: usize,
    /// The version it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<VersionId>,
    /// The name it was given; empty without one.
    pub label: String,
    /// Whether it is what a crash left.
    pub is_draft: bool,
    /// The turn that asked for it; none for what was made by hand or restored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
    /// The words of that turn.
    pub instruction: String,
    /// What made it; none for what was made by hand or restored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made_by: Option<MakerView>,
    /// The older version with the same files, if it was made by hand or restored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_as: Option<VersionId>,
    /// The files that differ from the version it came from.
    pub changed: Vec<ProjectPath>,
    /// How faithful it is, from 0 to 100, if it was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// When it was kept, in Unix milliseconds.
    pub created_at_ms: i64,
    /// The path of its page's picture in the preview scheme.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thumbnail: Option<String>,
}

/// The variant that made a version.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "VersionMaker")]
pub struct MakerView {
    /// Its run.
    pub run_id: RunId,
    /// Which variant of the run.
    pub variant_index: VariantIndex,
    /// What did the work.
    pub engine: String,
    /// How it ended.
    pub state: RunStatus,
    /// How many rounds it took.
    pub rounds: u32,
    /// How long it took.
    pub elapsed_ms: u64,
    /// What it has cost by now, if that is known.
    pub cost_usd: Option<f64>,
}

impl Studio {
    /// The history of a project, as the window shows it.
    pub fn history_view(&self, project: ProjectId) -> Result<HistoryView, StudioError> {
        let history = self.history(project)?;
        let store = self.store();
        let words: HashMap<_, _> = store
            .turns()
            .of_project(project)?
            .into_iter()
            .map(|turn| (turn.id, turn.request.instruction))
            .collect();
        let runs = self.runs_of(project)?;
        let makers: HashMap<_, _> = runs
            .iter()
            .flat_map(|run| {
                run.variants.iter().map(move |variant| ((run.id, variant.index), (run.turn, variant)))
            })
            .collect();
        let spent = store.ledger().by_variant(project)?;
        let pictures = store.versions().pictures(project)?;
        let texts = store.versions().text_hashes(project)?;
        let files_of = |id: VersionId| texts.get(&id).map(Vec::as_slice).unwrap_or_default();
        let mut first_with: HashMap<&[(ProjectPath, String)], VersionId> = HashMap::new();
        let mut versions = Vec::with_capacity(history.entries.len());
        for (entry, number) in history.entries.into_iter().zip(1..) {
            let version = entry.version;
            let files = files_of(version.id);
            let older = *first_with.entry(files).or_insert(version.id);
            let maker =
                version.made_by.and_then(|made_by| makers.get(&made_by).map(|maker| (made_by, maker)));
            let turn = maker.map(|(_, (turn, _))| *turn);
            versions.push(VersionView {
                id: version.id,
                number,
                parent: version.parent,
                is_draft: version.kind == VersionKind::Draft,
                instruction: turn.and_then(|turn| words.get(&turn).cloned()).unwrap_or_default(),
                turn,
                made_by: maker.map(|(made_by, (_, variant))| {
                    maker_view(made_by, variant, spent.get(&made_by).copied().unwrap_or_default())
                }),
                same_as: (version.made_by.is_none() && older != version.id).then_some(older),
                changed: changed_between(version.parent.map(files_of).unwrap_or_default(), files),
                score: entry.score.map(|score| score.score),
                created_at_ms: version.created_at_ms,
                thumbnail: pictures
                    .get(&version.id)
                    .map(|asset| thumbnail_path("version", version.id, asset)),
                label: if version.kind == VersionKind::Draft { String::new() } else { version.label },
            });
        }
        Ok(HistoryView { versions, standing: history.standing.into() })
    }
}

fn maker_view(
    (run_id, variant_index): (RunId, VariantIndex),
    variant: &Variant,
    spent: VariantSpent,
) -> MakerView {
    MakerView {
        run_id,
        variant_index,
        engine: variant.engine.clone(),
        state: variant.state,
        rounds: variant.rounds,
        elapsed_ms: variant.elapsed_ms,
        cost_usd: cost_by_now(variant, spent),
    }
}

/// The paths whose texts differ, in order.
fn changed_between(old: &[(ProjectPath, String)], new: &[(ProjectPath, String)]) -> Vec<ProjectPath> {
    let only_in = |a: &[(ProjectPath, String)], b: &[(ProjectPath, String)]| -> Vec<ProjectPath> {
        a.iter().filter(|file| !b.contains(file)).map(|(path, _)| path.clone()).collect()
    };
    let mut paths = only_in(new, old);
    paths.extend(only_in(old, new));
    paths.sort();
    paths.dedup();
    paths
}
