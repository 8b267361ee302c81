//! What the preview frame is fed with.

use facsimile_agent::{ProjectPath, RunId, VariantIndex};
use facsimile_studio::Studio;
use facsimile_studio::preview::{PreviewSource, PreviewWhole};
use tauri::State;

use super::with_studio;
use crate::error::CommandError;

/// Everything a frame should hold of a page, for one that has missed something.
#[tauri::command]
pub async fn preview_text(
    studio: State<'_, Studio>,
    source: State<'_, PreviewSource>,
    run_id: RunId,
    variant_index: VariantIndex,
    path: ProjectPath,
) -> Result<PreviewWhole, CommandError> {
    let source = PreviewSource::clone(&source);
    let shown = path.clone();
    let whole = with_studio(&studio, move |_| Ok(source.whole_text(run_id, variant_index, &path))).await?;
    whole.ok_or_else(|| CommandError::new("not_there", format!("There is no page {shown} in this run.")))
}
