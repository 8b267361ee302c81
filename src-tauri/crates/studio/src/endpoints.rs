//! Endpoints the person added beside the vendors: a server on this machine, a gateway, a deployment.

use facsimile_agent::ErrorKind;
use facsimile_providers::{AddressRefused, Endpoint};
use facsimile_store::KeyId;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::error::StudioError;
use crate::models::Provider;
use crate::studio::Studio;

const SETTING: &str = "endpoints";
/// More than anybody has; keeps a broken caller from filling the settings.
const MAX_ENDPOINTS: usize = 50;
const MAX_NAME_CHARS: usize = 60;

/// A deployment at Azure OpenAI.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AzureDeployment {
    /// The deployment's name.
    pub deployment: String,
    /// The version of the API, such as `2025-04-01-preview`.
    pub api_version: String,
}

/// An endpoint as it is kept. Its key is in the keychain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(optional_fields)]
pub struct SavedEndpoint {
    /// Its id; empty for a new one.
    #[serde(default)]
    pub id: String,
    /// What the person calls it.
    pub name: String,
    /// The dialect spoken there: `openai`, `anthropic`, `gemini` or `chat`.
    pub provider: String,
    /// Its address as it was given.
    pub address: String,
    /// Set for a deployment at Azure OpenAI, whose resource is the address then.
    #[serde(default)]
    pub azure: Option<AzureDeployment>,
}

/// Why an endpoint cannot be kept or used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointRefused {
    /// It has no name.
    #[error("an endpoint needs a name of 1 to {MAX_NAME_CHARS} characters")]
    Name,
    /// It speaks a dialect that does not exist.
    #[error("{0:?} is no kind of endpoint; use openai, anthropic, gemini or chat")]
    Provider(String),
    /// Its address is none.
    #[error(transparent)]
    Address(#[from] AddressRefused),
    /// There are too many.
    #[error("there are {MAX_ENDPOINTS} endpoints already; remove one first")]
    TooMany,
    /// There is none with this id.
    #[error("there is no endpoint {0}; it may have been removed in the settings")]
    Missing(String),
}

impl EndpointRefused {
    pub(crate) fn kind(&self) -> ErrorKind {
        ErrorKind::BadRequest
    }
}

impl SavedEndpoint {
    /// Where its key is kept.
    pub(crate) fn key(&self) -> KeyId {
        KeyId::Endpoint(self.id.clone())
    }

    /// Whose dialect it speaks.
    pub(crate) fn speaks(&self) -> Result<Provider, EndpointRefused> {
        Provider::parse(&self.provider).ok_or_else(|| EndpointRefused::Provider(self.provider.clone()))
    }

    /// The place that answers.
    pub(crate) fn place(&self) -> Result<Endpoint, EndpointRefused> {
        match &self.azure {
            Some(azure) => Ok(Endpoint::azure(&self.address, &azure.deployment, &azure.api_version)?),
            None => Ok(Endpoint::custom(self.speaks()?.family(), &self.address)?),
        }
    }
}

impl Studio {
    /// The endpoints the person added, in the order they were added.
    pub fn endpoints(&self) -> Result<Vec<SavedEndpoint>, StudioError> {
        self.kept_list(SETTING)
    }

    /// Keeps an endpoint, new or changed, and gives it as it is kept.
    pub fn save_endpoint(&self, endpoint: SavedEndpoint) -> Result<SavedEndpoint, StudioError> {
        let name = endpoint.name.split_whitespace().collect::<Vec<_>>().join(" ");
        if name.is_empty() || name.chars().count() > MAX_NAME_CHARS {
            return Err(EndpointRefused::Name.into());
        }
        let mut endpoint = SavedEndpoint { name, address: endpoint.address.trim().to_owned(), ..endpoint };
        endpoint.place()?;
        let mut all = self.endpoints()?;
        let is_full = all.len() >= MAX_ENDPOINTS;
        match all.iter_mut().find(|kept| kept.id == endpoint.id) {
            Some(kept) => {
                // A key was given for one host; another host must not get it.
                if kept.place() != endpoint.place() {
                    self.keys().remove(&kept.key())?;
                    self.note_key(&kept.key(), false)?;
                }
                kept.clone_from(&endpoint);
            }
            None if !endpoint.id.is_empty() => return Err(EndpointRefused::Missing(endpoint.id).into()),
            None if is_full => return Err(EndpointRefused::TooMany.into()),
            None => {
                endpoint.id = uuid::Uuid::now_v7().to_string();
                all.push(endpoint.clone());
            }
        }
        self.keep_list(SETTING, &all)?;
        Ok(endpoint)
    }

    /// Forgets an endpoint and its key; one that is not there is forgotten already.
    pub fn remove_endpoint(&self, id: &str) -> Result<(), StudioError> {
        let mut all = self.endpoints()?;
        if let Some(at) = all.iter().position(|kept| kept.id == id) {
            let key = all.remove(at).key();
            self.keys().remove(&key)?;
            self.note_key(&key, false)?;
            self.keep_list(SETTING, &all)?;
        }
        Ok(())
    }

    pub(crate) fn endpoint(&self, id: &str) -> Result<SavedEndpoint, StudioError> {
        let found = self.endpoints()?.into_iter().find(|endpoint| endpoint.id == id);
        found.ok_or_else(|| EndpointRefused::Missing(id.to_owned()).into())
    }
}
