//! How the engine behaves over scripted sessions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a suite stops at what it did not expect

mod checks;
mod cut;
mod ending;
mod hooks;
mod hostile;
mod late;
mod pictures;
mod registry;
mod retrying;
mod spending;
mod storm;
mod streaming;
mod support;
mod tools;
