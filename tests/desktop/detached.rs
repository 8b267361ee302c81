//! The page in a window of its own: drawn, led by the main window, and as shut in as there.

use facsimile_testkit::replay::{ReplayServer, Served, ServedTurn, Spoken};
use image::Rgb;
use serde_json::json;

use crate::commands::{NOT_GRANTED, let_in};
use crate::desk::{Desk, comes_soon};
use crate::models::window_with_model;
use crate::policies::NAMES;
use crate::room::Room;
use crate::screen::{Part, Screen};
use crate::session::Session;
use crate::watchdog::{Places, draft};
use crate::window::{Place, Window};
use crate::{flood, navigation, network, reach, storage};

#[tokio::test]
async fn s_12_s_01_s_02_s_03_s_05_nothing_of_the_program_is_within_reach_of_a_page_in_its_own_window() {
    reach::nothing_is_within_reach(Place::OwnWindow).await;
}

#[tokio::test]
async fn s_12_s_01_calls_of_a_page_in_its_own_window_are_refused_and_counted() {
    reach::calls_are_refused_and_counted(Place::OwnWindow).await;
}

#[tokio::test]
async fn s_12_s_04_forged_messages_move_nothing_in_the_page_s_own_window() {
    flood::forged_messages_move_nothing(Place::OwnWindow).await;
}

#[tokio::test]
async fn s_12_s_06_nothing_a_page_stores_in_its_own_window_outlives_its_load() {
    storage::nothing_outlives_a_load(Place::OwnWindow).await;
}

#[tokio::test]
async fn s_12_s_07_a_page_in_its_own_window_asks_nothing_of_the_machine() {
    storage::nothing_is_asked_of_the_machine(Place::OwnWindow).await;
}

#[tokio::test]
async fn s_12_s_09_no_way_leads_the_page_s_own_window_elsewhere() {
    navigation::no_way_leads_elsewhere(Place::OwnWindow).await;
}

#[tokio::test]
async fn s_12_s_09_no_click_leads_the_page_s_own_window_elsewhere() {
    navigation::no_click_leads_elsewhere(Place::OwnWindow).await;
}

#[tokio::test]
async fn s_12_s_10_no_packet_and_no_lookup_leaves_a_page_in_its_own_window() {
    network::nothing_leaves_a_page(Place::OwnWindow).await;
}

/// What the window itself may call, if a page ever spoke for it.
#[tokio::test]
async fn s_12_s_08_the_page_s_own_window_may_follow_the_main_one_and_read_the_page_and_nothing_else() {
    let room = Room::new();
    room.project("Kiln", &[("index.html", "<h1>The first page</h1>")]);
    let window = Window::open(&room).await;
    let view = window.invoke("start_view", json!({})).await.unwrap();
    let hidden = room.project("Hidden", &[("index.html", "<h1>Of somebody else</h1>")]);
    let hidden = window.invoke("open_project", json!({"id": hidden})).await.unwrap()["runs"][0]["id"].clone();
    let id = &view["recent"][0]["id"];
    let shown = window.invoke("open_project", json!({"id": id})).await.unwrap()["runs"][0]["id"].clone();
    window.open_page("Kiln", Place::OwnWindow).await;
    let listening = ["plugin:event|listen", "plugin:event|unlisten"];
    let commands = NAMES.iter().copied().chain(NOT_GRANTED).chain(listening);
    assert_eq!(let_in(&window, commands).await, ["preview_text", "follow_page"]);
    let mut told = Vec::new();
    for run in [shown, hidden] {
        let of = json!({"runId": run, "variantIndex": 0, "path": "index.html"});
        told.push(window.invoke("preview_text", of).await.map(|whole| whole["text"].to_string()));
    }
    assert!(told[0].as_ref().is_ok_and(|text| text.contains("The first page")), "{told:?}");
    assert!(told[1].as_ref().is_err_and(|error| error.contains("not_there")), "{told:?}");
    assert_eq!(window.value("typeof window.__TAURI__").await, json!("undefined"));
}

const DRAWN: &str = "<!doctype html><title>Drawn</title><style>html { background: #2a7f62 } body { margin: 0 } \
    h1 { position: absolute; left: 80px; top: 120px; width: 700px; height: 90px; margin: 0; \
      color: #fff; font: 700 64px/90px sans-serif }</style><h1>Drawn in a window</h1>";
const GROUND: Rgb<u8> = Rgb([0x2a, 0x7f, 0x62]);
const INK: Rgb<u8> = Rgb([0xff, 0xff, 0xff]);
/// Where the heading is on the page.
const HEADING: Part = Part { left: 80, top: 120, width: 700, height: 90 };

