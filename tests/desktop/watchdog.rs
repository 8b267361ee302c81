//! S-11: a page that never yields.

use serde_json::json;

use crate::desk::{Desk, comes_soon};
use crate::room::Room;
use crate::session::Session;
use crate::window::{Opening, Window};

const WORDS: &str = "Make the heading larger";

/// Where things are in a window of the usual size, told by a driver.
pub struct Places {
    /// The card of the only project on the start screen.
    pub card: (i64, i64),
    pub composer: (i64, i64),
    page: (i64, i64),
    /// What opens the page in a window of its own.
    pub own_window: (i64, i64),
}

impl Places {
    pub async fn of_a_project_like_it() -> Self {
        let room = Room::new();
        room.project("Hostile", &[("index.html", "<h1>Harmless</h1>")]);
        let window = Opening::managed(&room).open(&room).await;
        window.sees(".recent .thumb", "Hostile").await;
        let card = middle(&window, ".recent .thumb").await;
        window.open_project("Hostile").await;
        window.page_shows("Harmless").await;
        let composer = middle(&window, ".composer textarea").await;
        let own_window = middle(&window, "[aria-label='Open in its own window']").await;
        Self { card, composer, page: middle(&window, "iframe.front").await, own_window }
    }
}

async fn middle(window: &Window, css: &str) -> (i64, i64) {
    let script = "const box = document.querySelector(arguments[0]).getBoundingClientRect(); \
        return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)]";
    let place = window.script(script, vec![json!(css)]).await.unwrap();
    serde_json::from_value(place).unwrap()
}

/// The words that the program holds for the composer.
pub fn draft(room: &Room) -> Option<String> {
    room.kept()?.settings().get("draft").ok()?
}

/// A page that does its worst once it is pressed.
fn pressed(title: &str, script: &str) -> String {
    format!(
        "<!doctype html><title>{title}</title><style>html, body {{ height: 100%; margin: 0 }}</style>\
         <h1>{title}</h1><script>document.addEventListener('mousedown', () => {{ {script} }})</script>"
    )
}

/// Types words, presses the page until its process is another one, and types on: what was typed is still there
/// and the page's scripts are off.
///
/// The driver does not survive the end of a web process, so it only tells where things are; then a person's
/// pointer and keys do the rest.
async fn the_page_is_ended_and_nothing_is_lost(page: &str) {
    let places = Places::of_a_project_like_it().await;
    let room = Room::new();
    room.project("Hostile", &[("index.html", page)]);
    let mut session = Session::start(Desk::managed(&room), &[], &[]);
    let first = session.web_processes();
    session.desk.until("the words in the program", || {
        session.click(places.card);
        session.click(places.composer);
        session.desk.xdotool(&["key", "--clearmodifiers", "ctrl+a"]);
        session.write(WORDS);
        comes_soon(|| draft(&room).as_deref() == Some(WORDS)).then_some(())
    });
    // One click, and the page does its worst.
    let desk = &session.desk;
    desk.until("another web process", || {
        session.click(places.page);
        let is_new = || {
            let now = session.web_processes();
            !now.is_empty() && now.is_disjoint(&first)
        };
        comes_soon(is_new).then_some(())
    });
    // The window is where it was: its composer takes more words after those it held.
    for _ in 0..2 {
        let before = draft(&room).unwrap();
        desk.until("more words", || {
            session.click(places.composer);
            desk.xdotool(&["key", "--clearmodifiers", "ctrl+End"]);
            session.write("!");
            comes_soon(|| draft(&room).is_some_and(|words| words.len() > before.len())).then_some(())
        });
        assert!(draft(&room).unwrap().starts_with(WORDS), "{:?}", draft(&room));
        // The page's scripts are off: the same click does nothing now.
        session.click(places.page);
    }
    assert!(!session.has_ended());
}

/// Opens the page, which does its worst at once, and types words: whether it was drawn in time or ended.
async fn the_window_takes_words_beside(page: &str) {
    let places = Places::of_a_project_like_it().await;
    let room = Room::new();
    room.project("Hostile", &[("index.html", page)]);
    let mut session = Session::start(Desk::managed(&room), &[], &[]);
    session.desk.until("words in the program", || {
        session.click(places.card);
        session.click(places.composer);
        session.write("!");
        comes_soon(|| draft(&room).is_some_and(|words| !words.is_empty())).then_some(())
    });
    assert!(!session.has_ended());
}

