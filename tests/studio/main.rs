//! Whole runs, from a request to kept files.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a suite stops at what it did not expect

#[cfg(unix)]
#[path = "../store/child.rs"]
mod child;
mod conversations;
mod diagnostics;
mod editing;
mod export;
mod history;
mod inputs;
mod keeping;
mod kills;
mod looking;
mod models;
mod modify;
mod opening;
mod options;
#[cfg(unix)]
mod outside;
mod pictures;
mod planted;
mod plenty;
mod preview;
mod rebuilding;
mod recovery;
mod replay;
mod runs;
mod settings;
mod support;
mod tasks;
