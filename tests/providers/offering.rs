//! Tools on their way into requests: one file and one line, and every vendor hears of it.

use facsimile_agent::prompt::{self, CreatePrompt, ImagePolicy, Terms};
use facsimile_agent::tool::{Capabilities, Effect, Making};
use facsimile_agent::{
    Stack, Tool, ToolContext, ToolExecutionResult, ToolFailure, ToolRegistry, ToolSpec, tools,
};
use facsimile_providers::Family;
use facsimile_providers::conversation::Conversation;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::bodies::body_of;

/// A tool that is added by its own file and a line where tools are registered.
struct Weigh;

#[derive(Deserialize, JsonSchema)]
struct Load {
    /// What is weighed.
    things: Vec<String>,
    /// The unit of the answer; left out, grams.
    unit: Option<Unit>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Unit {
    /// Light.
    Grams,
    /// Heavy.
    Tons,
}

impl Tool for Weigh {
    const NAME: &'static str = "weigh";
    const DESCRIPTION: &'static str = "Weighs things.";
    const EFFECT: Effect = Effect::Reads;
    type Input = Load;
    async fn run(&self, load: Load, _: &mut ToolContext) -> Result<ToolExecutionResult, ToolFailure> {
        let unit = load.unit.map_or("g", |unit| if matches!(unit, Unit::Tons) { "t" } else { "g" });
        Ok(ToolExecutionResult::done(json!(load.things.len()), json!(unit)))
    }
}

fn able() -> Capabilities {
    let making = Some(Making::Service { usd_each: Some(0.01) });
    Capabilities {
        has_options: true,
        has_uploads: true,
        has_stills: true,
        keeps_assets: true,
        cuts_pictures: true,
        generation: making,
        editing: making,
        cutting_out: making,
        takes_pictures: true,
        checks_pages: true,
        ..Capabilities::default()
    }
}

const FAMILIES: [Family; 4] =
    [Family::OpenAiResponses, Family::Anthropic, Family::Gemini, Family::OpenAiChat];

fn body_offering(family: Family, specs: &[ToolSpec]) -> Value {
    // A test's tools live as long as the test.
    let specs: &'static [ToolSpec] = Vec::leak(specs.to_vec());
    body_of(family, &Conversation::new(""), |ask| ask.tools = specs)
}

/// The tools of a request, each with where its vendor looks for name, description and schema.
fn told(family: Family, specs: &[ToolSpec]) -> Vec<(Value, Value, Value)> {
    let body = body_offering(family, specs);
    let list = match family {
        Family::Gemini => &body["tools"][0]["functionDeclarations"],
        _ => &body["tools"],
    };
    let parts = |tool: &Value| {
        let (tool, schema) = match family {
            Family::OpenAiResponses => (tool, "parameters"),
            Family::Anthropic => (tool, "input_schema"),
            Family::Gemini => (tool, "parametersJsonSchema"),
            Family::OpenAiChat => (&tool["function"], "parameters"),
        };
        (tool["name"].clone(), tool["description"].clone(), tool[schema].clone())
    };
    list.as_array().unwrap().iter().map(parts).collect()
}

fn registry() -> ToolRegistry {
    tools::registry().unwrap().with(Weigh).unwrap()
}

#[test]
fn a_tool_that_is_added_reaches_every_dialect_and_the_prompt() {
    let specs = registry().specs(&able());
    let things = json!({"type": "array", "description": "What is weighed.", "items": {"type": "string"}});
    let unit = |kind: Value, values: Value| json!({"type": kind, "description": "The unit of the answer; left out, grams.", "enum": values});
    let plain = json!({"type": "object", "required": ["things"],
        "properties": {"things": things, "unit": unit(json!("string"), json!(["grams", "tons"]))}});
    let strict = json!({"type": "object", "required": ["things", "unit"], "additionalProperties": false,
        "properties": {"things": things, "unit": unit(json!(["string", "null"]), json!(["grams", "tons", null]))}});
    for family in FAMILIES {
        let schema = if family == Family::OpenAiResponses { &strict } else { &plain };
        let expected = (json!("weigh"), json!("Weighs things."), schema.clone());
        assert_eq!(told(family, &specs).last(), Some(&expected), "{family:?}");
    }
    let terms = Terms { stack: Stack::HtmlCss, tools: &specs, image_policy: ImagePolicy::Crops };
    let request =
        CreatePrompt { terms, images: &[], ready_pictures: &[], text: "A page.", design_system: None };
    assert!(prompt::create(&request).system.contains("`weigh`; call only what is offered"));
}

#[test]
fn every_dialect_gets_the_same_tools_in_the_same_order() {
    let specs = registry().specs(&able());
    let expected: Vec<_> = specs.iter().map(|spec| (json!(spec.name), json!(spec.description))).collect();
    for family in FAMILIES {
        let told: Vec<_> = told(family, &specs).into_iter().map(|(name, words, _)| (name, words)).collect();
        assert_eq!(told, expected, "{family:?}");
    }
}

#[test]
fn every_tool_has_a_strict_form_where_vendors_have_one() {
    let registry = registry();
    let specs = [registry.specs(&able()), registry.continuation_specs(&able())].concat();
    let body = body_offering(Family::OpenAiResponses, &specs);
    let tools = body["tools"].as_array().unwrap();
    let loose: Vec<_> =
        tools.iter().filter(|tool| tool["strict"] != true).map(|tool| &tool["name"]).collect();
    assert_eq!((tools.len(), loose), (specs.len(), vec![]));
}
