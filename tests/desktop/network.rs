//! S-10: a page that tries to talk to somebody outside.

use std::fs;

use crate::catcher::Catcher;
use crate::room::Room;
use crate::sockets;
use crate::window::{Opening, Place};

/// The address that the window's traffic is led to, where nobody listens.
const DEAD_END: &str = "sin_port=htons(9), sin_addr=inet_addr(\"127.0.0.1\")";

#[tokio::test]
async fn s_10_no_packet_and_no_lookup_leaves_a_page() {
    nothing_leaves_a_page(Place::MainWindow).await;
}

pub async fn nothing_leaves_a_page(place: Place) {
    let room = Room::new();
    let catcher = Catcher::new();
    let page = include_str!("pages/network.html")
        .replace("@AT@", &format!("127.0.0.1:{}", catcher.port))
        .replace("@IPV6@", &format!("http://[::1]:{}", catcher.port))
        .replace("@NAME@", &catcher.port.to_string());
    room.project("Hostile", &[("index.html", &page)]);
    let window = Opening::bare(&room).traced(&room, "calls.log").open(&room).await;
    let report = window.report_in(place, "Hostile").await;
    assert!(report["tries"].as_u64() > Some(40), "{report}");
    window.to_main().await;
    // S-12: the small frame of its option holds the same page, and never ran it.
    window.enter_card().await;
    window.until("the small page", "document.querySelector('h1')?.textContent === 'A page that talks'").await;
    assert_eq!(window.value("document.querySelector('#report').textContent").await, "");
    window.leave_page().await;
    let heard = catcher.caught();
    let log = room.path("calls.log");
    let calls = sockets::calls_outside(&log);
    // The driver talks to the program over a connection of its own.
    let driver = fs::read_to_string(room.path("calls.log.driver")).unwrap();
    let driver = format!("htons({})", driver.trim().rsplit_once(':').unwrap().1);
    let leaks: Vec<_> = calls
        .iter()
        .filter(|call| call.contains("connect(") || call.contains("send"))
        .filter(|call| !call.contains(DEAD_END) && !call.contains(&driver))
        .collect();
    assert_eq!((heard, leaks), (vec![], vec![]));
    // The trace sees what is connected to.
    assert!(calls.iter().any(|call| call.contains("connect(") && call.contains(&driver)), "{calls:?}");
}
