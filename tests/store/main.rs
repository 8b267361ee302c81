//! The store from outside: what it keeps, what it survives and what it says when it cannot.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // helpers of tests are tests

mod assets;
#[cfg(unix)]
mod child;
mod clocks;
#[cfg(unix)]
mod crashes;
mod damage;
mod faults;
#[cfg(target_os = "linux")]
mod full_disk;
mod keeping;
#[cfg(target_os = "linux")]
mod keys;
mod past_schemas;
#[cfg(unix)]
mod permissions;
mod refusals;
mod round_trips;
mod sharing;
mod spending;
mod support;
