//! What a model is told of the page that it wrote: by the tools it looks with, and before it may stop.

use std::collections::BTreeSet;

use facsimile_testkit::replay::{KEY, ReplayServer, Served, ServedTurn, Spoken};
use serde_json::{Value, json};

use crate::desk::Desk;
use crate::models::window_with_model;
use crate::room::Room;

/// Something is wrong with it in every way that is looked for.
const FLAWED: &str = "<!doctype html>
<title>Flawed</title>
<script src=\"https://cdn.jsdelivr.net/npm/@babel/standalone@7.29.13/babel.min.js\"></script>
<main>
<img src=\"gone.png\" alt=\"\">
<p id=\"pale\" style=\"color:#ddd;background:#fff\">Pale words</p>
<div id=\"wide\" style=\"width:900px;height:20px;background:#246\"></div>
<script>
  console.error('said', 7);
  const late = new Image();
  late.src = 'later.png';
  late.onerror = () => { throw new Error('thrown late') };
  document.body.append(late, Object.assign(new Image(), { src: 'https://elsewhere.test/far.png' }));
</script>
<script type=\"text/babel\">
  const App = () => <p>Hi</b>;
</script>
";

fn writes(page: &str) -> Served {
    ServedTurn::new().calling("c1", "create_file", json!({ "path": "index.html", "content": page })).into()
}

fn done() -> Served {
    ServedTurn::new().saying("Done.").into()
}

/// Carries a run of a model out on the command line, with a display, from a screenshot of 900 pixels.
async fn created(room: &Room, server: &ReplayServer, checks: &str) {
    let desk = Desk::new(room);
    let shot = room.picture("tide", "shot.png");
    let mut command = desk.facsimile();
    command.env("FACSIMILE_ENDPOINT_KEY", KEY).args(["create", shot.to_str().unwrap(), "--json"]);
    command.args(["--engine", "chat:m", "--base-url", server.address(), "--checks", checks]);
    command.arg("--out").arg(room.path(format!("out-{checks}")));
    let ended = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}");
    assert_eq!((server.complaints(), server.left()), (Vec::new(), 0), "{said}");
}

/// What the model was told by the program beyond its task, since a message.
fn told_since(server: &ReplayServer, task: usize) -> Vec<String> {
    let body = server.asked().pop().unwrap().body;
    let messages = body["messages"].as_array().unwrap().iter();
    let words = |message: &Value| match &message["content"] {
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        words => words.as_str().unwrap_or_default().to_owned(),
    };
    messages.filter(|message| message["role"] == "user").map(words).skip(task).collect()
}

/// Every picture in a request, by its width.
fn widths(body: &Value) -> Vec<u32> {
    match body {
        Value::String(text) => {
            let encoded = text.strip_prefix("data:image/").and_then(|data| data.split_once(";base64,"));
            let width = |(_, base64): (&str, &str)| {
                let bytes =
                    base64::Engine::decode(&base64::engine::general_purpose::STANDARD, base64).unwrap();
                image::load_from_memory(&bytes).unwrap().width()
            };
            encoded.map(width).into_iter().collect()
        }
        Value::Array(items) => items.iter().flat_map(widths).collect(),
        Value::Object(fields) => fields.values().flat_map(widths).collect(),
        _ => Vec::new(),
    }
}

