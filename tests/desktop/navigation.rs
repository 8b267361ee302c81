//! S-09: a page that tries to lead its frame, or the window, somewhere else.

use serde_json::{Value, json};

use crate::catcher::Catcher;
use crate::room::Room;
use crate::window::{Opening, Place, Window};

/// Every way, as a script that runs in the frame; `at` is an address of the catcher.
pub const WAYS: [(&str, &str); 47] = [
    ("location", "location = at"),
    ("location.href", "location.href = at"),
    ("location.assign", "location.assign(at)"),
    ("location.replace", "location.replace(at)"),
    ("location.host", "location.host = new URL(at).host"),
    ("location.protocol", "location.protocol = 'http:'"),
    ("document.location", "document.location = at"),
    ("meta refresh", "put('<meta http-equiv=refresh content=\"0;url=' + at + '\">')"),
    ("link", "click('<a href=\"' + at + '\">x</a>')"),
    ("link to self", "click('<a target=_self href=\"' + at + '\">x</a>')"),
    ("link to blank", "click('<a target=_blank href=\"' + at + '\">x</a>')"),
    ("link to blank without opener", "click('<a target=_blank rel=noopener href=\"' + at + '\">x</a>')"),
    ("link to top", "click('<a target=_top href=\"' + at + '\">x</a>')"),
    ("link to parent", "click('<a target=_parent href=\"' + at + '\">x</a>')"),
    ("link to a name", "click('<a target=other href=\"' + at + '\">x</a>')"),
    (
        "link that is not in the page",
        "Object.assign(document.createElement('a'), { href: at, target: '_blank' }).click()",
    ),
    ("download", "click('<a download=x.html href=\"' + at + '\">x</a>')"),
    ("ping", "click('<a href=\"#x\" ping=\"' + at + '\">x</a>')"),
    ("base href", "put('<base href=\"' + at + '/\">'); click('<a href=index.html>x</a>')"),
    ("form GET", "put('<form method=get action=\"' + at + '\"><input name=q value=1></form>').submit()"),
    ("form POST", "put('<form method=post action=\"' + at + '\"><input name=q value=1></form>').submit()"),
    ("form to top", "put('<form method=post target=_top action=\"' + at + '\"></form>').requestSubmit()"),
    ("form to blank", "put('<form method=post target=_blank action=\"' + at + '\"></form>').requestSubmit()"),
    (
        "form action of a button",
        "put('<form><button formaction=\"' + at + '\">x</button></form>').firstChild.click()",
    ),
    ("window.open", "window.open(at)"),
    ("window.open self", "window.open(at, '_self')"),
    ("window.open top", "window.open(at, '_top')"),
    ("window.open, then location", "const other = window.open('about:blank'); other.location = at"),
    ("top.location", "top.location = at"),
    ("parent.location", "parent.location = at"),
    ("parent.location.replace", "parent.location.replace(at)"),
    ("history", "history.pushState(null, '', at); location.reload()"),
    ("nested frame", "put('<iframe src=\"' + at + '\"></iframe>')"),
    (
        "nested frame with code",
        "put('<iframe srcdoc=\"<script>location=\\'' + at + '\\'</script>\"></iframe>')",
    ),
    ("object", "put('<object data=\"' + at + '\"></object>')"),
    ("embed", "put('<embed src=\"' + at + '\">')"),
    ("area", "put('<map name=m><area href=\"' + at + '\"></map>').firstChild.click()"),
    (
        "svg link",
        "put('<svg><a href=\"' + at + '\"><text>x</text></a></svg>').querySelector('a').dispatchEvent(new MouseEvent('click', { bubbles: true }))",
    ),
    ("tauri:", "location = 'tauri://localhost/index.html'"),
    ("ipc:", "location = 'ipc://localhost/start_view'"),
    ("file:", "location = 'file:///etc/passwd'"),
    ("data:", "location = 'data:text/html,<script>location=' + JSON.stringify(at) + '</script>'"),
    (
        "blob:",
        "location = URL.createObjectURL(new Blob(['<script>location=' + JSON.stringify(at) + '</script>'], { type: 'text/html' }))",
    ),
    ("javascript:", "location = 'javascript:location=' + JSON.stringify(at)"),
    ("javascript: without a value", "location = 'javascript:void(location=' + JSON.stringify(at) + ')'"),
    ("mailto:", "location = 'mailto:someone@example.test'"),
    ("a host that looks like ours", "location = 'http://preview.localhost/' + at.length"),
];

/// Where the frame is and what it shows.
const PLACE: &str = "[location.protocol, document.querySelector('h1').textContent]";

const TRY: &str = r#"
    const [at, way] = arguments;
    const put = html => {
        const holder = document.createElement('div');
        holder.innerHTML = html;
        document.body.append(holder);
        return holder.firstChild;
    };
    const click = html => put(html).click();
    try { new Function('at', 'put', 'click', way)(at, put, click); } catch {}
    // A navigation begins a little later than its cause; the next way must not call it off.
    setTimeout(() => requestAnimationFrame(() => setTimeout(() => done('tried'), 60)), 60);
"#;

#[tokio::test]
async fn s_09_no_way_leads_the_frame_or_the_window_elsewhere() {
    no_way_leads_elsewhere(Place::MainWindow).await;
}

/// The address of the window that shows a page.
fn address(place: Place) -> Value {
    match place {
        Place::MainWindow => json!("tauri://localhost"),
        Place::OwnWindow => json!("tauri://localhost/page.html"),
    }
}

