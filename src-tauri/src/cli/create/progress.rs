//! How far a run is, on standard error: a live line on a terminal, plain lines otherwise.

use std::io::{self, IsTerminal, Write};

use facsimile_agent::AgentEvent;
use facsimile_studio::{LifecycleEvent, RunEvent, RunEventBody};

use crate::cli::exit;

/// The line.
pub struct ProgressLine {
    is_live: bool,
    is_drawn: bool,
    written: usize,
}

impl ProgressLine {
    /// Nothing shown yet.
    pub fn new() -> Self {
        Self { is_live: io::stderr().is_terminal(), is_drawn: false, written: 0 }
    }

    /// Shows what an event tells.
    pub fn show(&mut self, event: &RunEvent) {
        let number = event.variant_index.map_or(0, |index| index.0 + 1);
        match &event.body {
            RunEventBody::Agent(AgentEvent::Thinking { text, .. }) => {
                for line in text.lines().filter(|line| !line.trim().is_empty()) {
                    self.say(&format!("[{number}] {line}"));
                }
            }
            RunEventBody::Agent(AgentEvent::ToolResult { name, ok: false, .. }) => {
                self.say(&format!("[{number}] {name} failed"));
            }
            RunEventBody::Agent(AgentEvent::SetCode { path, base, text, .. }) => {
                self.written = base + text.len();
                if self.is_live {
                    self.draw(&format!("[{number}] Writing {path}, {} bytes", self.written));
                }
            }
            RunEventBody::Lifecycle(LifecycleEvent::Notice { message, .. }) => {
                self.say(&format!("[{number}] {message}"));
            }
            _ => {}
        }
    }

    /// Says a line that stays, or on a terminal the newest of the live line.
    pub fn say(&mut self, line: &str) {
        if self.is_live {
            self.draw(line);
        } else {
            exit::say(line);
        }
    }

    /// Leaves the live line.
    pub fn end(&mut self) {
        if self.is_drawn {
            overwrite("");
        }
    }

    fn draw(&mut self, line: &str) {
        let short: String = line.chars().take(100).collect();
        overwrite(&short);
        self.is_drawn = true;
    }
}

/// Puts a text in the place of the live line.
fn overwrite(text: &str) {
    let mut terminal = io::stderr().lock();
    // A terminal that takes no more has no line to clear either.
    let _ = write!(terminal, "\r\x1b[K{text}").and_then(|()| terminal.flush());
}
