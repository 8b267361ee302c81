//! What the window shows of models, keys and endpoints.

use facsimile_agent::DEFAULT_CAP_USD;
use facsimile_providers::{Catalog, Endpoint, ListedModel, PRESETS};
use facsimile_store::{HistoryStore, KeyId};
use facsimile_vision::Layout;
use serde::Serialize;
use ts_rs::TS;

use crate::endpoints::SavedEndpoint;
use crate::error::StudioError;
use crate::keys::{KeyRoll, KeyStatus};
use crate::makers::ImageSettings;
use crate::models::{EngineChoice, ModelChoice, Provider};
use crate::studio::Studio;
use crate::view::EngineView;

const SPEND_CAP: &str = "spendCapUsd";
const CHOSEN_ENGINES: &str = "chosenEngines";
const KEYS_SET: &str = "keysSet";

/// A model as a person can choose it.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(optional_fields)]
pub struct ModelView {
    /// The engine's name, for a run.
    pub engine: String,
    /// The provider: `openai`, `anthropic`, `gemini` or `chat`.
    pub provider: String,
    /// The model's id.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Dollars for a million tokens of input; none where no price is known.
    pub input_price: Option<f64>,
    /// Dollars for a million tokens of output.
    pub output_price: Option<f64>,
}

/// A server that people are likely to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PresetView {
    /// What it is called.
    pub name: &'static str,
    /// The address it usually has; a part in braces is to be filled in.
    pub address: &'static str,
    /// Whether it does nothing without a key.
    pub needs_key: bool,
    /// What to check when it does not answer.
    pub hint: &'static str,
}

/// What a test of a provider found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TestView {
    /// Whether a run can work.
    pub ok: bool,
    /// What was found, or the server's own words.
    pub message: String,
}

/// Everything the settings of models show.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelSettings {
    /// Every key there could be.
    pub keys: Vec<KeyStatus>,
    /// Whether a key that is set now outlives the program.
    pub keys_last: bool,
    /// The endpoints the person added.
    pub endpoints: Vec<SavedEndpoint>,
    /// Servers to choose from when adding one.
    pub presets: Vec<PresetView>,
    /// The engines to choose from.
    pub engines: Vec<EngineView>,
    /// Models of the vendors that are known without asking.
    pub models: Vec<ModelView>,
    /// What a run may cost in dollars; 0 for no cap.
    pub spend_cap_usd: f64,
    /// When the table of prices was made.
    pub prices_of: String,
    /// Whether pictures are made, and with what.
    pub images: ImageSettings,
}

impl Studio {
    /// Everything the settings of models show. Blocks for the keychain.
    pub fn model_settings(&self) -> Result<ModelSettings, StudioError> {
        self.model_settings_with(self.key_roll()?)
    }

    /// The same with what is remembered of keys, for a window that opens: the keychain could wait for a person.
    pub fn remembered_model_settings(&self) -> Result<ModelSettings, StudioError> {
        self.model_settings_with(self.remembered_roll()?)
    }

    fn model_settings_with(&self, roll: KeyRoll) -> Result<ModelSettings, StudioError> {
        let catalog = self.catalog()?;
        let vendors = Provider::ALL.into_iter().filter(|provider| provider.key().is_some());
        let models = vendors.flat_map(|provider| {
            catalog.models(provider.family()).map(move |facts| {
                let choice = ModelChoice { provider, endpoint: None, model: facts.id.clone() };
                ModelView {
                    engine: EngineChoice::Model(choice).to_string(),
                    provider: provider.as_str().to_owned(),
                    id: facts.id.clone(),
                    name: facts.id.clone(),
                    input_price: facts.price.map(|price| price.input),
                    output_price: facts.price.map(|price| price.output),
                }
            })
        });
        let presets = PRESETS.iter().map(|preset| PresetView {
            name: preset.name,
            address: preset.address,
            needs_key: preset.needs_key,
            hint: preset.hint,
        });
        Ok(ModelSettings {
            keys: roll.statuses,
            keys_last: roll.keys_last,
            endpoints: self.endpoints()?,
            presets: presets.collect(),
            engines: self.engine_views()?,
            models: models.collect(),
            spend_cap_usd: self.spend_cap_usd()?,
            prices_of: catalog.date.clone(),
            images: self.image_settings(),
        })
    }

    /// The engines to choose from, the one that is taken unasked first: the usual model of every vendor that a
    /// key was set for, the models the person chose, and the tracer. Asks no keychain: that could wait for a
    /// person, and the window opens without.
    pub fn engine_views(&self) -> Result<Vec<EngineView>, StudioError> {
        let endpoints = self.endpoints()?;
        let mut choices: Vec<EngineChoice> = Vec::new();
        let with_key = self.vendors_with_key()?;
        for provider in Provider::ALL.into_iter().filter(|provider| with_key.contains(provider)) {
            let model = provider.usual_model().map(str::to_owned);
            choices.extend(
                model.map(|model| EngineChoice::Model(ModelChoice { provider, endpoint: None, model })),
            );
        }
        let chosen: Vec<String> = self.kept_list(CHOSEN_ENGINES)?;
        for choice in chosen.iter().filter_map(|name| EngineChoice::parse(name).ok()) {
            let is_there = match &choice {
                EngineChoice::Offline(_) => false,
                EngineChoice::Model(model) => match &model.endpoint {
                    Some(id) => endpoints.iter().any(|endpoint| endpoint.id == *id),
                    None => with_key.contains(&model.provider),
                },
            };
            if is_there && !choices.contains(&choice) {
                choices.push(choice);
            }
        }
        choices.push(EngineChoice::OFFLINE);
        Ok(choices.iter().map(|choice| engine_view(choice, &endpoints)).collect())
    }

