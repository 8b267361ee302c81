//! Whole request bodies, and what must hold for them whatever was said.

use facsimile_agent::{
    ExecutedToolCall, ImageBytes, NativeTurn, OutputBudget, ToolArguments, ToolCall, ToolChoice,
    ToolExecutionResult, ToolFailure, ToolSpec, UserMessage,
};
use facsimile_providers::anthropic::session::Messages;
use facsimile_providers::conversation::{Ask, Conversation};
use facsimile_providers::endpoint::Flavour;
use facsimile_providers::gemini::session::Generate;
use facsimile_providers::openai_chat::session::Completions;
use facsimile_providers::openai_responses::session::Responses;
use facsimile_providers::optional::{Omitted, OptionalField};
use facsimile_providers::session::Dialect;
use facsimile_providers::{Catalog, Effort, Family, ModelFacts};
use serde_json::{Value, json};

fn tools() -> Vec<ToolSpec> {
    let create = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Where it goes."},
            "content": {"type": "string"},
            "mode": {"type": "string", "enum": ["new", "any"]},
        },
        "required": ["content"],
    });
    let list = json!({"type": "object", "properties": {}});
    vec![
        ToolSpec { name: "create_file", description: "Writes a file.".into(), parameters: create },
        ToolSpec { name: "list_files", description: "Lists the files.".into(), parameters: list },
    ]
}

fn picture(label: &str) -> ImageBytes {
    ImageBytes { mime: "image/png", bytes: label.as_bytes().into(), label: label.to_owned() }
}

fn executed(id: &str, name: &str, result: ToolExecutionResult) -> ExecutedToolCall {
    let arguments = ToolArguments::parse("{}");
    ExecutedToolCall { call: ToolCall { id: id.to_owned(), name: name.to_owned(), arguments }, result }
}

/// A reply with thinking, text and two calls, as each vendor would have it back.
pub fn reply(family: Family) -> Value {
    match family {
        Family::OpenAiResponses => json!([
            {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAA=="},
            {"id": "msg_1", "type": "message", "role": "assistant", "phase": "commentary", "status": "completed",
                "content": [{"type": "output_text", "text": "Writing.", "annotations": []}]},
            {"id": "fc_1", "type": "function_call", "call_id": "c1", "name": "create_file", "arguments": "{\"content\":\"x\"}"},
            {"id": "fc_2", "type": "function_call", "call_id": "c2", "name": "list_files", "arguments": "{}"},
        ]),
        Family::Anthropic => json!([
            {"type": "thinking", "thinking": "", "signature": "EqQ=="},
            {"type": "text", "text": "Writing."},
            {"type": "tool_use", "id": "c1", "name": "create_file", "input": {"content": "x"}, "caller": {"type": "direct"}},
            {"type": "tool_use", "id": "c2", "name": "list_files", "input": {}},
        ]),
        Family::Gemini => json!({"role": "model", "parts": [
            {"text": "Writing."},
            {"functionCall": {"id": "c1", "name": "create_file", "args": {"content": "x"}}, "thoughtSignature": "CiQ="},
            {"functionCall": {"name": "list_files"}},
        ]}),
        Family::OpenAiChat => json!({"role": "assistant", "content": "Writing.", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "create_file", "arguments": "{\"content\":\"x\"}"}},
            {"id": "c2", "type": "function", "function": {"name": "list_files", "arguments": "{}"}},
        ]}),
    }
}

/// A reply that only says something.
fn last_words(family: Family) -> Value {
    match family {
        Family::OpenAiResponses => json!([{"id": "msg_2", "type": "message", "role": "assistant",
            "content": [{"type": "output_text", "text": "Done."}]}]),
        Family::Anthropic => json!([{"type": "text", "text": "Done."}]),
        Family::Gemini => {
            json!({"role": "model", "parts": [{"text": "Done."}, {"text": "", "thoughtSignature": "CiR="}]})
        }
        Family::OpenAiChat => json!({"role": "assistant", "content": "Done."}),
    }
}

