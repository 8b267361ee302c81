//! From an engine's name to the place that answers, with its key: everything that can be refused before a run.

mod view;

use facsimile_agent::Secret;
use facsimile_providers::endpoint::ENDPOINT_KEY_VARIABLE;
use facsimile_providers::pricing::Pricing;
use facsimile_providers::{Catalog, Endpoint, Found, ModelFacts};
use facsimile_store::KeyId;
use serde::Serialize;

use crate::error::StudioError;
use crate::keys::{KeyRoll, KeyState, KeyStatus, pasted_key};
use crate::models::{EngineChoice, EngineRefused, ModelChoice, Provider};
use crate::run::request::RunRequest;
use crate::studio::Studio;
use view::model_view;
pub(crate) use view::was_key_set;
pub use view::{ModelSettings, ModelView, PresetView, TestView};

/// The file in the data folder with the person's own rows of models and prices.
pub const MODELS_FILE: &str = "models.json";

/// An address given for this call only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GivenAddress {
    /// For which provider; none means for all.
    pub provider: Option<Provider>,
    /// The address.
    pub url: String,
}

impl GivenAddress {
    /// Reads `[PROVIDER=]URL`.
    pub fn parse(text: &str) -> Self {
        let split = text.split_once('=').and_then(|(name, url)| Some((Provider::parse(name)?, url)));
        match split {
            Some((provider, url)) => Self { provider: Some(provider), url: url.to_owned() },
            None => Self { provider: None, url: text.to_owned() },
        }
    }
}

/// A model with everything a conversation with it needs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Connection {
    pub(crate) endpoint: Endpoint,
    pub(crate) key: Option<Secret>,
    pub(crate) model: ModelFacts,
}

