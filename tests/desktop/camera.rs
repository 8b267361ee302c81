//! S-12: the view that pages are photographed and read in is as shut as their frame in the window.

use std::fs;

use serde_json::{Value, json};

use crate::catcher::Catcher;
use crate::desk::Desk;
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
        "<script>document.documentElement.animate([{{ opacity: 1 }}, {{ opacity: 0.99 }}], 60000);
         setInterval(() => {{ document.title = JSON.stringify({told}) }}, 40)</script>"
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
    serde_json::from_str(title).unwrap_or_else(|_| panic!("{title}"))
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
    let first = told(&room, &desk, &[], page, granted);
    let second = told(&room, &desk, &[], page, granted);
    assert_eq!([&first["granted"], &second["granted"]], [&json!([]), &json!([])]);
    assert_eq!([&first["found"], &second["found"]], [&nothing, &nothing]);
}

#[test]
fn s_12_questions_and_windows_of_a_page_stop_no_picture() {
    let room = Room::new();
    let page = "<!doctype html><h1>Asks</h1><script>const answers = [typeof alert('x'), confirm('x'), prompt('x'), \
        typeof print(), window.open('about:blank')]; addEventListener('beforeunload', (event) => event.preventDefault())\
        </script>";
    let answers = told(&room, &Desk::new(&room), &[], page, "answers");
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
    let report = told(&room, &Desk::new(&room), &tracer, &page, "tries.length");
    assert!(report.as_u64() > Some(40), "{report}");
    let calls = sockets::calls_outside(&log);
    let leaks: Vec<_> = calls
        .iter()
        .filter(|call| call.contains("connect(") || call.contains("send"))
        .filter(|call| !call.contains(DEAD_END))
        .collect();
    assert_eq!((catcher.caught(), leaks), (vec![], vec![]));
}
