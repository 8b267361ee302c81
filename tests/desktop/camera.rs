//! S-12: the view that pages are photographed and read in is as shut as their frame in the window.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::catcher::Catcher;
use crate::desk::Desk;
use crate::navigation::WAYS;
use crate::reach::CONTEXTS;
use crate::room::Room;
use crate::sockets;

const PROGRAM: &str = env!("CARGO_BIN_EXE_facsimile");
/// The address that the view's traffic is led to, where nobody listens.
const DEAD_END: &str = "sin_port=htons(9), sin_addr=inet_addr(\"127.0.0.1\")";

/// Photographs a page with its reader, while it moves for as long as the camera waits; gives what the page told in its
/// title by then. `told` is the script that says it.
fn told(room: &Room, desk: &Desk, tracer: &[&str], html: &str, told: &str) -> Value {
    let page = room.path("hostile.html");
    let (out, geometry) = (room.path("page.png"), room.path("page.json"));
    let script = format!(
        "<script>setInterval(() => {{
           // A page that writes itself again is another one, which has to move too.
           if (!document.getAnimations().length)
             document.documentElement?.animate([{{ opacity: 1 }}, {{ opacity: 0.99 }}], 60000);
           document.title = JSON.stringify({told});
         }}, 40)</script>"
    );
    fs::write(&page, format!("{html}{script}")).unwrap();
    let [page, out, file] = [&page, &out, &geometry].map(|path| path.to_str().unwrap());
    let render = [PROGRAM, "render", page, "--width", "600", "--out", out, "--geometry", file];
    let line = [tracer, &render].concat();
    let done = desk.run(line[0], &line[1..]);
    let said = String::from_utf8_lossy(&done.stderr);
    let seen: Value =
        serde_json::from_slice(&fs::read(&geometry).unwrap_or_else(|_| panic!("{said}"))).unwrap();
    let title = seen["title"].as_str().unwrap();
    // A page that has just written itself again has said nothing yet.
    serde_json::from_str(title).unwrap_or_default()
}

/// Photographs a page until it was quick enough to tell everything before its picture was taken.
fn told_at_last(room: &Room, desk: &Desk, tracer: &[&str], html: &str, all: &str) -> Value {
    desk.until("all that the page has to tell", || {
        let told = told(room, desk, tracer, html, all);
        (!told.is_null()).then_some(told)
    })
}

#[test]
fn s_12_s_01_s_02_s_03_s_05_nothing_of_the_program_is_within_reach_of_a_photographed_page() {
    let room = Room::new();
    let other = room.project("Untouched", &[("index.html", "<h1>Untouched</h1>")]);
    let page = include_str!("pages/reach.html").replace("@PROJECT@", &other.to_string());
    let summary = "(() => {
        const place = document.getElementById('report');
        if (place?.dataset.done === undefined) return null;
        const tries = Object.entries(JSON.parse(place.textContent)).flatMap(([where, tried]) =>
          Object.entries(tried).map(([name, outcome]) => [where, name, outcome]));
        // The page is at the top here: what its own frames reach above them is the page.
        const is_open = ([where, name, outcome]) => !outcome.startsWith('shut')
          && !(where.endsWith(' frame') && /^(parent|top|frameElement)/.test(name));
        return { open: tries.filter(is_open).slice(0, 2), alive: tries.filter(([, name]) => name === 'end').map(([where]) => where),
          page: tries.filter(([where]) => where === 'page').length };
      })()";
    let report = told_at_last(&room, &Desk::new(&room), &[], &page, summary);
    let alive: BTreeSet<_> = report["alive"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!((&report["open"], alive), (&json!([]), BTreeSet::from(CONTEXTS)));
    assert!(report["page"].as_u64() > Some(50), "too little was tried: {report}");
    let names: Vec<_> = room.kept().unwrap().projects().list().unwrap();
    let names: Vec<_> = names.iter().map(|listed| listed.project.name.as_str()).collect();
    assert_eq!(names, ["Untouched"]);
}

#[test]
fn s_12_s_04_a_flood_of_forged_messages_reaches_the_reader_as_a_few_short_words() {
    let room = Room::new();
    let page = "<!doctype html><h1>Floods</h1><script>
        const loop = {}; loop.loop = loop;
        const details = ['x'.repeat(50_000_000), loop, { toString() { throw 'mine' } }, Symbol('x'), null, () => {}];
        const tell = (name, detail) => { try { document.dispatchEvent(new CustomEvent(name, { detail })) } catch {} };
        for (const detail of details) tell('facsimile-console', detail);
        for (let at = 0; at < 100_000; at += 1) tell('facsimile-console', { __proto__: { kind: 'script' }, at });
        for (const message of [loop, 'x', { k: 'ready' }]) { postMessage(message, '*'); parent.postMessage(message, '*') }
        dispatchEvent(new ErrorEvent('error', { message: { toString() { return 'y'.repeat(50_000_000) } } }));
        const heard = typeof facsimileTrouble</script>";
    let heard = told_at_last(&room, &Desk::new(&room), &[], page, "heard");
    let seen: Value = serde_json::from_slice(&fs::read(room.path("page.json")).unwrap()).unwrap();
    let errors = seen["errors"].as_array().unwrap();
    let is_short = |error: &Value| error["message"].as_str().unwrap().chars().count() <= 300;
    assert!(errors.len() <= 40 && errors.iter().all(is_short), "{errors:?}");
    assert_eq!((heard, &seen["texts"][0]["text"]), (json!("undefined"), &json!("Floods")));
}

