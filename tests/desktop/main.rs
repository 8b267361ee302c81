//! The built program in a display of its own: as a person uses it, and as a hostile page attacks it.
//!
//! Most tests drive the window through WebKitWebDriver. A test whose name begins with `s_NN` covers that number of the
//! threat model; one that begins with `cve_` holds an advisory of the platform shut.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // helpers of tests are tests

mod advisories;
mod camera;
mod catcher;
mod changes;
mod commands;
mod desk;
mod detached;
mod diagnostics;
mod editing;
mod export;
mod flood;
mod history;
mod intake;
mod journey;
mod keychain;
mod looking;
mod measure;
mod models;
mod navigation;
mod network;
mod options;
mod pictures;
mod planted;
mod policies;
mod reach;
mod reload;
mod render;
mod room;
mod scores;
#[allow(dead_code)] // the bench measures with the rest
#[path = "bench/screen.rs"]
mod screen;
mod selecting;
mod session;
mod sockets;
mod storage;
mod tasks;
mod watchdog;
mod window;
