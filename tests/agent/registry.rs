//! Which tools a run gets, and what is said of them.

use std::collections::BTreeSet;

use facsimile_agent::ports::{Ports, VisibleMedia};
use facsimile_agent::prompt::{self, CreatePrompt, ImagePolicy, Terms};
use facsimile_agent::tool::{Capabilities, DuplicateTool, Effect, Making};
use facsimile_agent::{
    Stack, Tool, ToolArguments, ToolCall, ToolContext, ToolExecutionResult, ToolFailure, ToolRegistry,
    ToolSpec, VariantIndex, tools,
};
use facsimile_testkit::rooms::{Board, Cutter, Fate, Shelf, upload};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::files;

/// A run that can do everything, its pictures made so.
fn everything(making: Making) -> Capabilities {
    Capabilities {
        is_read_only: false,
        is_continuation: false,
        has_options: true,
        has_uploads: true,
        has_stills: true,
        keeps_assets: true,
        cuts_pictures: true,
        generation: Some(making),
        editing: Some(making),
        cutting_out: Some(making),
        takes_pictures: true,
        checks_pages: true,
    }
}

const SERVICE: Making = Making::Service { usd_each: Some(0.003) };

fn names(capabilities: &Capabilities) -> Vec<&'static str> {
    tools::registry().unwrap().specs(capabilities).into_iter().map(|spec| spec.name).collect()
}

/// Every tool there is as every kind of run hears of it, continuations included.
fn all_specs() -> Vec<ToolSpec> {
    let registry = tools::registry().unwrap();
    let makings = [Making::Local, SERVICE, Making::Service { usd_each: None }];
    let of = |making| {
        let able = everything(making);
        [registry.specs(&able), registry.continuation_specs(&able)].concat()
    };
    makings.into_iter().flat_map(of).collect()
}

const ALWAYS: [&str; 6] = ["create_file", "edit_file", "read_file", "list_files", "search_files", "think"];
const READING: [&str; 4] = ["read_file", "list_files", "search_files", "think"];

#[test]
fn each_tool_is_there_when_it_can_work_and_not_before() {
    let of = |able: Capabilities| {
        names(&able).into_iter().filter(|name| !ALWAYS.contains(name)).collect::<Vec<_>>()
    };
    let none = Capabilities::default;
    let cases = [
        (none(), vec![]),
        (Capabilities { has_options: true, ..none() }, vec!["retrieve_option"]),
        (Capabilities { has_uploads: true, has_stills: true, ..none() }, vec![]),
        (Capabilities { has_uploads: true, keeps_assets: true, ..none() }, vec!["save_assets"]),
        (
            Capabilities { has_stills: true, keeps_assets: true, cuts_pictures: true, ..none() },
            vec!["extract_assets"],
        ),
        (Capabilities { generation: Some(Making::Local), ..none() }, vec!["generate_images"]),
        (Capabilities { editing: Some(SERVICE), ..none() }, vec!["edit_image"]),
        (Capabilities { cutting_out: Some(Making::Local), ..none() }, vec![]),
        (
            Capabilities { cutting_out: Some(Making::Local), has_stills: true, ..none() },
            vec!["remove_background"],
        ),
        // What is made in the turn can be cut out in it.
        (
            Capabilities { generation: Some(SERVICE), cutting_out: Some(Making::Local), ..none() },
            vec!["generate_images", "remove_background"],
        ),
    ];
    let (able, expected): (Vec<_>, Vec<_>) = cases.into_iter().unzip();
    assert_eq!(able.into_iter().map(of).collect::<Vec<_>>(), expected);
    assert_eq!(names(&none()), ALWAYS);
}

#[test]
fn what_ports_and_pictures_allow_is_what_is_offered() {
    let media = VisibleMedia::of(vec![upload("shop.png", 1)]);
    let wished = Capabilities {
        generation: Some(SERVICE),
        cutting_out: Some(Making::Local),
        ..Capabilities::default()
    };
    let without = wished.clone().with(&Ports::default(), &media, &[]);
    let ports = Ports {
        shelf: Some(std::sync::Arc::new(Shelf::default())),
        tasks: Some(Board::with([Fate::Made])),
        segmenter: Some(std::sync::Arc::new(Cutter::default())),
        ..Ports::default()
    };
    let with = wished.with(&ports, &media, &[]);
    assert_eq!(names(&without), ALWAYS);
    let more = ["save_assets", "extract_assets", "generate_images", "remove_background"];
    assert_eq!(names(&with), [&ALWAYS[..], &more].concat());
}

