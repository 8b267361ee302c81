//! The program without a driver, used by keyboard and pointer alone.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use facsimile_agent::RunStatus;

use crate::desk::{Desk, Started, comes_soon};
use crate::room::Room;

/// The program on a desk, started by hand.
pub struct Session {
    pub desk: Desk,
    program: Started,
}

impl Session {
    pub fn start(desk: Desk, tracer: &[&str], files: &[PathBuf]) -> Self {
        let program = env!("CARGO_BIN_EXE_facsimile");
        let mut command = match tracer {
            [] => desk.command(program),
            [tracer, arguments @ ..] => {
                let mut command = desk.command(tracer);
                command.args(arguments).arg(program);
                command
            }
        };
        command.args(files).stdout(Stdio::null()).stderr(Stdio::null());
        let program = Started::new(command);
        let window = desk.window_titled("Facsimile");
        desk.activate(&window);
        Self { desk, program }
    }

    /// Presses keys until something has come of it.
    pub fn press_until<T>(&self, key: &str, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        self.desk.until(what, || {
            self.desk.xdotool(&["key", "--clearmodifiers", key]);
            let mut found = None;
            comes_soon(|| {
                found = look();
                found.is_some()
            });
            found
        })
    }

    /// Makes a page of what lies in the tray.
    pub fn make_page(&self, room: &Room) {
        self.press_until("Return", "a run", || room.outcome());
        self.desk.until("the page", || room.outcome().filter(|(state, _)| *state == RunStatus::Succeeded));
    }

    /// Exports through the dialog of the desktop.
    pub fn export(&self) {
        let dialog = self.press_until("ctrl+e", "the dialog", || {
            let ids = self.desk.xdotool(&["search", "--onlyvisible", "--name", "^Export$"]);
            ids.lines().last().map(str::to_owned)
        });
        crate::export::accept(&self.desk, &dialog);
    }

    /// Clicks at a place of the window's content.
    pub fn click(&self, (x, y): (i64, i64)) {
        let window = self.desk.window_titled("Facsimile");
        let (x, y) = (x.to_string(), y.to_string());
        self.desk.xdotool(&["mousemove", "--window", &window, &x, &y, "click", "1"]);
    }

    pub fn write(&self, text: &str) {
        self.desk.xdotool(&["type", "--clearmodifiers", "--delay", "8", text]);
    }

    /// The processes that draw pages, by their name.
    pub fn web_processes(&self) -> BTreeSet<u32> {
        let is_web = |id: &u32| {
            let name = fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
            name.starts_with("WebKitWebProces")
        };
        self.processes().into_iter().filter(is_web).collect()
    }

    pub fn has_ended(&mut self) -> bool {
        self.program.has_ended()
    }

    /// Every process that belongs to it.
    pub fn processes(&self) -> BTreeSet<u32> {
        family(self.program.id())
    }
}

/// A process and all that it started.
pub fn family(process: u32) -> BTreeSet<u32> {
    let mut known = BTreeSet::from([process]);
    loop {
        let children: BTreeSet<u32> =
            every_process().filter(|(_, parent)| known.contains(parent)).map(|(id, _)| id).collect();
        let before = known.len();
        known.extend(children);
        if known.len() == before {
            return known;
        }
    }
}

/// Every process with its parent.
fn every_process() -> impl Iterator<Item = (u32, u32)> {
    fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
        let id = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name in brackets may hold anything, blanks too.
        let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
        Some((id, parent))
    })
}