#[tokio::test]
async fn a_model_that_looks_at_its_page_is_shown_it_and_told_all_that_is_wrong() {
    let room = Room::new();
    let looks = ServedTurn::new().calling("c2", "check_page", json!({})).calling(
        "c3",
        "screenshot_preview",
        json!({}),
    );
    let server =
        ReplayServer::playing(Spoken::OpenAiChat, [writes(FLAWED), looks.into(), done()]).await.unwrap();

    created(&room, &server, "none").await;

    let asked = server.asked();
    let [first, .., last] = asked.as_slice() else { panic!("{asked:?}") };
    let answers = last.body["messages"].as_array().unwrap().iter();
    let answer = |id: &str| -> Value {
        let found = answers.clone().find(|message| message["tool_call_id"] == id).unwrap();
        serde_json::from_str(found["content"].as_str().unwrap()).unwrap()
    };
    let facts = answer("c2");
    let says = |list: &str, words: &str| {
        let lines = facts[list].as_array().unwrap().iter().filter_map(Value::as_str);
        lines.filter(|line| line.contains(words)).count() > 0
    };
    let wanted = [
        ("problems", "index.html, line 4: <main> is never closed"),
        ("problems", "index.html, line 5: gone.png is not there"),
        ("problems", "line 16: the script does not parse: Expected corresponding JSX closing tag for 'p'"),
        ("errors", "said 7"),
        ("errors", "thrown late"),
        ("errors", "Inline Babel script"),
        ("failed", "later.png"),
        ("blocked", "elsewhere.test/far.png"),
    ];
    let missing: Vec<_> = wanted.iter().filter(|(list, words)| !says(list, words)).collect();
    assert!(missing.is_empty(), "{missing:?} in {facts:#}");
    assert_eq!(
        (&facts["page"], &facts["overflow"][0]["selector"], &facts["contrast"][0]["selector"]),
        (&json!("index.html"), &json!("#wide"), &json!("#pale")),
        "{facts:#}"
    );
    assert!(facts["overflowPx"].as_f64() > Some(500.0), "{facts:#}");
    let score = facts["score"].as_f64().unwrap();
    assert!(score < 50.0 && !facts["worst"].as_array().unwrap().is_empty(), "{facts:#}");

    let pictures = answer("c3")["pictures"].clone();
    let heights = [0, 1].map(|at| pictures[at]["height"].as_u64().unwrap());
    assert!(pictures[0]["width"] == 1280 && heights.iter().all(|height| *height >= 100), "{pictures}");
    let shown: BTreeSet<_> = widths(&last.body).into_iter().collect();
    let given: BTreeSet<_> = widths(&first.body).into_iter().collect();
    // A phone's picture is as wide as the page that does not fit on it.
    assert!(shown.contains(&1280) && shown.difference(&given).count() >= 2, "{shown:?} {given:?}");
}

/// What a profile tells of the flawed page, one answer of the model after the other.
fn expected(checks: &str) -> &'static [&'static [&'static str]] {
    const STATIC: [&str; 2] = ["<main> is never closed", "line 16: the script does not parse"];
    const RENDERED: [&str; 4] = [STATIC[0], STATIC[1], "the console says: said 7", "at 390 px the page is"];
    match checks {
        "none" => &[],
        "static" => &[&STATIC],
        "rendered" => &[&RENDERED],
        _ => &[&RENDERED, &["of 100; 90 is the aim"]],
    }
}

/// The model writes the page and says that it is done until nobody contradicts.
fn answers(checks: &str) -> Vec<Served> {
    let rounds = expected(checks).len();
    std::iter::once(writes(FLAWED)).chain((0..=rounds).map(|_| done())).collect()
}

fn assert_told(checks: &str, told: &[String]) {
    let expected = expected(checks);
    let fits = |(told, lines): (&String, &&[&str])| lines.iter().all(|line| told.contains(line));
    assert!(told.len() == expected.len() && told.iter().zip(expected).all(fits), "{checks}: {told:#?}");
    if checks == "static" {
        assert!(!told[0].contains("console"), "{told:#?}");
    }
}

#[tokio::test]
async fn the_command_line_checks_as_much_as_it_is_asked_to() {
    // That nothing is checked where nothing is asked for, the model above has seen that looks by itself.
    for checks in ["static", "rendered", "fidelity"] {
        let room = Room::new();
        let server = ReplayServer::playing(Spoken::OpenAiChat, answers(checks)).await.unwrap();
        created(&room, &server, checks).await;
        assert_told(checks, &told_since(&server, 1));
    }
}

#[tokio::test]
async fn a_page_made_in_the_window_is_checked_as_drawn_and_the_steps_tell_what_was_found() {
    let room = Room::new();
    let sound = "<!doctype html><html lang=\"en\"><title>Sound</title><body><h1>Mended</h1></body></html>";
    let answers = [writes(FLAWED), done(), writes(sound), done()];
    let server = ReplayServer::playing(Spoken::OpenAiChat, answers).await.unwrap();
    let window = window_with_model(&room, &server).await;

    window.press("Pottery shop").await;
    window.press("Make the page").await;

    window.sees("footer", "Done").await;
    window.page_shows("Mended").await;
    assert_eq!((server.complaints(), server.left()), (Vec::new(), 0));
    // What a profile tells that draws the page and does not measure it.
    assert_told("rendered", &told_since(&server, 1));

    // A finished run folds its steps.
    let steps = [
        "The page was checked and has problems",
        "at 390 px the page is",
        "The page was checked and nothing is wrong",
    ];
    window.script("document.querySelectorAll('.fold').forEach(fold => fold.click())", vec![]).await.unwrap();
    window.sees(".step", steps[0]).await;
    window.sees(".step", steps[2]).await;
    window.press(steps[0]).await;
    window.sees(".step pre", steps[1]).await;
}