#[test]
fn append_file_is_the_one_tool_of_a_continuation() {
    let specs = tools::registry().unwrap().continuation_specs(&everything(SERVICE));
    assert_eq!(specs.into_iter().map(|spec| spec.name).collect::<Vec<_>>(), ["append_file"]);
}

/// A tool that forgot to say what it does.
struct Forgetful;

impl Tool for Forgetful {
    const NAME: &'static str = "forgetful";
    const DESCRIPTION: &'static str = "Writes a file.";
    type Input = Value;
    async fn run(&self, _: Value, cx: &mut ToolContext) -> Result<ToolExecutionResult, ToolFailure> {
        cx.files = files([("written.html", "x")]);
        Ok(ToolExecutionResult::done(json!({}), json!({})))
    }
}

#[tokio::test]
async fn a_read_only_turn_neither_offers_nor_runs_a_tool_that_writes() {
    let read_only = Capabilities { is_read_only: true, ..everything(SERVICE) };
    let looking = ["retrieve_option", "screenshot_preview", "check_page"];
    let offered = names(&read_only);
    assert!(offered.iter().all(|name| READING.contains(name) || looking.contains(name)), "{offered:?}");
    let registry = tools::registry().unwrap().with(Forgetful).unwrap();
    assert_eq!(registry.continuation_specs(&read_only), []);
    let before = files([("index.html", "<h1>One</h1>")]);
    let writing = [
        ("create_file", json!({"content": "<p>new</p>"})),
        ("edit_file", json!({"old_text": "One", "new_text": "Two"})),
        ("append_file", json!({"path": "index.html", "content": "more"})),
        ("save_assets", json!({"images": [1]})),
        ("extract_assets", json!({"assets": [{"description": "logo", "image": 1}]})),
        ("generate_images", json!({"prompts": [{"prompt": "a lamp"}]})),
        ("edit_image", json!({"images": [1], "prompt": "greener"})),
        ("remove_background", json!({"images": [1]})),
        ("forgetful", json!({})),
    ];
    for (name, arguments) in writing {
        let mut cx = ToolContext::new(VariantIndex(0), before.clone(), CancellationToken::new());
        cx.leave_unfinished(facsimile_agent::ProjectPath::index());
        cx.capabilities = Capabilities { is_continuation: true, ..read_only.clone() };
        let arguments = ToolArguments::parse(&arguments.to_string());
        let result = registry.run(&ToolCall { id: "1".into(), name: name.into(), arguments }, &mut cx).await;
        let expected = (false, json!(format!("{name} is not available now")), before.clone());
        assert_eq!((result.ok, result.result["error"].clone(), cx.files), expected);
    }
}

#[test]
fn two_tools_of_one_name_are_refused_at_start() {
    let twice = ToolRegistry::new().with(Forgetful).and_then(|registry| registry.with(Forgetful));
    assert_eq!(twice.err(), Some(DuplicateTool("forgetful")));
    assert_eq!((Forgetful::EFFECT, tools::Think::EFFECT), (Effect::Writes, Effect::Reads));
}

#[test]
fn the_prompts_tool_section_and_the_table_are_one_list() {
    let registry = tools::registry().unwrap();
    let read_only = Capabilities { is_read_only: true, ..everything(SERVICE) };
    for able in [Capabilities::default(), everything(Making::Local), read_only] {
        let specs = registry.specs(&able);
        let terms = Terms { stack: Stack::HtmlCss, tools: &specs, image_policy: ImagePolicy::Generate };
        let request =
            CreatePrompt { terms, images: &[], ready_pictures: &[], text: "A page.", design_system: None };
        let system = prompt::create(&request).system;
        let (_, section) = system.split_once("The tools of this conversation are ").unwrap();
        let (listed, _) = section.split_once(';').unwrap();
        let named: Vec<_> = listed.split(", ").map(|name| name.trim_matches('`')).collect();
        assert_eq!(named, specs.iter().map(|spec| spec.name).collect::<Vec<_>>());
        let every: BTreeSet<_> = all_specs().into_iter().map(|spec| spec.name).collect();
        let absent = every.into_iter().filter(|name| !named.contains(name));
        let advised: Vec<_> = absent.filter(|name| system.contains(&format!("`{name}`"))).collect();
        assert_eq!(advised, Vec::<&str>::new());
    }
}

#[test]
fn every_description_says_when_whence_what_on_failure_and_at_what_cost() {
    for spec in all_specs() {
        let text = spec.description;
        let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
        assert!(says(&["Use it", "use it"]), "when to use {}: {text}", spec.name);
        assert!(
            says(&[
                "Copy",
                "pattern",
                "path is",
                "path from",
                "content is",
                "thought is",
                "folder",
                "number",
                "words",
                "no arguments"
            ]),
            "whence in {}",
            spec.name
        );
        assert!(says(&["n failure", "cannot fail"]), "failure of {}", spec.name);
        assert!(says(&["Costs"]), "cost of {}", spec.name);
        assert!((100..=700).contains(&text.len()), "{} has {} bytes", spec.name, text.len());
    }
}

