//! The room that talks: conversations with the models of four vendors' dialects.
//!
//! A [`Connector`] begins a conversation with a model at an [`Endpoint`] and gives it as the agent's
//! `ProviderSession`; the `studio` room calls it, once per variant. Each dialect is four pure parts: `wire`
//! (names), `request` (conversation to body), `stream` (events to reply) and `session` (how it is asked).
//! Only `http` opens a connection.

pub mod anthropic;
pub mod catalog;
pub mod connect;
pub mod conversation;
pub mod draft;
pub mod endpoint;
pub mod error;
pub mod gemini;
pub mod guarded;
mod halves;
pub mod http;
pub mod image_tokens;
pub mod images;
pub mod media;
mod memory;
pub mod openai_chat;
pub mod openai_responses;
pub mod optional;
pub mod past;
pub mod pricing;
pub mod probe;
pub mod session;
pub mod sse;
pub mod usage;

pub use catalog::{Catalog, Effort, ModelFacts};
pub use connect::{ConnectSpec, Connector};
pub use endpoint::{AddressRefused, BaseAddress, Endpoint, Family, Flavour, PRESETS, Preset};
pub use error::Rejection;
pub use facsimile_agent::Secret;
pub use guarded::{FetchRefused, GuardedClient};
pub use past::Past;
pub use probe::{Found, ListedModel};
