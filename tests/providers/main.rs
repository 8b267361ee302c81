//! How the four dialects behave, over transcripts and over loopback.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a suite stops at what it did not expect

mod bodies;
mod broken;
mod cancelling;
mod endpoints;
mod guarded;
mod image_services;
mod money;
mod offering;
mod pictures;
mod probing;
mod quirks;
mod sent;
mod support;
mod talking;
mod transcripts;