pub fn dialect(family: Family) -> Box<dyn Dialect> {
    match family {
        Family::OpenAiResponses => Box::new(Responses),
        Family::Anthropic => Box::new(Messages { is_vendor: true }),
        Family::Gemini => Box::new(Generate),
        Family::OpenAiChat => Box::new(Completions { flavour: Flavour::Plain }),
    }
}

const FAMILIES: [Family; 4] =
    [Family::OpenAiResponses, Family::Anthropic, Family::Gemini, Family::OpenAiChat];

/// The conversation after each of its steps.
fn steps(family: Family) -> Vec<Conversation> {
    let dialect = dialect(family);
    let mut conversation = Conversation::new("You build pages.");
    let mut steps = Vec::new();
    let first =
        UserMessage { images: vec![picture("image 1"), picture("image 2")], text: "Copy this.".to_owned() };
    conversation.append_user(first).unwrap();
    steps.push(conversation.clone());
    let turn = NativeTurn(reply(family));
    let calls = dialect.calls_of(&turn);
    let written = ToolExecutionResult::done(json!({"path": "index.html", "bytes": 1}), json!({}));
    let failed = ToolExecutionResult::from(ToolFailure::new("there are no files"));
    let results =
        vec![executed(&calls[0].id, "create_file", written), executed(&calls[1].id, "list_files", failed)];
    let then = UserMessage { images: vec![picture("image 3")], text: "Go on.".to_owned() };
    conversation.append_turn(turn, &calls, results, Some(then)).unwrap();
    steps.push(conversation.clone());
    conversation.append_turn(NativeTurn(last_words(family)), &[], Vec::new(), None).unwrap();
    conversation.append_user(UserMessage::text("Make it blue.")).unwrap();
    steps.push(conversation);
    steps
}

fn model(family: Family, id: &str) -> ModelFacts {
    Catalog::built_in().unwrap().model(family, id)
}

fn usual_model(family: Family) -> ModelFacts {
    let id = match family {
        Family::OpenAiResponses => "gpt-6.1-sol",
        Family::Anthropic => "claude-opus-5-5",
        Family::Gemini => "gemini-4-argon",
        Family::OpenAiChat => "qwen3-coder:30b",
    };
    model(family, id)
}

