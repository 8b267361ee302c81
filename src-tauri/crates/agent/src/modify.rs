//! Turns that change a page that is there: what the model is shown of it, and what is remembered of earlier turns.

pub mod context;
pub mod hooks;
pub mod memory;
pub mod router;
