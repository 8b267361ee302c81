//! The store from outside: what it keeps, what it survives and what it says when it cannot.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // helpers of tests are tests

mod round_trips;
mod support;
