//! What a run is likely to cost, told before anything is sent.

use std::sync::Arc;

use facsimile_agent::modify::router::{IntentCategory, Route};
use facsimile_agent::spend::CHARS_PER_TOKEN;
use facsimile_agent::tool::{Capabilities, Making};
use facsimile_providers::image_tokens::Sighted;
use facsimile_providers::pricing::Pricing;
use facsimile_providers::{Endpoint, Family, ModelFacts, images};
use facsimile_store::TurnKind;
use serde::Serialize;
use ts_rs::TS;

use crate::error::StudioError;
use crate::makers::Purpose;
use crate::models::{EngineChoice, ModelChoice};
use crate::run::opening::{Ask, words_of};
use crate::run::request::{RunPlan, RunRequest};
use crate::studio::Studio;

/// The measured facts of one picture in the prompt: between a sparse page and a dense one.
const FACTS_BYTES: u64 = 10 * 1024;
/// A short page, written at once.
const LOW: Course = Course { rounds: 1, output_tokens: 4_000, pictures: 1 };
/// A long page, thought about and corrected twice.
const HIGH: Course = Course { rounds: 3, output_tokens: 24_000, pictures: 6 };

/// Between what and what a run is likely to cost, in dollars.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LikelyCost {
    /// If the page is short and right at once.
    pub low_usd: f64,
    /// If it is long and corrected.
    pub high_usd: f64,
}

/// How a conversation may go.
struct Course {
    rounds: u32,
    output_tokens: u64,
    /// Made by a service, where one is asked.
    pictures: u32,
}

impl Studio {
    /// What a run is likely to cost; `None` where the price of an engine or of its pictures is not known. Asks no keychain.
    pub fn likely_cost(&self, request: &RunRequest) -> Result<Option<LikelyCost>, StudioError> {
        let origin = self.origin_of(request)?;
        let plan = RunPlan::of(request, origin.kind, || self.usual_engines())?;
        let makers = self.makers();
        let tools = self.registry().specs(&Capabilities {
            generation: makers.making(Purpose::Generate),
            editing: makers.making(Purpose::Edit),
            ..Capabilities::default()
        });
        let picture_usd = match makers.making(Purpose::Generate) {
            Some(Making::Service { usd_each }) => usd_each,
            Some(Making::Local) | None => Some(0.0),
        };
        let ask = match origin.kind {
            TurnKind::Create => Ask::Create(plan.text.clone()),
            TurnKind::Modify => Ask::Change {
                // The beginning of one element weighs little beside the page.
                selected: None,
                instruction: plan.text.clone(),
                files: origin.files,
                route: Route::to(IntentCategory::CodeChange),
                memory: Arc::default(),
            },
        };
        let text_bytes = words_of(plan.stack, &ask, &tools);
        let mut sighted = Sighted::default();
        for id in &plan.inputs {
            let input = self.store().inputs().get(*id)?;
            for (width, height) in images::tile_sizes(input.width_px, input.height_px) {
                sighted += Sighted::sized_px(width, height);
            }
        }
        let text_tokens = (text_bytes + plan.inputs.len() as u64 * FACTS_BYTES) / CHARS_PER_TOKEN;
        let catalog = self.catalog()?;
        let mut likely = LikelyCost { low_usd: 0.0, high_usd: 0.0 };
        for engine in &plan.engines {
            let EngineChoice::Model(choice) = engine else { continue };
            let Some(endpoint) = self.place_without_key(choice)? else { return Ok(None) };
            let family = choice.provider.family();
            let model = catalog.model(family, &choice.model);
            let input = text_tokens + sighted.tokens(family);
            let usd = |course: Course| {
                let pictures = picture_usd.map(|usd| usd * f64::from(course.pictures));
                Some(cost_usd(&model, &endpoint, input, &course)? + pictures?)
            };
            let (Some(low), Some(high)) = (usd(LOW), usd(HIGH)) else { return Ok(None) };
            likely = LikelyCost { low_usd: likely.low_usd + low, high_usd: likely.high_usd + high };
        }
        Ok(Some(likely))
    }

    fn place_without_key(&self, choice: &ModelChoice) -> Result<Option<Endpoint>, StudioError> {
        if let Some(id) = &choice.endpoint {
            return Ok(Some(self.endpoint(id)?.place()?));
        }
        Ok(match choice.provider.family() {
            Family::OpenAiChat => None,
            family => Endpoint::vendor(family),
        })
    }
}

/// Every round reads what was said before again. What a cache saves of that is left to the lower bound.
fn cost_usd(model: &ModelFacts, endpoint: &Endpoint, input_tokens: u64, course: &Course) -> Option<f64> {
    let pricing = model.pricing_at(endpoint);
    if pricing == Pricing::Free {
        return Some(0.0);
    }
    let each = course.output_tokens / u64::from(course.rounds);
    (0..u64::from(course.rounds))
        .map(|round| {
            let input = input_tokens + round * each;
            let price = pricing.estimate(input)?;
            Some((input as f64 * price.input + each as f64 * price.output) / 1e6)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use facsimile_providers::Catalog;

    use super::*;

    fn opus_at(address: &str) -> (ModelFacts, Endpoint) {
        let model = Catalog::built_in().unwrap().model(Family::Anthropic, "claude-opus-5-5");
        (model, Endpoint::custom(Family::Anthropic, address).unwrap())
    }

    #[test]
    fn each_round_pays_for_what_was_said_before_it() {
        let (model, vendor) = opus_at("https://api.anthropic.com");
        // 4 dollars in, 20 dollars out for a million.
        let one = cost_usd(&model, &vendor, 10_000, &LOW).unwrap();
        let three = cost_usd(&model, &vendor, 10_000, &HIGH).unwrap();
        assert!((one - 0.12).abs() < 1e-9, "{one}");
        assert!((three - (0.04 + 0.072 + 0.104 + 0.48)).abs() < 1e-9, "{three}");
    }

    #[test]
    fn this_machine_is_free_and_another_host_unknown() {
        let at = |address| {
            let (model, endpoint) = opus_at(address);
            cost_usd(&model, &endpoint, 1, &LOW)
        };
        assert_eq!([at("http://127.0.0.1:9"), at("https://relay.test")], [Some(0.0), None]);
    }
}