#[test]
fn keyless_descriptions_say_that_nothing_is_really_made() {
    let of = |making, name: &str| {
        let specs = tools::registry().unwrap().specs(&everything(making));
        specs.into_iter().find(|spec| spec.name == name).unwrap().description.into_owned()
    };
    let (local, paid) = (of(Making::Local, "generate_images"), of(SERVICE, "generate_images"));
    assert!(local.contains("placeholders") && local.ends_with("Costs nothing."), "{local}");
    assert!(!paid.contains("placeholders") && paid.ends_with("Costs about $0.003 a picture."), "{paid}");
    let local = of(Making::Local, "remove_background");
    assert!(local.contains("backgrounds of one colour") && local.ends_with("Costs nothing."), "{local}");
    let unpriced = of(Making::Service { usd_each: None }, "edit_image");
    assert!(unpriced.ends_with("at a price that is not known beforehand."), "{unpriced}");
}

#[test]
fn no_description_or_argument_names_a_vendor_or_an_address() {
    let vendors = [
        "openai",
        "anthropic",
        "claude",
        "gpt",
        "gemini",
        "google",
        "replicate",
        "ollama",
        "flux",
        "bria",
        "http",
        "www.",
    ];
    for spec in all_specs() {
        let text = format!("{} {}", spec.description, spec.parameters).to_lowercase();
        assert!(!vendors.iter().any(|vendor| text.contains(vendor)), "{text}");
    }
}

/// What a schema says beyond the subset every dialect takes.
fn beyond_the_subset(schema: &Value, place: &str, found: &mut Vec<String>) {
    let Some(object) = schema.as_object() else {
        found.push(format!("{place} is no schema"));
        return;
    };
    let known = ["type", "description", "properties", "required", "items", "enum"];
    found.extend(
        object.keys().filter(|key| !known.contains(&key.as_str())).map(|key| format!("{place}: {key}")),
    );
    let fine = match object.get("type").and_then(Value::as_str) {
        Some("object") => object.get("properties").is_some_and(Value::is_object),
        Some("array") => object.contains_key("items"),
        Some("string" | "integer" | "number" | "boolean") => true,
        _ => false,
    };
    let texts = object.get("enum").and_then(Value::as_array).into_iter().flatten();
    if !fine || texts.clone().any(|value| !value.is_string()) || texts.count() > 8 {
        found.push(format!("{place}: {schema}"));
    }
    let properties = object.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let place = format!("{place}.{name}");
        if !property["description"].is_string() {
            found.push(format!("{place} is not explained"));
        }
        beyond_the_subset(property, &place, found);
    }
    let required = object.get("required").and_then(Value::as_array).into_iter().flatten();
    found.extend(
        required
            .filter(|name| {
                !properties.is_some_and(|known| name.as_str().is_some_and(|name| known.contains_key(name)))
            })
            .map(|name| format!("{place} requires {name}, which it does not know")),
    );
    if let Some(items) = object.get("items") {
        beyond_the_subset(items, &format!("{place}[]"), found);
    }
}

#[test]
fn every_schema_keeps_to_the_subset_that_all_dialects_take() {
    let mut found = Vec::new();
    for spec in all_specs() {
        assert_eq!(spec.parameters["type"], "object", "{}", spec.name);
        let required = spec.parameters.get("required").and_then(Value::as_array).map_or(0, Vec::len);
        assert!(required <= 2, "{} requires {required} arguments", spec.name);
        beyond_the_subset(&spec.parameters, spec.name, &mut found);
    }
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn the_lint_finds_what_dialects_refuse() {
    let refused = [
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/A", "description": "a"}}}),
        json!({"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}], "description": "a"}}}),
        json!({"type": "object", "properties": {"a": {"type": "integer", "enum": [1, 2], "description": "a"}}}),
        json!({"type": "object", "properties": {"a": {"type": ["string", "null"], "description": "a"}}}),
        json!({"type": "object", "properties": {"a": {"type": "string"}}}),
        json!({"type": "object", "properties": {}, "additionalProperties": {"type": "string"}}),
        json!(true),
    ];
    let found = refused.map(|schema| {
        let mut found = Vec::new();
        beyond_the_subset(&schema, "tool", &mut found);
        found.is_empty()
    });
    assert_eq!(found, [false; 7]);
}
