//! Where changes of tasks are told: in the record of the run while it goes on, and to everybody who watches.
//!
//! Nothing follows the end of a run in its record. A task that outlives its run is told of to the watchers alone, and
//! its row says the rest to whoever asks later.

use std::sync::{Arc, Mutex, PoisonError};

use facsimile_store::Task;
use tokio::sync::mpsc;

use crate::studio::LiveRuns;

/// Every change of a task from now on.
pub type TaskWatch = mpsc::UnboundedReceiver<Task>;

/// Tells of tasks. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Bulletin {
    live: LiveRuns,
    watchers: Arc<Mutex<Vec<mpsc::UnboundedSender<Task>>>>,
}

impl Bulletin {
    pub(crate) fn over(live: LiveRuns) -> Self {
        Self { live, watchers: Arc::default() }
    }

    pub(crate) fn watch(&self) -> TaskWatch {
        let (sender, watch) = mpsc::unbounded_channel();
        self.watchers.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
        watch
    }

    pub(crate) fn tell(&self, task: &Task) {
        let recorder = task.made_by.and_then(|(run, _)| self.live.recorder_of(run));
        if let Some((recorder, (_, variant))) = recorder.zip(task.made_by) {
            recorder.task_changed(variant, task);
        }
        let mut watchers = self.watchers.lock().unwrap_or_else(PoisonError::into_inner);
        watchers.retain(|watcher| watcher.send(task.clone()).is_ok());
    }
}
