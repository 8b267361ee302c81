//! The options beside the one that a turn goes on from.

use facsimile_agent::RunStatus;
use facsimile_studio::{Provider, RunRequest};
use facsimile_testkit::replay::{Asked, ReplayServer, Served, ServedTurn, Spoken};
use serde_json::{Value, json};

use crate::models::{asking, ended, studio, writes};
use crate::modify::routed;

async fn playing(dialect: Spoken, answers: impl IntoIterator<Item = Served>) -> ReplayServer {
    ReplayServer::playing(dialect, answers).await.unwrap()
}

/// Whether a request in the chat dialect offers to fetch options.
fn offers_options(asked: &Asked) -> bool {
    let tools = asked.body["tools"].as_array().unwrap();
    tools.iter().any(|tool| tool["function"]["name"] == "retrieve_option")
}

/// What a request in the chat dialect says that its calls came to.
fn results(asked: &Asked) -> Vec<Value> {
    let messages = asked.body["messages"].as_array().unwrap().iter();
    let results = messages.filter(|message| message["role"] == "tool");
    results.map(|result| serde_json::from_str(result["content"].as_str().unwrap()).unwrap()).collect()
}

#[tokio::test]
async fn a_turn_fetches_the_other_options_of_what_it_goes_on_from_and_no_more() {
    let servers = [
        playing(Spoken::OpenAiResponses, writes("<p>One</p>")).await,
        playing(Spoken::Anthropic, writes("<p>Two</p>")).await,
    ];
    let studio = studio();
    let both = asking(&[(Provider::OpenAi, &servers[0]), (Provider::Anthropic, &servers[1])]);
    let first = ended(&studio, both).await;
    let fetch =
        |id: &str, number: u32| (id.to_owned(), "retrieve_option", json!({ "option_number": number }));
    let calls = [fetch("c1", 2), fetch("c2", 1), fetch("c3", 9)]
        .into_iter()
        .fold(ServedTurn::new(), |turn, (id, name, arguments)| turn.calling(&id, name, arguments));
    let [page, end] = writes("<p>Both</p>");
    let server = playing(Spoken::OpenAiChat, [routed("code_change"), calls.into(), page, end]).await;
    let on = |server| RunRequest { project_id: Some(first.project), ..asking(&[(Provider::Chat, server)]) };

    let second = ended(&studio, on(&server)).await;

    assert_eq!((first.state, second.state), (RunStatus::Succeeded, RunStatus::Succeeded));
    let asked = server.asked();
    let files = json!([{ "path": "index.html", "content": "<p>Two</p>" }]);
    let unknown = |number: u32| json!({ "error": format!("there is no other option {number}"), "detail": { "options": [2] } });
    assert_eq!(server.complaints(), Vec::<String>::new());
    assert_eq!(
        results(&asked[2]),
        [json!({ "option": 2, "count": 1, "files": files }), unknown(1), unknown(9)]
    );

    // The second run has one option, so there is no other beside it.
    let [page, end] = writes("<p>Last</p>");
    let last = playing(Spoken::OpenAiChat, [routed("code_change"), page, end]).await;
    ended(&studio, on(&last)).await;
    assert_eq!((offers_options(&asked[1]), offers_options(&last.asked()[1])), (true, false));
}