#[tokio::test]
async fn s_11_an_endless_loop_leaves_the_window_usable_and_nothing_is_lost() {
    the_page_is_ended_and_nothing_is_lost(include_str!("pages/freeze.html")).await;
}

#[tokio::test]
async fn s_11_a_regular_expression_bomb_leaves_the_window_usable_and_nothing_is_lost() {
    let bomb = "for (let n = 28; ; n += 1) /^(([a-z])+.)+[A-Z]([a-z])+$/.test('a'.repeat(n));";
    the_page_is_ended_and_nothing_is_lost(&pressed("Bomb", bomb)).await;
}

/// Between its steps the page answers, so that its silence cannot give it away.
#[tokio::test]
async fn s_11_growth_to_4_gb_leaves_the_window_usable_and_nothing_is_lost() {
    let growth = "if (window.held) return; window.held = []; const step = 64 << 20; \
        const timer = setInterval(() => { held.push(new Uint8Array(step).fill(held.length + 1)); \
          if (held.length * step >= 4 * 2 ** 30) clearInterval(timer) }, 20);";
    the_page_is_ended_and_nothing_is_lost(&pressed("Growth", growth)).await;
}

#[tokio::test]
async fn s_11_a_canvas_of_30_000_pixels_leaves_the_window_usable() {
    let page = "<!doctype html><title>Canvas</title><canvas width=30000 height=30000></canvas>\
        <canvas width=30000 height=8000></canvas><script>for (const canvas of document.querySelectorAll('canvas')) {\
        const context = canvas.getContext('2d'); if (!context) continue; context.fillStyle = '#a40';\
        context.fillRect(0, 0, canvas.width, canvas.height); context.getImageData(0, 0, 9, 9); }</script>";
    the_window_takes_words_beside(page).await;
}

#[tokio::test]
async fn s_11_dialogs_in_a_loop_open_nothing() {
    let room = Room::new();
    let page = "<!doctype html><title>Loud</title><h1>Loud</h1><p id=end></p><script>\
        for (let i = 0; i < 2000; i += 1) { alert(i); confirm(i); prompt(i); print(); }\
        document.getElementById('end').textContent = 'through';</script>";
    room.project("Hostile", &[("index.html", page)]);
    let window = Window::open(&room).await;
    window.open_project("Hostile").await;
    window.enter_page().await;
    window.sees("#end", "through").await;
    window.leave_page().await;
    assert_eq!(window.value("document.title").await, json!("Facsimile"));
}

#[tokio::test]
async fn s_11_a_million_nodes_end_with_a_usable_window() {
    let page = "<!doctype html><title>Large</title><main></main><script>\
        const main = document.querySelector('main');\
        for (let i = 0; i < 1e6; i += 1) main.append(document.createElement('i'));</script>";
    the_window_takes_words_beside(page).await;
}

/// What the platform ends by itself, for want of memory or by a fault of its own.
#[tokio::test]
async fn s_11_a_web_process_that_dies_is_replaced_and_nothing_is_lost() {
    let places = Places::of_a_project_like_it().await;
    let room = Room::new();
    room.project("Hostile", &[("index.html", "<h1>Harmless</h1>")]);
    let mut session = Session::start(Desk::managed(&room), &[], &[]);
    let typed = |words: &str| {
        session.desk.until("words in the program", || {
            session.click(places.card);
            session.click(places.composer);
            session.desk.xdotool(&["key", "--clearmodifiers", "ctrl+End"]);
            session.write("!");
            comes_soon(|| draft(&room).is_some_and(|now| now.len() > words.len())).then_some(())
        });
        draft(&room).unwrap()
    };
    let before = typed("");
    let first = session.web_processes();
    for process in &first {
        session.desk.run("kill", &["-KILL", &process.to_string()]);
    }
    session.desk.until("another web process", || {
        let now = session.web_processes();
        (!now.is_empty() && now.is_disjoint(&first)).then_some(())
    });
    let after = typed(&before);
    assert!(after.starts_with(&before), "{before:?} became {after:?}");
    assert!(!session.has_ended());
}
