//! How the engine behaves over scripted sessions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a suite stops at what it did not expect

mod ending;
mod retrying;
mod streaming;
mod support;
mod tools;
