//! What is known of each model: a dated table, rules for models that are newer than it, and the user's own
//! corrections.

use serde::{Deserialize, Serialize};

use crate::endpoint::{Endpoint, Family};
use crate::pricing::{LongInput, Price, Pricing};

const BUILT_IN: &str = include_str!("../data/models.json");

/// The output that is asked for where a model allows more.
pub const USUAL_OUTPUT_TOKENS: u64 = 50_000;

/// How much a model is to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Not at all.
    None,
    /// As little as possible.
    Minimal,
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// Very much.
    XHigh,
    /// As much as possible.
    Max,
}

impl Effort {
    /// The name all vendors use, in small letters.
    pub fn as_str(self) -> &'static str {
        match self {
            Effort::None => "none",
            Effort::Minimal => "minimal",
            Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
            Effort::XHigh => "xhigh",
            Effort::Max => "max",
        }
    }
}

/// How a model's thinking is switched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Thinking {
    /// It always thinks.
    #[default]
    Always,
    /// It thinks unless told not to.
    Default,
    /// It thinks as it sees fit, if asked.
    Adaptive,
    /// It thinks within a budget of tokens, if given one.
    Budget,
}

/// What is known of one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelFacts {
    /// The API's id.
    pub id: String,
    /// The dialect it is asked in.
    pub family: Family,
    /// The largest input.
    pub context_tokens: Option<u64>,
    /// The largest output.
    pub max_output_tokens: Option<u64>,
    /// The efforts it takes; empty where they are not known.
    #[serde(default)]
    pub efforts: Vec<Effort>,
    /// How its thinking is switched.
    #[serde(default)]
    pub thinking: Thinking,
    /// Whether it can be made to call a tool while it thinks.
    #[serde(default)]
    pub forces_tools: bool,
    /// Its price, where it is known.
    pub price: Option<Price>,
    /// Its price for long input.
    pub long_input: Option<LongInput>,
}

impl ModelFacts {
    /// A model of which nothing is known but what its name tells.
    pub fn unlisted(family: Family, id: &str) -> Self {
        let thinking = match family {
            Family::Gemini if id.contains("gemini-2") => Thinking::Budget,
            Family::Anthropic if id.contains("claude-3") => Thinking::Budget,
            _ => Thinking::Always,
        };
        Self {
            id: id.to_owned(),
            family,
            context_tokens: None,
            max_output_tokens: None,
            efforts: Vec::new(),
            thinking,
            forces_tools: matches!(family, Family::OpenAiResponses | Family::Gemini | Family::OpenAiChat),
            price: None,
            long_input: None,
        }
    }

    /// The nearest effort that the model takes; where its efforts are not known, the one asked for.
    pub fn nearest_effort(&self, wanted: Effort) -> Effort {
        let distance = |effort: &Effort| (*effort as i8 - wanted as i8).abs();
        self.efforts.iter().copied().min_by_key(distance).unwrap_or(wanted)
    }

    /// The limit of a reply, `times` the usual one where the model allows it.
    pub fn output_tokens(&self, times: u64) -> u64 {
        (USUAL_OUTPUT_TOKENS * times).min(self.max_output_tokens.unwrap_or(u64::MAX))
    }

    /// What it costs at an endpoint.
    pub fn pricing_at(&self, endpoint: &Endpoint) -> Pricing {
        match self.price {
            _ if endpoint.base.is_loopback() => Pricing::Free,
            // Another host has prices of its own.
            Some(price) if endpoint.is_vendor() => Pricing::Known(price, self.long_input),
            _ => Pricing::Unknown,
        }
    }
}

/// Why a table cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the model table is not usable: {0}; correct it or remove it")]
pub struct CatalogRefused(#[from] serde_json::Error);

/// The table of models.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Catalog {
    /// When the table was made.
    pub date: String,
    models: Vec<ModelFacts>,
}

impl Catalog {
    /// The table the program comes with.
    pub fn built_in() -> Result<Self, CatalogRefused> {
        Ok(serde_json::from_str(BUILT_IN)?)
    }

    /// The table with the user's rows instead of those of the same model, and its date.
    pub fn corrected_by(mut self, table: &str) -> Result<Self, CatalogRefused> {
        let theirs: Catalog = serde_json::from_str(table)?;
        self.models
            .retain(|row| !theirs.models.iter().any(|own| own.id == row.id && own.family == row.family));
        self.models.extend(theirs.models);
        self.date = theirs.date;
        Ok(self)
    }

