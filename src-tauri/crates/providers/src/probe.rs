//! Whether an endpoint answers, and what it offers.

use facsimile_agent::{
    ErrorKind, OutputBudget, ProviderSession, SessionError, StreamEvent, ToolChoice, UserMessage,
};
use futures::StreamExt;
use serde_json::Value;

use crate::catalog::{Effort, ModelFacts};
use crate::connect::{ConnectSpec, Connector, dialect_of};
use crate::endpoint::{Endpoint, Family, Flavour};
use crate::error::Rejection;
use crate::http::{Answer, Link, bad_address};
use facsimile_agent::Secret;

/// What a test reply may hold: enough for a model that thinks first.
const TEST_OUTPUT_TOKENS: u64 = 256;
/// What it may hold where nothing is known to think.
const SMALL_TEST_OUTPUT_TOKENS: u64 = 16;

/// A model that an endpoint lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedModel {
    /// Its id.
    pub id: String,
    /// What people call it, where the list says so.
    pub display_name: Option<String>,
    /// Its largest input, where the list says so.
    pub context_tokens: Option<u64>,
    /// Its largest output, where the list says so.
    pub max_output_tokens: Option<u64>,
}

/// What a test of an endpoint found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// It lists these models.
    Models(Vec<ListedModel>),
    /// The key is good, but may not read the list.
    ListRefused,
    /// It has no list, and a model replied.
    Reply,
    /// It has no list, and no model was named to try.
    NoList,
}

impl Connector {
    /// The models an endpoint lists. Costs no tokens.
    pub async fn models(
        &self,
        endpoint: &Endpoint,
        key: Option<&Secret>,
    ) -> Result<Vec<ListedModel>, SessionError> {
        let dialect = dialect_of(endpoint);
        let link = self.link(endpoint, key, dialect.as_ref())?;
        let told = |rejection: Rejection| rejection.masked(link.mask()).told_by(&endpoint.display_name());
        if endpoint.flavour == Flavour::OpenRouter {
            // Its list is public and proves nothing of the key.
            get(&link, endpoint, "/key").await.map_err(told)?;
        }
        let path = match endpoint.family {
            Family::Anthropic => "/v1/models?limit=1000",
            Family::Gemini => "/models?pageSize=1000",
            Family::OpenAiResponses | Family::OpenAiChat => "/models",
        };
        let body = get(&link, endpoint, path).await.map_err(told)?;
        listed(endpoint.family, &body).map_err(told)
    }

    /// Tests an endpoint: its list, or one tiny reply of a model where there is none.
    pub async fn test(
        &self,
        endpoint: &Endpoint,
        key: Option<&Secret>,
        model: Option<&str>,
    ) -> Result<Found, SessionError> {
        let has_list = endpoint.flavour != Flavour::Azure;
        if has_list {
            match self.models(endpoint, key).await {
                Ok(models) => return Ok(Found::Models(models)),
                Err(error) if error.kind() == ErrorKind::NoAccess => return Ok(Found::ListRefused),
                // Nothing at that path: the endpoint may answer all the same.
                Err(error) if !is_missing(&error) => return Err(error),
                Err(_) => {}
            }
        }
        match model {
            Some(model) => self.test_model(endpoint, key, model).await.map(|()| Found::Reply),
            None => Ok(Found::NoList),
        }
    }

    /// Has a model say a word.
    pub async fn test_model(
        &self,
        endpoint: &Endpoint,
        key: Option<&Secret>,
        model: &str,
    ) -> Result<(), SessionError> {
        let most = match endpoint.family {
            Family::OpenAiChat => SMALL_TEST_OUTPUT_TOKENS,
            _ => TEST_OUTPUT_TOKENS,
        };
        let facts =
            ModelFacts { max_output_tokens: Some(most), ..ModelFacts::unlisted(endpoint.family, model) };
        let effort = (endpoint.family != Family::OpenAiChat).then_some(Effort::Low);
        let mut session = self.connect(ConnectSpec {
            endpoint: endpoint.clone(),
            key: key.cloned(),
            model: facts,
            effort,
            system: String::new(),
            tools: Vec::new(),
            continuation_tools: Vec::new(),
            cache_key: "test".to_owned(),
        })?;
        session.append_user(UserMessage::text("Say OK."))?;
        first_word(session.as_mut()).await
    }
}

