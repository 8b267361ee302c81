//! How long a piece of a page is on its way from the window to the screen.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::room::Room;
use crate::screen::{Part, Screen};
use crate::window::Window;

const POLL: Duration = Duration::from_millis(1);
/// Above this share of the looked-at part the page has begun to appear.
const BEGUN: f64 = 0.005;

/// Notes when the first piece comes, when the first comes after which there is a body to draw, and every frame
/// that the window draws.
const LISTEN: &str = "const noted = window.noted = { first: null, body: null, frames: [] }; let text = ''; \
    const now = () => performance.timeOrigin + performance.now(); \
    const { invoke, transformCallback } = window.__TAURI_INTERNALS__; \
    const handler = transformCallback(({ payload }) => { \
      noted.first ??= now(); text += payload.text; if (/<body[^>]*>/.test(text)) noted.body ??= now() }); \
    const tick = () => { noted.frames.push(now()); requestAnimationFrame(tick) }; requestAnimationFrame(tick); \
    invoke('plugin:event|listen', { event: 'previewText', target: { kind: 'Any' }, handler }).then(() => done(true))";

/// The upper left of the page: the card that names what is being done lies in its middle.
const PLACE: &str = "const box = document.querySelector('.stage .sheet').getBoundingClientRect(); \
    return [box.x, box.y, box.width, box.height].map(Math.round)";

/// The frames that the window drew from the first piece with something to show until its first pixel.
pub async fn frames_to_first_pixel(room: &Room) -> u32 {
    let window = Window::open(room).await;
    window.press("Pottery").await;
    window.until("the tray", "document.querySelector('ul.tray li.item')").await;
    window.later(LISTEN, vec![]).await.unwrap();
    let screen = Screen::of(&room.path("screen"));
    window.press("Make the page").await;
    window.until("the stage", "document.querySelector('.stage .sheet')").await;
    let place = window.script(PLACE, vec![]).await.unwrap();
    let [x, y, width, height]: [usize; 4] = serde_json::from_value(place).unwrap();
    let part = Part { left: x + 4, top: y + 4, width: width / 3, height: height / 4 };
    let is_over = Arc::new(AtomicBool::new(false));
    let watched = std::thread::spawn({
        let is_over = Arc::clone(&is_over);
        move || changes_of(&screen, part, &is_over)
    });
    window.until("the end of the run", "document.querySelector('.stage iframe[src*=\"/page/\"]')").await;
    is_over.store(true, Ordering::Relaxed);
    let changes = watched.join().unwrap();
    let noted = window.value("window.noted").await;
    let body = noted["body"].as_f64().unwrap();
    let pixel = changes.into_iter().find(|at| *at >= body).unwrap();
    let frames = noted["frames"].as_array().unwrap().iter();
    let drawn = frames.filter(|at| (body..=pixel).contains(&at.as_f64().unwrap())).count();
    u32::try_from(drawn).unwrap()
}

/// When a part of the screen changed, in milliseconds of the clock that the window's scripts know too.
fn changes_of(screen: &Screen, part: Part, is_over: &AtomicBool) -> Vec<f64> {
    let mut changes = Vec::new();
    let mut last = screen.frame(part);
    while !is_over.load(Ordering::Relaxed) {
        let frame = screen.frame(part);
        if frame.difference(&last) > BEGUN {
            changes.push(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64() * 1000.0);
            last = frame;
        }
        std::thread::sleep(POLL);
    }
    changes
}
