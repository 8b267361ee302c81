//! A long job of a model in the real window: its card, its stop, its second try, and the day after.

use facsimile_agent::RunStatus;
use facsimile_store::{Task, TaskState};
use facsimile_testkit::replay::{ReplayServer, Served, ServedTurn, Spoken};
use serde_json::{Value, json};

use crate::models;
use crate::room::Room;
use crate::window::{Opening, Window};

/// So many, and so large, that there is time to press a button while they are made.
const PICTURES: usize = 8;
const SIDE_PX: u32 = 1_600;

/// A model that orders pictures nobody has a key for, and writes a page meanwhile.
async fn model() -> ReplayServer {
    let wish =
        |n: usize| json!({ "prompt": format!("a pot on shelf {n}"), "width": SIDE_PX, "height": SIDE_PX });
    let order = json!({ "prompts": (1..=PICTURES).map(wish).collect::<Vec<_>>() });
    let page =
        json!({ "path": "index.html", "content": "<!doctype html><title>Pots</title><h1>Eight pots</h1>" });
    let answers = [
        Served::from(ServedTurn::new().calling("c1", "generate_images", order)),
        ServedTurn::new().calling("c2", "create_file", page).into(),
        ServedTurn::new().saying("The page is there.").into(),
    ];
    ReplayServer::playing(Spoken::OpenAiChat, answers).await.unwrap()
}

/// A window in which the model is chosen and the making of pictures is switched on.
async fn window_with(room: &Room, model: &ReplayServer) -> Window {
    let window = Opening::bare(room).unlocked(room).open(room).await;
    choose(&window, model).await;
    window
}

/// Chooses the model and switches on the making of pictures.
pub async fn choose(window: &Window, model: &ReplayServer) {
    let pictures = json!({ "isOn": true, "model": "prunaai/z-image-turbo" });
    window.invoke("save_image_settings", pictures).await.unwrap();
    models::choose(window, &[model]).await;
}

/// Writes down which stages and how much progress the card shows from now on.
pub async fn watch_the_card(window: &Window) {
    let script = "window.seen = { stages: [], shares: [] };
        const note = (list, value) => { if (value !== undefined && list.at(-1) !== value) list.push(value); };
        new MutationObserver(() => {
            note(window.seen.stages, document.querySelector('.task [aria-current=step]')?.textContent.trim());
            note(window.seen.shares, document.querySelector('.task [role=progressbar]')?.getAttribute('aria-valuenow'));
        }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });";
    window.script(script, vec![]).await.unwrap();
}

/// The tasks of the only project.
pub fn kept(room: &Room) -> Vec<Task> {
    let Some(store) = room.kept() else { return Vec::new() };
    let Some(project) = store.projects().list().unwrap_or_default().into_iter().next() else {
        return Vec::new();
    };
    store.tasks().of_project(project.project.id).unwrap_or_default()
}

fn states(room: &Room) -> Vec<(TaskState, Option<String>)> {
    kept(room).into_iter().map(|task| (task.state, task.error.map(|error| error.kind))).collect()
}

// S-22
#[tokio::test]
async fn a_card_shows_its_stages_is_stopped_tried_again_and_is_still_there_after_a_crash() {
    let (room, model) = (Room::new(), model().await);
    let window = window_with(&room, &model).await;
    window.press("Pottery shop").await;
    window.press("Make the page").await;

    window.sees(".task.running [aria-current=step]", "Being made").await;
    window.press("Cancel").await;
    window.sees(".task.cancelled [role=status]", "Stopped").await;
    // The model hears of it and goes on.
    window.sees("footer", "Done").await;
    window.page_shows("Eight pots").await;
    assert_eq!((model.complaints(), model.left()), (Vec::<String>::new(), 0));
    let heard = model.asked().iter().any(|asked| asked.body.to_string().contains("the task was stopped"));
    assert!(heard, "the result says so");

    window.press("Try again").await;
    window.sees(".task.running [aria-current=step]", "Being made").await;
    window.sees("footer", "8 pictures").await;
    window.kill().await;

    let window = Window::open(&room).await;
    window.open_project("shop").await;
    window.sees(".task.failed .error", "The program was closed before this was done").await;
    watch_the_card(&window).await;
    window.press("Try again").await;
    window.sees(".task.succeeded", "placeholders").await;
    window
        .until(
            "every picture",
            &format!("document.querySelectorAll('.task .results img').length === {PICTURES}"),
        )
        .await;
    window.sees("footer", "Done").await;

    let seen = window.value("window.seen").await;
    let all = |name: &str| seen[name].as_array().unwrap().iter().map(Value::to_string).collect::<Vec<_>>();
    let (stages, shares) = (all("stages"), all("shares"));
    assert!(stages.contains(&"\"Being made\"".to_owned()), "{seen}");
    let numbers: Vec<u32> = shares.iter().map(|share| share.trim_matches('"').parse().unwrap()).collect();
    assert!(numbers.len() > 2 && numbers.is_sorted(), "{seen}");
    let interrupted = (TaskState::Failed, Some("interrupted".to_owned()));
    assert_eq!(states(&room), [(TaskState::Cancelled, None), interrupted, (TaskState::Succeeded, None)]);
    let [first, .., last] = &kept(&room)[..] else { panic!("no tasks") };
    assert_eq!(
        first.results.iter().map(|one| &one.path).collect::<Vec<_>>(),
        last.results.iter().map(|one| &one.path).collect::<Vec<_>>()
    );
    assert_eq!(room.outcome().map(|(state, _)| state), Some(RunStatus::Succeeded));
}
