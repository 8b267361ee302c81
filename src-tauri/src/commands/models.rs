//! Models, keys and endpoints. A key goes in and never comes out again.

use facsimile_studio::view::EngineView;
use facsimile_studio::{ImageSettings, KeyStatus, ModelSettings, ModelView, SavedEndpoint, Studio, TestView};
use serde::Deserialize;
use tauri::State;
use ts_rs::TS;

use super::with_studio;
use crate::error::CommandError;

/// Who is asked about keys.
#[derive(Debug, Clone, Copy, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum Asking {
    /// The keychain, which may wait for a person.
    Keychain,
    /// What is remembered of it.
    Memory,
}

/// Everything the settings of models show.
#[tauri::command]
pub async fn model_settings(
    studio: State<'_, Studio>,
    asking: Asking,
) -> Result<ModelSettings, CommandError> {
    let settings = match asking {
        Asking::Keychain => Studio::model_settings,
        Asking::Memory => Studio::remembered_model_settings,
    };
    with_studio(&studio, settings).await
}

/// Keeps a key and tells where it is now.
#[tauri::command]
pub async fn set_key(
    studio: State<'_, Studio>,
    provider: String,
    key: String,
) -> Result<KeyStatus, CommandError> {
    with_studio(&studio, move |studio| studio.set_key(&provider, key)).await
}

/// Forgets a key and tells what is left.
#[tauri::command]
pub async fn remove_key(studio: State<'_, Studio>, provider: String) -> Result<KeyStatus, CommandError> {
    with_studio(&studio, move |studio| studio.remove_key(&provider)).await
}

/// Whether a provider or an endpoint answers, in its own words.
#[tauri::command]
pub async fn test_provider(
    studio: State<'_, Studio>,
    provider: String,
    model: Option<String>,
) -> Result<TestView, CommandError> {
    Ok(studio.test_provider(&provider, None, model.as_deref()).await?)
}

/// The models a provider or an endpoint lists itself.
#[tauri::command]
pub async fn list_models(
    studio: State<'_, Studio>,
    provider: String,
) -> Result<Vec<ModelView>, CommandError> {
    Ok(studio.models_of(&provider, None).await?)
}

/// Keeps an endpoint, new or changed.
#[tauri::command]
pub async fn save_endpoint(
    studio: State<'_, Studio>,
    endpoint: SavedEndpoint,
) -> Result<SavedEndpoint, CommandError> {
    with_studio(&studio, move |studio| studio.save_endpoint(endpoint)).await
}

/// Forgets an endpoint and its key.
#[tauri::command]
pub async fn remove_endpoint(studio: State<'_, Studio>, id: String) -> Result<(), CommandError> {
    with_studio(&studio, move |studio| studio.remove_endpoint(&id)).await
}

/// Keeps the models that are offered beside the usual ones, and gives what is offered now.
#[tauri::command]
pub async fn choose_engines(
    studio: State<'_, Studio>,
    engines: Vec<String>,
) -> Result<Vec<EngineView>, CommandError> {
    with_studio(&studio, move |studio| studio.choose_engines(&engines)).await
}

/// Keeps what a run may cost.
#[tauri::command]
pub async fn save_spend_cap(studio: State<'_, Studio>, cap_usd: f64) -> Result<(), CommandError> {
    with_studio(&studio, move |studio| studio.save_spend_cap(cap_usd)).await
}

/// Switches the making of pictures on or off, chooses its model, and gives what holds now.
#[tauri::command]
pub async fn save_image_settings(
    studio: State<'_, Studio>,
    is_on: bool,
    model: String,
) -> Result<ImageSettings, CommandError> {
    with_studio(&studio, move |studio| studio.save_image_settings(is_on, &model)).await
}
