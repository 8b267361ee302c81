//! What the program opens towards the network: nothing.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::desk::Desk;
use crate::room::Room;
use crate::session::Session;

/// Calls that name an address family beyond this machine.
pub fn calls_outside(log: &Path) -> Vec<String> {
    let text = fs::read_to_string(log).unwrap();
    let is_outside = |line: &&str| {
        ["AF_INET", "AF_PACKET", "AF_VSOCK", "AF_BLUETOOTH"].iter().any(|family| line.contains(family))
    };
    text.lines().filter(is_outside).map(str::to_owned).collect()
}

/// The network sockets that these processes hold, as the kernel lists them.
fn network_sockets(processes: &BTreeSet<u32>) -> Vec<String> {
    let held: BTreeSet<String> = processes
        .iter()
        .flat_map(|id| fs::read_dir(format!("/proc/{id}/fd")).into_iter().flatten().flatten())
        .filter_map(|entry| {
            fs::read_link(entry.path())
                .ok()?
                .to_str()?
                .strip_prefix("socket:[")?
                .strip_suffix(']')
                .map(str::to_owned)
        })
        .collect();
    assert!(!held.is_empty(), "not even a display is connected");
    let tables = ["tcp", "tcp6", "udp", "udp6", "raw", "raw6"];
    let lines = tables.iter().flat_map(|table| {
        let text = fs::read_to_string(format!("/proc/net/{table}")).unwrap_or_default();
        text.lines().skip(1).map(|line| format!("{table} {line}")).collect::<Vec<_>>()
    });
    lines.filter(|line| line.split_whitespace().nth(10).is_some_and(|inode| held.contains(inode))).collect()
}

/// S-50 too: from the first start on there is nothing that would tell anybody anything.
#[test]
fn s_30_a_whole_session_opens_no_socket_beyond_this_machine() {
    let room = Room::new();
    let picture = room.picture("tide", "tide.png");
    let log = room.path("calls.log");
    let tracer = [
        "strace",
        "-f",
        "-qq",
        "--seccomp-bpf",
        "-e",
        "trace=socket,connect,bind,listen,accept,accept4,sendto,sendmsg,sendmmsg",
        "-o",
        log.to_str().unwrap(),
    ];
    let session = Session::start(Desk::managed(&room), &tracer, &[picture]);
    session.make_page(&room);
    session.export();
    session.desk.until("the export", || room.path("home/place/tide/index.html").exists().then_some(()));
    let text = fs::read_to_string(&log).unwrap();
    assert!(text.contains("AF_UNIX"), "the trace is empty");
    assert_eq!(calls_outside(&log), Vec::<String>::new());
}

#[test]
fn s_31_the_program_listens_on_no_port() {
    let room = Room::new();
    let picture = room.picture("tide", "tide.png");
    let session = Session::start(Desk::managed(&room), &[], &[picture]);
    session.make_page(&room);
    let processes = session.processes();
    assert!(processes.len() >= 3, "the web processes are missing: {processes:?}");
    assert_eq!(network_sockets(&processes), Vec::<String>::new());
}

#[test]
fn a_picture_pasted_by_key_becomes_a_page() {
    let room = Room::new();
    let picture = room.picture("tide", "tide.png");
    let desk = Desk::managed(&room);
    let _clipboard = desk.clipboard("image/png", &picture);
    let session = Session::start(desk, &[], &[]);
    session.press_until("ctrl+v", "the picture in the program", || {
        let session = &session;
        session.desk.xdotool(&["key", "--clearmodifiers", "Return"]);
        room.outcome()
    });
    let name = session.desk.until("the project", || {
        room.kept()?.projects().list().ok()?.first().map(|found| found.project.name.clone())
    });
    assert_eq!(name, "Pasted picture");
}