impl Studio {
    /// The table of models and prices, with the person's own rows where there are any.
    pub fn catalog(&self) -> Result<Catalog, StudioError> {
        let built_in = Catalog::built_in()?;
        let Some(path) = self.store().folder(MODELS_FILE) else { return Ok(built_in) };
        match std::fs::read_to_string(&path) {
            Ok(table) => {
                built_in.corrected_by(&table).map_err(|source| StudioError::ModelsTable { path, source })
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(built_in),
            Err(source) => Err(StudioError::ModelsFile { path, source }),
        }
    }

    /// The engines of a run for which none were named: the best model that a key was set for, else the tracer.
    /// Asks no keychain: that could wait for a person who only wants a trace.
    pub(crate) fn usual_engines(&self) -> Vec<EngineChoice> {
        let with_key = self.vendors_with_key().unwrap_or_default();
        let model = with_key.into_iter().find_map(|provider| {
            let model = provider.usual_model()?.to_owned();
            Some(EngineChoice::Model(ModelChoice { provider, endpoint: None, model }))
        });
        vec![model.unwrap_or(EngineChoice::OFFLINE)]
    }

    /// The place, the key and the facts of a model.
    pub(crate) fn connection(
        &self,
        choice: &ModelChoice,
        addresses: &[GivenAddress],
    ) -> Result<Connection, StudioError> {
        let (endpoint, key) = self.place(choice, addresses)?;
        let model = self.catalog()?.model(choice.provider.family(), &choice.model);
        let engine = EngineChoice::Model(choice.clone());
        if endpoint.is_vendor() && key.is_none() {
            let name = endpoint.display_name();
            let variable = endpoint.key_variable();
            let why = format!(
                "there is no key for {name}; add one in the settings, with `facsimile keys set {}`, or in {variable}",
                choice.provider.as_str()
            );
            return Err(EngineRefused::unavailable(&engine, why).into());
        }
        Ok(Connection { endpoint, key, model })
    }

    /// The engines of a request whose price nobody knows, so that no cap can hold them.
    pub fn unpriced_engines(&self, request: &RunRequest) -> Result<Vec<String>, StudioError> {
        let mut unpriced = Vec::new();
        let mut pictures = None;
        for name in &request.engines {
            let EngineChoice::Model(choice) = EngineChoice::parse(name)? else { continue };
            // Whatever model works may ask for pictures.
            pictures = self.makers().unpriced();
            let Connection { endpoint, model, .. } = self.connection(&choice, &request.addresses)?;
            if model.pricing_at(&endpoint) == Pricing::Unknown && !unpriced.contains(name) {
                unpriced.push(name.clone());
            }
        }
        unpriced.extend(pictures.map(|vendor| format!("pictures by {vendor}")));
        Ok(unpriced)
    }

    fn place(
        &self,
        choice: &ModelChoice,
        addresses: &[GivenAddress],
    ) -> Result<(Endpoint, Option<Secret>), StudioError> {
        let ModelChoice { provider, .. } = *choice;
        if let Some(id) = &choice.endpoint {
            return self.saved_place(id);
        }
        // A named provider's address goes before one for all.
        let given = addresses.iter().find(|given| given.provider == Some(provider));
        if let Some(given) = given.or_else(|| addresses.iter().find(|given| given.provider.is_none())) {
            let endpoint = Endpoint::custom(provider.family(), &given.url)?;
            let key = match provider.key() {
                // The vendor's own address, spelt out, is the vendor.
                Some(id) if endpoint.is_vendor() => self.keys().get(&id, endpoint.key_variable())?,
                _ => self.keys().in_environment(ENDPOINT_KEY_VARIABLE),
            };
            return Ok((endpoint, key));
        }
        if let (Some(id), Some(endpoint)) = (provider.key(), Endpoint::vendor(provider.family())) {
            let key = self.keys().get(&id, endpoint.key_variable())?;
            return Ok((endpoint, key));
        }
        let endpoints = self.endpoints()?;
        let mut fitting = endpoints.iter().filter(|endpoint| endpoint.provider == provider.as_str());
        match (fitting.next(), fitting.next()) {
            (Some(only), None) => self.saved_place(&only.id),
            (found, _) => {
                let why = match found {
                    None => "it needs an address; give --base-url or add an endpoint in the settings",
                    Some(_) => "there are several endpoints; name one as chat/ID:MODEL or give --base-url",
                };
                Err(EngineRefused::unavailable(&EngineChoice::Model(choice.clone()), why).into())
            }
        }
    }

    fn saved_place(&self, id: &str) -> Result<(Endpoint, Option<Secret>), StudioError> {
        let saved = self.endpoint(id)?;
        // A server on this machine needs no key: it must not wait for a keychain that holds none for it.
        let key = match self.was_key_set(&saved.key())? || self.keys().is_held(&saved.key()) {
            true => self.keys().get(&saved.key(), ENDPOINT_KEY_VARIABLE)?,
            false => self.keys().in_environment(ENDPOINT_KEY_VARIABLE),
        };
        Ok((saved.place()?, key))
    }

    /// What may be told about every key.
    pub fn key_statuses(&self) -> Result<Vec<KeyStatus>, StudioError> {
        Ok(self.key_roll()?.statuses)
    }

    /// Whose keys there could be, and the variables that can hold them.
    fn key_ids(&self) -> Result<Vec<(KeyId, &'static str)>, StudioError> {
        let vendors = KeyId::VENDORS.into_iter().map(|id| {
            let variable = vendor_variable(&id);
            (id, variable)
        });
        let own = self.endpoints()?.into_iter().map(|endpoint| (endpoint.key(), ENDPOINT_KEY_VARIABLE));
        Ok(vendors.chain(own).collect())
    }

    /// What is remembered of every key. Asks no keychain.
    fn remembered_roll(&self) -> Result<KeyRoll, StudioError> {
        let noted = |(id, variable)| Ok::<_, StudioError>((self.was_key_set(&id)?, id, variable));
        let whose = self.key_ids()?.into_iter().map(noted).collect::<Result<Vec<_>, _>>()?;
        Ok(self.keys().remembered(&whose))
    }

    /// Asks for every key, and remembers for the start screen what came of it.
    fn key_roll(&self) -> Result<KeyRoll, StudioError> {
        let whose = self.key_ids()?;
        let roll = self.keys().roll(&whose);
        for ((id, _), status) in whose.iter().zip(&roll.statuses) {
            // What a keychain that could not be asked holds stays as it was remembered.
            let is_known = status.trouble.is_none()
                && matches!(status.state, KeyState::Stored | KeyState::Absent | KeyState::Environment);
            if is_known && let Err(error) = self.note_key(id, status.state == KeyState::Stored) {
                tracing::warn!(%error, "the start screen will not know of a key");
            }
        }
        Ok(roll)
    }

    /// Keeps a key and tells where it is now.
    pub fn set_key(&self, provider: &str, key: String) -> Result<KeyStatus, StudioError> {
        let id = self.key_id(provider)?;
        let parsed = pasted_key(&key);
        drop(Secret::new(key)); // overwritten in memory
        let status = self.keys().set(&id, &parsed?)?;
        self.note_key(&id, status.state == KeyState::Stored)?;
        Ok(status)
    }

    /// Forgets a key and tells what is left: one in the environment stays.
    pub fn remove_key(&self, provider: &str) -> Result<KeyStatus, StudioError> {
        let id = self.key_id(provider)?;
        self.keys().remove(&id)?;
        self.note_key(&id, false)?;
        Ok(self.keys().status(&id, vendor_variable(&id)))
    }

    fn key_id(&self, provider: &str) -> Result<KeyId, StudioError> {
        let id = KeyId::parse(provider).ok_or_else(|| StudioError::NoSuchProvider(provider.to_owned()))?;
        if let KeyId::Endpoint(endpoint) = &id {
            self.endpoint(endpoint)?;
        }
        Ok(id)
    }

    /// The place of a provider's name: a vendor, `endpoint:<id>`, or `chat` with an address.
    fn named_place(
        &self,
        provider: &str,
        address: Option<&str>,
    ) -> Result<(Provider, Option<String>, Endpoint, Option<Secret>), StudioError> {
        if let Some(KeyId::Endpoint(id)) = KeyId::parse(provider) {
            let speaks = self.endpoint(&id)?.speaks()?;
            let (endpoint, key) = self.saved_place(&id)?;
            return Ok((speaks, Some(id), endpoint, key));
        }
        let speaks =
            Provider::parse(provider).ok_or_else(|| StudioError::NoSuchProvider(provider.to_owned()))?;
        let choice = ModelChoice { provider: speaks, endpoint: None, model: "MODEL".to_owned() };
        let addresses: Vec<_> =
            address.map(|url| GivenAddress { provider: None, url: url.to_owned() }).into_iter().collect();
        let (endpoint, key) = self.place(&choice, &addresses)?;
        Ok((speaks, None, endpoint, key))
    }

    /// Whether a provider answers with the key that is there. Never fails for what the provider says.
    pub async fn test_provider(
        &self,
        provider: &str,
        address: Option<&str>,
        model: Option<&str>,
    ) -> Result<TestView, StudioError> {
        if provider == KeyId::Replicate.to_string() {
            return Ok(self.makers().test_replicate().await);
        }
        let (_, _, endpoint, key) = self.named_place(provider, address)?;
        let name = endpoint.display_name();
        let found = self.connector().test(&endpoint, key.as_ref(), model).await;
        Ok(match found {
            Ok(Found::Models(models)) => {
                TestView { ok: true, message: format!("{name} answers and lists {} models", models.len()) }
            }
            Ok(Found::ListRefused) => {
                TestView { ok: true, message: format!("{name} takes the key; it may not list models") }
            }
            Ok(Found::Reply) => TestView { ok: true, message: format!("{name} answers") },
            Ok(Found::NoList) => TestView {
                ok: false,
                message: format!("{name} lists no models; name one, so that it can be tried"),
            },
            Err(error) => {
                let next = error.failure.next_step.map(|step| format!(". {step}")).unwrap_or_default();
                TestView { ok: false, message: format!("{}{next}", error.failure.message) }
            }
        })
    }

    /// The models of a provider, as it lists them itself.
    pub async fn models_of(
        &self,
        provider: &str,
        address: Option<&str>,
    ) -> Result<Vec<ModelView>, StudioError> {
        let (speaks, saved, endpoint, key) = self.named_place(provider, address)?;
        let listed = self.connector().models(&endpoint, key.as_ref()).await?;
        let catalog = self.catalog()?;
        Ok(listed
            .into_iter()
            .map(|model| model_view(&catalog, &endpoint, speaks, saved.clone(), model))
            .collect())
    }
}

pub(crate) fn vendor_variable(id: &KeyId) -> &'static str {
    match id {
        KeyId::OpenAi => "OPENAI_API_KEY",
        KeyId::Anthropic => "ANTHROPIC_API_KEY",
        KeyId::Gemini => "GEMINI_API_KEY",
        KeyId::Replicate => "REPLICATE_API_TOKEN",
        KeyId::Endpoint(_) => ENDPOINT_KEY_VARIABLE,
    }
}
