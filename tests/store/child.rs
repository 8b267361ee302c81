//! Tests that need a second process run themselves again: the child takes the folder from its environment,
//! plays its part and speaks in lines that start with `> `.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

const FOLDER: &str = "FACSIMILE_TEST_FOLDER";
const PART: &str = "FACSIMILE_TEST_PART";

/// What a child was told: where to work, and which of several parts to play.
pub struct Orders {
    pub folder: PathBuf,
    pub part: String,
}

/// The orders of this process; `None` in the test itself.
pub fn orders() -> Option<Orders> {
    let folder = PathBuf::from(std::env::var_os(FOLDER)?);
    Some(Orders { folder, part: std::env::var(PART).unwrap() })
}

/// Gives a command the orders of a child; its arguments make it run one test and nothing else.
pub fn order<'a>(command: &'a mut Command, test: &str, folder: &Path, part: &str) -> &'a mut Command {
    command.args([test, "--exact", "--nocapture"]).env(FOLDER, folder).env(PART, part)
}

/// Says a line to the parent, past the test harness.
pub fn say(line: &str) {
    // The harness may have left a line open.
    io::stdout().write_all(format!("\n> {line}\n").as_bytes()).unwrap();
}

/// The lines a child has said.
pub fn said(stdout: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(stdout);
    text.lines().filter_map(|line| line.strip_prefix("> ")).map(str::to_owned).collect()
}
