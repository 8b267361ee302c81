//! How far a task is, by how far its pieces are.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use facsimile_agent::ports::TaskStage;
use facsimile_store::{TaskProgress, TaskResult};

use crate::tasks::TaskHand;

/// Something to know about the pieces, found out while they are made.
#[derive(Clone, Default)]
pub(super) struct Remark(Arc<Mutex<Option<&'static str>>>);

impl Remark {
    pub(super) fn is(&self, words: &'static str) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(words);
    }

    fn words(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).map(str::to_owned)
    }
}

/// Shows the progress of a task. Clones speak of the same one.
#[derive(Clone)]
pub(super) struct Progress {
    hand: TaskHand,
    notice: Remark,
    told: Arc<Mutex<Told>>,
}

/// Where the pieces are, and what was last shown of it.
struct Told {
    pieces: Vec<Way>,
    shown: Option<TaskProgress>,
}

/// Where a piece is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    At(TaskStage),
    Ended,
}

impl Progress {
    /// The progress of a task with these results, none of which has begun but those that are there.
    pub(super) fn of(results: &[TaskResult], hand: TaskHand, notice: Remark) -> Self {
        let way = |result: &TaskResult| match result.asset {
            Some(_) => Way::Ended,
            None => Way::At(TaskStage::Waiting),
        };
        let told = Told { pieces: results.iter().map(way).collect(), shown: None };
        Self { hand, notice, told: Arc::new(Mutex::new(told)) }
    }

    /// A piece has come to a stage.
    pub(super) fn is_at(&self, piece: usize, stage: TaskStage) {
        self.moves(piece, Way::At(stage));
    }

    /// A piece is there, or will not come.
    pub(super) fn has_ended(&self, piece: usize) {
        self.moves(piece, Way::Ended);
    }

    /// Shows how far the task is, unless that was shown already.
    pub(super) fn show(&self) {
        self.show_of(self.told());
    }

    fn moves(&self, piece: usize, way: Way) {
        let mut told = self.told();
        if let Some(held) = told.pieces.get_mut(piece) {
            *held = way;
        }
        self.show_of(told);
    }

    fn show_of(&self, mut told: MutexGuard<'_, Told>) {
        let ended = told.pieces.iter().filter(|way| **way == Way::Ended).count();
        let progress = TaskProgress {
            stage: stage_of(&told.pieces).name().to_owned(),
            done: u32::try_from(ended).unwrap_or(u32::MAX),
            total: u32::try_from(told.pieces.len()).unwrap_or(u32::MAX),
            notice: self.notice.words(),
        };
        if told.shown.as_ref() == Some(&progress) {
            return;
        }
        told.shown = Some(progress.clone());
        if let Err(error) = self.hand.progress(progress) {
            tracing::warn!(%error, "the progress of a task was not saved");
        }
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The stage of a task: that of the piece in work that is least far.
fn stage_of(pieces: &[Way]) -> TaskStage {
    let open = || pieces.iter().filter_map(|way| if let Way::At(stage) = way { Some(*stage) } else { None });
    let in_work = open().filter(|stage| *stage > TaskStage::Waiting).min();
    in_work.or_else(|| open().next()).unwrap_or(TaskStage::Placing)
}

#[cfg(test)]
mod tests {
    use super::TaskStage::{BeingMade, Downloading, Placing, Sending, Waiting};
    use super::*;

    #[test]
    fn a_task_is_where_the_least_of_its_pieces_in_work_is() {
        let at = |stages: &[TaskStage]| stage_of(&stages.iter().copied().map(Way::At).collect::<Vec<_>>());
        assert_eq!(
            [
                at(&[Waiting, Waiting]),
                at(&[Waiting, Downloading, BeingMade]),
                at(&[Placing]),
                stage_of(&[Way::Ended, Way::At(Sending)]),
                stage_of(&[Way::Ended, Way::At(Waiting)]),
                stage_of(&[Way::Ended; 2]),
            ],
            [Waiting, BeingMade, Placing, Sending, Waiting, Placing]
        );
    }
}
