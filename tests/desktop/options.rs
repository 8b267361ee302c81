//! Options side by side in the real window, and a model that goes on from one of them and fetches the other.

use facsimile_agent::RunStatus;
use facsimile_testkit::replay::{Asked, ReplayServer, Served, ServedTurn, Spoken};
use serde_json::{Value, json};

use crate::models::choose;
use crate::room::Room;
use crate::window::{Opening, Window};

const BOWLS: &str = "<!doctype html><html lang=\"en\"><title>Bowls</title><h1>Bowls & “plates”</h1></html>";
const JUGS: &str = "<!doctype html><html lang=\"en\"><title>Jugs</title><h1>Jugs</h1></html>";
const BOTH: &str = "<!doctype html><html lang=\"en\"><title>Both</title><h1>Jugs and bowls</h1></html>";

/// Replies that write a page and say so.
fn writes(page: &str) -> [ServedTurn; 2] {
    let call =
        ServedTurn::new().calling("w", "create_file", json!({ "path": "index.html", "content": page }));
    [call, ServedTurn::new().saying("The page is there.")]
}

/// A model that writes a page, and in a conversation of its own fetches two options before it writes another.
async fn fetching_model() -> ReplayServer {
    let fetch = |number: u32| json!({ "option_number": number });
    let calls = ServedTurn::new().calling("c1", "retrieve_option", fetch(9)).calling(
        "c2",
        "retrieve_option",
        fetch(1),
    );
    let first = writes(BOWLS).map(|turn| Served::from(turn).aside());
    let route = ServedTurn::new().saying(&json!({ "category": "code_change" }).to_string());
    let route = Served::from(route).aside();
    let second = std::iter::once(calls).chain(writes(BOTH)).map(Served::from);
    ReplayServer::playing(Spoken::OpenAiChat, first.into_iter().chain([route]).chain(second)).await.unwrap()
}

/// What a request says that its calls came to.
fn results(asked: &Asked) -> Vec<Value> {
    let messages = asked.body["messages"].as_array().unwrap().iter();
    let results = messages.filter(|message| message["role"] == "tool");
    results.map(|result| serde_json::from_str(result["content"].as_str().unwrap()).unwrap()).collect()
}

/// Goes on in the history from the version that the second option made, with one option of the first model.
async fn go_on_from_the_second_option(window: &Window, wish: &str) {
    window.press("History").await;
    window.until("both versions", "document.querySelectorAll('[role=treeitem]').length === 2").await;
    // Whichever ended first is the first version.
    let made_by =
        "[...document.querySelectorAll('[role=treeitem]')].find(item => item.textContent.includes('box-2'))";
    window.script(&format!("{made_by}.click()"), vec![]).await.unwrap();
    window.sees("aside dd", "box-2").await;
    window.press("Go on from here").await;
    window.click_on(".talk .engine").await;
    window.click_on("[role=dialog] [aria-label='Options to compare'] button:first-child").await;
    window.press("Done").await;
    window.write(".talk textarea", wish).await;
    window.press("Send").await;
}

#[tokio::test]
async fn a_model_that_goes_on_from_an_option_gets_the_code_of_the_other_one_and_the_list_for_a_wrong_number()
{
    let first = fetching_model().await;
    let second = ReplayServer::playing(Spoken::OpenAiChat, writes(JUGS).map(Served::from)).await.unwrap();
    let room = Room::new();
    let window = Opening::bare(&room).unlocked(&room).open(&room).await;
    choose(&window, &[&first, &second]).await;
    window.press("Pottery shop").await;
    window.click_on("[aria-label='Options to compare'] button:nth-child(2)").await;
    window.press("Engine of option 2").await;
    window.press_item("box-2").await;
    window.press("Make the page").await;
    window.sees("footer", "Done").await;

    go_on_from_the_second_option(&window, "Add the bowls of the other option").await;
    window.page_shows("Jugs and bowls").await;
    window.sees("footer", "Done").await;

    // The run went on after the number that nobody knows, with the real code of the other option.
    let asked = first.asked();
    let bowls = json!([{ "path": "index.html", "content": BOWLS }]);
    assert_eq!(
        results(&asked[4]),
        [
            json!({ "error": "there is no other option 9", "detail": { "options": [1] } }),
            json!({ "option": 1, "count": 1, "files": bowls }),
        ]
    );
    assert!(asked[3].body.to_string().contains("<h1>Jugs</h1>"), "it works on the second option");
    let faults = [first.complaints(), second.complaints()].concat();
    assert_eq!((faults, first.left(), second.left()), (Vec::<String>::new(), 0, 0));

    // Both steps stand in the conversation, and the one that was refused says so.
    window.script("[...document.querySelectorAll('.talk .fold')].at(-1).click()", vec![]).await.unwrap();
    window.sees(".talk .step:not(.bad)", "Looked at another option").await;
    window.sees(".talk .step.bad", "Looked at another option").await;
    let kept =
        window.desk.until("the end of the run", || room.outcome().filter(|(state, _)| state.is_terminal()));
    assert_eq!(kept, (RunStatus::Succeeded, [("index.html".to_owned(), BOTH.to_owned())].into()));
}