/// Where a window is on the screen.
fn place_of(desk: &Desk, title: &str) -> Part {
    let id = desk.window_titled(title);
    let told = desk.xdotool(&["getwindowgeometry", "--shell", &id]);
    let fact = |name: &str| -> usize {
        let line = told.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        line.unwrap().parse().unwrap()
    };
    Part { left: fact("X"), top: fact("Y"), width: fact("WIDTH"), height: fact("HEIGHT") }
}

/// What is on the screen, not what the web view says of itself: a window that stays blank is blank here.
#[tokio::test]
async fn the_page_is_drawn_in_its_own_window_with_its_ground_and_its_words() {
    let room = Room::new();
    room.project("Kiln", &[("index.html", DRAWN)]);
    let window = Window::open(&room).await;
    window.open_page("Kiln", Place::OwnWindow).await;
    window.page_shows("Drawn in a window").await;
    let top = window.value("document.querySelector('iframe.front').getBoundingClientRect().top").await;
    let bar = top.as_f64().unwrap() as usize;
    let whole = place_of(&window.desk, "Kiln, Page");
    let page = Part { top: whole.top + bar, height: whole.height - bar, ..whole };
    let screen = Screen::of(&room.path("screen"));
    // Shares of the page that are its ground, and of its heading and the rest that are ink.
    let drawn = || {
        let picture = screen.picture(page);
        let (mut ground, mut heading, mut rest) = (0, 0, 0);
        for (x, y, pixel) in picture.enumerate_pixels() {
            let (x, y) = (x as usize, y as usize);
            let is_inside = (HEADING.left..HEADING.left + HEADING.width).contains(&x)
                && (HEADING.top..HEADING.top + HEADING.height).contains(&y);
            ground += usize::from(*pixel == GROUND);
            heading += usize::from(*pixel == INK && is_inside);
            rest += usize::from(*pixel == INK && !is_inside);
        }
        let of = |count: usize, part: Part| count as f64 / (part.width * part.height) as f64;
        (of(ground, page), of(heading, HEADING), of(rest, page))
    };
    let is_drawn = |(ground, heading, rest): (f64, f64, f64)| {
        ground > 0.9 && (0.05..0.5).contains(&heading) && rest == 0.0
    };
    window.desk.until("the page on the screen", || is_drawn(drawn()).then_some(()));
}

#[tokio::test]
async fn the_page_s_own_window_follows_to_another_option_and_is_there_once() {
    let room = Room::new();
    let [first, second] = ["<h1>The first option</h1>", "<h1>The second option</h1>"];
    room.project_of_options("Kiln", &[&[("index.html", first)], &[("index.html", second)]]);
    let window = Window::open(&room).await;
    window.open_page("Kiln", Place::OwnWindow).await;
    for (option, words) in [("Option 1", "The first option"), ("Option 2", "The second option")] {
        window.to_main().await;
        window.press(option).await;
        window.to_own_window().await;
        window.page_shows(words).await;
    }
    window.to_main().await;
    window.open_own_window().await;
    window.page_shows("The second option").await;
    assert_eq!(window.windows().await.len(), 2);
}

#[tokio::test]
async fn the_page_s_own_window_follows_every_change_and_says_when_no_page_is_open() {
    let room = Room::new();
    let project = room.project("Kiln", &[("index.html", "<h1>The first page</h1>")]);
    room.edit(project, &[("index.html", "<h1>The second page</h1>")]);
    room.project("Other", &[("index.html", "<h1>Of another project</h1>")]);
    let window = Window::open(&room).await;
    window.open_page("Kiln", Place::OwnWindow).await;
    window.page_shows("The second page").await;
    for (button, words) in [("Undo", "The first page"), ("Redo", "The second page")] {
        window.to_main().await;
        window.press(button).await;
        window.to_own_window().await;
        window.page_shows(words).await;
    }
    window.to_main().await;
    window.press("All projects").await;
    window.to_own_window().await;
    window.sees(".stage", "No page is open").await;
    assert_eq!(window.value("document.querySelectorAll('iframe').length").await, json!(0));
    window.to_main().await;
    window.open_project("Other").await;
    window.to_own_window().await;
    window.page_shows("Of another project").await;
    window.desk.window_titled("Other, Page");
}