pub async fn no_way_leads_elsewhere(place: Place) {
    let room = Room::new();
    let catcher = Catcher::new();
    room.project("Hostile", &[("index.html", "<!doctype html><title>Stays</title><h1>It stays here</h1>")]);
    let window = Window::open(&room).await;
    window.open_page("Hostile", place).await;
    window.enter_page().await;
    let mut left = Vec::new();
    for (name, way) in WAYS {
        let at = format!("{}/{}", catcher.address(), name.replace(' ', "-"));
        // A page may load itself again; the answer is lost then, and the page is the same.
        let tried = window.later(TRY, vec![json!(at), json!(way)]).await;
        let here = window.value(PLACE).await;
        if here != json!(["preview:", "It stays here"]) {
            left.push((name, tried, here));
            // The way back: the person loads the page again.
            window.leave_page().await;
            window.press("Reload page").await;
            window.enter_page().await;
        }
    }
    assert_eq!((left, catcher.caught()), (vec![], vec![]));
    window.leave_page().await;
    assert_eq!(window.value("location.href").await, address(place));
}

/// Ways that need neither a script nor a person.
const WAYS_BY_THEMSELVES: &str = "<meta http-equiv=refresh content='0;url=AT/refresh'>\
    <meta http-equiv=refresh content='0;url=data:text/html,<h1>Elsewhere</h1>'>\
    <base href='AT/base/' target=_top><link rel=stylesheet href='AT/style'><a href='AT/link' autofocus>x</a>\
    <iframe src='AT/frame'></iframe><iframe srcdoc='<meta http-equiv=refresh content=0;url=AT/nested>'></iframe>\
    <object data='AT/object'></object><embed src='AT/embed'><form action='AT/form'><button autofocus>x</button></form>\
    <script>document.querySelector('h1').textContent = 'Ran'; window.webkit.messageHandlers.ipc.postMessage('{}'); \
    new Image().src = 'AT/image'; try { top.location = 'AT/top' } catch {} location = 'AT/own'</script>\
    <img src=x onerror=\"document.querySelector('h1').textContent = 'Ran'\">\
    <svg onload=\"document.querySelector('h1').textContent = 'Ran'\"></svg>";

#[tokio::test]
async fn s_12_the_small_frame_of_an_option_runs_nothing_and_goes_nowhere() {
    let room = Room::new();
    let catcher = Catcher::new();
    let page = format!(
        "<!doctype html><title>Small</title><h1>It stays here</h1>{}",
        WAYS_BY_THEMSELVES.replace("AT", &catcher.address())
    );
    room.project("Hostile", &[("index.html", &page)]);
    let window = Opening::bare(&room).logged(&room, "program.log").open(&room).await;
    window.open_project("Hostile").await;
    // The page itself runs where it is shown large, and tells that it came that far.
    window.desk.until("a message of the page in the log", || {
        let log = std::fs::read_to_string(room.path("program.log")).unwrap();
        log.contains("refused").then_some(())
    });
    window.enter_card().await;
    window.until("all of the small page", "document.readyState === 'complete'").await;
    let place = window.value(PLACE).await;
    let reached = "(() => { try { return typeof parent.document } catch { return 'shut' } })()";
    let reached = [window.value(reached).await, window.value("window.origin").await];
    window.leave_page().await;
    let frame = "(frame => [frame.getAttribute('sandbox'), frame.inert, frame.tabIndex])\
        (document.querySelector('.card iframe'))";
    assert_eq!(
        (place, reached, window.value(frame).await),
        (json!(["preview:", "It stays here"]), [json!("shut"), json!("null")], json!(["", true, -1]))
    );
    assert_eq!(catcher.caught(), Vec::<String>::new());
    assert_eq!(window.value("location.href").await, json!("tauri://localhost"));
}

#[tokio::test]
async fn s_09_what_a_person_clicks_leads_nowhere_either() {
    no_click_leads_elsewhere(Place::MainWindow).await;
}

pub async fn no_click_leads_elsewhere(place: Place) {
    let room = Room::new();
    let catcher = Catcher::new();
    let at = catcher.address();
    let page = format!(
        "<!doctype html><title>Stays</title><h1>It stays here</h1>\
         <p><a id=plain href='{at}/plain'>plain</a> <a id=blank target=_blank href='{at}/blank'>blank</a> \
         <a id=top target=_top href='{at}/top'>top</a> <a id=down download href='{at}/down'>down</a></p>\
         <form action='{at}/form'><button id=send>send</button></form>\
         <button id=open onclick=\"window.open('{at}/open')\">open</button>\
         <button id=lead onclick=\"top.location='{at}/lead'\">lead</button>"
    );
    room.project("Hostile", &[("index.html", &page)]);
    let window = Window::open(&room).await;
    window.open_page("Hostile", place).await;
    window.enter_page().await;
    window.script("window.isSamePage = true", vec![]).await.unwrap();
    for id in ["#plain", "#blank", "#top", "#down", "#send", "#open", "#lead"] {
        window.click_on(id).await;
        window.later("setTimeout(() => requestAnimationFrame(() => done()), 100)", vec![]).await.unwrap();
    }
    let here = window.value("[window.isSamePage, document.querySelector('h1').textContent]").await;
    assert_eq!((here, catcher.caught()), (json!([true, "It stays here"]), vec![]));
    window.leave_page().await;
    assert_eq!(window.value("location.href").await, address(place));
}
