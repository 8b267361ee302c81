//! The rooms and who may enter: dependencies, foreign names, sizes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a suite stops at what it did not expect

mod dependencies;
mod files;
mod secrets;