    /// All models of a family.
    pub fn models(&self, family: Family) -> impl Iterator<Item = &ModelFacts> {
        self.models.iter().filter(move |row| row.family == family)
    }

    /// The facts of a model; a dated snapshot has those of the model it is of.
    pub fn model(&self, family: Family, id: &str) -> ModelFacts {
        let listed = |id: &str| self.models(family).find(|row| row.id == id);
        let facts = listed(id).or_else(|| listed(without_date(id)));
        match facts {
            Some(facts) => {
                let forces_tools = facts.forces_tools || ModelFacts::unlisted(family, id).forces_tools;
                ModelFacts { id: id.to_owned(), forces_tools, ..facts.clone() }
            }
            None => ModelFacts::unlisted(family, id),
        }
    }
}

/// The id without `-2026-03-05`, `-20260305` or `-latest` at its end.
fn without_date(id: &str) -> &str {
    if let Some(id) = id.strip_suffix("-latest") {
        return id;
    }
    let is_date = |tail: &str| {
        let digits = tail.bytes().filter(u8::is_ascii_digit).count();
        digits == 8 && tail.starts_with("-20") && tail.bytes().all(|b| b.is_ascii_digit() || b == b'-')
    };
    [9, 11]
        .iter()
        .filter_map(|length| id.len().checked_sub(*length))
        .find_map(|at| id.get(at..).filter(|tail| is_date(tail)).map(|_| &id[..at]))
        .unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_has_the_facts_of_its_model() {
        let catalog = Catalog::built_in().unwrap();
        let facts = catalog.model(Family::OpenAiResponses, "gpt-5.4-2026-03-05");
        let expected = catalog.model(Family::OpenAiResponses, "gpt-5.4");
        assert_eq!(facts, ModelFacts { id: "gpt-5.4-2026-03-05".to_owned(), ..expected });
        assert!(facts.price.is_some() && facts.forces_tools);
        assert_eq!(without_date("claude-haiku-4-5-20251001"), "claude-haiku-4-5");
    }

    #[test]
    fn a_model_nobody_listed_has_no_price() {
        let catalog = Catalog::built_in().unwrap();
        let facts = catalog.model(Family::Anthropic, "claude-next");
        assert_eq!(facts, ModelFacts::unlisted(Family::Anthropic, "claude-next"));
        let endpoint = Endpoint::vendor(Family::Anthropic).unwrap();
        assert_eq!(facts.pricing_at(&endpoint), Pricing::Unknown);
    }

    #[test]
    fn a_price_holds_only_at_the_vendor_and_this_machine_is_free() {
        let facts = Catalog::built_in().unwrap().model(Family::Anthropic, "claude-opus-5-5");
        let at = |address| facts.pricing_at(&Endpoint::custom(Family::Anthropic, address).unwrap());
        assert!(matches!(at("https://api.anthropic.com"), Pricing::Known(..)));
        assert_eq!(at("https://relay.test"), Pricing::Unknown);
        assert_eq!(at("http://127.0.0.1:9999"), Pricing::Free);
    }

    #[test]
    fn the_user_can_correct_the_table() {
        let own = r#"{"date":"2027-01","models":[{"id":"gpt-5.5","family":"openai-responses",
            "price":{"input":1.0,"output":2.0}}]}"#;
        let catalog = Catalog::built_in().unwrap().corrected_by(own).unwrap();
        let price = catalog.model(Family::OpenAiResponses, "gpt-5.5").price;
        let expected = Price { input: 1.0, cache_read: None, cache_write: None, output: 2.0 };
        assert_eq!((catalog.date.as_str(), price), ("2027-01", Some(expected)));
        assert!(Catalog::built_in().unwrap().corrected_by("{").is_err());
    }

    #[test]
    fn an_effort_is_fitted_to_the_model() {
        let facts = Catalog::built_in().unwrap().model(Family::OpenAiResponses, "gpt-6.1-sol");
        assert_eq!(
            [Effort::None, Effort::Minimal, Effort::High].map(|e| facts.nearest_effort(e)),
            [Effort::Low, Effort::Low, Effort::High]
        );
    }
}