/// Waits for anything that shows that the model replies.
async fn first_word(session: &mut dyn ProviderSession) -> Result<(), SessionError> {
    let mut turn = session.stream_turn(ToolChoice::Auto, OutputBudget::Usual);
    while let Some(event) = turn.next().await {
        match event? {
            StreamEvent::Thinking(text) if text.is_empty() => {}
            _ => return Ok(()),
        }
    }
    Ok(())
}

fn is_missing(error: &SessionError) -> bool {
    matches!(error.kind(), ErrorKind::NoModel | ErrorKind::BadRequest | ErrorKind::Protocol)
}

async fn get(link: &Link, endpoint: &Endpoint, path: &str) -> Result<String, Rejection> {
    let url = endpoint.base.join(path).map_err(|refused| bad_address(&refused))?;
    let answer: Answer = link.get(url).await?;
    let status = answer.status();
    if (200..300).contains(&status) {
        return Ok(answer.list_body().await);
    }
    let facts = answer.facts();
    let body = answer.error_body().await;
    Err(Rejection::from_answer(endpoint.family, status, &body, facts))
}

fn listed(family: Family, body: &str) -> Result<Vec<ListedModel>, Rejection> {
    let no_list = || Rejection::protocol("it answered, but not with a list of models");
    let value: Value = serde_json::from_str(body).map_err(|_| no_list())?;
    let key = if family == Family::Gemini { "models" } else { "data" };
    let rows =
        value.get(key).or_else(|| value.get("models")).and_then(Value::as_array).ok_or_else(no_list)?;
    Ok(rows.iter().filter_map(|row| model_in(family, row)).collect())
}

fn model_in(family: Family, row: &Value) -> Option<ListedModel> {
    let text = |key: &str| row.get(key).and_then(Value::as_str);
    let number = |keys: &[&str]| keys.iter().find_map(|key| row.get(*key)?.as_u64());
    if family == Family::Gemini {
        let methods = row.get("supportedGenerationMethods").and_then(Value::as_array);
        let can_reply = |methods: &Vec<Value>| methods.iter().any(|method| method == "generateContent");
        if methods.is_some_and(|methods| !can_reply(methods)) {
            return None;
        }
    }
    let id = text("id").or_else(|| text("name"))?;
    Some(ListedModel {
        id: id.strip_prefix("models/").unwrap_or(id).to_owned(),
        display_name: text("display_name").or_else(|| text("displayName")).map(str::to_owned),
        context_tokens: number(&["inputTokenLimit", "context_length", "max_model_len", "max_context_length"]),
        max_output_tokens: number(&["outputTokenLimit"]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(family: Family, body: &str) -> Vec<String> {
        listed(family, body).unwrap().into_iter().map(|model| model.id).collect()
    }

    #[test]
    fn every_vendors_list_is_read() {
        assert_eq!(ids(Family::OpenAiResponses, r#"{"data":[{"id":"a"},{"id":"b"}]}"#), ["a", "b"]);
        let gemini = r#"{"models":[
            {"name":"models/g","inputTokenLimit":10,"outputTokenLimit":2,"supportedGenerationMethods":["generateContent"]},
            {"name":"models/embed","supportedGenerationMethods":["embedContent"]}]}"#;
        let expected = ListedModel {
            id: "g".to_owned(),
            display_name: None,
            context_tokens: Some(10),
            max_output_tokens: Some(2),
        };
        assert_eq!(listed(Family::Gemini, gemini).unwrap(), [expected]);
    }

    #[test]
    fn a_page_is_no_list() {
        assert_eq!(listed(Family::OpenAiChat, "<html>").unwrap_err().kind, ErrorKind::Protocol);
        assert_eq!(listed(Family::OpenAiChat, "{}").unwrap_err().kind, ErrorKind::Protocol);
    }
}
