//! What was read of screenshots, kept with their project: reading takes seconds and gives the same every time.

use facsimile_agent::{AssetId, ProjectId};
use facsimile_store::HistoryStore;
use facsimile_vision::{Facts, Raster, TraceError, Tracer, Watch};

/// Another reader finds other things: raised whenever the tracer changes what it finds.
const READER: u32 = 1;

/// The facts of a screenshot of this project, read now if they never were.
pub(crate) fn facts_of(
    store: &HistoryStore,
    project: ProjectId,
    asset: &AssetId,
    raster: &Raster,
    tracer: &Tracer,
    watch: &mut Watch<'_>,
) -> Result<Facts, TraceError> {
    if let Some(facts) = kept_facts(store, project, asset) {
        return Ok(facts);
    }
    let facts = tracer.trace(raster, watch)?;
    if let Err(error) = store.project_values().set(project, &key_of(asset), &facts) {
        tracing::warn!(%error, "what was read of a screenshot is not kept");
    }
    Ok(facts)
}

/// What was read of a screenshot of this project, if it was.
pub(crate) fn kept_facts(store: &HistoryStore, project: ProjectId, asset: &AssetId) -> Option<Facts> {
    let kept = store.project_values().get::<Facts>(project, &key_of(asset));
    kept.unwrap_or_else(|error| {
        tracing::warn!(%error, "what was read of a screenshot is not there any more");
        None
    })
}

fn key_of(asset: &AssetId) -> String {
    format!("facts/{READER}/{}", asset.as_str())
}