pub fn body_of(family: Family, conversation: &Conversation, change: impl FnOnce(&mut Ask<'_>)) -> Value {
    let (model, tools, omitted) = (usual_model(family), tools(), Omitted::new());
    let mut ask = Ask {
        model: &model,
        tools: &tools,
        choice: ToolChoice::Auto,
        budget: OutputBudget::Usual,
        effort: None,
        cache_key: "project-1",
        omitted: &omitted,
    };
    change(&mut ask);
    dialect(family).body(conversation, &ask)
}

pub fn messages(family: Family, body: &Value) -> Vec<Value> {
    let key = match family {
        Family::OpenAiResponses => "input",
        Family::Gemini => "contents",
        _ => "messages",
    };
    body[key].as_array().unwrap().clone()
}

#[test]
fn openai_responses_body() {
    let steps = steps(Family::OpenAiResponses);
    insta::assert_json_snapshot!(body_of(Family::OpenAiResponses, &steps[2], |_| {}));
}

#[test]
fn anthropic_body() {
    let steps = steps(Family::Anthropic);
    insta::assert_json_snapshot!(body_of(Family::Anthropic, &steps[2], |_| {}));
}

#[test]
fn gemini_body() {
    let steps = steps(Family::Gemini);
    insta::assert_json_snapshot!(body_of(Family::Gemini, &steps[2], |_| {}));
}

#[test]
fn openai_chat_body() {
    let steps = steps(Family::OpenAiChat);
    insta::assert_json_snapshot!(body_of(Family::OpenAiChat, &steps[2], |_| {}));
}

#[test]
fn what_was_sent_is_never_sent_differently() {
    for family in FAMILIES {
        let sent: Vec<Vec<Value>> =
            steps(family).iter().map(|step| messages(family, &body_of(family, step, |_| {}))).collect();
        for pair in sent.windows(2) {
            assert_eq!(pair[1][..pair[0].len()], pair[0][..], "{family:?}");
        }
    }
}

#[test]
fn a_reply_goes_back_byte_for_byte() {
    for family in FAMILIES {
        let steps = steps(family);
        let body = body_of(family, &steps[2], |_| {}).to_string();
        for native in [reply(family), last_words(family)] {
            let text = native.to_string();
            // The items of a response stand among the others, without a list of their own.
            let text = if family == Family::OpenAiResponses { &text[1..text.len() - 1] } else { &text };
            assert!(body.contains(text), "{family:?}: {text}");
        }
    }
}

/// The parts of a body that a choice decides.
fn choice_of(family: Family, body: &Value) -> Value {
    match family {
        Family::OpenAiResponses | Family::OpenAiChat => body["tool_choice"].clone(),
        Family::Anthropic => body["tool_choice"]["type"].clone(),
        Family::Gemini => body["toolConfig"]["functionCallingConfig"]["mode"].clone(),
    }
}

#[test]
fn a_tool_is_forced_only_where_the_model_takes_it() {
    let choices = |family, model: &ModelFacts| {
        let steps = steps(family);
        let choices = [ToolChoice::Auto, ToolChoice::Required, ToolChoice::None];
        let bodies = choices.map(|choice| {
            let (tools, omitted) = (tools(), Omitted::new());
            let ask = Ask {
                model,
                tools: &tools,
                choice,
                budget: OutputBudget::Usual,
                effort: None,
                cache_key: "",
                omitted: &omitted,
            };
            dialect(family).body(&steps[0], &ask)
        });
        json!(bodies.map(|body| choice_of(family, &body)))
    };
    let of = |family, id: &str| choices(family, &model(family, id));
    assert_eq!(of(Family::OpenAiResponses, "gpt-6.1-sol"), json!(["auto", "required", "none"]));
    assert_eq!(of(Family::Anthropic, "claude-opus-5-5"), json!(["auto", "auto", "none"]));
    assert_eq!(of(Family::Anthropic, "claude-haiku-5-5"), json!(["auto", "any", "none"]));
    assert_eq!(of(Family::Anthropic, "claude-next"), json!(["auto", "auto", "none"]));
    assert_eq!(of(Family::Gemini, "gemini-4-argon"), json!(["AUTO", "ANY", "NONE"]));
    assert_eq!(of(Family::OpenAiChat, "any"), json!([null, "required", "none"]));
}

#[test]
fn the_reply_may_grow_once_up_to_the_models_limit() {
    let limits = |family, key: &str| {
        let steps = steps(family);
        [OutputBudget::Usual, OutputBudget::Doubled]
            .map(|budget| body_of(family, &steps[0], |ask| ask.budget = budget).pointer(key).cloned())
    };
    assert_eq!(
        limits(Family::OpenAiResponses, "/max_output_tokens"),
        [50_000, 100_000].map(|n| Some(json!(n)))
    );
    assert_eq!(limits(Family::Anthropic, "/max_tokens"), [50_000, 100_000].map(|n| Some(json!(n))));
    assert_eq!(
        limits(Family::Gemini, "/generationConfig/maxOutputTokens"),
        [50_000, 65_536].map(|n| Some(json!(n)))
    );
    assert_eq!(limits(Family::OpenAiChat, "/max_tokens"), [None, Some(json!(100_000))]);
}

#[test]
fn each_generation_of_a_model_is_asked_to_think_in_its_own_way() {
    let thinking = |family, id: &str, effort, keys: &[&str]| {
        let model = model(family, id);
        let (tools, omitted) = (tools(), Omitted::new());
        let ask = Ask {
            model: &model,
            tools: &tools,
            choice: ToolChoice::Auto,
            budget: OutputBudget::Usual,
            effort,
            cache_key: "",
            omitted: &omitted,
        };
        let body = dialect(family).body(&Conversation::new(""), &ask);
        Value::from_iter(keys.iter().map(|key| body.pointer(key).cloned().unwrap_or_default()))
    };
    let claude = |id, effort| thinking(Family::Anthropic, id, effort, &["/thinking", "/output_config"]);
    let adaptive = json!({"type": "adaptive", "display": "summarized"});
    assert_eq!(claude("claude-opus-5-5", None), json!([adaptive, null]));
    assert_eq!(claude("claude-opus-5-5", Some(Effort::None)), json!([adaptive, null]));
    assert_eq!(claude("claude-opus-5-5", Some(Effort::High)), json!([adaptive, {"effort": "high"}]));
    assert_eq!(claude("claude-haiku-5-5", Some(Effort::None)), json!([{"type": "disabled"}, null]));
    assert_eq!(claude("claude-opus-4-8", Some(Effort::None)), json!([null, null]));
    assert_eq!(
        claude("claude-haiku-4-5", Some(Effort::High)),
        json!([{"type": "enabled", "budget_tokens": 8000}, null])
    );
    let gemini = |id, effort| thinking(Family::Gemini, id, effort, &["/generationConfig/thinkingConfig"]);
    assert_eq!(gemini("gemini-4-argon", None), json!([{"includeThoughts": true}]));
    assert_eq!(
        gemini("gemini-4-argon", Some(Effort::Minimal)),
        json!([{"includeThoughts": true, "thinkingLevel": "LOW"}])
    );
    assert_eq!(gemini("gemini-2.5-pro", None), json!([{"includeThoughts": true, "thinkingBudget": -1}]));
    let openai = |id, effort| thinking(Family::OpenAiResponses, id, effort, &["/reasoning"]);
    assert_eq!(openai("gpt-6.1-sol", Some(Effort::None)), json!([{"effort": "low", "summary": "auto"}]));
    assert_eq!(openai("gpt-5.5", Some(Effort::None)), json!([{"effort": "none", "summary": "auto"}]));
}

#[test]
fn a_field_that_was_refused_is_left_out_and_nothing_else() {
    for family in FAMILIES {
        let steps = steps(family);
        let whole = body_of(family, &steps[1], |ask| {
            (ask.effort, ask.choice) = (Some(Effort::High), ToolChoice::Required);
        });
        let all: Omitted = dialect(family).optional_fields();
        for field in all {
            let omitted = Omitted::from([field]);
            let conversation = &steps[1];
            let (model, tools) = (usual_model(family), tools());
            let ask = Ask {
                model: &model,
                tools: &tools,
                choice: ToolChoice::Required,
                budget: OutputBudget::Usual,
                effort: Some(Effort::High),
                cache_key: "project-1",
                omitted: &omitted,
            };
            let body = dialect(family).body(conversation, &ask);
            let is_never_sent_first =
                matches!(field, OptionalField::MaxTokens | OptionalField::MaxCompletionTokens);
            assert!(is_never_sent_first || body != whole, "{family:?} sends {field:?} all the same");
            assert_eq!(messages(family, &body), messages(family, &whole), "{family:?} without {field:?}");
        }
    }
}

#[test]
fn no_sampling_parameter_is_ever_sent() {
    for family in FAMILIES {
        let steps = steps(family);
        let body = body_of(family, &steps[2], |ask| ask.effort = Some(Effort::High)).to_string();
        for key in ["\"temperature\"", "\"top_p\"", "\"top_k\"", "\"topP\"", "\"previous_response_id\""] {
            assert!(!body.contains(key), "{family:?} sends {key}");
        }
    }
}
