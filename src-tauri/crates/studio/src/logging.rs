//! The program's log: what happened and when, in files of its own that are sent nowhere.
//!
//! [`begin`] is called by the shell once it knows the data folder. A line holds words of ours, numbers and kinds;
//! texts of people, pages and pictures are never facts of an event. Keys are hidden in every spelling.

mod file;
mod line;

use std::panic::{self, PanicHookInfo};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use facsimile_agent::Secret;
use facsimile_providers::error::KnownKeys;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

pub use file::{LOG_FOLDER, LogFiles};
pub(crate) use line::time_of;

/// Every key this process has used.
static KNOWN: KnownKeys = KnownKeys::new();

/// Hides a key in whatever is written from now on.
pub(crate) fn know(key: &Secret) {
    KNOWN.know(key);
}

/// A text of the program about itself, without any key that it knows.
pub(crate) fn without_keys(text: &str) -> String {
    KNOWN.hide(text)
}

/// Writes the log below this data folder from now on, and what a panic was about into it. The first call counts.
pub fn begin(data_folder: &Path) {
    let log = Log::into(LogFiles::below(data_folder));
    // A program that tests itself may have begun already.
    if tracing::subscriber::set_global_default(log).is_ok() {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |told| {
            note_panic(told);
            // What a panic says can quote what it was working on: it is for those who build the program.
            if cfg!(debug_assertions) {
                usual(told);
            } else {
                eprintln!("facsimile: a part of the program panicked at {}", place_of(told));
            }
        }));
        tracing::info!(
            version = env!("CARGO_PKG_VERSION"),
            system = std::env::consts::OS,
            processor = std::env::consts::ARCH,
            "the program begins"
        );
    }
}

fn note_panic(told: &PanicHookInfo<'_>) {
    let thread = std::thread::current();
    tracing::error!(place = place_of(told), thread = thread.name().unwrap_or("unnamed"), "a panic");
}

/// Where in our sources, without the folder they were built in.
fn place_of(told: &PanicHookInfo<'_>) -> String {
    let Some(location) = told.location() else { return "an unknown place".to_owned() };
    let file = location.file().replace('\\', "/");
    let end: Vec<_> = file.rsplit('/').take(3).collect();
    format!("{}:{}", end.into_iter().rev().collect::<Vec<_>>().join("/"), location.line())
}

/// Turns events into lines.
#[derive(Debug)]
pub struct Log {
    files: LogFiles,
    spans: AtomicU64,
}

impl Log {
    /// A log into these files.
    pub fn into(files: LogFiles) -> Self {
        Self { files, spans: AtomicU64::new(1) }
    }
}

impl Subscriber for Log {
    /// What other crates say may quote anything.
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::INFO && metadata.target().starts_with("facsimile")
    }

    fn event(&self, event: &Event<'_>) {
        self.files.append(&without_keys(&line::of(event)));
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(self.spans.fetch_add(1, Ordering::Relaxed))
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[cfg(test)]
mod tests;
