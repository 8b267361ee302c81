//! What a change is taken for: asked once for all variants of a run, before their conversations begin.

use std::sync::Arc;

use facsimile_agent::modify::router::{IntentCategory, Route};
use facsimile_agent::prompt::{self, Prompt, RoutePrompt};
use facsimile_agent::{Failure, ProjectFiles, SpendCap, TokenUsage, question};
use facsimile_providers::{Catalog, ConnectSpec, Connector, ModelFacts};
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};

use crate::connect::Connection;
use crate::models::Provider;

/// A request before it is sorted.
pub(crate) struct Unsorted {
    pub(crate) instruction: String,
    pub(crate) pictures: usize,
    pub(crate) files: ProjectFiles,
    /// What is remembered of earlier turns.
    pub(crate) notes: Option<String>,
}

/// A request that was sorted, and what that took.
#[derive(Clone)]
pub(crate) struct Routed {
    pub(crate) route: Route,
    pub(crate) usage: TokenUsage,
    pub(crate) cost_usd: Option<f64>,
}

/// The question, asked when the first variant waits for its answer; dropping the last waiter closes it.
#[derive(Clone)]
pub(crate) struct Routing(Shared<BoxFuture<'static, Routed>>);

impl Routing {
    pub(crate) fn of(
        connector: Arc<Connector>,
        connection: Connection,
        cache_key: String,
        unsorted: Unsorted,
        spend: SpendCap,
    ) -> Self {
        let work = async move {
            sorted(&connector, connection, cache_key, &unsorted, &spend).await.unwrap_or_else(|failure| {
                // Whoever cannot be asked decides nothing: the agent itself may still answer in words.
                tracing::warn!(kind = failure.kind.as_str(), "a request was not sorted");
                let route = Route::to(IntentCategory::CodeChange);
                Routed { route, usage: TokenUsage::default(), cost_usd: None }
            })
        };
        Self(work.boxed().shared())
    }

    pub(crate) async fn routed(self) -> Routed {
        self.0.await
    }
}

async fn sorted(
    connector: &Connector,
    connection: Connection,
    cache_key: String,
    unsorted: &Unsorted,
    spend: &SpendCap,
) -> Result<Routed, Failure> {
    let Unsorted { instruction, pictures, files, notes } = unsorted;
    let (pictures, card) = (*pictures, notes.as_deref());
    let Prompt { system, first, .. } = prompt::route(&RoutePrompt { instruction, pictures, files, card });
    let Connection { endpoint, key, model } = connection;
    let spec = ConnectSpec {
        endpoint,
        key,
        model,
        effort: None,
        system,
        tools: Vec::new(),
        continuation_tools: Vec::new(),
        cache_key,
    };
    let mut session = connector.connect(spec).map_err(|error| error.failure)?;
    let answer = question::answer(session.as_mut(), first, spend).await?;
    let route = Route::read(&answer.text, files);
    Ok(Routed { route, usage: answer.usage, cost_usd: session.total_cost_usd() })
}

/// The model that sorts requests beside this one: the vendor's cheapest, and the model itself at any other address.
pub(crate) fn router_of(catalog: &Catalog, connection: &Connection, provider: Provider) -> ModelFacts {
    match provider.cheap_model().filter(|_| connection.endpoint.is_vendor()) {
        Some(id) => catalog.model(provider.family(), id),
        None => connection.model.clone(),
    }
}

#[cfg(test)]
mod tests {
    use facsimile_providers::Endpoint;

    use super::*;

    #[test]
    fn a_vendor_has_a_cheap_model_and_any_other_address_the_one_that_works() {
        let catalog = Catalog::built_in().unwrap();
        let router = |provider: Provider, model: &str, address: Option<&str>| {
            let family = provider.family();
            let endpoint = match address {
                Some(address) => Endpoint::custom(family, address).unwrap(),
                None => Endpoint::vendor(family).unwrap(),
            };
            let connection = Connection { endpoint, key: None, model: catalog.model(family, model) };
            router_of(&catalog, &connection, provider)
        };
        let vendors = [
            (Provider::OpenAi, "gpt-6.2-sol"),
            (Provider::Anthropic, "claude-opus-5-5"),
            (Provider::Gemini, "gemini-4-argon"),
        ];
        for (provider, model) in vendors {
            let cheap = router(provider, model, None);
            let main = catalog.model(provider.family(), model);
            let output = |facts: &ModelFacts| facts.price.map(|price| price.output).unwrap();
            assert!(10.0 * output(&cheap) < 2.0 * output(&main), "{} for {model}", cheap.id);
        }
        let relay = router(Provider::OpenAi, "gpt-6.2-sol", Some("http://127.0.0.1:9"));
        assert_eq!(relay.id, "gpt-6.2-sol");
    }
}
