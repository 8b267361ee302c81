//! What a work holds while it works.

use std::sync::Arc;

use facsimile_agent::{ProjectId, TaskId};
use facsimile_store::{NewAsset, StoreError, TaskProgress};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::TaskDesk;

/// What a work has in its hand: how to show progress, where to put results, and when to stop.
#[derive(Clone)]
pub struct TaskHand {
    pub(super) desk: TaskDesk,
    pub(super) project: ProjectId,
    pub(super) id: TaskId,
    pub(super) cancel: CancellationToken,
    pub(super) stirred: Arc<Notify>,
}

impl TaskHand {
    /// Says that the task is to stop.
    pub fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Says that it waits for its turn somewhere and is not stuck.
    pub fn waits(&self) {
        self.stirred.notify_one();
    }

    /// Shows how far it is. After the end it changes nothing.
    pub fn progress(&self, progress: TaskProgress) -> Result<(), StoreError> {
        self.stirred.notify_one();
        if self.desk.inner.store.tasks().progress(self.project, self.id, progress)? {
            self.desk.tell(self.project, self.id);
        }
        Ok(())
    }

    /// Puts a picture where pages look for the result at this place, counted from 0. After the end it changes nothing.
    pub fn keep(&self, place: usize, label: &str, picture: NewAsset) -> Result<(), StoreError> {
        self.stirred.notify_one();
        let store = &self.desk.inner.store;
        let asset = store.assets().put_for(self.project, label, picture)?;
        if store.tasks().keep_result(self.project, self.id, place, &asset.id)? {
            self.desk.tell(self.project, self.id);
        }
        Ok(())
    }
}
