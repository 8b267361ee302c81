//! What a turn starts from: nothing, or the version that is open.

use facsimile_agent::{ProjectFiles, Stack, VersionId};
use facsimile_store::{NewTurn, Run, RunTurn, TurnKind};

use super::request::RunRequest;
use crate::error::StudioError;
use crate::models::EngineChoice;
use crate::studio::Studio;

/// What a turn starts from.
pub(crate) struct Origin {
    pub(crate) turn: RunTurn,
    pub(crate) kind: TurnKind,
    pub(crate) parent: Option<VersionId>,
    /// The files that a modify turn changes; none where a page is made.
    pub(crate) files: ProjectFiles,
    /// What the page is written in, where that is known.
    pub(crate) stack: Option<Stack>,
}

impl Studio {
    /// What is asked for changes the open version; what is tried again starts where it began.
    pub(crate) fn origin_of(&self, request: &RunRequest) -> Result<Origin, StudioError> {
        let store = self.store();
        let (turn, new) = match request.retry_of {
            Some(run) => {
                let turn = store.runs().get(run)?.turn;
                (RunTurn::Again(turn), store.turns().get(turn)?.request)
            }
            None => {
                let standing =
                    request.project_id.map(|project| store.steps().standing(project)).transpose()?;
                let parent_version = standing.and_then(|standing| standing.version);
                let kind = if parent_version.is_some() { TurnKind::Modify } else { TurnKind::Create };
                let new = NewTurn { kind, instruction: request.text.clone(), parent_version };
                (RunTurn::New(new.clone()), new)
            }
        };
        let NewTurn { kind, parent_version: parent, .. } = new;
        let (mut files, mut stack) = (ProjectFiles::new(), None);
        if let Some(parent) = parent.filter(|_| kind == TurnKind::Modify) {
            files = store.versions().files(parent)?.into_iter().collect();
            stack = self.first_run_behind(parent)?.and_then(|run| stack_of(&run));
        }
        Ok(Origin { turn, kind, parent, files, stack })
    }

    /// The run that first made the page of a version: whatever changed it later keeps to that.
    pub(crate) fn first_run_behind(&self, version: VersionId) -> Result<Option<Run>, StudioError> {
        let store = self.store();
        let mut at = Some(version);
        while let Some(version) = at {
            let version = store.versions().get(version)?;
            let Some((run, _)) = version.made_by else {
                at = version.parent;
                continue;
            };
            let run = store.runs().get(run)?;
            let turn = store.turns().get(run.turn)?.request;
            if turn.kind == TurnKind::Create || is_traced(&run) {
                return Ok(Some(run));
            }
            at = turn.parent_version;
        }
        Ok(None)
    }
}

/// Whether the page of a run comes from its own picture, whatever was there before.
pub(crate) fn is_traced(run: &Run) -> bool {
    let is_offline = |name: &str| EngineChoice::parse(name).is_ok_and(|engine| engine.is_offline());
    run.variants.iter().all(|variant| is_offline(&variant.engine))
}

fn stack_of(run: &Run) -> Option<Stack> {
    let named = run.request["stack"].as_str().and_then(Stack::parse);
    named.or_else(|| Some(if is_traced(run) { Stack::HtmlCss } else { Stack::default() }))
}