#[tokio::test]
async fn the_page_s_own_window_shows_a_page_while_it_is_written_and_what_is_kept_of_it() {
    let pale = "<!doctype html><html lang=\"en\"><title>Shop</title><h1>Pale pots</h1></html>";
    let growing = pale.replace("Pale pots</h1>", &format!("Growing pots</h1>{}", "<p>A pot</p>".repeat(400)));
    let writes = |page: &str| {
        let file = json!({ "path": "index.html", "content": page });
        ServedTurn::new().calling("w", "create_file", file).typing(60)
    };
    let route = json!({ "category": "code_change", "preloadPaths": [] }).to_string();
    let answers = [
        Served::from(writes(pale)).aside(),
        Served::from(ServedTurn::new().saying("The page is there.")).aside(),
        Served::from(ServedTurn::new().saying(&route)).aside(),
        // It never ends: whoever waits for the whole page waits for ever.
        Served::from(writes(&growing)).aside().holding_after(120),
    ];
    let server = ReplayServer::playing(Spoken::OpenAiChat, answers).await.unwrap();
    let room = Room::new();
    let window = window_with_model(&room, &server).await;
    window.press("Pottery shop").await;
    window.press("Make the page").await;
    window.sees("footer", "Done").await;
    window.open_own_window().await;
    window.page_shows("Pale pots").await;
    window.to_main().await;
    window.write(".talk textarea", "Let them grow").await;
    window.press("Send").await;
    window.to_own_window().await;
    window.enter_page_being_written("A pot").await;
    window.leave_page().await;
    window.sees("header", "Writing").await;
    window.to_main().await;
    window.press("Stop").await;
    window.sees("footer", "Stopped").await;
    window.to_own_window().await;
    window.page_shows("Growing pots").await;
    assert_eq!(server.complaints(), Vec::<String>::new());
}

/// The window of this title, if it is there.
fn find(desk: &Desk, title: &str) -> Option<String> {
    let ids = desk.xdotool(&["search", "--onlyvisible", "--name", &format!("^{title}$")]);
    ids.lines().last().map(str::to_owned)
}

/// Hangs where the middle button is pressed on it: the main window is only ever clicked with the first one.
const HANGS: &str = "<!doctype html><title>Hangs</title><style>html, body { height: 100%; margin: 0 }</style>\
    <h1>Hangs</h1><script>document.addEventListener('mousedown', event => { while (event.button === 1); })</script>";

/// Opens the page of the only project in its own window, by pointer alone, and gives that window.
fn open_by_pointer(session: &Session, places: &Places) -> String {
    let main = session.desk.window_titled("Facsimile");
    session.desk.until("the page's own window", || {
        session.desk.activate(&main);
        session.click(places.card);
        session.click(places.own_window);
        let mut own = None;
        comes_soon(|| {
            own = find(&session.desk, "Hostile, Page");
            own.is_some()
        });
        own
    })
}

/// Closes a window as a person does, with a key of the desktop.
fn close(desk: &Desk, window: &str) {
    desk.activate(window);
    desk.xdotool(&["key", "--clearmodifiers", "alt+F4"]);
}

/// S-11: the main window draws in a process of its own, which goes on.
#[tokio::test]
async fn a_page_that_hangs_in_its_own_window_is_ended_there_alone_and_closing_the_main_window_ends_the_program()
 {
    let places = Places::of_a_project_like_it().await;
    let room = Room::new();
    room.project("Hostile", &[("index.html", HANGS)]);
    let mut session = Session::start(Desk::managed(&room), &[], &[]);
    let of_main = session
        .desk
        .until("the main window's process", || Some(session.web_processes()).filter(|all| !all.is_empty()));
    let own = open_by_pointer(&session, &places);
    let of_both = session.web_processes();
    assert!(of_both.is_superset(&of_main) && of_both.len() > of_main.len(), "{of_main:?} {of_both:?}");
    let desk = &session.desk;
    desk.until("another process for the page's own window", || {
        desk.xdotool(&["mousemove", "--window", &own, "300", "300", "click", "2"]);
        comes_soon(|| !session.web_processes().is_superset(&of_both)).then_some(())
    });
    assert!(session.web_processes().is_superset(&of_main), "the main window was ended too");
    let main = desk.window_titled("Facsimile");
    desk.until("words in the main window", || {
        desk.activate(&main);
        session.click(places.composer);
        session.write("!");
        comes_soon(|| draft(&room).is_some_and(|words| !words.is_empty())).then_some(())
    });
    // Gone and there again: closing it changes nothing in the main window.
    let own = desk.window_titled("Hostile, Page");
    desk.until("the end of the page's own window", || {
        close(desk, &own);
        comes_soon(|| find(desk, "Hostile, Page").is_none()).then_some(())
    });
    assert!(session.web_processes().is_superset(&of_main), "the main window was ended too");
    open_by_pointer(&session, &places);
    let ended = |session: &mut Session| comes_soon(|| session.has_ended());
    close(&session.desk, &main);
    assert!(ended(&mut session), "the program goes on without its window");
}
