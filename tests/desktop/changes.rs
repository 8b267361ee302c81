//! A page that is changed by words in the real window, and one that a question leaves as it is.

use facsimile_agent::RunStatus;
use facsimile_testkit::replay::{ReplayServer, Served, ServedTurn, Spoken};
use serde_json::json;

use crate::models::window_with_model;
use crate::room::Room;
use crate::window::Window;

const PALE: &str =
    "<!doctype html><html lang=\"en\"><title>Shop</title><h1>Pale pots</h1><p>Open daily</p></html>";

fn says(text: &str) -> ServedTurn {
    ServedTurn::new().saying(text)
}

fn routed(category: &str) -> ServedTurn {
    says(&json!({ "category": category, "preloadPaths": [] }).to_string())
}

/// A model that makes a page, changes it, and is asked about it: each a conversation of its own.
async fn model() -> ReplayServer {
    let page = json!({ "path": "index.html", "content": PALE });
    let edit = json!({ "path": "index.html", "old_text": "Pale pots", "new_text": "Dark pots" });
    let answers = [
        ServedTurn::new().calling("w", "create_file", page),
        says("The page is there."),
        routed("code_change"),
        ServedTurn::new().calling("e", "edit_file", edit),
        says("It is darker now."),
        routed("read_only"),
        ServedTurn::new().calling("r", "read_file", json!({ "path": "index.html" })),
        says("The shop is open daily."),
    ];
    let answers = answers.map(|turn| Served::from(turn).aside());
    ReplayServer::playing(Spoken::OpenAiChat, answers).await.unwrap()
}

async fn wish(window: &Window, words: &str) {
    window.write(".talk textarea", words).await;
    window.press("Send").await;
}

#[tokio::test]
async fn words_change_the_open_page_a_question_leaves_it_and_undoing_brings_the_first_one_back() {
    let (room, server) = (Room::new(), model().await);
    let window = window_with_model(&room, &server).await;
    window.press("Pottery shop").await;
    window.press("Make the page").await;
    window.page_shows("Pale pots").await;
    window.sees("footer", "Done").await;

    wish(&window, "Make it darker").await;

    window.page_shows("Dark pots").await;
    window.sees(".talk", "It is darker now.").await;
    window.sees("footer", "Done").await;
    let dark = PALE.replace("Pale pots", "Dark pots");
    let kept = window
        .desk
        .until("the end of the change", || room.outcome().filter(|(state, _)| state.is_terminal()));
    assert_eq!(kept, (RunStatus::Succeeded, [("index.html".to_owned(), dark)].into()));
    let store = room.kept().unwrap();
    let project = store.projects().list().unwrap()[0].project.id;
    let parents: Vec<_> = store
        .versions()
        .of_project(project)
        .unwrap()
        .into_iter()
        .map(|version| (version.id, version.parent))
        .collect();
    assert_eq!(parents.len(), 2);
    assert_eq!((parents[0].1, parents[1].1), (None, Some(parents[0].0)));
    // Only the first turn was given the screenshot.
    assert_eq!(window.value("document.querySelectorAll('.talk .ask img').length").await, json!(1));

    wish(&window, "When is it open?").await;

    window.sees(".talk", "The shop is open daily.").await;
    window.sees(".talk", "Nothing was changed").await;
    window.sees("footer", "Nothing changed").await;
    window.page_shows("Dark pots").await;
    assert_eq!(store.versions().of_project(project).unwrap().len(), 2);

    window.press("Undo").await;
    window.page_shows("Pale pots").await;
    assert_eq!((server.complaints(), server.left()), (Vec::<String>::new(), 0));
}
