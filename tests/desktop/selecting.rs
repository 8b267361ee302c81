//! Pages that stand in the way of being selected from.

use serde_json::json;

use crate::room::Room;
use crate::window::Window;

/// What a page does, and the element that is chosen in its middle; none where it can only be said that there is none.
const HOSTILE: [(&str, &str, Option<&str>); 9] = [
    ("adds no listeners any more", "EventTarget.prototype.addEventListener = () => {}", Some("p#middle")),
    (
        "hears every pointer first",
        "for (const kind of ['pointermove', 'pointerdown', 'click', 'wheel']) \
           addEventListener(kind, (event) => { event.stopImmediatePropagation(); event.preventDefault(); \
             event.target.setPointerCapture?.(event.pointerId); document.body.append(kind) }, true)",
        Some("p#middle"),
    ),
    (
        "freezes what everything comes from",
        "for (const kind of [Object, Array, Element, Document, Node, Window]) Object.freeze(kind.prototype)",
        Some("p#middle"),
    ),
    (
        "gives wrong answers of its own",
        "Document.prototype.elementsFromPoint = () => [document.head]; Element.prototype.closest = () => null; \
         Element.prototype.getAttribute = () => '../../etc/passwd'; \
         Element.prototype.getBoundingClientRect = () => ({ left: 1e99, top: NaN, width: -1, height: 1e99 })",
        Some("p#middle"),
    ),
    (
        "breaks what answers are made of",
        "Object.defineProperty(Array.prototype, Symbol.iterator, { value: () => { throw new Error('no') } }); \
         NodeList.prototype[Symbol.iterator] = () => { throw new Error('no') }",
        None,
    ),
    (
        "answers for us",
        "let n = 0; setInterval(() => parent.postMessage({ k: 'pick', id: n = (n + 1) % 40, at: '/etc/passwd', \
           version: 'x', path: 'tauri://localhost', rect: { x: 0, y: 0, w: 9, h: 9 }, command: 'delete_project' }, '*'), 30)",
        None,
    ),
    (
        "hides it in an open shadow",
        "document.querySelector('#middle').attachShadow({ mode: 'open' }).innerHTML = '<b>inside</b>'",
        Some("p#middle"),
    ),
    (
        "hides it in a closed shadow",
        "document.querySelector('#middle').attachShadow({ mode: 'closed' }).innerHTML = '<b>inside</b>'",
        Some("p#middle"),
    ),
    (
        "has nodes without size and a frame",
        "const empty = document.createElement('i'); empty.style.cssText = 'position:fixed;left:50%;top:50%;width:0;height:0'; \
         document.body.append(empty, document.createElement('iframe'))",
        Some("p#middle"),
    ),
];

fn page(script: &str) -> String {
    format!(
        "<!doctype html><style>body{{margin:0}} p{{height:33vh;margin:0}}</style>\
         <p>First<p id=middle>Middle<p>Last<script>{script}</script>"
    )
}

/// S-13: selecting works or says that it does not, and nothing that a page says becomes a path or a command.
#[tokio::test]
async fn a_page_that_takes_events_and_freezes_its_world_is_selected_from() {
    select_from(&HOSTILE[..3]).await;
}

/// S-13.
#[tokio::test]
async fn a_page_that_answers_wrongly_or_not_at_all_is_selected_from_or_says_so() {
    select_from(&HOSTILE[3..6]).await;
}

/// S-13.
#[tokio::test]
async fn a_page_with_shadows_and_nodes_of_no_size_is_selected_from() {
    select_from(&HOSTILE[6..]).await;
}

async fn select_from(pages: &[(&'static str, &str, Option<&str>)]) {
    let room = Room::new();
    for (name, script, _) in pages {
        room.project(name, &[("index.html", &page(script))]);
    }
    let window = Window::open(&room).await;
    for (name, _, wanted) in pages {
        window.open_project(name).await;
        // A page that breaks its world answers no questions of a driver either.
        let shown = "document.querySelectorAll('.stage iframe').length === 1 && \
                     document.querySelector('.stage iframe.front[src*=\"index.html\"]')";
        window.until("the page", shown).await;
        window.select_middle().await;
        let answered = "document.querySelector('.inspector [aria-current], .inspector .silent.shown')";
        window.until("an answer", answered).await;
        let chosen =
            "(document.querySelector('.inspector [aria-current]') ?? { textContent: '' }).textContent.trim()";
        let chosen = window.value(chosen).await;
        // A page that answers for us may be overtaken or not: it names no more than a place, which is looked up.
        let is_overtaken = *name == "answers for us" && chosen == json!("p#middle");
        assert!(is_overtaken || chosen == json!(wanted.unwrap_or_default()), "{name}: {chosen}");
        window.press("All projects").await;
    }
    let projects = window.invoke("list_projects", json!({})).await.unwrap();
    assert_eq!(projects.as_array().unwrap().len(), pages.len());
}
