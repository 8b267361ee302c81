//! Vision from outside: which files become pictures, and what is measured in them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // helpers of tests are tests

mod anything;
mod corpus;
mod cutting;
mod designs;
mod drawings;
mod fidelity;
mod files;
mod hostile;
mod memory;
mod pictures;
mod refusals;
mod tracing;
