//! Pictures that tools show, as each vendor takes them.

use facsimile_agent::{
    ExecutedToolCall, NativeTurn, PublicUrl, ToolArguments, ToolCall, ToolExecutionResult, ToolFailure,
    ToolImage,
};
use facsimile_providers::Family;
use facsimile_providers::conversation::{CallRef, Conversation};
use serde_json::{Value, json};

use crate::bodies::{body_of, dialect, messages, reply};

fn picture(label: &str) -> ToolImage {
    ToolImage::Bytes { mime: "image/png", data: label.as_bytes().into(), label: label.to_owned() }
}

fn address(label: &str) -> ToolImage {
    let url = PublicUrl::parse("https://cdn.example.com/a.png").unwrap();
    ToolImage::Url { url, label: label.to_owned() }
}

fn executed(id: &str, result: ToolExecutionResult) -> ExecutedToolCall {
    let arguments = ToolArguments::parse("{}");
    let call = ToolCall { id: id.to_owned(), name: "screenshot_preview".to_owned(), arguments };
    ExecutedToolCall { call, result }
}

/// What follows the reply to which one call gave two pictures and the other failed with one.
fn answered(family: Family) -> Value {
    let (dialect, turn) = (dialect(family), NativeTurn(reply(family)));
    let calls = dialect.calls_of(&turn);
    let seen = ToolExecutionResult::done(json!({"widths": [1280]}), json!({}))
        .showing(picture("1280 px"))
        .showing(address("the logo"));
    let failed = ToolExecutionResult::from(ToolFailure::new("the page is empty")).showing(picture("blank"));
    let results = vec![executed(&calls[0].id, seen), executed(&calls[1].id, failed)];
    let mut conversation = Conversation::new("");
    conversation.append_turn(turn, &calls, results, None).unwrap();
    let all = messages(family, &body_of(family, &conversation, |_| {}));
    let own = reply(family).as_array().map_or(1, Vec::len);
    // What Anthropic and the others have as one message is a list of items for OpenAI's Responses.
    let reply = if family == Family::OpenAiResponses { own } else { 1 };
    all[reply..].iter().cloned().collect()
}

#[test]
fn openai_responses_takes_them_inside_the_output() {
    insta::assert_json_snapshot!(answered(Family::OpenAiResponses));
}

#[test]
fn anthropic_takes_them_inside_the_result_and_behind_the_results_if_it_failed() {
    insta::assert_json_snapshot!(answered(Family::Anthropic));
}

#[test]
fn gemini_takes_bytes_inside_the_response_and_no_addresses() {
    insta::assert_json_snapshot!(answered(Family::Gemini));
}

#[test]
fn chat_completions_take_them_in_a_message_behind_the_results() {
    insta::assert_json_snapshot!(answered(Family::OpenAiChat));
}

#[test]
fn before_gemini_3_bytes_stand_behind_the_responses() {
    let turn = NativeTurn(reply(Family::Gemini));
    let calls = dialect(Family::Gemini).calls_of(&turn);
    let seen = ToolExecutionResult::done(json!({}), json!({})).showing(picture("1280 px"));
    let mut conversation = Conversation::new("");
    conversation.append_turn(turn, &calls, vec![executed(&calls[0].id, seen)], None).unwrap();
    let old = facsimile_providers::ModelFacts::unlisted(Family::Gemini, "gemini-2.5-pro");
    let body = body_of(Family::Gemini, &conversation, |ask| ask.model = Box::leak(Box::new(old)));
    let parts = body["contents"][1]["parts"].as_array().unwrap();
    assert!(parts[..2].iter().all(|part| part["functionResponse"]["parts"].is_null()));
    assert_eq!(parts[2]["inlineData"]["mimeType"], "image/png");
}

#[test]
fn a_picture_there_is_no_room_for_is_left_out_and_the_model_is_told() {
    let large = || ToolImage::Bytes {
        mime: "image/png",
        data: vec![0; 3_000_000].into(),
        label: "390 px".to_owned(),
    };
    let mut conversation = Conversation::new("");
    let calls = [CallRef { id: "a".to_owned(), name: "screenshot_preview".to_owned() }];
    let mut told = Vec::new();
    for _ in 0..7 {
        let seen = ToolExecutionResult::done(json!({"widths": [390]}), json!({})).showing(large());
        conversation.append_turn(NativeTurn(json!([])), &calls, vec![executed("a", seen)], None).unwrap();
        let Some(facsimile_providers::conversation::Entry::Turn { answers, .. }) =
            conversation.entries().last()
        else {
            unreachable!()
        };
        told.push((answers[0].images.len(), answers[0].result.clone()));
    }
    let full = json!({"widths": [390], "images": "left out, there is no room for more pictures: 390 px"});
    assert_eq!(told[..5], vec![(1, json!({"widths": [390]})); 5][..]);
    assert_eq!(told[5..], vec![(0, full); 2][..]);
}
