//! What the preview frame is fed with.

use facsimile_agent::{ProjectPath, RunId, VariantIndex};
use facsimile_studio::Studio;
use facsimile_studio::preview::{PreviewSource, PreviewWhole};
use tauri::{State, WebviewWindow};

use super::with_studio;
use crate::error::CommandError;
use crate::window::page::{Following, PAGE};

/// Everything a frame should hold of a page, for one that has missed something. The window of the page reads no
/// other page than the one it shows.
#[tauri::command]
pub async fn preview_text(
    window: WebviewWindow,
    studio: State<'_, Studio>,
    source: State<'_, PreviewSource>,
    following: State<'_, Following>,
    run_id: RunId,
    variant_index: VariantIndex,
    path: ProjectPath,
) -> Result<PreviewWhole, CommandError> {
    let source = PreviewSource::clone(&source);
    let shown = path.clone();
    let may_read = window.label() != PAGE || following.shows(run_id, variant_index);
    let read = move |_: &Studio| Ok(source.whole_text(run_id, variant_index, &path).filter(|_| may_read));
    let whole = with_studio(&studio, read).await?;
    whole.ok_or_else(|| CommandError::new("not_there", format!("There is no page {shown} in this run.")))
}
