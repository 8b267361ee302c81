//! The command line, as a person or a script uses it: the program itself, its files, its words, its exit status.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // helpers of tests are tests

mod create;
mod events;
#[cfg(target_os = "linux")]
mod full_disk;
mod inputs;
#[cfg(unix)]
mod kills;
#[cfg(target_os = "linux")]
mod models;
mod modify;
mod names;
mod pictures;
#[cfg(unix)]
mod pipes;
mod places;
mod planted;
mod projects;
mod stopping;
mod support;
#[cfg(target_os = "linux")]
mod tools;
mod trace;
mod usage;
