//! Vision from outside: which files become pictures, and what is measured in them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // helpers of tests are tests

mod anything;
mod cutting;
mod designs;
mod fidelity;
mod files;
mod pictures;
mod refusals;
mod tracing;
