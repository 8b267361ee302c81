//! What the tools of a variant need from other rooms, over the store, the tasks, the pictures and the models.

mod board;
mod cutter;
mod finder;
mod shelf;

use std::sync::Arc;

use facsimile_agent::ports::{BoxFinder, Ports};
use facsimile_agent::{ProjectId, RunId, SpendCap, ToolFailure, VariantIndex};
use tokio_util::sync::CancellationToken;

use crate::connect::Connection;
use crate::studio::Studio;
use board::VariantBoard;
use finder::FindsBoxes;

/// For whom the ports are.
pub(crate) struct PortsOf {
    pub(crate) project: ProjectId,
    pub(crate) run: RunId,
    pub(crate) variant: VariantIndex,
    /// What the run may spend in all; 0 is no cap.
    pub(crate) cap_usd: f64,
    pub(crate) spend: SpendCap,
    /// The model of the variant; the tracer has none.
    pub(crate) connection: Option<Connection>,
    pub(crate) cancel: CancellationToken,
}

impl Studio {
    /// The ports of a variant.
    pub(crate) fn ports(&self, of: PortsOf) -> Ports {
        let PortsOf { project, run, variant, cap_usd, spend, connection, cancel } = of;
        let store = self.store().clone();
        let finder = connection.map(|connection| -> Arc<dyn BoxFinder> {
            Arc::new(FindsBoxes { connection, connector: Arc::clone(self.connector()), spend })
        });
        let board = VariantBoard::new(self.tasks().clone(), store.clone(), project, (run, variant), cap_usd);
        let board = board.waiting_at_most(self.makers().longest_wait()).stopped_by(cancel);
        Ports {
            shelf: Some(Arc::new(shelf::ProjectShelf { store, project })),
            tasks: Some(Arc::new(board)),
            segmenter: Some(Arc::new(cutter::Cutter)),
            box_finder: finder,
            ..Ports::default()
        }
    }
}

/// Work that takes its time, off the threads that carry events.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolFailure> + Send + 'static,
) -> Result<T, ToolFailure> {
    let lost = |_| ToolFailure::new("the program met an error of its own; try again");
    tokio::task::spawn_blocking(work).await.map_err(lost)?
}

/// An error of another room, for the model.
fn sorry(error: &dyn std::fmt::Display) -> ToolFailure {
    ToolFailure::new(error.to_string())
}