    /// Keeps the models that are offered beside the usual ones.
    pub fn choose_engines(&self, engines: &[String]) -> Result<Vec<EngineView>, StudioError> {
        for name in engines {
            EngineChoice::parse(name)?;
        }
        // One whose vendor has no key at the moment is not shown, and comes back with the key.
        let with_key = self.vendors_with_key()?;
        let is_waiting = |name: &String| match EngineChoice::parse(name) {
            Ok(EngineChoice::Model(ModelChoice { provider, endpoint: None, .. })) => {
                provider.key().is_some() && !with_key.contains(&provider)
            }
            // Another version of the program may know it.
            Err(_) => true,
            Ok(_) => false,
        };
        let mut kept = engines.to_vec();
        let before: Vec<String> = self.kept_list(CHOSEN_ENGINES)?;
        kept.extend(before.into_iter().filter(|name| is_waiting(name) && !engines.contains(name)));
        self.keep_list(CHOSEN_ENGINES, &kept)?;
        self.engine_views()
    }

    /// The vendors that a key was set for, here or in the environment.
    pub(super) fn vendors_with_key(&self) -> Result<Vec<Provider>, StudioError> {
        let kept: Vec<String> = self.kept_list(KEYS_SET)?;
        let has_key = |provider: &Provider| {
            let Some(id) = provider.key() else { return false };
            kept.contains(&id.to_string())
                || self.keys().is_held(&id)
                || self.keys().in_environment(super::vendor_variable(&id)).is_some()
        };
        Ok(Provider::ALL.into_iter().filter(has_key).collect())
    }

    pub(super) fn was_key_set(&self, id: &KeyId) -> Result<bool, StudioError> {
        was_key_set(self.store(), id)
    }

    /// Remembers whether a key was set, so that the start screen need not ask the keychain.
    pub(crate) fn note_key(&self, id: &KeyId, is_set: bool) -> Result<(), StudioError> {
        let mut kept: Vec<String> = self.kept_list(KEYS_SET)?;
        let name = id.to_string();
        if kept.contains(&name) == is_set {
            return Ok(());
        }
        kept.retain(|other| *other != name);
        if is_set {
            kept.push(name);
        }
        self.keep_list(KEYS_SET, &kept)
    }

    /// What a run may cost in dollars where it does not say so itself; 0 for no cap.
    pub fn spend_cap_usd(&self) -> Result<f64, StudioError> {
        let kept: Option<f64> = self.store().settings().get(SPEND_CAP)?;
        Ok(kept.filter(|cap| cap.is_finite() && *cap >= 0.0).unwrap_or(DEFAULT_CAP_USD))
    }

    /// Keeps the cap of runs that do not say one themselves.
    pub fn save_spend_cap(&self, cap_usd: f64) -> Result<(), StudioError> {
        if !cap_usd.is_finite() || cap_usd < 0.0 {
            return Err(crate::run::request::RequestRefused::NoAmount.into());
        }
        Ok(self.store().settings().set(SPEND_CAP, &cap_usd)?)
    }
}

/// Whether a key was set here. Asks no keychain.
pub(crate) fn was_key_set(store: &HistoryStore, id: &KeyId) -> Result<bool, StudioError> {
    let kept: Vec<serde_json::Value> = store.settings().get(KEYS_SET)?.unwrap_or_default();
    Ok(kept.contains(&serde_json::Value::from(id.to_string())))
}

fn engine_view(choice: &EngineChoice, endpoints: &[SavedEndpoint]) -> EngineView {
    let (label, local) = match choice {
        EngineChoice::Offline(Layout::Flowing) => ("Offline tracer".to_owned(), true),
        EngineChoice::Offline(Layout::Pinned) => ("Offline tracer, exact positions".to_owned(), true),
        EngineChoice::Model(model) => {
            let own = endpoints.iter().find(|endpoint| Some(&endpoint.id) == model.endpoint.as_ref());
            let is_local =
                own.and_then(|endpoint| endpoint.place().ok()).is_some_and(|place| place.base.is_loopback());
            let name = own.map_or_else(
                || model.model.clone(),
                |endpoint| format!("{} ({})", model.model, endpoint.name),
            );
            (name, is_local)
        }
    };
    EngineView { id: choice.to_string(), label, ready: true, local }
}

pub(super) fn model_view(
    catalog: &Catalog,
    endpoint: &Endpoint,
    provider: Provider,
    saved: Option<String>,
    model: ListedModel,
) -> ModelView {
    let facts = catalog.model(provider.family(), &model.id);
    // Another host has prices of its own.
    let price = facts.price.filter(|_| endpoint.is_vendor());
    let choice = ModelChoice { provider, endpoint: saved, model: model.id.clone() };
    ModelView {
        engine: EngineChoice::Model(choice).to_string(),
        provider: provider.as_str().to_owned(),
        name: model.display_name.unwrap_or_else(|| model.id.clone()),
        id: model.id,
        input_price: price.map(|price| price.input),
        output_price: price.map(|price| price.output),
    }
}
