//! How the engine behaves over scripted sessions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a suite stops at what it did not expect

mod address;
mod checks;
mod cut;
mod edit;
mod ending;
mod endless;
mod hooks;
mod hostile;
mod late;
mod paths;
mod pictures;
mod registry;
mod retrying;
mod spending;
mod storm;
mod streaming;
mod support;
mod tools;
