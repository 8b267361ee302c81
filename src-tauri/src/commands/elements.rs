//! Elements of pages, looked at and changed by hand.

use facsimile_agent::project::address::{Change, Pick};
use facsimile_agent::{ProjectId, ProjectPath, VersionId};
use facsimile_studio::{ElementView, Reach, StandingView, Studio};
use serde::{Deserialize, Serialize};
use tauri::{AppHandle, State};
use ts_rs::TS;

use super::with_studio;
use crate::error::CommandError;
use crate::events;

/// A change by hand.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ElementChange {
    project_id: ProjectId,
    /// The page of the open version.
    path: ProjectPath,
    /// The element, as it was picked.
    pick: Pick,
    /// What is to be different.
    change: Change,
    /// Which elements it is made to.
    reach: Reach,
}

/// What a change by hand gave.
#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ElementChanged {
    /// The version that holds it, open now.
    version_id: VersionId,
    /// Where the project stands.
    standing: StandingView,
    /// The element as it is named in that version.
    pick: Pick,
    /// How many elements are different.
    changed: usize,
}

/// What there is to say about an element of a version's page.
#[tauri::command]
pub async fn describe_element(
    studio: State<'_, Studio>,
    project_id: ProjectId,
    version_id: VersionId,
    path: ProjectPath,
    pick: Pick,
) -> Result<ElementView, CommandError> {
    with_studio(&studio, move |studio| studio.element(project_id, version_id, &path, &pick)).await
}

/// Changes one element of the open page, or all alike; what it gives is a new version that is open.
#[tauri::command]
pub async fn change_element(
    app: AppHandle,
    studio: State<'_, Studio>,
    change: ElementChange,
) -> Result<ElementChanged, CommandError> {
    let ElementChange { project_id, path, pick, change, reach } = change;
    let changed = with_studio(&studio, move |studio| {
        let edited = studio.change_element(project_id, &path, &pick, &change, reach)?;
        let standing = studio.store().steps().standing(project_id)?.into();
        Ok(ElementChanged {
            version_id: edited.version,
            standing,
            pick: edited.pick,
            changed: edited.changed,
        })
    })
    .await?;
    events::look_at_edit(&app, project_id, changed.version_id);
    Ok(changed)
}