#[test]
fn s_12_s_09_no_way_leads_a_photographed_page_elsewhere() {
    let room = Room::new();
    let catcher = Catcher::new();
    let desk = Desk::new(&room);
    // A script address with a value writes the page again, with that as its text: the page is at the top here.
    let ways: Vec<_> = WAYS.iter().filter(|(name, _)| *name != "javascript:").map(|(_, way)| way).collect();
    for (part, ways) in ways.chunks(ways.len().div_ceil(4)).enumerate() {
        let page = format!(
            "<!doctype html><title>Stays</title><body style='margin:0;background:#00aa77'><h1>It stays here</h1><script>
             const ways = {}, at = '{}/{part}';
             const put = html => {{
               const holder = document.createElement('div');
               holder.innerHTML = html;
               document.body.append(holder);
               return holder.firstChild;
             }};
             const click = html => put(html).click();
             let tried = 0;
             // A navigation begins a little later than its cause; the next way must not call it off.
             const next = () => {{
               if (tried === ways.length) return void setTimeout(() => (tried += 1), 120);
               try {{ new Function('at', 'put', 'click', ways[tried])(at, put, click) }} catch {{}}
               tried += 1;
               setTimeout(next, 120);
             }};
             addEventListener('load', next)</script>",
            serde_json::to_string(ways).unwrap().replace("</", "<\\/"),
            catcher.address(),
        );
        let place =
            "tried > ways.length ? [location.protocol, document.querySelector('h1').textContent] : null";
        assert_eq!(told_at_last(&room, &desk, &[], &page, place), json!(["preview:", "It stays here"]));
        let picture = image::open(room.path("page.png")).unwrap();
        assert_eq!(image::GenericImageView::get_pixel(&picture, 590, 10).0, [0, 0xaa, 0x77, 255]);
    }
    assert_eq!(catcher.caught(), Vec::<String>::new());
}

#[test]
fn s_12_s_06_s_07_a_photographed_page_keeps_nothing_and_is_granted_nothing() {
    let room = Room::new();
    let desk = Desk::new(&room);
    let page = include_str!("pages/storage.html");
    // A document that stands alone has access to its own storage, which ends with the view.
    let granted = "({ found: report.found, granted: Object.entries(report).filter(([name, got]) =>
        !['found', 'within', 'dialogs', 'storageAccess'].includes(name) && got === 'granted').map(([name]) => name) })";
    let nothing = json!({ "local": null, "session": null, "cookie": "", "name": "" });
    let first = told_at_last(&room, &desk, &[], page, granted);
    let second = told_at_last(&room, &desk, &[], page, granted);
    assert_eq!([&first["granted"], &second["granted"]], [&json!([]), &json!([])]);
    assert_eq!([&first["found"], &second["found"]], [&nothing, &nothing]);
}

#[test]
fn s_12_questions_and_windows_of_a_page_stop_no_picture() {
    let room = Room::new();
    let page = "<!doctype html><h1>Asks</h1><script>const answers = [typeof alert('x'), confirm('x'), prompt('x'), \
        typeof print(), window.open('about:blank')]; addEventListener('beforeunload', (event) => event.preventDefault())\
        </script>";
    let answers = told_at_last(&room, &Desk::new(&room), &[], page, "answers");
    assert_eq!(answers, json!(["undefined", false, null, "undefined", null]));
}

#[test]
fn s_12_s_10_no_packet_and_no_lookup_leaves_a_photographed_page() {
    let room = Room::new();
    let catcher = Catcher::new();
    let page = include_str!("pages/network.html")
        .replace("@AT@", &format!("127.0.0.1:{}", catcher.port))
        .replace("@IPV6@", &format!("http://[::1]:{}", catcher.port))
        .replace("@NAME@", &catcher.port.to_string());
    let log = room.path("calls.log");
    let calls = "trace=socket,connect,bind,listen,sendto,sendmsg,sendmmsg";
    let tracer = ["strace", "-f", "-qq", "--seccomp-bpf", "-e", calls, "-o", log.to_str().unwrap()];
    let most = "tries.length > 40 ? tries.length : null";
    told_at_last(&room, &Desk::new(&room), &tracer, &page, most);
    let calls = sockets::calls_outside(&log);
    let leaks: Vec<_> = calls
        .iter()
        .filter(|call| call.contains("connect(") || call.contains("send"))
        .filter(|call| !call.contains(DEAD_END))
        .collect();
    assert_eq!((catcher.caught(), leaks), (vec![], vec![]));
}
